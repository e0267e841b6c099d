"""Endpoints of notes: list, search, read, write, edit, replace, delete; tags; versions of a note."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta

from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.index import figures
from anamnesis.index.finder import unknown_words
from anamnesis.index.listing import NEWEST, ORDERS
from anamnesis.index.query import Filter
from anamnesis.layout import GLOBAL
from anamnesis.notes.record import Memory, note_dict
from anamnesis.operations import curation, notes, versions
from anamnesis.operations.notes import NewNote
from anamnesis.operations.reading import project_to_write, wanted_notes
from anamnesis.store import Hit, version_of
from anamnesis.text import since_moment

_MOST_FOUND = 1000
_SUPERSEDED = {"show": None, "only": True}
_FIELDS = ("type", "title", "body", "project", "tags", "scope")
NOW = "now"  # in place of a version: the current file, committed or not


def summary(note: Memory, *, hidden: Collection[str] = ()) -> Json:
    """A note as a row of a list; `hidden` are the ids that other notes replace."""
    return {
        **note_dict(note, include_body=False),
        "prov_source": note.prov_source,
        "prov_model": note.prov_model,
        "confidence": note.confidence,
        "superseded": note.id in hidden,
    }


def list_notes(call: Call) -> Json:
    """A page of the notes that match the filters: best first for a search, otherwise newest first."""
    limit, offset = call.page(100)
    hidden = call.store.superseded_ids()
    unknown: list[Json] = []
    if query := call.param("q"):
        hits = _search(call, query, k=min(offset + limit + 1, _MOST_FOUND))
        rows: list[Json] = [
            {
                **summary(hit.note, hidden=hidden),
                "match": {"terms": hit.terms, "snippet": hit.snippet, "meaning": hit.meaning},
            }
            for hit in hits[offset : offset + limit]
        ]
        total, unknown = len(hits), _unknown(call, query)
    else:
        sort = call.param("sort") or NEWEST
        if sort not in ORDERS:
            raise BadCall(f"`sort` must be one of: {', '.join(ORDERS)}")
        page = call.store.page(_wanted(call), limit=limit, offset=offset, sort=sort)
        rows = [{**summary(note, hidden=hidden), "match": None} for note in page.notes]
        total = page.total
    end = offset + len(rows)
    return {"total": total, "next": end if rows and end < total else None, "notes": rows, "unknown": unknown}


def select_notes(call: Call) -> Json:
    """The ids of all notes that match the filters, or that a search finds."""
    if query := call.param("q"):
        return {"ids": [hit.note.id for hit in _search(call, query, k=_MOST_FOUND)]}
    return {"ids": [note.id for note in call.store.page(_wanted(call), limit=20_000).notes]}


def _search(call: Call, query: str, *, k: int) -> list[Hit]:
    # Scanning for edited files takes longer than the search, and the stream of changes does it.
    return call.store.find(query, _wanted(call), k=k, thorough=False)


def _wanted(call: Call) -> Filter:
    """The filter in the query string: that of every surface, and three of this page."""
    tags, asked = call.param("tags"), call.param("superseded") or ""
    return wanted_notes(
        call.store,
        {**call.query, "tags": tags.split(",") if tags else None},
        here=call.here,
        prov_source=call.param("source"),
        until=end_of_day(call.param("until")),
        # A search leaves out superseded notes unless they are requested.
        superseded=None if call.param("q") and not asked else _SUPERSEDED.get(asked, False),
        finds_superseded=bool(asked),
    )


def end_of_day(text: str | None) -> str | None:
    """When a day ends in local time, as a timestamp."""
    try:
        return since_moment((date.fromisoformat(text) + timedelta(days=1)).isoformat()) if text else None
    except (ValueError, OverflowError) as exc:
        raise BadCall(f"`until` is {text!r:.40}, which is not a day; write one like 2026-01-31") from exc


def _unknown(call: Call, query: str) -> list[Json]:
    """The words of the query that no word of a note starts with, and the corrections used instead."""
    return [
        {"word": word, "taken_for": near}
        for word, near in call.store.ask(lambda db: unknown_words(db, query), thorough=False).items()
    ]


def facets(call: Call) -> Json:
    """The values to filter by, each with its number of current notes."""
    known = call.store.ask(figures.facets)
    return {
        kind: [{"name": name, "count": number} for name, number in counted] for kind, counted in known.items()
    }


def change_notes(call: Call) -> Json:
    """Change many notes at once; notes that could not be changed are listed."""
    act, value = call.text("act"), call.optional_text("value") or ""
    value = _project(call, value) if act == "project" else value
    return _outcome(curation.change_notes(call.store, call.texts("ids"), act, value, backend=call.backend))


def rename_tags(call: Call) -> Json:
    """Rename tags in every note; several can be merged into one."""
    names, to = call.texts("names"), call.text("to")
    return _outcome(curation.rename_tags(call.store, names, to, backend=call.backend))


def _outcome(outcome: curation.BulkOutcome) -> Json:
    """What was changed and what failed; `undo` has the fingerprint of each previous text, for `restore`."""
    return {
        "done": len(outcome.done),
        "failed": [{"id": note_id, "error": error} for note_id, error in outcome.failed.items()],
        "undo": outcome.done,
    }


def whole_note(call: Call, note_id: str = "") -> Json:
    """All about a note, by default the requested one: its text, the version to edit, its related notes."""
    store, state, note_id = call.store, call.backend.state(), note_id or call.note_id
    details, hidden = notes.note_details(store, note_id), store.superseded_ids()
    older = [note for old in str(details["supersedes"]).split() if (note := store.get(old)) is not None]
    path = store.path_of(note_id)
    return {
        **details,
        "superseded": note_id in hidden,
        "path": path.relative_to(store.root).as_posix() if path else "",
        "held": note_id in state.held,
        "waiting": [each._asdict() for each in state.waiting if each.id == note_id],
        "replaces": [summary(note, hidden=hidden) for note in older],
        "replaced_by": [summary(note, hidden=hidden) for note in notes.successors(store, note_id)],
    }


def note_links(call: Call) -> Json:
    """The notes that a note refers to, those that refer to it, and similar ones."""
    links, hidden = notes.links_of(call.store, call.note_id), call.store.superseded_ids()
    similar = notes.similar_notes(call.store, notes.read_note(call.store, call.note_id).note, k=5)
    return {
        "mentions": [
            {"text": text, "note": summary(note, hidden=hidden)} for text, note in links.mentions.items()
        ],
        "backlinks": [summary(note, hidden=hidden) for note in links.backlinks],
        "similar": [summary(note, hidden=hidden) for note in similar],
    }


def create_note(call: Call) -> Json:
    """Write a new note for a person, which may replace another."""
    return whole_note(call, notes.create_note(call.store, _new_note(call)).id)


def edit_note(call: Call) -> Json:
    """Save an edit; refused if it is based on an older version."""
    new, base = _new_note(call), call.text("base")
    changes = {name: getattr(new, name) for name in _FIELDS}
    notes.edit_note(call.store, call.note_id, backend=call.backend, base=base, **changes)
    return whole_note(call)


def _new_note(call: Call) -> NewNote:
    """The fields of a note that a person filled in."""
    title, body, type, scope = (call.text(name) for name in ("title", "body", "type", "scope"))
    project = _project(call, call.text("project")) or GLOBAL
    older = call.optional_text("supersedes") or ""
    return NewNote(
        title.strip(), body, type, project, call.texts("tags"), call.machine_id, scope, supersedes=older
    )


def _project(call: Call, typed: str) -> str:
    """The key that a person typed: `.`, a known key in any spelling or by its last part, or a new one."""
    typed = typed.strip()
    return typed and project_to_write(call.store, typed, default=GLOBAL, here=call.here)[0]


def delete_note(call: Call) -> Json:
    """Delete a note, unless it has changed since the caller read it."""
    notes.delete_note(call.store, call.note_id, base=call.optional_text("base"), backend=call.backend)
    return {"done": True}


def remove_credentials(call: Call) -> Json:
    """Write `[removed]` in place of every credential in a note."""
    versions.remove_credentials(call.store, call.note_id, backend=call.backend)
    return whole_note(call)


def note_history(call: Call) -> Json:
    """The versions of a note, even a deleted one, newest first; and whether its text is uncommitted."""
    known = versions.note_history(call.store, call.note_id, backend=call.backend)
    history = call.backend.history(call.store.undo)
    return {
        "id": call.note_id,
        "uncommitted": versions.is_uncommitted(call.store, call.note_id, known, backend=call.backend),
        "versions": [
            {
                **{name: getattr(version, name) for name in ("commit", "at", "machine_id", "action")},
                "credential": versions.has_credential(history, version),
            }
            for version in known
        ],
    }


def forget_credentials(call: Call) -> Json:
    """Delete the texts of a note kept on this machine that contain a credential."""
    versions.forget_credentials(call.store, call.note_id, backend=call.backend)
    return note_history(call)


def note_diff(call: Call) -> Json:
    """The texts of two versions; `now` is the current file, no name an empty text."""
    return {name: _text_at(call, call.param(name) or "") for name in ("from", "to")}


def _text_at(call: Call, name: str) -> str:
    if name == NOW:
        return call.store.text_of(call.note_id) or ""
    if not name:
        return ""
    version = versions.note_version(call.store, call.note_id, name, backend=call.backend)
    return "" if version.action == "deleted" else call.backend.history(call.store.undo).text(version)


def restore_note(call: Call) -> Json:
    """Restore a version: as an edit of the note, or as the note itself if it was deleted.

    The version is named by `commit`, or by `text`, the fingerprint of its text; without either, it is the
    last text of a deleted note.
    """
    name, base = call.optional_text("commit") or "", call.optional_text("base")
    if text := call.optional_text("text"):
        name = _with_text(call, text)
    versions.restore_note(call.store, call.note_id, backend=call.backend, name=name, base=base)
    return whole_note(call)


def _with_text(call: Call, fingerprint: str) -> str:
    history = call.backend.history(call.store.undo)
    for version in versions.note_history(call.store, call.note_id, backend=call.backend):
        if version.action != "deleted" and version_of(history.text(version)) == fingerprint:
            return version.commit
    raise BadCall(f"note {call.note_id} no longer has the earlier text; its history lists what it has")
