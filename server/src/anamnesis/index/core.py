"""The index of one store, the one way to read it: opens it, repairs it, keeps it up to date, and searches it.

If it is missing, damaged, of another version, emptied or behind the files, it is repaired before it answers.
If no index file can be used (read-only store, locked by another process), an index is built in memory.

Freshness is one rule for every size. Before every answer, the times of all folders are compared with the
index: a few stat calls show each file that was added, renamed or removed. An edit in place shows only in the
file itself, so all files are compared too, at most once in a second for each 5,000 of them; all processes
share the time of the last look, which is the time of the index's lock file. It also finds a file that was
added within the same tick of the clock as another. And whatever note is then shown is read from its file if
that has changed since.
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
from anamnesis.index.rows import Loaded, count_notes, forget_file, put_loaded
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
        self._looks = Looks(self._home)
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

        `near` is how near each note is to the text, if not as near as a model says.
        """
        near = near or self._near(text)
        return self.ask(
            lambda db: finder.find(db, self._home, text, wanted, k, explain=explain, near=near),
            thorough=thorough,
        )

    def _near(self, _: str) -> finder.Nearness | None:
        """How near each note is to a text; None: only words count."""
        return None

    def problems(self) -> list[query.Problem]:
        """Files that cannot be read as notes, and files with a duplicate id, each with the reason."""
        return self.ask(query.problems)

    def health(self) -> Health:
        """Whether the index matches the files, after a look at every file."""
        return Health(
            notes=self.refresh(),
            files=self.ask(lambda db: int(db.rows("SELECT count(*) FROM files")[0][0])),
            problems=self.problems(),
            healed=self.healed,
            in_memory=self.in_memory,
        )

    def refresh(self) -> int:
        """Look at every file now; returns the number of notes."""
        with self._lock:
            self._looks.is_forced = True
            return self.ask(count_notes)

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
        return self.ask(count_notes)

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
                    self._db.execute(sql, (folder_time(self._home, folder), folder, folder_before))
            except sqlite3.DatabaseError:
                self._looks.is_forced = True

    def _catch_up(self, *, thorough: bool) -> None:
        """Index changes by other programs: check folders on every call, and files if a look is due."""
        if self._db.was_replaced():
            self._reopen()
        is_due = thorough and self._looks.is_due(count_notes(self._db))
        if not is_due and not has_changed_folders(self._db, self._home):
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


def has_changed_folders(db: Database, root: str) -> bool:
    """Whether files were added, removed or renamed since the last scan."""
    return any(folder_time(root, path) != at for path, at in db.rows("SELECT path, mtime_ns FROM folders"))


def folder_time(root: str, path: str) -> int:
    """The modification time of a folder; 0 if it is gone."""
    try:
        return os.stat(os.path.join(root, path)).st_mtime_ns
    except OSError:
        return 0


class Looks:
    """When all files of the store at `home` were last looked at, by any process."""

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, INDEX_LOCK)
        self._own = 0.0  # for a store that cannot be written
        self.is_forced = False  # whether this process looks before its next answer

    def is_due(self, files: int) -> bool:
        """Whether this many files are to be looked at before the next answer."""
        try:
            last = max(os.stat(self._path).st_mtime, self._own)
        except OSError:
            last = self._own
        # A time ahead of the clock is from before the clock was set.
        return self.is_forced or not 0 <= time.time() - last < files / 5000

    def record(self, began: float) -> None:
        """Record that all files were looked at, from `began` on."""
        self._own, self.is_forced = began, False
        try:
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            os.utime(self._path, (began, began))
        except OSError:
            return  # other processes look for themselves
