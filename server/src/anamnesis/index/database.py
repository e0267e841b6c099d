"""The index file: its tables, and a connection to it or to a database in memory, for one thread at a time."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from anamnesis.notes.vocabulary import SCOPES, SOURCES, TYPES

SCHEMA_VERSION = 8  # 1 is the layout of the specification
CLOCK_SECONDS = 600  # clocks may differ by this much; a note with a later date counts as undated
BUSY_SECONDS = 5.0

# `n` is the row number, shared with the full-text table: rows are found and deleted by it, never by text.
# `moment` is updated_at in seconds, so that times in other time zones sort correctly. `title_words` are the
# words of the title in lower case, to find a note by its whole title.
_TABLES = f"""
CREATE TABLE memories (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL CHECK (type IN {TYPES}),
    title TEXT NOT NULL,
    body_path TEXT NOT NULL,
    project TEXT NOT NULL DEFAULT 'global',
    machine_id TEXT NOT NULL,
    scope TEXT NOT NULL DEFAULT 'portable' CHECK (scope IN {SCOPES}),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    prov_source TEXT NOT NULL DEFAULT 'human'
        CHECK (prov_source IN {SOURCES}),
    prov_model TEXT,
    prov_session TEXT,
    confidence REAL NOT NULL DEFAULT 1.0,
    supersedes TEXT,
    moment INTEGER NOT NULL DEFAULT 0,
    title_words TEXT NOT NULL
);
CREATE TABLE memory_tags (
    memory_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (memory_id, tag)
) WITHOUT ROWID;
CREATE TABLE supersessions (
    old_id TEXT NOT NULL,
    new_id TEXT NOT NULL,
    PRIMARY KEY (old_id, new_id)
) WITHOUT ROWID;
CREATE TABLE rules (
    project TEXT NOT NULL,
    moment INTEGER NOT NULL,
    note_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    line TEXT NOT NULL,
    PRIMARY KEY (project, moment, note_id, position)
) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    digest BLOB NOT NULL,
    note_id TEXT,
    problem TEXT
) WITHOUT ROWID;
CREATE INDEX idx_file_note ON files(note_id);
CREATE TABLE folders (
    path TEXT PRIMARY KEY,
    mtime_ns INTEGER NOT NULL
) WITHOUT ROWID;
CREATE VIRTUAL TABLE memories_fts USING fts5(
    title, body, tags, extra, tokenize='porter unicode61'
);
"""

# Created after the rows are inserted: sorting once is much cheaper than updating them row by row.
_INDEXES = """
CREATE INDEX idx_mem_scope ON memories(project, type, scope);
CREATE INDEX idx_mem_recency ON memories(updated_at DESC);
CREATE INDEX idx_mem_prov ON memories(prov_source);
CREATE INDEX idx_mem_title ON memories(title_words);
CREATE INDEX idx_tag ON memory_tags(tag);
CREATE INDEX idx_superseding ON supersessions(new_id);
CREATE INDEX idx_rule_note ON rules(note_id);
"""
SCHEMA = _TABLES + _INDEXES
_NAMES = ("memories", "memory_tags", "supersessions", "rules", "files", "folders", "memories_fts")

# FTS5's undocumented limit of new terms in memory; with this many bytes, many notes are inserted in a quarter
# less time.
_GATHER = "INSERT INTO memories_fts (memories_fts, rank) VALUES ('hashsize', 16777216)"


def create_tables() -> list[str]:
    """Statements that drop all tables and create them empty, without indexes."""
    return [*(f"DROP TABLE IF EXISTS {name}" for name in _NAMES), *_statements(_TABLES), _GATHER]


def finish_tables() -> list[str]:
    """Statements that complete the filled tables."""
    return [*_statements(_INDEXES), f"PRAGMA user_version = {SCHEMA_VERSION}"]


def _statements(script: str) -> list[str]:
    return [statement.strip() for statement in script.split(";") if statement.strip()]


def marks(values: Sequence[object]) -> str:
    """Placeholders for these bound values."""
    return ", ".join("?" * len(values))


class Database(sqlite3.Connection):
    """A connection in WAL mode that can tell whether its file was replaced."""

    def __init__(self, path: Path | None, *, busy_seconds: float = BUSY_SECONDS) -> None:
        """Open the file at `path`, which is created if missing; without a path, a database in memory."""
        if path is not None:
            _make(path)
        self.path = path
        self._identity = _identity(path)
        super().__init__(
            path or ":memory:", timeout=busy_seconds, isolation_level=None, check_same_thread=False
        )
        try:
            self.row_factory = sqlite3.Row
            self.execute("PRAGMA journal_mode=WAL")
            self.execute("PRAGMA synchronous=NORMAL")
            # Some builds of SQLite overwrite deleted data with zeros, a tenth of the cost of a rebuild.
            # `purge` deletes the whole file.
            self.execute("PRAGMA secure_delete=OFF")
            # Enough for the index of 10,000 notes. `mmap_size` would save more, but truncating a mapped file
            # kills the process that reads it.
            self.execute("PRAGMA cache_size=-16000")
            # The terms of the index with their frequencies, to correct misspelt words.
            self.execute(
                "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'memories_fts', 'row')"
            )
            self.execute("PRAGMA user_version").fetchall()  # any read opens the WAL
        except sqlite3.Error:
            super().close()
            raise
        self._wal = self._wal_identity()

    def is_sound(self) -> bool:
        """Whether the tables have the current version, and are not empty although files were indexed."""
        if self.rows("PRAGMA user_version")[0][0] != SCHEMA_VERSION:
            return False
        indexed = self.rows("SELECT 1 FROM files WHERE problem IS NULL LIMIT 1")
        sql = "SELECT 1 FROM memories WHERE n IN (SELECT rowid FROM memories_fts LIMIT 1)"
        return not indexed or bool(self.rows(sql))

    def changes(self) -> str:
        """A string that differs after every change of the content, by this connection or another one."""
        return f"{self.rows('PRAGMA data_version')[0][0]}:{self.total_changes}"

    def was_replaced(self) -> bool:
        """Whether the file at the path is no longer the one that was opened."""
        return self.path is not None and _identity(self.path) != self._identity

    def close(self) -> None:
        """Close the connection; a second time does nothing."""
        replaced = self.was_replaced()
        super().close()
        if replaced and self._wal is not None and self._wal_identity() == self._wal:
            # Our WAL belongs to the replaced file; SQLite would replay it into the new one.
            for suffix in ("-wal", "-shm"):
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _wal_identity(self) -> tuple[int, int] | None:
        return _identity(Path(f"{self.path}-wal")) if self.path is not None else None

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[sqlite3.Row]:
        """All rows of a query."""
        return self.execute(sql, values).fetchall()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All queries in the block see the same state, whatever other processes do meanwhile."""
        with self:
            self.execute("BEGIN")
            yield

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commits everything in the block, or nothing."""
        with self:  # commits, or rolls back when the block raises
            self.execute("BEGIN IMMEDIATE")
            yield


def is_busy(error: sqlite3.DatabaseError) -> bool:
    """Whether another process has locked the file, which does not mean damage."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _make(path: Path) -> None:
    """Create the file if there is none, readable only by its owner, because it contains the notes' text.

    An existing file is not opened: closing it would release the locks that this process has on it through
    other connections, and another process would then delete the WAL that they still write to.
    """
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
