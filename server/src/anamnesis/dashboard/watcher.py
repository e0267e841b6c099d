"""Whether a store has changed, cheaply enough to be asked several times a second.

Every change of a note ends in the index, and the sync backend names the files that a sync changes: the stat
of a few files tells. The index itself looks for hand edits when it is asked, so asking it is part of looking.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

from anamnesis.index.refresh import is_unsettled
from anamnesis.layout import CONFIG_NAME
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend

# Folders are looked at this often: a few stats, which show every note that was added, removed or replaced.
LOOK_SECONDS = 0.2
# A note that was edited in place shows only when every file is looked at: one part in so many of the time.
_THOROUGH_SHARE = 150
_TYPING_SECONDS = 0.4  # after a search another one is likely to come,
_LONGEST_SECONDS = 2.0  # the longest pause between two looks


class Watcher:
    """One mark of a store's state, shared by everybody who waits for it to change."""

    def __init__(self, store: MemoryStore, backend: SyncBackend) -> None:
        self._store = store
        self._backend = backend
        self._scout: MemoryStore | None = None
        self._closed = False
        self._lock = threading.Lock()
        self._mark = ""
        self._looked = float("-inf")
        self._not_before = 0.0
        self._thorough_at = 0.0

    def mark(self) -> str:
        """A text that differs whenever the store does; looks at the disk at most every LOOK_SECONDS."""
        with self._lock:
            now = time.monotonic()
            if not self._closed and now >= max(self._looked + LOOK_SECONDS, self._not_before):
                self._look()
                self._mark = traces(self._watched())
                self._looked = time.monotonic()
            return self._mark

    def _look(self) -> None:
        """Have the index look at the folders, and from time to time at every file."""
        began = time.monotonic()
        thorough = began >= self._thorough_at
        self._eyes().ask(is_unsettled, thorough=thorough)  # any question will do
        if thorough:
            self._thorough_at = began + (time.monotonic() - began) * _THOROUGH_SHARE

    def stand_back(self) -> bool:
        """Put off the next look for whoever is typing; whether the last one is recent enough to do without.

        Takes no lock: not waiting for a look that is under way is the point.
        """
        until = self._looked + _LONGEST_SECONDS
        self._not_before = min(time.monotonic() + _TYPING_SECONDS, until)
        return self._scout is not self._store and time.monotonic() < until + LOOK_SECONDS

    def close(self) -> None:
        """Let go of the index; whoever still listens hears of nothing new."""
        with self._lock:
            self._closed = True
            if self._scout is not None and self._scout is not self._store:
                self._scout.close()
            self._scout = None

    def _eyes(self) -> MemoryStore:
        """The store on a connection of its own: a look takes a while, and no request should wait for it."""
        if self._scout is None:
            scout = MemoryStore(self._store.root)
            if scout.health().in_memory:  # only this process saw it
                scout.close()
                scout = self._store
            self._scout = scout
        return self._scout

    def _watched(self) -> list[Path]:
        index = self._store.db_path
        wal, config = index.with_name(f"{index.name}-wal"), self._store.root / CONFIG_NAME
        return [index, wal, config, *self._backend.watched()]


def traces(paths: list[Path]) -> str:
    """A text that differs when one of the files was written, replaced, made or removed."""
    return " ".join(_trace(path) for path in paths)


def _trace(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return "-"
    return f"{found.st_mtime_ns}:{found.st_size}:{found.st_ino}"
