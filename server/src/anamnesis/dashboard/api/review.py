"""The review queue: what a model or an import wrote, until a person has kept, edited or deleted it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from anamnesis.dashboard.answers import summary
from anamnesis.dashboard.call import Call, Json
from anamnesis.notes.record import Memory
from anamnesis.operations import details, writing

_UNSEEN_SOURCES = ("reflection", "import")


def waiting(notes: Iterable[Memory], hidden: Collection[str]) -> list[Memory]:
    """Those of the notes that nobody has looked at; superseded ones are past it."""
    return [
        note
        for note in notes
        if note.prov_source in _UNSEEN_SOURCES
        and writing.REVIEWED_TAG not in note.tags
        and note.id not in hidden
    ]


def list_waiting(call: Call) -> Json:
    """The review queue, newest first."""
    store = call.workspace.store
    notes = waiting(store.list(bodies=False), store.superseded_ids())
    return {"notes": [summary(note, hidden=()) for note in notes]}


def keep_note(call: Call) -> Json:
    """Take a note out of the queue: a person has looked at it and vouches for it.

    `undo` is the fingerprint of the text before, which `restore` takes.
    """
    before = details.read_note(call.workspace.store, call.note_id).version
    writing.keep_note(call.workspace.store, call.note_id, backend=call.workspace.backend)
    return {"done": True, "undo": before}
