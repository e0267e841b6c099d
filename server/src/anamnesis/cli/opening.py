"""Opening the store and its sync backend for a command. Only a command that writes may make a store."""

from __future__ import annotations

from anamnesis.cli.terminal import progress, tell
from anamnesis.config import resolve_home, resolve_machine_id, resolve_remote
from anamnesis.errors import StoreUnavailable

TYPE_CHECKING = False  # a command that only searches needs neither the store nor git
if TYPE_CHECKING:
    from pathlib import Path

    from anamnesis.index.quick import QuickIndex
    from anamnesis.store import MemoryStore
    from anamnesis.sync import HoldingBackend


def open_store(*, create: bool = False) -> MemoryStore:
    """The user's store; StoreUnavailable when there is none and it may not be made."""
    from anamnesis.store import MemoryStore

    return MemoryStore(resolve_home() if create else _existing())


def open_to_ask() -> QuickIndex | MemoryStore:
    """The index alone where it can be trusted, which takes half the time, else the store."""
    from anamnesis.index.quick import open_quick

    return open_quick(_existing()) or open_store()


def open_to_search(*, by_meaning: bool) -> MemoryStore:
    """The store, and with `by_meaning` its model and the vectors that were missing."""
    store = open_store()
    if by_meaning:
        from anamnesis.meaning import give_meaning, meaning_report

        with progress("making vectors") as bar:
            give_meaning(store, progress=bar)
        report = meaning_report(store)
        if report is not None and report.problem:
            tell(f"searched by words alone: {report.problem}")
    return store


def open_backend(store: MemoryStore | QuickIndex) -> HoldingBackend:
    """The sync backend of the store, with the configured remote and machine."""
    from anamnesis.sync import backend_for

    return backend_for(store.memory_dir, remote=resolve_remote(), machine_id=resolve_machine_id())


def _existing() -> Path:
    home = resolve_home()
    if not (home / "memory").is_dir() and not (home / "local").is_dir():
        raise StoreUnavailable(
            f"{home}: there is no store here; `anamnesis init` makes one, ANAMNESIS_HOME names another"
        )
    return home
