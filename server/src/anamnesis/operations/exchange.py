"""Other machines: sync, resolve a held note, allow a waiting file to sync; which agree, what they wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from anamnesis.config import resolve_claude_dir, resolve_machine_id
from anamnesis.errors import AnamnesisError, BadResolution, NoteNotFound, SyncError
from anamnesis.files import write_object
from anamnesis.fleet import Fleet, collect_news, forget, read_fleet
from anamnesis.history import ChangedFile
from anamnesis.layout import WAITING_NAME
from anamnesis.native import NativeImport, import_native
from anamnesis.notes.record import deserialize
from anamnesis.notes.vocabulary import since_moment
from anamnesis.operations.notes import refuse_secret, write_memory
from anamnesis.operations.reading import only_id
from anamnesis.operations.versions import history_of
from anamnesis.programs import spawn
from anamnesis.session.ledger import log_line
from anamnesis.session.receipts import Item, read_items
from anamnesis.settings import resolve_switch
from anamnesis.store import MemoryStore, version_of
from anamnesis.sync import HeldNote, HoldingBackend, SyncBackend, SyncResult, SyncState
from anamnesis.sync.results import PRIVATE, WaitingFile
from anamnesis.text import StepProgress, silent

Settlement = Literal["mine", "theirs", "both", "two"]
SLOW = "slow"  # the kind of failure that a longer wait may fix


def sync_store(
    store: MemoryStore,
    backend: HoldingBackend,
    *,
    machine_id: str,
    rejoin: bool = False,
    in_background: bool = False,
    progress: StepProgress = silent,
    report: Callable[[str], None] | None = None,
) -> SyncResult:
    """Import the client's own memory files, sync once, and update the index.

    If the remote is too slow for a person to wait for, a background process keeps waiting. A failed import
    does not stop the sync: it is passed to `report`, or logged.
    """
    if resolve_switch("import_native", home=store.root):
        try:
            import_native(store, claude_dir=resolve_claude_dir(), machine_id=machine_id)
        except AnamnesisError as exc:
            (report or partial(log_line, store.root))(f"import: {exc}")
    result = backend.sync(rejoin=True, progress=progress) if rejoin else backend.sync(progress=progress)
    if result.changed:
        store.reindex(progress=partial(progress, "index"))
    _record_waiting(store.root / WAITING_NAME, result.waiting)
    collect_news(store.root, backend.history(), machine=machine_id, purged=result.purged)
    if result.failure == SLOW and not in_background:
        spawn(store.root, "sync", "--quiet", "--background")
    return result


def _record_waiting(path: Path, waiting: Iterable[WaitingFile]) -> None:
    """Record for `inject` which notes wait with a credential."""
    kinds = {each.id: each.kind for each in waiting if each.kind != PRIVATE}
    if kinds or path.exists():
        write_object(path, kinds)


def import_client_memory(store: MemoryStore, backend: SyncBackend, *, machine_id: str) -> NativeImport:
    """Import the client's own memory files and commit them."""
    done = import_native(store, claude_dir=resolve_claude_dir(), machine_id=machine_id)
    if done.added or done.updated:
        backend.commit(f"import: {len(done.added)} added, {len(done.updated)} updated")
    return done


def sync_memory(
    store: MemoryStore,
    backend: HoldingBackend,
    *,
    machine_id: str | None = None,
    progress: StepProgress = silent,
) -> dict[str, object]:
    """The result of `sync_store` in the documented shape."""
    result = sync_store(store, backend, machine_id=machine_id or resolve_machine_id(), progress=progress)
    waiting = {"waiting": [asdict(each) for each in result.waiting]} if result.waiting else {}
    return {
        "pushed": result.pushed,
        "pulled": result.pulled,
        "conflicted": result.conflicted,
        "head": result.head,
        "indexed": store.stats()["total"],
        "detail": result.detail,
        **waiting,
    }


