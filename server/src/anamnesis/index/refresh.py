"""Updates the tables from the files: only the changed ones, or all from scratch.

The changed files are read outside transactions and their rows written in short ones, so that another writer
never waits long. A rebuild is one transaction: until it ends everyone else reads the old rows, and an
interrupted one leaves them as they were.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping

from anamnesis.index import schema
from anamnesis.index.database import CACHE, Database
from anamnesis.index.rows import (
    Loaded,
    forget_file,
    load,
    not_a_note,
    promote_copy,
    put_loaded,
)
from anamnesis.index.scan import Folder, folder_times, scan
from anamnesis.text import Progress

_BATCH = 1000  # notes in one transaction, for which other writers wait


def refresh(
    db: Database, root: str, *, only: Collection[str] | None = None, progress: Progress | None = None
) -> None:
    """Index what was added, edited or removed since the last scan, in all folders or `only` in some."""
    times = {} if only is None else _known_times(db)
    folders = list(scan(root) if only is None else scan(root, only, besides=times))
    known = {
        row[0]: (row[1], row[2])
        for row in db.rows("SELECT path, size, mtime_ns FROM files")
        if only is None or os.path.dirname(row[0]) in only
    }
    wanted = [
        path for folder in folders for path, seen in folder.files.items() if known.pop(path, None) != seen
    ]
    unreadable = _unreadable(folders)
    changed = [*known, *wanted]  # those that are left in `known` are gone
    for done, batch in _batches(changed):
        loaded = {path: _load(root, path, unreadable) for path in batch}
        with db.transaction():
            gone = [forget_file(db, path, now=item) for path, item in loaded.items()]
            _put_all(db, loaded.values())
            for note_id in filter(None, gone):
                promote_copy(db, root, note_id)
        if progress is not None:
            progress(done, len(changed))
    times = {path: time for path, time in times.items() if path not in (only or ())}
    times |= {folder.path: folder.mtime_ns for folder in folders}
    if times != _known_times(db):
        with db.transaction():
            _put_folders(db, times)


def rebuild(db: Database, root: str, *, progress: Progress | None = None) -> int:
    """Fill new tables from every file; returns the number of notes."""
    folders = list(scan(root))
    paths = [path for folder in folders for path in folder.files]
    unreadable = _unreadable(folders)
    db.execute("PRAGMA cache_size=-32000")
    with db.transaction():
        for statement in schema.create_tables():
            db.execute(statement)
        for done, batch in _batches(paths):
            _put_all(db, (_load(root, path, unreadable) for path in batch))
            if progress is not None:
                progress(done, len(paths))
        _put_folders(db, {folder.path: folder.mtime_ns for folder in folders})
        for statement in schema.finish_tables():
            db.execute(statement)
    db.execute(CACHE)
    return count_notes(db)


def count_notes(db: Database) -> int:
    """The number of notes in the index."""
    return int(db.rows("SELECT count(*) FROM memories")[0][0])


def changed_folders(db: Database, root: str) -> list[str]:
    """The folders in which files were added, removed or renamed since the last scan."""
    known = _known_times(db)
    now = zip(known.items(), folder_times(root, [*known]), strict=True)
    return [path for (path, time), current in now if time != current]


def _known_times(db: Database) -> dict[str, int]:
    return {row[0]: row[1] for row in db.rows("SELECT path, mtime_ns FROM folders")}


def _put_folders(db: Database, times: dict[str, int]) -> None:
    db.execute("DELETE FROM folders")
    db.execute_many("INSERT INTO folders (path, mtime_ns) VALUES (?, ?)", times.items())


def _put_all(db: Database, items: Iterable[Loaded | None]) -> None:
    for item in items:
        if item is not None:
            put_loaded(db, item)


def _load(root: str, path: str, unreadable: Mapping[str, str]) -> Loaded | None:
    return not_a_note(path, unreadable[path]) if path in unreadable else load(root, path)


def _unreadable(folders: list[Folder]) -> dict[str, str]:
    return {path: reason for folder in folders for path, reason in folder.unreadable.items()}


def _batches(paths: list[str]) -> Iterator[tuple[int, list[str]]]:
    for start in range(0, len(paths), _BATCH):
        batch = paths[start : start + _BATCH]
        yield start + len(batch), batch
