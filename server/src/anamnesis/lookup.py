"""Looking at notes: search, list and read, the same for MCP, CLI and dashboard. Changes nothing.

Apart from `operations` so that a command that only reads loads neither git nor the search for credentials.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anamnesis.errors import InvalidNote, NoteNotFound
from anamnesis.notes import SCOPES, TYPES, Memory, note_dict
from anamnesis.project import keys_of
from anamnesis.store import Hit, MemoryStore, version_of


def search_memories(
    store: MemoryStore,
    *,
    query: str,
    project: str | None = None,
    type: str | None = None,
    scope: str | None = None,
    k: int = 8,
    tags: Sequence[str] | None = None,
    since: str | None = None,
    explain: bool = False,
) -> list[dict[str, object]]:
    """The best notes for a query, with bodies; with `explain` also score, matched terms and snippet."""
    _check_filters(type, scope)
    projects = keys_of(project) if project else None
    if explain:
        hits = store.explain(query, project=projects, type=type, scope=scope, k=k, tags=tags, since=since)
        return [hit_dict(hit) for hit in hits]
    notes = store.search(query, project=projects, type=type, scope=scope, k=k, tags=tags, since=since)
    return [note_dict(note, include_body=True) for note in notes]


def list_memories(
    store: MemoryStore, *, project: str | None = None, type: str | None = None, scope: str | None = None
) -> list[dict[str, object]]:
    """Notes newest first, titles and metadata only."""
    _check_filters(type, scope)
    projects = keys_of(project) if project else None
    notes = store.list(project=projects, type=type, scope=scope, bodies=False)
    return [note_dict(note, include_body=False) for note in notes]


@dataclass(frozen=True, slots=True)
class Versioned:
    """A note together with the version that an edit of it must name."""

    note: Memory
    version: str


def read_note(store: MemoryStore, note_id: str) -> Versioned:
    """One note and its version; NoteNotFound for an unknown id."""
    note, text = store.get(note_id), store.text_of(note_id)
    if note is None or text is None:
        raise NoteNotFound(note_id)
    return Versioned(note, version_of(text))


def note_details(store: MemoryStore, note_id: str) -> dict[str, object]:
    """All there is to know about one note: its fields, its file, and the version that an edit must name."""
    known = read_note(store, note_id)
    note = known.note
    return {
        **note_dict(note, include_body=True),
        "prov_source": note.prov_source,
        "prov_model": note.prov_model,
        "prov_session": note.prov_session,
        "confidence": note.confidence,
        "supersedes": note.supersedes,
        "path": str(store.path_of(note_id) or ""),
        "version": known.version,
    }


def hit_dict(hit: Hit) -> dict[str, object]:
    """The JSON form of a hit: the note, and why it was found."""
    return {
        **note_dict(hit.note, include_body=True),
        "score": round(hit.score, 4),
        "matched": hit.terms,
        "snippet": hit.snippet,
    }


def _check_filters(type: str | None, scope: str | None) -> None:
    if type is not None and type not in TYPES:
        raise InvalidNote(f"type {type!r} is not one of: {', '.join(TYPES)}")
    if scope is not None and scope not in SCOPES:
        raise InvalidNote(f"scope {scope!r} is not one of: {', '.join(SCOPES)}")
