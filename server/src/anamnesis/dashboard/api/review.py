"""The review queue: what a model or an import wrote, until a person has kept, edited or deleted it."""

from __future__ import annotations

from anamnesis.dashboard.answers import MOST, listed, projects_asked, summary
from anamnesis.dashboard.call import Call, Json
from anamnesis.index.query import Filter
from anamnesis.operations import details, writing

_PAGE = 50


def list_waiting(call: Call) -> Json:
    """A page of the review queue, newest first."""
    limit, offset = call.number("limit", _PAGE, most=MOST), call.number("offset", 0, most=10_000_000)
    wanted = Filter(project=projects_asked(call), unseen=True, superseded=False)
    page = call.workspace.store.page(wanted, limit=limit, offset=offset)
    return listed([summary(note, hidden=()) for note in page.notes], offset, page.total)


def keep_note(call: Call) -> Json:
    """Remove a note from the queue: a person has reviewed it.

    `undo` is the fingerprint of the text before, which `restore` takes.
    """
    before = details.read_note(call.workspace.store, call.note_id).version
    writing.keep_note(call.workspace.store, call.note_id, backend=call.workspace.backend)
    return {"done": True, "undo": before}
