"""Updates the tables from the files: only the changed ones, or all from scratch.

Files are read outside transactions and rows are written in short ones, so that another writer never waits
long. A rebuild of many notes fills a second set of tables and swaps it in at the end: until then everyone
sees the old rows, and an interrupted rebuild leaves only tables that the next one drops. A rebuild of few
notes is one transaction.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress

from anamnesis.files import lock
from anamnesis.index import query, rows, schema
from anamnesis.index.database import CACHE, Database
from anamnesis.index.rows import SETTLED_NS, FileRow, Loaded, is_preferred, load, not_a_note
from anamnesis.index.scan import Folder, are_unchanged, scan
from anamnesis.index.spelling import Words, put_words
from anamnesis.layout import INDEX_LOCK
from anamnesis.text import Progress

_BATCH = 1000  # notes in one transaction, for which other writers wait
_LARGE_BATCH = 4000  # the same in a rebuild: the full-text table writes one segment per batch
_MANY = 200  # new files; if they are most of the files, a rebuild takes a quarter of the time
_DUPLICATE = "has the same id as {other}; give one of the two another id, or delete it"
_PUT_FOLDER = (
    "INSERT OR REPLACE INTO folders{s} (path, mtime_ns, files, sizes, mtimes) VALUES (?, ?, ?, ?, ?)"
)


def refresh(db: Database, root: str, *, progress: Progress | None = None) -> int:
    """Index what was added, edited or removed since the last scan; returns the number of files."""
    known = {row["path"]: tuple(row)[1:] for row in db.rows("SELECT * FROM folders")}
    folders = list(scan(root))
    changed = [folder for folder in folders if known.get(folder.path) != folder.fingerprint]
    gone = known.keys() - {folder.path for folder in folders}
    if not changed and not gone:
        return 0
    wanted, removed = _differences(db, changed, gone)
    work = len(wanted) + len(removed)
    if len(wanted) > max(_MANY, 2 * query.count_files(db)):
        with lock(os.path.join(root, INDEX_LOCK), timeout=0) as is_mine:
            if is_mine:
                rebuild(db, root, progress=progress)
                return work
    unreadable = _unreadable(changed)
    done = 0
    for batch in _batches([*removed, *wanted]):
        _apply(db, root, batch, unreadable)
        done += len(batch)
        if progress is not None:
            progress(done, work)
    with db.transaction():
        for path in gone:
            db.execute("DELETE FROM folders WHERE path = ?", (path,))
        for folder in changed:
            put_folder(db, folder)
    return work


def has_changed_folder(db: Database, root: str) -> bool:
    """Whether files were added, removed or renamed since the last scan."""
    known = {row["path"]: row["mtime_ns"] for row in db.rows("SELECT path, mtime_ns FROM folders")}
    return not are_unchanged(root, known)


def is_unsettled(db: Database) -> bool:
    """Whether a folder changed just before its scan and must be scanned again."""
    return bool(db.rows("SELECT 1 FROM folders WHERE mtime_ns = 0 LIMIT 1"))


def put_folder(db: Database, folder: Folder, *, suffix: str = "") -> None:
    """Store a folder's fingerprint; if it changed just now, with time 0, so that it is scanned again."""
    mtime_ns, *sums = folder.fingerprint
    settled = abs(folder.seen_ns - mtime_ns) > SETTLED_NS
    db.execute(_PUT_FOLDER.format(s=suffix), (folder.path, mtime_ns if settled else 0, *sums))


def _differences(db: Database, changed: list[Folder], gone: Iterable[str]) -> tuple[list[str], list[str]]:
    """The paths to read, and the paths that are gone."""
    wanted: list[str] = []
    removed: list[str] = []
    for folder in changed:
        known = {
            row["path"]: (row["size"], row["mtime_ns"])
            for row in db.rows("SELECT path, size, mtime_ns FROM files WHERE folder = ?", (folder.path,))
        }
        for name, *seen in folder.files:
            if known.pop(f"{folder.path}/{name}", None) != tuple(seen):
                wanted.append(f"{folder.path}/{name}")
        for name, _ in folder.unreadable:
            if known.pop(f"{folder.path}/{name}", None) != (-1, 0):
                wanted.append(f"{folder.path}/{name}")
        removed += known
    for path in gone:
        removed += [row["path"] for row in db.rows("SELECT path FROM files WHERE folder = ?", (path,))]
    return wanted, removed


