"""One note in full: its fields, its version, the notes that replace it."""

from __future__ import annotations

from dataclasses import dataclass

from anamnesis.errors import NoteNotFound
from anamnesis.notes.record import Memory, note_dict
from anamnesis.store import MemoryStore, version_of


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


def successors(store: MemoryStore, note_id: str) -> list[Memory]:
    """The notes that replace one, by id."""
    found = (store.get(newer) for newer in store.successors().get(note_id, ()))
    return [note for note in found if note is not None]


def note_details(store: MemoryStore, note_id: str) -> dict[str, object]:
    """Everything about one note: its fields, its file, and the version that an edit must name."""
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