@dataclass(frozen=True, slots=True)
class Resolution:
    """The result of resolving a held note."""

    undo: str | None = None  # fingerprint of the previous text, for `restore`; None if it is not saved
    written: str | None = None  # id of the new note, if the held one became two


def resolve_note(
    store: MemoryStore,
    backend: HoldingBackend,
    note_id: str,
    *,
    choice: Settlement = "mine",
    text: str | None = None,
) -> Resolution:
    """Resolve a held note by a choice, or by a text without credentials that replaces both versions.

    `two` keeps this machine's version and writes the other one as a new note.
    """
    if text is not None:
        refuse_secret("text", text)
    held = next((each for each in backend.held() if each.id == note_id), None)
    undo = _save_for_undo(store, note_id) if held else None
    written = _write_theirs(store, held) if held and choice == "two" and text is None else None
    if text is None:
        backend.resolve(note_id, choice="mine" if choice == "two" else choice)
    else:
        backend.resolve(note_id, text=text)
    store.reindex()
    return Resolution(undo, written)


def _write_theirs(store: MemoryStore, held: HeldNote) -> str:
    """Write the other machine's version as a new note; returns its id."""
    if held.private or not held.is_text or held.mine is None or held.theirs is None:
        raise BadResolution("only a note that both machines changed can become two; choose mine or theirs")
    note = deserialize(held.theirs)
    source = f" (from {held.machine})" if held.machine else " (the other version)"
    written = write_memory(
        store,
        type=note.type,
        title=note.title + (source if note.title == held.title else ""),
        body=note.body,
        project=note.project,
        tags=note.tags,
        machine_id=note.machine_id,
    )
    return str(written["id"])


def _save_for_undo(store: MemoryStore, note_id: str) -> str | None:
    """Save the note's text before it is resolved; returns its fingerprint, None if it cannot be restored.

    Resolving replaces the file as a sync does, without the store, which would save it.
    """
    path, text = store.path_of(note_id), store.text_of(note_id)
    if path is None or text is None or not path.is_relative_to(store.memory_dir):
        return None
    store.undo.keep(note_id, path, scope="portable")
    return version_of(text)


def allow_secrets(store: MemoryStore, backend: HoldingBackend, names: Sequence[str]) -> None:
    """Allow waiting notes to sync in their current version; each is given by id, title words or path."""
    for name in names:
        if backend.allow_secret(name):
            continue
        waiting = sorted({(each.id, _title_of(store, each)) for each in backend.state().waiting})
        try:
            backend.allow_secret(only_id(name, waiting))
        except NoteNotFound as exc:
            raise SyncError(f"{name!r} is not waiting; `anamnesis status` lists what is") from exc


def _title_of(store: MemoryStore, waiting: WaitingFile) -> str:
    note = store.get(waiting.id)
    return note.title if note is not None else waiting.path


def known_machines(backend: SyncBackend, *, state: SyncState | None = None) -> Fleet:
    """Which machines agree with this one, which are behind, and what each last reported.

    `state` is the sync state, if known.
    """
    return read_fleet(backend.machines(), state=state or backend.state())


def read_news(store: MemoryStore, *, since: str = "") -> list[Item]:
    """What other machines wrote, edited and deleted, latest first; only what came here `since` then."""
    start = since_moment(since) if since else ""
    return [item for item in reversed(read_items(str(store.root), deleted=True)) if item["seen"] >= start]


def forget_machine(store: MemoryStore, backend: SyncBackend, name: str) -> None:
    """Remove another machine from the list; the next sync removes it on the other machines."""
    forget(store.memory_dir, name, me=resolve_machine_id())
    backend.commit()


def last_notes(
    store: MemoryStore, backend: SyncBackend, names: Iterable[str]
) -> dict[str, tuple[str, ChangedFile]]:
    """The note that each machine wrote or changed last and that still exists, and when, from the commits."""
    history = history_of(store, backend)
    found = ((name, history.last_note_of(name, lambda note: store.get(note) is not None)) for name in names)
    return {name: last for name, last in found if last is not None}
