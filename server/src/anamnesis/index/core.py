"""The index of one store, the one way to read it: opens it, repairs it, keeps it up to date, and searches it.

If it is missing, damaged, of another version, emptied or behind the files, it is repaired before it answers.
If no index file can be used (read-only store, locked by another process), an index is built in memory.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self, TypeVar

from anamnesis import files
from anamnesis.errors import StoreUnavailable
from anamnesis.index import finder, query, refresh
from anamnesis.index.database import BUSY_SECONDS, Database, is_busy
from anamnesis.index.rows import Loaded, forget_file, put_loaded
from anamnesis.layout import DB_NAME, INDEX_LOCK, MEMORY

Answer = TypeVar("Answer")


class Health(NamedTuple):
    """Whether the index matches the files."""

    notes: int
    files: int
    problems: list[query.Problem]
    healed: str  # why the index was rebuilt on open, if it was
    in_memory: bool  # no index file can be used

    @property
    def ok(self) -> bool:
        """Whether every file is an indexed note."""
        return not self.problems and not self.in_memory


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
        self._looks = refresh.Looks(self._home)
        self._closed = False
        self.healed = ""  # why the index was rebuilt when it was opened, if it was
        self._db = self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def in_memory(self) -> bool:
        """Whether this index exists only in memory."""
        return self._db.path is None

    def close(self) -> None:
        """Close the connection; can be called again."""
        with self._lock:
            self._closed = True
            self._db.close()

    def ask(self, question: Callable[[Database], Answer], *, thorough: bool = True) -> Answer:
        """Run a query on the index after bringing it up to date with the files.

        Unless `thorough`, only folders are checked, which shows files that were added or removed.
        """
        with self._lock:
            if self._closed:
                raise StoreUnavailable(f"the store {self.root} was closed; open it again")
            try:
                self._catch_up(thorough=thorough)
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

    def find(
        self,
        text: str,
        wanted: query.Filter,
        *,
        k: int,
        explain: bool = True,
        thorough: bool = True,
        near: finder.Nearness | None = None,
    ) -> list[finder.Hit]:
        """The best `k` notes for a text; `explain` adds a snippet and the matched words to each.

        `near` is how near each note is to the text; without it, only words count.
        """
        return self.ask(
            lambda db: finder.find(db, self._home, text, wanted, k, explain=explain, near=near),
            thorough=thorough,
        )

    def problems(self) -> list[query.Problem]:
        """Files that cannot be read as notes, and files with a duplicate id, each with the reason."""
        return self.ask(query.problems)

    def health(self) -> Health:
        """Whether the index matches the files, after a look at every file."""
        self.refresh()
        return Health(
            notes=self.ask(refresh.count_notes),
            files=self.ask(lambda db: int(db.rows("SELECT count(*) FROM files")[0][0])),
            problems=self.problems(),
            healed=self.healed,
            in_memory=self.in_memory,
        )

    def refresh(self) -> None:
        """Look at every file now."""
        with self._lock:
            self._looks.is_forced = True
            self.ask(refresh.count_notes)

    def rebuild(self) -> int:
        """Rebuild the index from every file; meanwhile, other processes use the old one."""
        with files.lock(self.root / INDEX_LOCK, timeout=600.0), self._lock:
            try:
                return refresh.rebuild(self._db, self._home)
            except sqlite3.DatabaseError as exc:
                if is_busy(exc):
                    raise StoreUnavailable(
                        f"the index {self.db_path} could not be rebuilt ({exc}); try again"
                    ) from exc
                self._db.close()
                self._delete()
        self._reopen()
        return self.ask(refresh.count_notes)

    def note_written(self, item: Loaded, *, folder_before: int) -> None:
        """Index a note that this process just wrote; its folder counts as scanned if nothing else changed."""
        self._change(item.path, folder_before, lambda db: put_loaded(db, item))

    def note_removed(self, path: str, *, folder_before: int) -> None:
        """Remove a note whose file this process just deleted or moved."""

        def _forget(db: Database) -> None:
            if forget_file(db, path):
                self._looks.is_forced = True  # its copies are indexed by the next look

        self._change(path, folder_before, _forget)

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
                    self._db.execute(sql, (refresh.folder_time(self._home, folder), folder, folder_before))
            except sqlite3.DatabaseError:
                self._looks.is_forced = True

    def _catch_up(self, *, thorough: bool) -> None:
        """Index changes by other programs: check folders on every call, and files if a look is due."""
        if self._db.was_replaced():
            self._reopen()
        is_due = thorough and self._looks.is_due(refresh.count_notes(self._db))
        if not is_due and not refresh.has_changed_folders(self._db, self._home):
            return
        began = time.time()
        try:
            refresh.refresh(self._db, self._home)
        except sqlite3.OperationalError as exc:
            if not is_busy(exc):
                raise
            return  # another process is writing, so our rows are a moment old at worst
        self._looks.record(began)

    def _repair(self, error: sqlite3.DatabaseError) -> None:
        """After a failed query, reconnect; replace the file if it is unusable."""
        self._db.close()
        if not self.in_memory and not is_busy(error):
            self._delete()
        self._reopen()

    def _reopen(self) -> None:
        self._db.close()
        self._db = self._open()

    def _open(self) -> Database:
        try:
            try:
                return self._open_file()
            except sqlite3.DatabaseError as exc:
                if is_busy(exc):
                    raise
                self.healed = f"the index file was damaged ({exc})"
                self._delete()
                return self._open_file()
        except (sqlite3.DatabaseError, OSError) as exc:
            self.healed = f"no index file can be used ({exc}); the index is kept in memory"
            db = Database(None)
            refresh.rebuild(db, self._home)
            return db

    def _open_file(self) -> Database:
        """The index file, rebuilt if it does not fit, perhaps by another process that we wait for."""
        db = Database(self.db_path, busy_seconds=min(self._patience, BUSY_SECONDS))
        try:
            if _is_sound(db):
                return db
            with files.lock(self.root / INDEX_LOCK, timeout=self._patience) as mine:
                if _is_sound(db):
                    return db
                if not mine:
                    raise OSError("another process is rebuilding it")
                if version := db.rows("PRAGMA user_version")[0][0]:
                    self.healed = self.healed or f"the index had layout {version} or was emptied"
                refresh.rebuild(db, self._home)
                return db
        except (sqlite3.DatabaseError, OSError):
            db.close()
            raise

    def _delete(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.db_path}{suffix}").unlink(missing_ok=True)


def _is_sound(db: Database) -> bool:
    try:
        return db.is_sound()
    except sqlite3.OperationalError as exc:
        if is_busy(exc):
            raise
        return False  # a table is missing
