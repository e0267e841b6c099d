"""Sync: the same notes on every machine, over git, merged field by field and line by line.

    results     the protocol of a backend, and the values it returns
    state       sync.json: all that sync knows and git does not
    backend     `GitSyncBackend`; the doctor's checks
    one_note    committing one note that was just written
    cycle       one sync: commit, fetch, purges, integrate, push; the locks
    session     the local part, under the write lock: open, commit, integrate, land, resolve
    tree        the live files: what to commit, what stays here and why, landing, undo
    trees       two trees become one commit, note by note
    merge       merging two versions of a note
    lines       three-way merge of lines
    held        held notes: recording a clash, its versions, choices
    waiting     files that wait because of a credential, or because they are no longer readable
    paths       which files are synced
    repo        references, trees, commits; making the repository ours, setting it aside
    remote      fetch, push, creating a remote; git's messages as kinds of failure, with remedies
    purges      what a purge would remove
    status      the sync state of a store
    heartbeat   what each machine reports about itself, and what the commits show

A backend is loaded on first use. The prefix of a remote's address decides which one a store has: the table
is `address.BACKENDS`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from anamnesis.address import backend_of
from anamnesis.config import resolve_machine_id, resolve_remote
from anamnesis.errors import SyncError
from anamnesis.layout import BRANCH as _BRANCH
from anamnesis.sync.results import Choice, Finding, HeldNote, SyncBackend, SyncResult, SyncState

if TYPE_CHECKING:
    from anamnesis.sync.backend import GitSyncBackend

__all__ = [
    "_BRANCH",
    "Choice",
    "Finding",
    "GitSyncBackend",
    "HeldNote",
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
) -> SyncBackend:
    """The backend for the notes in this folder; without a remote, it only keeps their history.

    It waits `timeout` seconds for a silent remote (None: the setting), and much longer in the background.
    """
    module, _, name = backend_of(remote).partition(":")
    made: SyncBackend = getattr(import_module(module), name)(
        memory_dir,
        remote=remote,
        machine_id=machine_id,
        timeout=timeout,
        background=background,
        heartbeat=True,
    )
    return made


def open_backend(memory_dir: Path) -> SyncBackend:
    """The backend with the configured remote and this machine's name, as they are now."""
    return backend_for(memory_dir, remote=resolve_remote(), machine_id=resolve_machine_id())


def __getattr__(name: str) -> object:
    if name == "GitSyncBackend":
        return import_module("anamnesis.sync.backend").GitSyncBackend
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
