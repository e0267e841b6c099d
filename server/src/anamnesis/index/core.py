"""The index of one store, the one way to read it: opens it, repairs it, and keeps it up to date.

If it is missing, damaged, of another version, emptied or behind the files, it is repaired before it answers.
If no index file can be used (read-only store, locked by another process), an index is built in memory.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

from anamnesis import files
from anamnesis.errors import StoreUnavailable
from anamnesis.index import refresh, schema
from anamnesis.index.database import BUSY_SECONDS, VOCABULARY, Database
from anamnesis.index.rows import Loaded, forget_file, promote_copy, put_loaded
from anamnesis.index.scan import Looks, folder_times
from anamnesis.layout import DB_NAME, INDEX_LOCK, MEMORY
from anamnesis.text import Progress

Answer = TypeVar("Answer")


class Index:
    """The index of the store at `root`; thread-safe."""

    def __init__(self, root: Path, *, patience: float = 30.0) -> None:
        """Open the index, or create it; wait at most `patience` seconds for another process."""
        self.root = root
        self.memory_dir = root / MEMORY
        self.db_path = root / DB_NAME
        self._home = str(root)
        self._patience = patience
        self._lock = threading.RLock()
        self._looks = Looks(self._home)
        self._closed = False
        self.healed = ""  # why the index was rebuilt when it was opened, if it was
        self._db = self._open()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def in_memory(self) -> bool:
        """Whether this index exists only in memory."""
        return self._db.in_memory

    def close(self) -> None:
        """Close the connection; can be called again."""
        with self._lock:
            self._closed = True
            self._db.close()

    def ask(
        self,
        question: Callable[[Database], Answer],
        *,
        thorough: bool = True,
        progress: Progress | None = None,
    ) -> Answer:
        """Run a query on the index after bringing it up to date with the files.

        Unless `thorough`, only folders are checked, which shows files that were added or removed.
        """
        with self._lock:
            if self._closed:
                raise StoreUnavailable(f"the store {self.root} was closed; open it again")
            try:
                self._catch_up(thorough=thorough, progress=progress)
                with self._db.snapshot():
                    return question(self._db)
            except sqlite3.DatabaseError as exc:
                self._repair(exc)
            try:
                with self._db.snapshot():
                    return question(self._db)
            except sqlite3.DatabaseError as exc:
                raise StoreUnavailable(
                    f"the index {self.db_path} does not answer ({exc}); try again"
                ) from exc

    def refresh(self, *, progress: Progress | None = None) -> None:
        """Look at every file now."""
        with self._lock:
            self._looks.force()
            self.ask(refresh.count_notes, progress=progress)

    def rebuild(self, *, progress: Progress | None = None) -> int:
        """Rebuild the index from every file; meanwhile, other processes use the old one."""
        if self.in_memory:
            with self._lock:
                return refresh.rebuild(self._db, self._home, progress=progress)
        with files.lock(self.root / INDEX_LOCK, timeout=600.0), self._lock:
            try:
                return refresh.rebuild(self._db, self._home, progress=progress)
            except sqlite3.DatabaseError as exc:
                if _is_busy(exc):
                    raise StoreUnavailable(
                        f"the index {self.db_path} could not be rebuilt ({exc}); try again"
                    ) from exc
                self._db.close()
                self._delete()
        self._reopen()
        return self.ask(refresh.count_notes)

    def note_written(self, item: Loaded, *, folder_before: int) -> None:
        """Index a note that this process just wrote; its folder counts as scanned if nothing else changed."""
        self._change(item.row.path, folder_before, lambda db: put_loaded(db, item))

    def note_removed(self, path: str, *, folder_before: int) -> None:
        """Remove a note whose file this process just deleted or moved."""

        def _rows(db: Database) -> None:
            if note_id := forget_file(db, path):
                promote_copy(db, self._home, note_id)

        self._change(path, folder_before, _rows)

    def _change(self, path: str, folder_before: int, change: Callable[[Database], None]) -> None:
        """Write the rows of a file; if that fails, the next look does it, because the file is written."""
        folder = os.path.dirname(path)
        sql = "UPDATE folders SET mtime_ns = ? WHERE path = ? AND mtime_ns = ?"
        with self._lock:
            try:
                if self._db.was_replaced():
                    self._reopen()
                with self._db.transaction():
                    change(self._db)
                    self._db.execute(sql, (folder_times(self._home, [folder])[0], folder, folder_before))
            except sqlite3.DatabaseError:
                self._looks.force()

    def _catch_up(self, *, thorough: bool, progress: Progress | None = None) -> None:
        """Index changes by other programs: check folders on every call, and files if a look is due."""
        if self._db.was_replaced():
            self._reopen()
        is_due = thorough and self._looks.is_due(refresh.count_notes(self._db))
        changed = None if is_due else refresh.changed_folders(self._db, self._home)
        if changed == []:
            return
        began = time.time()
        try:
            refresh.refresh(self._db, self._home, only=changed, progress=progress)
        except sqlite3.OperationalError as exc:
            if not _is_busy(exc):
                raise
            return  # another process is writing, so our rows are a moment old at worst
        if is_due:
            self._looks.record(began)

    def _repair(self, error: sqlite3.DatabaseError) -> None:
        """After a failed query, reconnect; replace the file if it is unusable."""
        self._db.close()
        if not self.in_memory and not _is_busy(error):
            self._delete()
        self._reopen()

    def _reopen(self) -> None:
        self._db.close()
        self._db = self._open()

    def _open(self) -> Database:
        try:
            db = self._open_file()
        except (sqlite3.OperationalError, OSError) as exc:
            self.healed = f"no index file can be used ({exc}); the index is kept in memory"
            db = Database(None)
            refresh.rebuild(db, self._home)
        db.execute(VOCABULARY)
        return db

    def _open_file(self) -> Database:
        busy = min(self._patience, BUSY_SECONDS)
        try:
            with ExitStack() as undo:
                db = Database(self.db_path, busy_seconds=busy)
                undo.callback(db.close)
                sound = _is_sound(db)
                undo.pop_all()
        except sqlite3.DatabaseError as exc:
            if _is_busy(exc):
                raise
            self.healed = f"the index file was damaged ({exc})"
            self._delete()
            db, sound = Database(self.db_path, busy_seconds=busy), False
        with ExitStack() as undo:
            undo.callback(db.close)
            if not sound:
                self._heal(db)
            undo.pop_all()
        return db

    def _heal(self, db: Database) -> None:
        """Rebuild the index, or wait for another process that is rebuilding it."""
        with files.lock(self.root / INDEX_LOCK, timeout=self._patience) as mine:
            if _is_sound(db):
                return
            if not mine:
                raise sqlite3.OperationalError("another process is rebuilding it")
            if db.version:
                self.healed = self.healed or f"the index had layout {db.version} or was emptied"
            refresh.rebuild(db, self._home)

    def _delete(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.db_path}{suffix}").unlink(missing_ok=True)


def _is_sound(db: Database) -> bool:
    """Whether the tables have the current version, and are not empty although files were indexed."""
    if db.version != schema.SCHEMA_VERSION or not db.tables() >= schema.NAMES:
        return False
    try:
        indexed = db.rows("SELECT 1 FROM files WHERE problem IS NULL LIMIT 1")
        return not indexed or bool(
            db.rows("SELECT 1 FROM memories WHERE n IN (SELECT rowid FROM memories_fts LIMIT 1)")
        )
    except sqlite3.OperationalError as exc:
        if _is_busy(exc):
            raise
        return False  # a table is missing


def _is_busy(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
