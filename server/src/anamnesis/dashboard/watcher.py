"""Whether a store has changed, checked several times a second; and a cache for one answer until it does.

Every change to a note reaches the index, and the sync backend names the files that a sync changes, so a stat
of a few files is enough. The index looks for manual edits when it is queried, so each check queries it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from anamnesis.index.refresh import is_unsettled
from anamnesis.layout import CONFIG_NAME
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend

# How often folders are checked: a few stat calls show every note that was added, removed or replaced.
CHECK_SECONDS = 0.2
_QUIET_CHECK_SECONDS = 0.5  # the same, if nothing has changed for a while
_QUIET_SECONDS = 30.0
# An edit in place shows only in a scan of every file, which may take one part in this many of the time.
_THOROUGH_SHARE = 300
_TYPING_SECONDS = 0.4  # after a search, another one is likely to follow
_LONGEST_SECONDS = 2.0  # the longest pause between two checks
T = TypeVar("T")


class Watcher:
    """A mark of a store's state, shared by all requests that wait for a change."""

    def __init__(self, store: MemoryStore, backend: SyncBackend) -> None:
        self._store = store
        self._backend = backend
        self._watching_store: MemoryStore | None = None
        self._closed = False
        self._lock = threading.Lock()
        self._mark = ""
        self._checked_at = float("-inf")
        self._changed_at = time.monotonic()
        self._not_before = 0.0
        self._thorough_at = 0.0

    def mark(self) -> str:
        """A string that differs whenever the store does; reads the disk at most every CHECK_SECONDS."""
        with self._lock:
            now = time.monotonic()
            pause = CHECK_SECONDS if now < self._changed_at + _QUIET_SECONDS else _QUIET_CHECK_SECONDS
            if not self._closed and now >= max(self._checked_at + pause, self._not_before):
                self._check()
                index = self._store.db_path
                wal, config = index.with_name(f"{index.name}-wal"), self._store.root / CONFIG_NAME
                before, self._mark = self._mark, traces([index, wal, config, *self._backend.watched()])
                self._checked_at = time.monotonic()
                if self._mark != before:
                    self._changed_at = self._checked_at
            return self._mark

    def _check(self) -> None:
        """Make the index check the folders and, from time to time, every file."""
        began = time.monotonic()
        thorough = began >= self._thorough_at
        self._own_store().ask(is_unsettled, thorough=thorough)  # any query makes it check
        if thorough:
            self._thorough_at = began + (time.monotonic() - began) * _THOROUGH_SHARE

    def postpone(self) -> bool:
        """Delay the next check while a user is typing; returns whether the last check is recent enough.

        Takes no lock, so it never waits for a running check.
        """
        until = self._checked_at + _LONGEST_SECONDS
        self._not_before = min(time.monotonic() + _TYPING_SECONDS, until)
        return self._watching_store is not self._store and time.monotonic() < until + CHECK_SECONDS

    def close(self) -> None:
        """Close the index; later calls of `mark` report no change."""
        with self._lock:
            self._closed = True
            if self._watching_store is not None and self._watching_store is not self._store:
                self._watching_store.close()
            self._watching_store = None

    def _own_store(self) -> MemoryStore:
        """The store on its own connection, so that no request waits for a check."""
        if self._watching_store is None:
            opened = MemoryStore(self._store.root)
            if opened.health().in_memory:  # an in-memory index exists only in its own connection
                opened.close()
                opened = self._store
            self._watching_store = opened
        return self._watching_store


def traces(paths: list[Path]) -> str:
    """A string that differs after one of the files was written, replaced, created or removed."""
    return " ".join(_trace(path) for path in paths)


def _trace(path: Path) -> str:
    try:
        info = path.stat()
    except OSError:
        return "-"
    return f"{info.st_mtime_ns}:{info.st_size}:{info.st_ino}"


class CachedAnswer(Generic[T]):
    """The last answer to one question, and the store's mark when it was computed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: tuple[str, T] | None = None

    def get(self, mark: str, make: Callable[[], T]) -> T:
        """The answer for this mark; calls `make` only if the cached answer is for another mark."""
        with self._lock:
            if self._known is None or self._known[0] != mark:
                self._known = (mark, make())
            return self._known[1]
