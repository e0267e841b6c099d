"""The review queue: what a model or an import wrote, until a person has kept, edited or deleted it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from anamnesis import operations
from anamnesis.dashboard.answers import summary, whole_note
from anamnesis.dashboard.call import Call, Json
from anamnesis.notes import Memory

REVIEWED = "reviewed"
_UNSEEN_SOURCES = ("reflection", "import")


def waiting(notes: Iterable[Memory], hidden: Collection[str]) -> list[Memory]:
    """Those of the notes that nobody has looked at; superseded ones are past it."""
    return [
        note
        for note in notes
        if note.prov_source in _UNSEEN_SOURCES and REVIEWED not in note.tags and note.id not in hidden
    ]


def list_waiting(call: Call) -> Json:
    """The review queue, newest first."""
    store = call.workspace.store
    notes = waiting(store.list(bodies=False), store.superseded_ids())
    return {"notes": [summary(note, hidden=()) for note in notes]}


def keep_note(call: Call) -> Json:
    """Mark a note as looked at and found right: from now on a person vouches for it."""
    store = call.workspace.store
    known = operations.read_note(store, call.note_id)
    tags = [*known.note.tags, REVIEWED]
    operations.edit_note(store, call.note_id, base=known.version, tags=tags, confidence=1.0)
    return whole_note(call, call.note_id)
