"""An index that is already up to date, for a command that runs one query and ends.

Opening the store gives the same answer but takes twice as long to start. If the index is missing, busy, older
than a file or has another layout, `open_quick` returns None and the caller opens the store. In a large store,
not every command scans all files: then `is_certain` is false, every hit's file is checked, and a search
without a hit scans all files unless that was done in the last seconds.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from anamnesis.index import query
from anamnesis.index.database import Database
from anamnesis.index.query import Problem
from anamnesis.index.reader import read_rows
from anamnesis.index.scan import FullScans, are_unchanged, scan
from anamnesis.index.schema import SCHEMA_VERSION
from anamnesis.layout import DB_NAME, MEMORY

TYPE_CHECKING = False  # `typing` would make a quick command slower
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from anamnesis.index.finder import Hit

    Answer = TypeVar("Answer")

_BUSY_SECONDS = 0.3


class QuickIndex:
    """Searches like the store, but returns rows without reading files."""

    def __init__(self, root: Path, db: Database, *, is_certain: bool) -> None:
        self.is_certain = is_certain  # every file was scanned
        self.root = root
        self.memory_dir = root / MEMORY
        self.db_path = root / DB_NAME
        self._db = db

    def __enter__(self) -> QuickIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def find(self, text: str, wanted: query.Filter, *, k: int, explain: bool = True) -> list[Hit]:
        """The best `k` matching notes; `explain` adds matched words and a snippet to each."""
        from anamnesis.index.finder import Finder  # `status` does not need it

        checked = None if self.is_certain else str(self.root)
        with self._db.snapshot():
            hits = Finder(self._db).find(text, wanted, k, explain=explain)
            notes = read_rows(self._db, checked, [hit.n for hit in hits]) or {}
        if not notes and not self.is_certain and (hits or self._may_have_missed()):
            self._refresh()
            return self.find(text, wanted, k=k, explain=explain)
        for hit in hits:
            hit.note = notes[hit.n]
        return hits

    def _may_have_missed(self) -> bool:
        """Whether a file was edited in place; all files are scanned, unless a process just did that."""
        home = str(self.root)
        scans = FullScans(home)
        return scans.is_due(query.count_files(self._db)) and not _matches_files(self._db, home, scans)

    def ask(self, question: Callable[[Database], Answer]) -> Answer:
        """Run a query on the index."""
        return question(self._db)

    def stats(self) -> dict[str, object]:
        """Counts: total, by_type, by_project, by_scope."""
        return query.stats(self._db)

    def problems(self) -> list[Problem]:
        """Files that cannot be read as notes, and files with a duplicate id, each with the reason."""
        return query.problems(self._db)

    def _refresh(self) -> None:
        """Index the files that were edited in place."""
        from anamnesis.index.core import Index

        with closing(Index(self.root, self.db_path, patience=_BUSY_SECONDS)) as index:
            index.refresh()
        self.is_certain = True


def open_quick(home: Path) -> QuickIndex | None:
    """The index of the store at `home` if no file has changed since it was indexed; None otherwise."""
    path = home / DB_NAME
    if not os.path.isfile(path):
        return None
    try:
        db = Database(path, busy_seconds=_BUSY_SECONDS)
    except (sqlite3.Error, OSError):
        return None
    try:
        if db.version == SCHEMA_VERSION and (certain := _is_up_to_date(db, str(home))) is not None:
            return QuickIndex(home, db, is_certain=certain)
    except sqlite3.Error:
        pass  # damaged or locked: the store handles it
    db.close()
    return None


def _is_up_to_date(db: Database, home: str) -> bool | None:
    """True if no file has changed since it was indexed, False if no folder has, None if one has."""
    known = {row["path"]: row["mtime_ns"] for row in db.rows("SELECT path, mtime_ns FROM folders")}
    if not known or not are_unchanged(home, known):
        return None
    scans = FullScans(home)
    if not scans.is_due_for_command(query.count_files(db)):
        return False
    return _matches_files(db, home, scans) or None


def _matches_files(db: Database, home: str, scans: FullScans) -> bool:
    """Scan all files: whether none has changed since it was indexed. If so, other processes need not scan."""
    known = {row["path"]: tuple(row)[1:] for row in db.rows("SELECT * FROM folders")}
    if {folder.path: folder.fingerprint for folder in scan(home)} != known:
        return False
    scans.record(query.count_files(db))
    return True