def _unreadable(folders: Iterable[Folder]) -> dict[str, str]:
    """The entries that must not be read, each with the reason."""
    return {f"{folder.path}/{name}": reason for folder in folders for name, reason in folder.unreadable}


def _apply(db: Database, root: str, paths: list[str], unreadable: dict[str, str]) -> None:
    loaded = [(path, _load(root, path, unreadable)) for path in paths]
    with db.transaction():
        freed: set[str] = set()
        words = Words()
        for path, item in loaded:
            freed |= _forget(db, path, keep=item)
        for _, item in loaded:
            if item is not None:
                put_loaded(db, item, words)
        for note_id in freed:
            promote_copies(db, root, note_id, words)
        put_words(db, words)


def _load(root: str, path: str, unreadable: dict[str, str]) -> Loaded | None:
    reason = unreadable.get(path)
    return load(root, path) if reason is None else not_a_note(path, reason)


def promote_copies(db: Database, root: str, note_id: str, words: Words) -> None:
    """Index a duplicate if the note's own file is gone or has another id."""
    sql = "SELECT path FROM files WHERE note_id = ? AND problem IS NOT NULL ORDER BY path"
    for row in db.rows(sql, (note_id,)):
        item = load(root, row["path"])
        if item is not None:
            put_loaded(db, item, words)


def _forget(db: Database, path: str, *, keep: Loaded | None) -> set[str]:
    """Delete the rows of a file, unless the file still contains that note."""
    known = _file_row(db, path)
    if known is None:
        return set()
    if keep is not None and keep.row.note_id == known.note_id:
        return set()
    db.execute("DELETE FROM files WHERE path = ?", (path,))
    if known.note_id is None or known.problem is not None:
        return set()
    rows.remove_note(db, known.note_id)
    return {known.note_id}


def put_loaded(db: Database, item: Loaded, words: Words) -> None:
    """Index one file that was read; of two files with the same id, only the preferred one becomes the note.

    The caller stores the collected words.
    """
    if item.note is None:
        rows.put_file(db, item.row)
        return
    owner = _owner(db, item.note.id, besides=item.row.path)
    if owner is not None and is_preferred(owner, item.row):
        rows.put_file(db, _set_aside(item.row, owner.path))
        return
    if owner is not None:
        rows.put_file(db, _set_aside(owner, item.row.path))
        _name_owner(db, item.row)
    known = _file_row(db, item.row.path)
    rows.put_file(db, item.row)
    if known is None or known.problem is not None or known.digest != item.row.digest:
        rows.put_note(db, item.note, item.body_path, words)


def _set_aside(row: FileRow, other: str) -> FileRow:
    return FileRow(row.path, row.size, row.mtime_ns, row.digest, row.note_id, _DUPLICATE.format(other=other))


def _name_owner(db: Database, row: FileRow, *, suffix: str = "") -> None:
    """Update the problem text of every duplicate, so that it names the indexed file."""
    sql = f"UPDATE files{suffix} SET problem = ? WHERE note_id = ? AND problem IS NOT NULL AND path <> ?"
    db.execute(sql, (_DUPLICATE.format(other=row.path), row.note_id, row.path))


def _file_row(db: Database, path: str) -> FileRow | None:
    return _first(db, "path = ?", (path,))


def _owner(db: Database, note_id: str, *, besides: str) -> FileRow | None:
    return _first(db, "note_id = ? AND problem IS NULL AND path <> ?", (note_id, besides))


