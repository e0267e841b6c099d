"""Other machines: which agree with this one, and resolving held notes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict

from anamnesis.dashboard.answers import sync_state
from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.notes.record import deserialize
from anamnesis.notes.vocabulary import timestamp
from anamnesis.operations.exchange import resolve_note
from anamnesis.operations.machines import forget_machine
from anamnesis.operations.writing import write_memory
from anamnesis.store import MemoryStore, version_of
from anamnesis.sync import Choice, HeldNote

_CHOICES: dict[str, Choice] = {"mine": "mine", "theirs": "theirs", "both": "both", "two": "mine"}


def machines(call: Call) -> Json:
    """Every machine that has reported and was not removed, and this machine's sync state."""
    space = call.workspace
    return {"machines": space.machines(), "sync": sync_state(space.state())}


def forget(call: Call) -> Json:
    """Remove a machine from the list; its next heartbeat adds it again."""
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
    asked, text = call.text("choice"), call.optional_text("text")
    if asked not in _CHOICES:
        raise BadCall(f"`choice` must be one of: {', '.join(_CHOICES)}")
    # The id of a held file that is not a note is its path, so it is only looked up among the held ones.
    backend, note_id = call.workspace.backend, call.path["id"]
    held = next((each for each in backend.held() if each.id == note_id), None)
    before = _kept_for_undo(call, note_id) if held else None
    written = _write_theirs(call, held) if held and asked == "two" and text is None else None
    resolve_note(call.workspace.store, backend, note_id, choice=_CHOICES[asked], text=text)
    return {"done": True, "undo": before, "written": written}


def _write_theirs(call: Call, held: HeldNote) -> str:
    """Write the other machine's version as a new note; returns its id."""
    if held.private or not held.is_text or held.mine is None or held.theirs is None:
        raise BadCall("only a note that both machines changed can become two; choose mine or theirs")
    note = deserialize(held.theirs)
    source = f" (from {held.machine})" if held.machine else " (the other version)"
    written = write_memory(
        call.workspace.store,
        type=note.type,
        title=note.title + (source if note.title == held.title else ""),
        body=note.body,
        project=note.project,
        tags=note.tags,
        machine_id=note.machine_id,
    )
    return str(written["id"])


def _kept_for_undo(call: Call, note_id: str) -> str | None:
    """Save the note's text before it is resolved; returns its fingerprint, None if it cannot be restored.

    Resolving replaces the file as a sync does, without the store, which would save it.
    """
    store = call.workspace.store
    path, text = store.path_of(note_id), store.text_of(note_id)
    if path is None or text is None or not path.is_relative_to(store.memory_dir):
        return None
    store.undo.keep(note_id, path, scope="portable")
    return version_of(text)
