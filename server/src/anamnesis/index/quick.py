"""An index that was found in step with its files, for a command that asks one question and ends.

The store would give the same answer and cost twice the start-up. Whenever the index is missing, of another
layout, busy or behind a single file, there is no quick answer, and the caller opens the store.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from anamnesis.index import query
from anamnesis.index.database import Database
from anamnesis.index.finder import Finder, Match
from anamnesis.index.query import Problem
from anamnesis.index.reader import SELECTED, Row
from anamnesis.index.scan import scan
from anamnesis.index.schema import DB_NAME, SCHEMA_VERSION, TAGS

TYPE_CHECKING = False  # `typing` would make a quick command slower
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Answer = TypeVar("Answer")

_NOTE = f"SELECT {SELECTED} FROM memories m JOIN memories_fts f ON f.rowid = m.n WHERE m.n = ?"


class Found:
    """A note that answers a query, with the reason why it does."""

    __slots__ = ("meaning", "note", "score", "snippet", "terms")

    def __init__(self, *, note: Row, score: float, terms: list[str], snippet: str) -> None:
        self.note = note
        self.score = score
        self.terms = terms
        self.snippet = snippet
        self.meaning: float | None = None  # only the store compares meanings


class QuickIndex:
    """Searches like the store does, over rows that need no file."""

    def __init__(self, root: Path, db: Database) -> None:
        self.root = root
        self.memory_dir = root / "memory"
        self.db_path = root / DB_NAME
        self._db = db

    def __enter__(self) -> QuickIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def find(self, text: str, wanted: query.Filter, *, k: int, explain: bool = True) -> list[Found]:
        """The best `k` notes among those wanted; `explain` gives each its matched words and a snippet."""
        return [self._found(match) for match in Finder(self._db).find(text, wanted, k, explain=explain)]

    def ask(self, question: Callable[[Database], Answer]) -> Answer:
        """Put a question to the index."""
        return question(self._db)

    def stats(self) -> dict[str, object]:
        """Counts: total, by_type, by_project, by_scope."""
        return query.stats(self._db)

    def problems(self) -> list[Problem]:
        """Files that cannot be read as notes, and second files with one id, each with the reason."""
        return query.problems(self._db)

    def _found(self, match: Match) -> Found:
        tags = [row["tag"] for row in self._db.rows(TAGS, (match.id,))]
        note = Row(tuple(self._db.rows(_NOTE, (match.n,))[0]), tags)
        return Found(note=note, score=match.score, terms=match.terms, snippet=match.snippet)


def open_quick(home: Path) -> QuickIndex | None:
    """The index of the store at `home` if every file is as it was indexed; None where it is not."""
    path = home / DB_NAME
    if not os.path.isfile(path):
        return None
    try:
        db = Database(path, busy_seconds=0.3)
    except (sqlite3.Error, OSError):
        return None
    try:
        if db.version == SCHEMA_VERSION and _is_in_step(db, str(home)):
            return QuickIndex(home, db)
    except sqlite3.Error:
        pass  # damaged, or in the hands of another process: the store knows what to do
    db.close()
    return None


def _is_in_step(db: Database, home: str) -> bool:
    known = {row["path"]: tuple(row)[1:] for row in db.rows("SELECT * FROM folders")}
    seen = {folder.path: folder.fingerprint for folder in scan(home)}
    return bool(seen) and seen == known
