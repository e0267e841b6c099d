"""Sync: the notes of a store, the same on every machine. Git underneath, merged by meaning, never wedged.

The backend is loaded when it is first asked for: telling a store's state needs a fraction of it.
"""

from anamnesis.errors import SyncError
from anamnesis.sync.results import Choice, HeldNote, SyncBackend, SyncResult, SyncState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.sync.backend import GitSyncBackend
    from anamnesis.sync.repo import BRANCH as _BRANCH

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


def __getattr__(name: str) -> object:
    if name == "GitSyncBackend":
        from anamnesis.sync.backend import GitSyncBackend

        return GitSyncBackend
    if name == "_BRANCH":
        from anamnesis.sync.repo import BRANCH

        return BRANCH
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
