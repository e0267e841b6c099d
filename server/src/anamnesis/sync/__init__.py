"""Sync: the notes of a store, the same on every machine. Git underneath, merged by meaning, never wedged.

Backends and results are loaded when they are first asked for, so that `status` can do without them. Which
backend a store has follows from the form of its remote's address: the table is `address.BACKENDS`.
"""

from __future__ import annotations

from importlib import import_module

from anamnesis.errors import SyncError
from anamnesis.layout import BRANCH as _BRANCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from anamnesis.sync.backend import GitSyncBackend
    from anamnesis.sync.results import (
        Choice,
        Finding,
        HeldNote,
        HoldingBackend,
        SyncBackend,
        SyncResult,
        SyncState,
    )

__all__ = [
    "_BRANCH",
    "Choice",
    "Finding",
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

    It waits `timeout` seconds for a silent remote (None: the setting), in the background far longer.
    """
    from anamnesis.address import backend_of

    module, _, name = backend_of(remote).partition(":")
    made: HoldingBackend = getattr(import_module(module), name)(
        memory_dir,
        remote=remote,
        machine_id=machine_id,
        timeout=timeout,
        background=background,
        heartbeat=True,
    )
    return made


def __getattr__(name: str) -> object:
    if name in __all__:
        module = "backend" if name == "GitSyncBackend" else "results"
        return getattr(import_module(f"anamnesis.sync.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
