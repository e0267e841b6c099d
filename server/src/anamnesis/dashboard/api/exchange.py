"""Other machines: which agree with this one, and resolving held notes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import get_args

from anamnesis.dashboard.answers import sync_state
from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.notes.vocabulary import timestamp
from anamnesis.operations.exchange import Settlement, forget_machine, resolve_note
from anamnesis.store import MemoryStore
from anamnesis.sync import HeldNote


def machines(call: Call) -> Json:
    """Every machine that has reported and was not removed, and this machine's sync state."""
    space = call.workspace
    return {"machines": space.machines(), "sync": sync_state(space.state())}


def forget(call: Call) -> Json:
    """Remove a machine from the list; a later sync of its own adds it again."""
    space, name = call.workspace, call.text("name")
    if all(card["machine_id"] != name for card in space.machines()):
        raise BadCall(f"no machine is called {name[:80]!r}; GET /api/machines lists them", 404)
    forget_machine(space.store, space.backend, name)
    return {"done": True}


def list_held(call: Call) -> Json:
    """Every held note with its three texts, and when this machine's text was written."""
    store = call.workspace.store
    held = call.workspace.backend.held()
    return {"held": [{**asdict(each), "written": _written_at(store, each)} for each in held]}


def _written_at(store: MemoryStore, held: HeldNote) -> str:
    """When this machine's text was written, by its file: an editor does not change `updated_at`."""
    folder = store.local_dir if held.private else store.memory_dir
    for path in (folder / held.path, store.root / held.path):
        with suppress(OSError):
            return timestamp(path.lstat().st_mtime)
    return ""


def resolve(call: Call) -> Json:
    """Resolve one held note by a choice, or by a text that replaces both versions.

    `two` keeps this machine's version and writes the other one as a new note, whose id is `written`. `undo`
    is the fingerprint of the previous text, which `restore` accepts.
    """
    requested, text = call.text("choice"), call.optional_text("text")
    choice = next((each for each in get_args(Settlement) if each == requested), None)
    if choice is None:
        raise BadCall(f"`choice` must be one of: {', '.join(get_args(Settlement))}")
    # The id of a held file that is not a note is its path, so it is only looked up among the held ones.
    space = call.workspace
    done = resolve_note(space.store, space.backend, call.path["id"], choice=choice, text=text)
    return {"done": True, "undo": done.undo, "written": done.written}
