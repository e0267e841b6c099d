"""Opening the store and its sync backend for a command. Only a command that writes may make a store."""

from __future__ import annotations

from anamnesis.config import resolve_home, resolve_machine_id, resolve_remote
from anamnesis.errors import StoreUnavailable
from anamnesis.layout import LOCAL, MEMORY

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


def open_backend(store: MemoryStore | QuickIndex) -> HoldingBackend:
    """The sync backend of the store, with the configured remote and machine."""
    from anamnesis.sync import backend_for

    return backend_for(store.memory_dir, remote=resolve_remote(), machine_id=resolve_machine_id())


def _existing() -> Path:
    home = resolve_home()
    if not (home / MEMORY).is_dir() and not (home / LOCAL).is_dir():
        raise StoreUnavailable(
            f"{home}: there is no store here; `anamnesis init` makes one, ANAMNESIS_HOME names another"
        )
    return home
