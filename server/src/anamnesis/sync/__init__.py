"""Sync: the notes of a store, the same on every machine. Git underneath, merged by meaning, never wedged.

The backend is loaded when it is first asked for: telling a store's state needs a fraction of it. Which one
a store has is decided in `backend_for` and nowhere else.
"""

from __future__ import annotations

from anamnesis.errors import SyncError
from anamnesis.sync.results import Choice, HeldNote, HoldingBackend, SyncBackend, SyncResult, SyncState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from anamnesis.sync.backend import GitSyncBackend
    from anamnesis.sync.repo import BRANCH as _BRANCH

__all__ = [
    "_BRANCH",
    "Choice",
    "GitSyncBackend",
    "HeldNote",
    "HoldingBackend",
    "SyncBackend",
    "SyncError",
    "SyncResult",
    "SyncState",
    "backend_for",
]


def backend_for(
    memory_dir: Path,
    *,
    remote: str | None,
    machine_id: str,
    timeout: float | None = None,
    background: bool = False,
) -> HoldingBackend:
    """The backend that syncs the notes in this folder; without a remote it keeps their history here.

    A silent remote is waited for `timeout` seconds (None: as the setting says), in the background far longer.
    """
    from anamnesis.sync.backend import GitSyncBackend

    return GitSyncBackend(
        memory_dir,
        remote=remote,
        machine_id=machine_id,
        timeout=timeout,
        background=background,
        heartbeat=True,
    )


def __getattr__(name: str) -> object:
    if name == "GitSyncBackend":
        from anamnesis.sync.backend import GitSyncBackend

        return GitSyncBackend
    if name == "_BRANCH":
        from anamnesis.sync.repo import BRANCH

        return BRANCH
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
