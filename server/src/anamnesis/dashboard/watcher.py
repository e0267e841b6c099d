"""Whether a store has changed, cheaply enough to be asked several times a second.

Every change of a note ends in the index, and every sync in a git reference; both leave a trace in the stat of
a few files. The index itself looks for hand edits when it is asked, so asking it is part of looking.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

from anamnesis.store import MemoryStore

# The index looks at all files about once a second, when it is asked. Asked this often, it does so here and
# not while somebody waits for a search; between two looks a question costs next to nothing.
LOOK_SECONDS = 0.2


class Watcher:
    """One mark of a store's state, shared by everybody who waits for it to change."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._mark = ""
        self._looked = float("-inf")

    def mark(self) -> str:
        """A text that differs whenever the store does; looks at the disk at most every LOOK_SECONDS."""
        with self._lock:
            if time.monotonic() - self._looked >= LOOK_SECONDS:
                # Any question will do: the index looks at the files before it answers.
                self._store.superseded_ids()
                self._mark = _traces(self._watched())
                self._looked = time.monotonic()
            return self._mark

    def _watched(self) -> list[Path]:
        index, git = self._store.db_path, self._store.memory_dir / ".git"
        return [
            index,
            index.with_name(f"{index.name}-wal"),
            git / "refs" / "heads" / "main",
            git / "refs" / "remotes" / "origin" / "main",
            git / "packed-refs",
            git / "anamnesis",
            self._store.root / "config.json",
        ]


def _traces(paths: list[Path]) -> str:
    return " ".join(_trace(path) for path in paths)


def _trace(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return "-"
    return f"{found.st_mtime_ns}:{found.st_size}:{found.st_ino}"
