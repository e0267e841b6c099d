"""Notes: list, search, read, write, edit, replace, delete; tags."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date, timedelta
from typing import TypedDict

from anamnesis.dashboard.api import listed, refusing_stale, summary, whole_note
from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.index.finder import unknown_words
from anamnesis.index.listing import NEWEST, ORDERS, ids_wanted
from anamnesis.index.query import Filter
from anamnesis.layout import GLOBAL
from anamnesis.notes.vocabulary import FILTERS, since_moment
from anamnesis.operations import curation, notes, versions
from anamnesis.operations.reading import filter_of, project_to_write, rounded
from anamnesis.store import Hit

MOST_FOUND = 1000
MOST_SELECTED = 20_000
_PAGE = 100
_SIMILAR = 5
_LAST_WORD = re.compile(r"\w*$")
_SUPERSEDED = {"show": None, "only": True}


def list_notes(call: Call) -> Json:
    """A page of the notes that match the filters: best first for a search, otherwise newest first."""
    limit, offset = call.page(_PAGE)
    if call.param("q"):
        hits = _search(call, k=min(offset + limit + 1, MOST_FOUND))
        hidden = call.workspace.store.superseded_ids() if call.param("superseded") else set()
        shown = [_hit_row(hit, hidden=hidden) for hit in hits[offset : offset + limit]]
        return {**listed(shown, offset, len(hits)), "unknown": _unknown(call)}
    store, sort = call.workspace.store, call.param("sort") or NEWEST
    if sort not in ORDERS:
        raise BadCall(f"`sort` must be one of: {', '.join(ORDERS)}")
    page, hidden = store.page(_wanted(call), limit=limit, offset=offset, sort=sort), store.superseded_ids()
    rows: list[Json] = [{**summary(note, hidden=hidden), "match": None} for note in page.notes]
    return {**listed(rows, offset, page.total), "unknown": []}


def _hit_row(hit: Hit, *, hidden: Collection[str]) -> Json:
    """A hit as a row of a list, with why it matched."""
    match = {
        "score": rounded(hit.score),
        "terms": hit.terms,
        "snippet": hit.snippet,
        "meaning": hit.meaning,
    }
    return {**summary(hit.note, hidden=hidden), "match": match}


def select_notes(call: Call) -> Json:
    """The ids of all notes that match the filters, or that a search finds."""
    if call.param("q"):
        return {"ids": [hit.note.id for hit in _search(call, k=MOST_FOUND)]}
    wanted = _wanted(call)
    return {"ids": call.workspace.store.ask(lambda db: ids_wanted(db, wanted, limit=MOST_SELECTED))}


def change_notes(call: Call) -> Json:
    """Change many notes at once; notes that could not be changed are listed."""
    space, ids = call.workspace, call.texts("ids")
    if len(ids) > MOST_SELECTED:
        raise BadCall(f"{len(ids)} notes are too many for one change; select at most {MOST_SELECTED}")
    act, value = call.text("act"), call.optional_text("value") or ""
    if act == "project" and value.strip():
        value = _spelled(call, value)
    return _outcome(curation.change_notes(space.store, ids, act, value, backend=space.backend))


def rename_tags(call: Call) -> Json:
    """Rename tags in every note; several can be merged into one."""
    space = call.workspace
    return _outcome(
        curation.rename_tags(space.store, call.texts("names"), call.text("to"), backend=space.backend)
    )


def _outcome(outcome: curation.BulkOutcome) -> Json:
    """What was changed and what failed; `undo` has the previous version of each changed note."""
    failed = [{"id": note_id, "error": error} for note_id, error in outcome.failed.items()]
    return {"done": len(outcome.done), "failed": failed, "undo": outcome.done}


def facets(call: Call) -> Json:
    """The values to filter by, each with its number of current notes."""
    known = call.workspace.store.facets(current=True)
    return {
        kind: [{"name": name, "count": number} for name, number in counted] for kind, counted in known.items()
    }


def read_note(call: Call) -> Json:
    """Everything about one note."""
    return whole_note(call, call.note_id)


def note_links(call: Call) -> Json:
    """The notes that a note refers to, those that refer to it, and similar ones."""
    store = call.workspace.store
    links, hidden = notes.links_of(store, call.note_id), store.superseded_ids()
    similar = notes.similar_notes(store, call.note_id, k=_SIMILAR)
    return {
        "mentions": [
            {"text": text, "note": summary(note, hidden=hidden)} for text, note in links.mentions.items()
        ],
        "backlinks": [summary(note, hidden=hidden) for note in links.backlinks],
        "similar": [summary(note, hidden=hidden) for note in similar],
    }


def create_note(call: Call) -> Json:
    """Write a new note for a person."""
    space = call.workspace
    new = notes.NewNote(machine_id=space.machine_id, **_fields(call))
    return whole_note(call, notes.create_note(space.store, new).id)


def supersede_note(call: Call) -> Json:
    """Write a note that replaces another."""
    space = call.workspace
    old = notes.read_note(space.store, call.note_id).note
    new = notes.NewNote.in_place_of(old, machine_id=space.machine_id, **_fields(call))
    return whole_note(call, notes.create_note(space.store, new).id)


class _Fields(TypedDict):
    type: str
    title: str
    body: str
    project: str
    tags: list[str]
    scope: str


def _fields(call: Call) -> _Fields:
    """The fields of a note that a person fills in."""
    return {
        "type": call.text("type"),
        "title": call.text("title").strip(),
        "body": call.text("body"),
        "project": _spelled(call, call.text("project")),
        "tags": call.texts("tags"),
        "scope": call.text("scope"),
    }


def _spelled(call: Call, project: str) -> str:
    """The key that a person typed: `.`, a known key in any spelling or by its last part, or a new one."""
    space = call.workspace
    if not project.strip():
        return GLOBAL
    return project_to_write(space.store, project, default=GLOBAL, here=space.here)[0]


def edit_note(call: Call) -> Json:
    """Save an edit; if it is based on an older version, it is refused and the answer has the current note."""
    with refusing_stale(call):
        notes.edit_note(
            call.workspace.store,
            call.note_id,
            backend=call.workspace.backend,
            base=call.text("base"),
            **_fields(call),
        )
    return whole_note(call, call.note_id)


def remove_credentials(call: Call) -> Json:
    """Write `[removed]` in place of every credential in a note."""
    versions.remove_credentials(call.workspace.store, call.note_id, backend=call.workspace.backend)
    return whole_note(call, call.note_id)


def delete_note(call: Call) -> Json:
    """Delete a note, unless it has changed since the caller read it."""
    space, base = call.workspace, call.optional_text("base")
    with refusing_stale(call):
        notes.delete_note(space.store, call.note_id, base=base, backend=space.backend)
    return {"done": True}


def _search(call: Call, *, k: int) -> list[Hit]:
    """The hits for the query, best first."""
    # Scanning for edited files takes longer than the search, and `live` does it while a page is open.
    return call.workspace.store.find(call.param("q") or "", _wanted(call), k=k, thorough=False)


def _unknown(call: Call) -> list[Json]:
    """The words of the query that no note contains, and the corrections that were used instead.

    The last word may be unfinished: it is not unknown while some word starts with it.
    """
    store, text = call.workspace.store, call.param("q") or ""
    missing = store.ask(lambda db: unknown_words(db, text), thorough=False)
    last = _LAST_WORD.findall(text)[0].lower()
    if last in missing and store.complete(last, k=1):
        missing.pop(last)
    return [{"word": word, "taken_for": near} for word, near in missing.items()]


def _wanted(call: Call) -> Filter:
    tag, asked = call.param("tag"), call.param("superseded") or ""
    given = {name: call.param(name) for name in FILTERS}
    return filter_of(
        {**given, "project": call.project(), "tags": [tag] if tag else None},
        prov_source=call.param("source"),
        until=day_bounds(call)[1],
        # A search leaves out superseded notes unless they are requested.
        superseded=None if call.param("q") and not asked else _SUPERSEDED.get(asked, False),
        finds_superseded=bool(asked),
    )


def day_bounds(call: Call) -> tuple[str | None, str | None]:
    """When the day `since` starts and the day `until` ends, in local time."""
    return _moment(call, "since"), _moment(call, "until", days=1)


def _moment(call: Call, name: str, *, days: int = 0) -> str | None:
    """A day in the query string as the time it starts, in local time, plus a number of days."""
    text = call.param(name)
    if text is None:
        return None
    try:
        start = since_moment((date.fromisoformat(text) + timedelta(days=days)).isoformat())
    except (ValueError, OverflowError):
        start = ""
    if not start:
        raise BadCall(f"`{name}` is {text[:40]!r}, which is not a day; write one like 2026-01-31")
    return start


def keep_note(call: Call) -> Json:
    """Mark a note as reviewed, which removes it from the queue.

    `undo` is the fingerprint of the previous text, which `restore` accepts.
    """
    before = notes.read_note(call.workspace.store, call.note_id).version
    notes.keep_note(call.workspace.store, call.note_id, backend=call.workspace.backend)
    return {"done": True, "undo": before}
