"""Sync: the same notes on every machine, over git, merged field by field and line by line.

    results       the protocol of a backend, and the values it returns
    backend       `GitSyncBackend`, and the doctor's checks of its repository
    cycle         one sync: commit, fetch, integrate, push; the locks
    local         the part of a sync without the network
    remote        fetch, push, creating a remote
    failure       git's messages as kinds of failure, with remedies
    repo          references, trees and commits
    worktree      the live files: finding changes, landing
    paths         which files are synced, and why others are not
    replay        joining two lines of commits, note by note
    merge         merging two versions of a note
    lines         three-way merge of lines
    edits         what one side did to a text
    held          held notes: recording a clash, resolving it
    waiting       files that wait because of a credential
    screen        what must not come from the remote or go there: purged content, credentials
    recover       repairing a repository before a sync, and removing what keeps git from starting
    state         sync's own small files
    status        the sync state of a store
    state_cache   the sync state of an unchanged store, without git
    heartbeat     what each machine reports about itself, and what the commits show
    log           git's log: the versions of notes, and a cache of answers

Backends and results are loaded on first use, so that `status` does not load them. The prefix of a remote's
address decides which backend a store has: the table is `address.BACKENDS`.
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
    """The backend for the notes in this folder; without a remote, it only keeps their history.

    It waits `timeout` seconds for a silent remote (None: the setting), and much longer in the background.
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
