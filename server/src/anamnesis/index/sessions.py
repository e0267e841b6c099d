"""Questions about sessions: the notes that were captured from them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from anamnesis.index.database import Database
from anamnesis.index.listing import notes_of
from anamnesis.index.query import MOMENT, Filter
from anamnesis.notes.record import Memory

_CAPTURED = "m.prov_source = 'session-end' AND m.prov_session IS NOT NULL"


def captured(db: Database, projects: Sequence[str] | None = None) -> list[tuple[str, int, int]]:
    """Session, moment and row number of every note that was captured from a session."""
    clauses, values = Filter(project=projects).conditions()
    where = " AND ".join([_CAPTURED, *clauses])
    sql = f"SELECT m.prov_session, {MOMENT}, m.n FROM memories m WHERE {where}"
    return [(row[0], row[1], row[2]) for row in db.rows(sql, values)]


def notes_at(db: Database, numbers: Sequence[int]) -> dict[int, Memory]:
    """The notes under some row numbers, without bodies."""
    found = db.rows(f"SELECT * FROM memories WHERE n IN ({_marks(numbers)})", numbers)
    return {row["n"]: note for row, note in zip(found, notes_of(db, found), strict=True)}


def notes_from(db: Database, session: str) -> list[Memory]:
    """The notes that were written in a session, without bodies."""
    sql = f"SELECT m.* FROM memories m WHERE m.prov_session = ? ORDER BY {MOMENT}, m.id"
    return notes_of(db, db.rows(sql, (session,)))


def titles(db: Database, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Type and title of the notes that still exist."""
    found: list[sqlite3.Row] = db.rows(
        f"SELECT id, type, title FROM memories WHERE id IN ({_marks(ids)})", ids
    )
    return {row["id"]: (row["type"], row["title"]) for row in found}


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
