"""Reads notes and the state of a store: search, list, find a note by its id or title; status, reindex.

Imports little, because every command that reads notes, and `status`, waits for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anamnesis import state
from anamnesis.config import has_program, resolve_claude_dir
from anamnesis.errors import AmbiguousId, InvalidNote, NoteNotFound
from anamnesis.index.figures import note_counts
from anamnesis.index.query import Filter, digests, starting_with, successors, titled
from anamnesis.layout import GLOBAL
from anamnesis.notes.record import note_dict
from anamnesis.notes.vocabulary import FILTERS, SCOPES, SHORTEST_BEGINNING, TYPES
from anamnesis.project import current_key, keys_of, spelled, unknown
from anamnesis.semantic.installed import Report, is_installed, report
from anamnesis.session.agents import pending
from anamnesis.session.receipts import read_ledger
from anamnesis.text import since_moment

if TYPE_CHECKING:
    from pathlib import Path

    from anamnesis.index.core import Index
    from anamnesis.store import MemoryStore
    from anamnesis.sync import SyncBackend, SyncState


_CANDIDATES = 6  # one more than an error message lists
_WORD = re.compile(r"\w+")
_NO_GIT = "git was not found on the PATH: nothing is committed or sent; install git 2.30 or newer"


def find_id(store: MemoryStore, text: str) -> str:
    """The id that `text` means: a whole id, the start of exactly one, or words in exactly one current title.

    A note with exactly this title beats those with a longer one. Raises NoteNotFound or AmbiguousId.
    """
    if store.path_of(text) is not None:
        return text
    is_long = len(text) >= SHORTEST_BEGINNING
    starting = store.ask(lambda db: starting_with(db, text, _CANDIDATES)) if is_long else []
    notes = starting or store.ask(lambda db: titled(db, text, _CANDIDATES))
    return _one_of(notes, text, by_title=not starting)


def only_id(text: str, notes: Sequence[tuple[str, str]]) -> str:
    """The id if there is exactly one of `notes` (pairs of id and title); otherwise raises like `find_id`."""
    if any(note_id == text for note_id, _ in notes):
        return text
    is_long = len(text) >= SHORTEST_BEGINNING
    starting = [note for note in notes if is_long and note[0].startswith((text, text.upper()))]
    words = _WORD.findall(text.casefold())
    titles = {note: _WORD.findall(note[1].casefold()) for note in notes if words}
    whole = [note for note, title in titles.items() if title == words]
    titled = [note for note, title in titles.items() if set(words) <= set(title)]
    return _one_of(starting or whole or titled, text, by_title=not starting)


def _one_of(notes: list[tuple[str, str]], text: str, *, by_title: bool) -> str:
    """The id of the one note that `text` means; raises like `find_id`."""
    if not notes:
        raise NoteNotFound(text, by_title=True)
    if len(notes) > 1:
        raise AmbiguousId(text, notes, by_title=by_title)
    return notes[0][0]


def search_memories(
    store: Index,
    *,
    query: str,
    project: str | None = None,
    type: str | None = None,
    scope: str | None = None,
    k: int = 8,
) -> list[dict[str, object]]:
    """The best notes for a query, with bodies, in the form that the specification names."""
    return search_notes(store, query, filter_of({"project": project, "type": type, "scope": scope}), k=k)


def search_notes(
    store: Index,
    query: str,
    wanted: Filter,
    *,
    k: int = 8,
    explain: bool = False,
    provenance: bool = False,
) -> list[dict[str, object]]:
    """The best notes for a query, with bodies; with `explain` also score, matched terms and snippet.

    With `provenance`, each note also has `source` and `confidence`.
    """
    notes = []
    for hit in store.find(query, wanted, k=k, explain=explain):
        found = note_dict(hit.note, include_body=True)
        if explain:
            score = float(f"{hit.score:.4g}")  # in a small store it is far below 1
            found |= {"score": score, "matched": hit.terms, "snippet": hit.snippet}
            found |= {} if hit.meaning is None else {"meaning": round(hit.meaning, 3)}
            found |= {"weak": True} if hit.is_weak else {}
        if provenance:
            found |= {"source": hit.note.prov_source, "confidence": hit.note.confidence}
        notes.append(found)
    return notes


def id_in(store: MemoryStore, query: str) -> list[str]:
    """The one id that the query is, or is the start of, as a list; [] if it is words to search for."""
    text = query.strip()
    found = store.ask(lambda db: starting_with(db, text, 2)) if len(text) >= 8 and " " not in text else []
    return [found[0][0]] if len(found) == 1 else []


def notes_by_id(store: MemoryStore, ids: Sequence[str]) -> list[dict[str, object]]:
    """Whole notes, each given by its id, the start of it, or words of its title."""
    if not ids:
        raise InvalidNote("there is nothing to search for; give a few words as `query`, or `ids`")
    notes = [store.get(find_id(store, text.strip())) for text in ids]
    return [
        {**note_dict(note, include_body=True), "source": note.prov_source, "confidence": note.confidence}
        for note in notes
        if note is not None
    ]


def page_of(
    store: MemoryStore, wanted: Filter, *, limit: int | None, offset: int = 0
) -> tuple[list[dict[str, object]], int]:
    """A page of notes, newest first, without bodies, with the ids that replace each; and the total."""
    page, newer = store.page(wanted, limit=limit, offset=offset), store.ask(successors)
    notes = [
        {**note_dict(note, include_body=False), "superseded_by": newer.get(note.id, [])}
        for note in page.notes
    ]
    return notes, page.total


def _machine_named(store: Index, wanted: str) -> str:
    """The machine with this name, or the only one whose name starts with it; InvalidNote if there is none."""
    known = list(store.ask(lambda db: note_counts(db, ("machine_id",))).every["machine_id"])
    if wanted in known:
        return wanted
    starting = [name for name in known if name.casefold().startswith(wanted.casefold())]
    if len(starting) != 1:
        raise InvalidNote(
            f"machine {wanted!r} has written no notes; known machines: {', '.join(sorted(known)) or 'none'}"
        )
    return starting[0]


def known_projects(store: Index) -> dict[str, int]:
    """The number of notes for every project key."""
    return store.ask(note_counts).every["project"]


def project_to_read(store: Index, wanted: str | None, *, here: str) -> str | None:
    """The key that a filter means; UnknownProject, with similar keys, if there is none."""
    if wanted is None:
        return None
    known = known_projects(store)
    key = spelled(wanted, known=known, here=here)
    if key != here and not any(each in known for each in keys_of(key)):
        raise unknown(wanted, known)
    return key


def project_to_write(store: MemoryStore, wanted: str | None, *, default: str, here: str) -> tuple[str, bool]:
    """The key for a new note, and whether it is new."""
    known = known_projects(store)
    key = default if wanted is None else current_key(spelled(wanted, known=known, here=here))
    return key, key != GLOBAL and key not in known


def keys_here(here: str) -> set[str]:
    """The keys of the notes that belong to the project `here`: its own, its older ones, `global`."""
    return {*keys_of(here), GLOBAL}


def list_memories(
    store: MemoryStore, *, project: str | None = None, type: str | None = None, scope: str | None = None
) -> list[dict[str, object]]:
    """All notes that match, newest first, titles and metadata only."""
    wanted = filter_of({"project": project, "type": type, "scope": scope})
    return [note_dict(note, include_body=False) for note in store.page(wanted, limit=None).notes]


def wanted_notes(store: Index, given: Mapping[str, object], *, here: str, **more: Any) -> Filter:
    """The filter for values as a person typed them, with project and machine completed.

    `more` are other fields of a `Filter`. Raises UnknownProject, or InvalidNote for an invalid value.
    """
    project, machine = given.get("project"), given.get("machine")
    known = {
        "project": project_to_read(store, str(project), here=here) if project else None,
        "machine": _machine_named(store, str(machine)) if machine else None,
    }
    return filter_of({**given, **known}, **more)


def filter_of(given: Mapping[str, Any], **more: Any) -> Filter:
    """The filter for values of `FILTERS`, each checked; `more` are other fields of a `Filter`."""
    values = {name: given.get(name) or None for name in FILTERS}
    for name, known in (("type", TYPES), ("scope", SCOPES)):
        if values[name] not in (None, *known):
            raise InvalidNote(f"{name} {values[name]!r} is not one of: {', '.join(known)}")
    since, project = values["since"], values["project"]
    start = since_moment(since) if since else None
    if start == "":
        raise InvalidNote(f"since {since!r} is not a date; use 2026-01-31, 7d, today or yesterday")
    return Filter(
        project=keys_of(project) if project else None,
        type=values["type"],
        scope=values["scope"],
        tags=values["tags"],
        since=start,
        machine_id=values["machine"],
        **more,
    )


def status_report(store: Index, backend: SyncBackend, found: SyncState | None = None) -> dict[str, object]:
    """Counts, paths and sync state, in the documented shape; `found` is the state if it is known already."""
    notes, sync = store.ask(note_counts), found or backend.state()
    return {
        "root": str(store.root),
        "db_path": str(store.db_path),
        "total": notes.total + notes.superseded,
        **{f"by_{column}": counted for column, counted in notes.every.items()},
        "superseded": notes.superseded,
        "current": {"total": notes.total, **{f"by_{name}": each for name, each in notes.current.items()}},
        "sync": {key: getattr(sync, key) for key in ("initialized", "remote", "head", "dirty", "detail")},
    }


def overview(store: Index) -> dict[str, object]:
    """The status report and everything that needs attention."""
    from anamnesis.sync import open_backend
    from anamnesis.sync.results import as_dict

    backend = open_backend(store.memory_dir)
    found = backend.state()
    if not has_program("git"):
        found = found._replace(detail=_NO_GIT)
    facts = as_dict(found)
    meaning, (captured, uncaptured) = meaning_report(store), captures(store)
    keys = "ahead behind unpushed_since uncommitted_since last_sync held held_names waiting left_out".split()
    return {
        **status_report(store, backend, found),
        **{key: facts[key] for key in keys},
        "failure": facts["failure_text"],
        "needs_attention": bool(found.held or found.waiting or found.is_stuck),
        "problems": [problem._asdict() for problem in store.problems()],
        "last_capture": captured,
        "uncaptured": uncaptured,
        "last_inject": state.last_inject(store.root) or None,
        "usage": _usage(store.root),
        "semantic": meaning and meaning._asdict(),
    }


def _usage(root: Path) -> dict[str, object] | None:
    """How much models were used; None if none was ever asked."""
    rows = sorted(state.read(root, state.Used))
    if not rows:
        return None
    by_model = {row.model: dict(zip(row._fields[3:], row[3:], strict=True)) for row in rows}
    total = {name: round(sum(getattr(row, name) for row in rows), 3) for name in state.Used._fields[3:]}
    since, last = min(row.since for row in rows), max(row.last for row in rows)
    return {"since": since, "last": last, "total": total, "by_model": by_model}


def meaning_report(store: Index) -> Report | None:
    """The state of a store's model and vectors; None if no model is installed."""
    return report(store.root, store.ask(digests)) if is_installed(store.root) else None


def captures(store: Index) -> tuple[str | None, int]:
    """When a session was last captured, and how many ended without being captured."""
    ledger, started = read_ledger(store.root), set(state.sessions(store.root))
    # A session whose transcript is unchanged for an hour has ended.
    uncaptured = pending(ledger, resolve_claude_dir(), started=started, quiet=3600.0)
    return state.last_capture(store.root) or None, len(uncaptured)