def _first(db: Database, condition: str, values: tuple[object, ...]) -> FileRow | None:
    sql = f"SELECT path, size, mtime_ns, digest, note_id, problem FROM files WHERE {condition} LIMIT 1"
    for row in db.rows(sql, values):
        return FileRow(*row)
    return None


def rebuild(db: Database, root: str, *, progress: Progress | None = None) -> int:
    """Rebuild the index from every file; returns the number of notes in it."""
    db.execute("PRAGMA cache_size=-32000")  # so that a batch is written to disk once
    folders = list(scan(root))
    paths = [f"{folder.path}/{name}" for folder in folders for name in _names(folder)]
    unreadable = _unreadable(folders)
    done = 0

    def _read(batch: list[str]) -> list[Loaded]:
        loaded = (_load(root, path, unreadable) for path in batch)
        return [item for item in loaded if item is not None]

    if len(paths) <= _BATCH:
        _replace(db, _read(paths), folders)
        if progress is not None:
            progress(len(paths), len(paths))
    else:
        build = _Build(db, schema.BUILD_SUFFIX)
        with db.transaction():
            build.create()
        for batch in _batches(paths, min(max(len(paths) // 4, _BATCH), _LARGE_BATCH)):
            items = _read(batch)
            with db.transaction():
                build.add(items)
            done += len(batch)
            if progress is not None:
                progress(done, len(paths))
        with db.transaction():
            build.finish(folders)
    db.execute(CACHE)
    # Other processes wrote to the old tables meanwhile; the folders' times show those files.
    if has_changed_folder(db, root):
        refresh(db, root)
    return query.count_notes(db)


def _replace(db: Database, items: list[Loaded], folders: list[Folder]) -> None:
    """Fill the live tables again, in one transaction: for few notes, as short as one batch of many."""
    build = _Build(db, "")
    with db.transaction():
        for name in schema.NAMES:
            db.execute(f"DROP TABLE IF EXISTS {name}{schema.BUILD_SUFFIX}")  # left by an interrupted rebuild
        build.create()
        build.add(items)
        build.finish(folders)


class _Build:
    """A set of tables that is filled from scratch; the caller opens the transactions."""

    def __init__(self, db: Database, suffix: str) -> None:
        self._db = db
        self._suffix = suffix
        self._next = 1
        self._seen: dict[str, FileRow] = {}
        self._pending = rows.Pending(suffix)

    def create(self) -> None:
        """Create the tables, empty."""
        for statement in schema.create_tables(self._suffix):
            self._db.execute(statement)
        with suppress(sqlite3.OperationalError):  # without the setting, SQLite is only slower
            self._db.execute(schema.gather(self._suffix))

    def add(self, items: list[Loaded]) -> None:
        """Insert the files that were read."""
        for item in items:
            self._pending.add_file(self._place(item))
        self._pending.insert(self._db)

    def finish(self, folders: list[Folder]) -> None:
        """Make these tables the live ones."""
        for folder in folders:
            put_folder(self._db, folder, suffix=self._suffix)
        for statement in schema.finish_tables(self._suffix):
            self._db.execute(statement)

    def _place(self, item: Loaded) -> FileRow:
        """Add the note of a file; returns the row to store for the file."""
        if item.note is None:
            return item.row
        owner = self._seen.get(item.note.id)
        if owner is not None:
            if is_preferred(owner, item.row):
                return _set_aside(item.row, owner.path)
            self._pending.insert(self._db)
            rows.put_file(self._db, _set_aside(owner, item.row.path), suffix=self._suffix)
            _name_owner(self._db, item.row, suffix=self._suffix)
            rows.remove_note(self._db, item.note.id, suffix=self._suffix)
        self._pending.add_note(self._next, item.note, item.body_path)
        self._seen[item.note.id] = item.row
        self._next += 1
        return item.row


def _names(folder: Folder) -> Iterator[str]:
    yield from (name for name, *_ in folder.files)
    yield from (name for name, _ in folder.unreadable)


def _batches(paths: list[str], size: int = _BATCH) -> Iterator[list[str]]:
    for start in range(0, len(paths), size):
        yield paths[start : start + size]
