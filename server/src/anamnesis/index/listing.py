"""Lists of notes: pages and their filters, notes of a session, notes that a text refers to.

Only the rows of the list are read.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from anamnesis import recall
from anamnesis.index.database import Database
from anamnesis.index.query import MOMENT, RECENCY, Filter, count_tags, note_counts
from anamnesis.index.rows import notes_of
from anamnesis.index.schema import marks
from anamnesis.notes.record import Memory

# Name on the dashboard's pages -> column.
_FACETS = {
    "types": "type",
    "projects": "project",
    "machines": "machine_id",
    "sources": "prov_source",
    "scopes": "scope",
}
_DIGEST_BYTES = 16  # of `rows.digest_of`
NEWEST = "newest"
_CAPTURED = "m.prov_source = 'session-end' AND m.prov_session IS NOT NULL"
_MENTIONING = "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rowid DESC LIMIT ?"
_MOST_MENTIONING = 200  # notes with the words of a title; the caller checks each for the exact title
# How a list can be sorted; ties are sorted by id, so that pages neither repeat nor skip a note.
ORDERS = {
    NEWEST: f"{RECENCY}, m.id DESC",
    "oldest": f"{MOMENT}, m.id",
    "created": "m.created_at DESC, m.id DESC",
    "title": "m.title COLLATE NOCASE, m.id",
}


class Page(NamedTuple):
    """A page of a longer list of notes, without bodies, and the length of that list."""

    notes: list[Memory]
    total: int


def page_of(db: Database, wanted: Filter, *, limit: int | None, offset: int, sort: str = NEWEST) -> Page:
    """The notes from `offset` on, newest first by default; all of them without a limit.

    A date in the future counts as no date.
    """
    where, values = wanted.where()
    total = int(db.rows(f"SELECT count(*) FROM memories m{where}", values)[0][0])
    rows = _listed(db, "m.*", wanted, limit=limit, offset=offset, sort=sort)
    return Page(notes_of(db, rows.fetchall()), total)


def list_notes(db: Database, wanted: Filter, *, bodies: bool) -> list[Memory]:
    """All wanted notes, newest first, including superseded ones."""
    body = ", (SELECT body FROM memories_fts WHERE rowid = m.n) AS body" if bodies else ""
    return notes_of(db, _listed(db, f"m.*{body}", wanted).fetchall(), bodies=bodies)


def ids_wanted(db: Database, wanted: Filter, *, limit: int) -> list[str]:
    """The ids of the notes that match a filter, newest first."""
    return [row["id"] for row in _listed(db, "m.id", wanted, limit=limit)]


def numbers_of(db: Database, wanted: Filter) -> Sequence[int]:
    """The row numbers of the notes that match a filter, newest first."""
    return array("q", (row["n"] for row in _listed(db, "m.n", wanted)))


def _listed(
    db: Database,
    columns: str,
    wanted: Filter,
    *,
    limit: int | None = None,
    offset: int = 0,
    sort: str = NEWEST,
) -> sqlite3.Cursor:
    where, values = wanted.where()
    sql = f"SELECT {columns} FROM memories m{where} ORDER BY {ORDERS[sort]} LIMIT ? OFFSET ?"
    return db.execute(sql, (*values, -1 if limit is None else limit, offset))


def all_ids(db: Database) -> list[str]:
    """The id of every note."""
    return [row["id"] for row in db.rows("SELECT id FROM memories")]


class NoteFile(NamedTuple):
    """A note's file, relative to the store, and the digest of its indexed content."""

    note_id: str
    path: str
    digest: bytes


def note_files(db: Database, *, after: str = "", limit: int = -1) -> list[NoteFile]:
    """The files of notes, sorted by path, starting after `after`."""
    sql = "SELECT note_id, path, digest FROM files WHERE problem IS NULL AND path > ? ORDER BY path LIMIT ?"
    return [NoteFile(*row) for row in db.rows(sql, (after, limit))]


def notes_at(db: Database, numbers: Sequence[int]) -> dict[int, Memory]:
    """The notes with these row numbers, in that order, without bodies; deleted ones are left out."""
    rows = db.rows(f"SELECT * FROM memories WHERE n IN ({marks(len(numbers))})", numbers)
    known = {row["n"]: note for row, note in zip(rows, notes_of(db, rows), strict=True)}
    return {number: known[number] for number in numbers if number in known}


def facets(db: Database, *, current: bool = False) -> dict[str, list[tuple[str, int]]]:
    """Every type, project, machine, source, scope and tag with its number of notes, most frequent first.

    With `current`, superseded notes do not count.
    """
    notes = note_counts(db, tuple(_FACETS.values()))
    counts = notes.current if current else notes.every
    by_name = {name: counts[column] for name, column in _FACETS.items()}
    by_name["tags"] = count_tags(db, current=current)
    return {name: list(counted.items()) for name, counted in by_name.items()}


def captured(db: Database, projects: Sequence[str] | None = None) -> list[tuple[str, int, int]]:
    """Session, time and row number of every note that was captured from a session."""
    clauses, values = Filter(project=projects).conditions()
    where = " AND ".join([_CAPTURED, *clauses])
    sql = f"SELECT m.prov_session, {MOMENT}, m.n FROM memories m WHERE {where}"
    return [(row[0], row[1], row[2]) for row in db.rows(sql, values)]


def notes_from(db: Database, session: str) -> list[Memory]:
    """The notes that were written in a session, without bodies."""
    sql = f"SELECT m.* FROM memories m WHERE m.prov_session = ? ORDER BY {MOMENT}, m.id"
    return notes_of(db, db.rows(sql, (session,)))


def titles(db: Database, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Type and title of the notes that still exist."""
    rows = db.rows(f"SELECT id, type, title FROM memories WHERE id IN ({marks(len(ids))})", ids)
    return {row["id"]: (row["type"], row["title"]) for row in rows}


def named(db: Database, ids: Sequence[str], titles: Sequence[str]) -> list[Memory]:
    """The notes with one of these ids, or one of these titles, ignoring case."""
    clauses = [f"id IN ({marks(len(ids))})"]
    if titles:
        clauses.append(f"title COLLATE NOCASE IN ({marks(len(titles))})")
    rows = db.rows(f"SELECT n FROM memories WHERE {' OR '.join(clauses)} ORDER BY n DESC", [*ids, *titles])
    return _read_in_order(db, [row["n"] for row in rows])


def with_words_of(db: Database, texts: Sequence[str]) -> list[Memory]:
    """Notes whose body contains the words of one of the texts in the same order; newest rows first."""
    phrases = [recall.quote(text) for text in texts if any(char.isalnum() for char in text)]
    if not phrases:
        return []
    expression = f"body : ({' OR '.join(phrases)})"
    rows = db.rows(_MENTIONING, (expression, _MOST_MENTIONING))
    return _read_in_order(db, [row["rowid"] for row in rows])


def _read_in_order(db: Database, numbers: list[int]) -> list[Memory]:
    columns = "m.*, (SELECT body FROM memories_fts WHERE rowid = m.n) AS body"
    rows = db.rows(f"SELECT {columns} FROM memories m WHERE n IN ({', '.join(map(str, numbers))})")
    notes = dict(zip((row["n"] for row in rows), notes_of(db, rows, bodies=True), strict=True))
    return [notes[number] for number in numbers]
