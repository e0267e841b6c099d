"""Opening the store and its sync backend for a command. Only a command that writes may make a store."""

from __future__ import annotations

from anamnesis.config import resolve_home, resolve_machine_id, resolve_remote
from anamnesis.errors import StoreUnavailable
from anamnesis.store import MemoryStore

TYPE_CHECKING = False  # most commands never need git; `open_backend` loads it
if TYPE_CHECKING:
    from anamnesis.sync import GitSyncBackend


def open_store(*, create: bool = False) -> MemoryStore:
    """The user's store; StoreUnavailable when there is none and it may not be made."""
    home = resolve_home()
    if not create and not (home / "memory").is_dir() and not (home / "local").is_dir():
        raise StoreUnavailable(
            f"{home}: there is no store here; `anamnesis init` makes one, ANAMNESIS_HOME names another"
        )
    return MemoryStore(home)


def open_backend(store: MemoryStore) -> GitSyncBackend:
    """The sync backend of the store, with the configured remote and machine."""
    from anamnesis.sync import GitSyncBackend

    return GitSyncBackend(store.memory_dir, remote=resolve_remote(), machine_id=resolve_machine_id())
