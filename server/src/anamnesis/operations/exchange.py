"""Exchanges notes with the other machines: sync, resolve a held note, allow a waiting file to sync."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial

from anamnesis.config import resolve_claude_dir, resolve_machine_id
from anamnesis.errors import AnamnesisError, NoteNotFound, SyncError
from anamnesis.fleet.news import collect_news
from anamnesis.native import import_native
from anamnesis.operations.background import spawn
from anamnesis.operations.reading import only_id
from anamnesis.operations.writing import refuse_secret
from anamnesis.session.hooklog import log_line
from anamnesis.settings import resolve_switch
from anamnesis.store import MemoryStore
from anamnesis.sync import Choice, HoldingBackend, SyncResult
from anamnesis.sync.results import WaitingFile
from anamnesis.text import StepProgress, silent

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
    collect_news(store.root, machine=machine_id)
    if result.failure == SLOW and not in_background:
        spawn(store.root, "sync", "--quiet", "--background")
    return result


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


def resolve_note(
    store: MemoryStore,
    backend: HoldingBackend,
    note_id: str,
    *,
    choice: Choice = "mine",
    text: str | None = None,
) -> None:
    """Resolve a held note by a choice, or by a text without credentials that replaces both versions."""
    if text is None:
        backend.resolve(note_id, choice=choice)
    else:
        refuse_secret("text", text)
        backend.resolve(note_id, text=text)
    store.reindex()


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
