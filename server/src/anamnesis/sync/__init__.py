"""Sync: the notes of a store, the same on every machine. Git underneath, merged by meaning, never wedged."""

from anamnesis.errors import SyncError
from anamnesis.sync.backend import GitSyncBackend
from anamnesis.sync.repo import BRANCH as _BRANCH
from anamnesis.sync.results import Choice, HeldNote, SyncBackend, SyncResult, SyncState

__all__ = [
    "_BRANCH",
    "Choice",
    "GitSyncBackend",
    "HeldNote",
    "SyncBackend",
    "SyncError",
    "SyncResult",
    "SyncState",
]
