"""Held notes: shown with their versions, settled one by one."""

from __future__ import annotations

from dataclasses import asdict

from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.operations.exchange import resolve_note
from anamnesis.sync import Choice

_CHOICES: dict[str, Choice] = {"mine": "mine", "theirs": "theirs", "both": "both"}


def list_held(call: Call) -> Json:
    """Every held note with its three texts."""
    return {"held": [asdict(held) for held in call.workspace.backend.held()]}


def resolve(call: Call) -> Json:
    """Settle one held note by a choice, or by a text that takes the place of both."""
    choice = _CHOICES.get(call.text("choice"))
    if choice is None:
        raise BadCall(f"`choice` must be one of: {', '.join(_CHOICES)}")
    # The id of a held file that is not a note is its path, so it is looked up among the held, never opened.
    space, text = call.workspace, call.optional_text("text")
    resolve_note(space.store, space.backend, call.path["id"], choice=choice, text=text)
    return {"done": True}
