"""Other machines: sync, allow a waiting file to sync; which machines agree, what they wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial

from anamnesis.config import resolve_claude_dir, resolve_machine_id
from anamnesis.errors import AnamnesisError, NoteNotFound, SyncError
from anamnesis.fleet import Fleet, collect_news, forget, read_fleet
from anamnesis.history import ChangedFile
from anamnesis.native import NativeImport, import_native
from anamnesis.notes.vocabulary import since_moment
from anamnesis.operations.reading import only_id
from anamnesis.programs import spawn
from anamnesis.session.ledger import log_line
from anamnesis.session.receipts import Item, mark_waiting, read_items
from anamnesis.settings import resolve_switch
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, SyncResult
from anamnesis.sync.results import PRIVATE, Rejoin
from anamnesis.text import StepProgress, silent

SLOW = "slow"  # the kind of failure that a longer wait may fix


def sync_store(
    store: MemoryStore,
    backend: SyncBackend,
    *,
    machine_id: str,
    rejoin: Rejoin = False,
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
    result = backend.sync(rejoin=rejoin, progress=progress) if rejoin else backend.sync(progress=progress)
    if result.changed:
        store.reindex()
    mark_waiting(store.root, [each.id for each in result.waiting if each.kind != PRIVATE])
    collect_news(store.root, backend.history(), machine=machine_id)
    if result.failure == SLOW and not in_background:
        spawn(store.root, "sync", "--quiet", "--background")
    return result


def import_client_memory(store: MemoryStore, backend: SyncBackend, *, machine_id: str) -> NativeImport:
    """Import the client's own memory files and commit them."""
    done = import_native(store, claude_dir=resolve_claude_dir(), machine_id=machine_id)
    if done.added or done.updated:
        backend.commit(f"import: {len(done.added)} added, {len(done.updated)} updated")
    return done


def sync_memory(
    store: MemoryStore,
    backend: SyncBackend,
    *,
    machine_id: str | None = None,
) -> dict[str, object]:
    """The result of `sync_store` in the documented shape."""
    result = sync_store(store, backend, machine_id=machine_id or resolve_machine_id())
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


def allow_secrets(backend: SyncBackend, names: Sequence[str]) -> None:
    """Allow waiting notes to sync in their current version; each is given by id, title words or path."""
    for name in names:
        if backend.allow_secret(name):
            continue
        waiting = {each.id: each.title or each.path for each in backend.state().waiting}
        try:
            backend.allow_secret(only_id(name, list(waiting.items())))
        except NoteNotFound as exc:
            raise SyncError(f"{name!r} is not waiting; `anamnesis status` lists what is") from exc


def known_machines(backend: SyncBackend) -> Fleet:
    """Which machines agree with this one, which are behind, and what each last reported."""
    return read_fleet(backend.machines(), state=backend.state())


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
    history = backend.history(store.undo)
    found = ((name, history.last_note_of(name, lambda note: store.get(note) is not None)) for name in names)
    return {name: last for name, last in found if last is not None}
