"""One connection to the index file, or to a database in memory. One thread may use it at a time."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from anamnesis.files import is_device

BUSY_SECONDS = 5.0
# Enough for the index of 10,000 notes. `mmap_size` would save more, but truncating a mapped file kills the
# process that reads it.
CACHE = "PRAGMA cache_size=-16000"
# The terms of the index with their frequencies, to correct misspelt words; created per connection.
VOCABULARY = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'memories_fts', 'row')"
)


class Database:
    """A SQLite connection in WAL mode that can tell whether its file was replaced."""

    def __init__(self, path: Path | None, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = path
        if path is not None:
            _make(path)
        self._identity = _identity(path)
        self._db = sqlite3.connect(
            path or ":memory:", timeout=busy_seconds, isolation_level=None, check_same_thread=False
        )
        with ExitStack() as undo:
            undo.callback(self._db.close)
            self._db.row_factory = sqlite3.Row
            self._db.execute(f"PRAGMA busy_timeout={int(busy_seconds * 1000)}")
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            # Some builds of SQLite overwrite deleted data with zeros, a tenth of the cost of a rebuild.
            # `purge` deletes the whole file.
            self._db.execute("PRAGMA secure_delete=OFF")
            self._db.execute(CACHE)
            self._db.execute("PRAGMA user_version")  # any read opens the WAL
            undo.pop_all()
        self._log = self._wal()

    @property
    def in_memory(self) -> bool:
        """Whether this database has no file."""
        return self.path is None

    @property
    def version(self) -> int:
        """The layout version of the tables; 0 for an empty database."""
        return int(self.rows("PRAGMA user_version")[0][0])

    def changes(self) -> str:
        """A string that differs after every change of the content, by this connection or another one."""
        return f"{self.rows('PRAGMA data_version')[0][0]}:{self._db.total_changes}"

    def tables(self) -> set[str]:
        """The names of all tables."""
        return {row["name"] for row in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def was_replaced(self) -> bool:
        """Whether the file at the path is no longer the one that was opened."""
        return self.path is not None and _identity(self.path) != self._identity

    def close(self) -> None:
        """Close the connection; a second time does nothing."""
        replaced = self.was_replaced()
        self._db.close()
        if replaced and self._log is not None and self._wal() == self._log:
            # Our WAL belongs to the replaced file; SQLite would replay it into the new one.
            for suffix in ("-wal", "-shm"):
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _wal(self) -> tuple[int, int] | None:
        return _identity(Path(f"{self.path}-wal")) if self.path is not None else None

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[sqlite3.Row]:
        """All rows of a query."""
        return self._db.execute(sql, values).fetchall()

    def execute(self, sql: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        """Run one statement, usually inside a transaction."""
        return self._db.execute(sql, values)

    def execute_many(self, sql: str, values: Iterable[Sequence[object]]) -> None:
        """Run one statement for each row of values, inside a transaction."""
        self._db.executemany(sql, values)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All queries in the block see the same state, whatever other processes do meanwhile."""
        with self._db:
            self._db.execute("BEGIN")
            yield

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commits everything in the block, or nothing."""
        with self._db:  # commits, or rolls back when the block raises
            self._db.execute("BEGIN IMMEDIATE")
            yield


def _make(path: Path) -> None:
    """Create the file if there is none, readable only by its owner, because it contains the notes' text.

    An existing file is not opened: closing it would release the locks that this process has on it through
    other connections, and another process would then delete the WAL that they still write to.
    """
    for suffix in ("-journal", "-wal", "-shm"):
        if is_device(f"{path}{suffix}"):
            os.unlink(f"{path}{suffix}")  # SQLite would wait for a pipe
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        if not os.access(path, os.R_OK | os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path)) from None


def _identity(path: Path | None) -> tuple[int, int] | None:
    try:
        found = os.stat(path) if path is not None else None
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found else None
