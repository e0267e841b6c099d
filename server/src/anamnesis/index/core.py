"""The index of one store: opens it, repairs it, keeps it up to date, and queries it.

If it is missing, damaged, of another version, emptied or behind the files, it is repaired before it answers.
If no index file can be used (read-only store, locked by another process), an index is built in memory.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple, TypeVar

from anamnesis import files, recall
from anamnesis.errors import StoreUnavailable
from anamnesis.index import finder, query, refresh, rows, schema
from anamnesis.index.blend import Nearness, blend, nearest
from anamnesis.index.database import BUSY_SECONDS, VOCABULARY, Database
from anamnesis.index.rows import SETTLED_NS, Loaded
from anamnesis.index.scan import FullScans, folder_times
from anamnesis.index.spelling import Words, put_words
from anamnesis.layout import INDEX_LOCK
from anamnesis.text import Progress

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

    def __init__(self, root: Path, path: Path, *, patience: float) -> None:
        self._root = root
        self._path = path
        self._patience = patience
        self._lock = threading.RLock()
        self._full_scans = FullScans(str(root))
        self._closed = False
        self.healed = ""  # why the index was rebuilt when it was opened, if it was
        self._db = self._open()
        self._finder = finder.Finder(self._db)

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
                raise StoreUnavailable(f"the store {self._root} was closed; open it again")
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
                raise StoreUnavailable(f"the index {self._path} does not answer ({exc}); try again") from exc

    def find(
        self,
        text: str,
        wanted: query.Filter,
        k: int,
        *,
        explain: bool,
        thorough: bool = True,
        near: Nearness | None = None,
    ) -> list[finder.Hit]:
        """The best notes for a text; `explain` adds a snippet and the matched words to each.

        `near` is how near each note is to the text; without it, only words count.
        """

        def _answer(db: Database) -> list[finder.Hit]:
            if near is None or k < 1:
                matches = self._finder.find(text, wanted, k, explain=explain)
            else:
                by_words = self._finder.find(text, wanted, max(k, recall.FUSED))
                matches = blend(db, by_words, near, wanted, k)
                if explain:
                    self._finder.explain(text, matches)
            return _with_notes(db, matches)

        return self.ask(_answer, thorough=thorough)

    def nearest(self, near: Nearness, wanted: query.Filter, k: int) -> list[finder.Hit]:
        """The nearest notes by meaning alone."""
        return self.ask(lambda db: _with_notes(db, nearest(db, near, wanted, k)))

    def refresh(self, *, progress: Progress | None = None) -> None:
        """Scan every file now, and again if one changed too recently to be sure.

        The second scan is worth the wait: without it, the next hook would be slow.
        """
        for _ in range(2):
            with self._lock:
                self._full_scans.forget()
            if not self.ask(refresh.is_unsettled, progress=progress):
                return
            time.sleep(SETTLED_NS / 1e9)

    def rebuild(self, *, progress: Progress | None = None) -> int:
        """Rebuild the index from every file; meanwhile, other threads and processes use the old one."""
        if self.in_memory:
            with self._lock:
                return refresh.rebuild(self._db, str(self._root), progress=progress)
        with self._lock:
            self._probe()
        with files.lock(self._root / INDEX_LOCK, timeout=600.0):
            try:
                with closing(Database(self._path)) as db:
                    return refresh.rebuild(db, str(self._root), progress=progress)
            except sqlite3.DatabaseError as exc:
                if _is_busy(exc):
                    raise StoreUnavailable(
                        f"the index {self._path} could not be rebuilt ({exc}); try again"
                    ) from exc
        # The file is unusable; `ask` replaces it with a new one.
        return self.ask(query.count_notes)

    def note_written(self, item: Loaded, *, folder_before: int) -> None:
        """Index a note that this process just wrote; its folder counts as scanned if nothing else changed."""

        def _rows(db: Database, words: Words) -> None:
            before = _file_stat(db, item.row.path)
            refresh.put_loaded(db, item, words)
            self._adjust_folder(item.row, before, folder_before, files_now=1)

        self._change(_rows)

    def note_removed(self, note_id: str, path: str, *, folder_before: int) -> None:
        """Remove a note whose file this process just deleted."""

        def _rows(db: Database, words: Words) -> None:
            before = _file_stat(db, path)
            db.execute("DELETE FROM files WHERE path = ?", (path,))
            rows.remove_note(db, note_id)
            refresh.promote_copies(db, str(self._root), note_id, words)
            self._adjust_folder(rows.FileRow(path, 0, 0, b"", None), before, folder_before, files_now=0)

        self._change(_rows)

    def _change(self, change: Callable[[Database, Words], None]) -> None:
        """Write rows, and the words of their notes.

        If that fails, the next scan does it, because the note's file is already written.
        """
        with self._lock:
            try:
                if self._db.was_replaced():
                    self._reopen()
                with self._db.transaction():
                    words = Words()
                    change(self._db, words)
                    put_words(self._db, words)
            except sqlite3.DatabaseError:
                self._full_scans.forget()

    def _adjust_folder(
        self, row: rows.FileRow, before: tuple[int, int] | None, folder_before: int, *, files_now: int
    ) -> None:
        old_size, old_mtime = before or (0, 0)
        now = folder_times(str(self._root), [row.folder])[0]
        self._db.execute(
            "UPDATE folders SET files = files + ?, sizes = (sizes + ?) & ?, mtimes = (mtimes + ?) & ?,"
            " mtime_ns = CASE WHEN mtime_ns = ? THEN ? ELSE mtime_ns END WHERE path = ?",
            (
                files_now - (before is not None),
                row.size - old_size,
                schema.SUM_MASK,
                row.mtime_ns - old_mtime,
                schema.SUM_MASK,
                folder_before,
                now,
                row.folder,
            ),
        )

    def _catch_up(self, *, thorough: bool, progress: Progress | None = None) -> None:
        """Index changes by other programs: check folders on every call, and files if a full scan is due."""
        if self._db.was_replaced():
            self._reopen()
        changed = refresh.has_changed_folder(self._db, str(self._root))
        if not changed and not (thorough and self._full_scans.is_due(query.count_files(self._db))):
            return
        try:
            refresh.refresh(self._db, str(self._root), progress=progress)
        except sqlite3.OperationalError as exc:
            if not _is_busy(exc):
                raise
            return  # another process is writing, so our rows are a moment old at worst
        self._full_scans.record(query.count_files(self._db))

    def _probe(self) -> None:
        """Repair an unusable index before anything waits for its locks."""
        try:
            self._db.rows("SELECT 1 FROM folders LIMIT 1")
        except sqlite3.DatabaseError as exc:
            self._repair(exc)

    def _repair(self, error: sqlite3.DatabaseError) -> None:
        """After a failed query, reconnect; replace the file if it is unusable."""
        if not self.in_memory and not _is_busy(error):
            self._db.close()
            _delete_files(self._path)
        self._reopen()

    def _reopen(self) -> None:
        self._db.close()
        self._db = self._open()
        self._finder = finder.Finder(self._db)

    def _open(self) -> Database:
        try:
            db = self._open_file()
        except (sqlite3.OperationalError, OSError) as exc:
            self.healed = f"no index file can be used ({exc}); the index is kept in memory"
            db = Database(None)
            refresh.rebuild(db, str(self._root))
        db.execute(VOCABULARY)
        return db

    def _open_file(self) -> Database:
        busy = min(self._patience, BUSY_SECONDS)
        try:
            with ExitStack() as undo:
                db = Database(self._path, busy_seconds=busy)
                undo.callback(db.close)
                sound = _is_sound(db)
                undo.pop_all()
        except sqlite3.DatabaseError as exc:
            if _is_busy(exc):
                raise
            self.healed = f"the index file was damaged ({exc})"
            _delete_files(self._path)
            db, sound = Database(self._path, busy_seconds=busy), False
        with ExitStack() as undo:
            undo.callback(db.close)
            if not sound:
                self._heal(db)
            undo.pop_all()
        return db

    def _heal(self, db: Database) -> None:
        """Rebuild the index, or wait for another process that is rebuilding it."""
        with files.lock(self._root / INDEX_LOCK, timeout=self._patience) as mine:
            if _is_sound(db):
                return
            if not mine:
                raise sqlite3.OperationalError("another process is rebuilding it")
            if db.version:
                self.healed = self.healed or f"the index had layout {db.version} or was emptied"
            refresh.rebuild(db, str(self._root))


def _with_notes(db: Database, hits: list[finder.Hit]) -> list[finder.Hit]:
    notes = rows.indexed_notes(db, [hit.n for hit in hits])
    for hit in hits:
        hit.note, hit.digest = notes[hit.n]
    return hits


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


def _delete_files(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _file_stat(db: Database, path: str) -> tuple[int, int] | None:
    for row in db.rows("SELECT size, mtime_ns FROM files WHERE path = ?", (path,)):
        return row["size"], row["mtime_ns"]
    return None
