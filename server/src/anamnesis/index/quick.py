"""An index that was found in step with its files, for a command that asks one question and ends.

The store would give the same answer and cost twice the start-up. Whenever the index is missing, of another
layout, busy or behind a single file, there is no quick answer, and the caller opens the store.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from anamnesis.index import query
from anamnesis.index.database import VOCABULARY, Database
from anamnesis.index.query import Problem
from anamnesis.index.reader import SELECTED, TAGS, Row
from anamnesis.index.scan import scan
from anamnesis.index.schema import DB_NAME, SCHEMA_VERSION

TYPE_CHECKING = False  # `typing` would cost a command more than this whole module
if TYPE_CHECKING:
    from collections.abc import Sequence


_NOTE = f"SELECT {SELECTED} FROM memories m JOIN memories_fts f ON f.rowid = m.n WHERE m.n = ?"


class Found:
    """A note that answers a query, with the reason why it does."""

    __slots__ = ("note", "score", "snippet", "terms")

    def __init__(self, *, note: Row, score: float, terms: list[str], snippet: str) -> None:
        self.note = note
        self.score = score
        self.terms = terms
        self.snippet = snippet


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

    def search(
        self,
        text: str,
        *,
        project: str | Sequence[str] | None = None,
        type: str | None = None,
        scope: str | None = None,
        k: int = 8,
        tags: Sequence[str] | None = None,
        since: str | None = None,
    ) -> list[Row]:
        """The best `k` notes for a query in plain words, best first; superseded notes are left out."""
        wanted = query.Filter(project=project, type=type, scope=scope, tags=tags, since=since)
        matches, _ = query.Finder(self._db).find(text, wanted, k)
        return [self._note(match) for match in matches]

    def explain(
        self,
        text: str,
        *,
        project: str | Sequence[str] | None = None,
        type: str | None = None,
        scope: str | None = None,
        k: int = 8,
        tags: Sequence[str] | None = None,
        since: str | None = None,
    ) -> list[Found]:
        """Like `search`, with score, matched words and a snippet for each note."""
        wanted = query.Filter(project=project, type=type, scope=scope, tags=tags, since=since)
        finder = query.Finder(self._db)
        matches, terms = finder.find(text, wanted, k)
        pieces = finder.snippets(matches, terms)
        return [
            Found(
                note=self._note(match),
                score=match.score,
                terms=pieces[match.n][1],
                snippet=pieces[match.n][0],
            )
            for match in matches
        ]

    def stats(self) -> dict[str, object]:
        """Counts: total, by_type, by_project, by_scope."""
        return query.stats(self._db)

    def problems(self) -> list[Problem]:
        """Files that cannot be read as notes, and second files with one id, each with the reason."""
        return query.problems(self._db)

    def _note(self, match: query.Match) -> Row:
        tags = [row["tag"] for row in self._db.rows(TAGS, (match.id,))]
        return Row(tuple(self._db.rows(_NOTE, (match.n,))[0]), tags)


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
            db.execute(VOCABULARY)
            return QuickIndex(home, db)
    except sqlite3.Error:
        pass  # damaged, or in the hands of another process: the store knows what to do
    db.close()
    return None


def _is_in_step(db: Database, home: str) -> bool:
    known = {row["path"]: tuple(row)[1:] for row in db.rows("SELECT * FROM folders")}
    seen = {folder.path: folder.fingerprint for folder in scan(home)}
    return bool(seen) and seen == known
