"""Held notes: shown with their versions, settled one by one."""

from __future__ import annotations

from dataclasses import asdict

from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.operations import resolve_with
from anamnesis.store import version_of
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
    # The id of a held file that is no note is its path, so it is looked up among the held, never opened.
    backend, note_id, text = call.workspace.backend, call.path["id"], call.optional_text("text")
    before = _kept_for_undo(call, note_id) if note_id in backend.state().held else None
    if text is None:
        backend.resolve(note_id, choice=choice)
    else:
        resolve_with(backend, note_id, text)
    call.workspace.store.reindex()
    return {"done": True, "undo": before}


def _kept_for_undo(call: Call, note_id: str) -> str | None:
    """Keep the note's text before it is settled; its fingerprint, or None when `restore` cannot bring it back.

    Settling replaces the file as a sync does, past the store that would keep it.
    """
    store = call.workspace.store
    path, text = store.path_of(note_id), store.text_of(note_id)
    if path is None or text is None or not path.is_relative_to(store.memory_dir):
        return None
    store.undo.keep(note_id, path, scope="portable")
    return version_of(text)
