"""Pages of notes, newest first, and what there is to narrow them by; only the rows of the page are read."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from anamnesis.index.database import Database
from anamnesis.index.query import MOMENT, RECENCY, Filter
from anamnesis.index.rows import to_memory
from anamnesis.notes import Memory

# What the pages call it, and the column that holds it.
_FACETS = {
    "types": "type",
    "projects": "project",
    "machines": "machine_id",
    "sources": "prov_source",
    "scopes": "scope",
}
NEWEST = "newest"
# How a list can be sorted. Equal ones by id, so that pages neither repeat nor skip a note.
ORDERS = {
    NEWEST: f"{RECENCY}, m.id DESC",
    "oldest": f"{MOMENT}, m.id",
    "created": "m.created_at DESC, m.id DESC",
    "title": "m.title COLLATE NOCASE, m.id",
}
_COUNT = "SELECT {column} AS name, count(*) AS number FROM {table} GROUP BY 1 ORDER BY 2 DESC, 1"


@dataclass(frozen=True, slots=True)
class Page:
    """Some notes of a longer list, without their bodies, and the length of that list."""

    notes: list[Memory]
    total: int


def page_of(db: Database, wanted: Filter, *, limit: int, offset: int, sort: str = NEWEST) -> Page:
    """The notes from `offset` on, newest first by default; a date in the future counts as none."""
    clauses, values = wanted.conditions()
    where = f" WHERE {' AND '.join(clauses)}" if clauses else ""
    total = int(db.rows(f"SELECT count(*) FROM memories m{where}", values)[0][0])
    sql = f"SELECT m.* FROM memories m{where} ORDER BY {ORDERS[sort]} LIMIT ? OFFSET ?"
    return Page(notes_of(db, db.rows(sql, (*values, limit, offset))), total)


def notes_of(db: Database, found: Sequence[sqlite3.Row]) -> list[Memory]:
    """The notes of some rows of `memories`, without their bodies."""
    tags = _tags(db, [row["id"] for row in found])
    return [to_memory(row, tags.get(row["id"], []), "") for row in found]


def ids_wanted(db: Database, wanted: Filter, *, limit: int) -> list[str]:
    """The ids of the notes that a filter leaves, newest first."""
    clauses, values = wanted.conditions()
    where = f" WHERE {' AND '.join(clauses)}" if clauses else ""
    sql = f"SELECT m.id FROM memories m{where} ORDER BY {ORDERS[NEWEST]} LIMIT ?"
    return [row["id"] for row in db.rows(sql, (*values, limit))]


@dataclass(frozen=True, slots=True)
class NoteFile:
    """Where a note is, relative to the store, and the digest of what was indexed of it."""

    note_id: str
    path: str
    digest: bytes


def note_files(db: Database) -> list[NoteFile]:
    """The file of every note, in the order of their paths."""
    sql = "SELECT note_id, path, digest FROM files WHERE problem IS NULL ORDER BY path"
    return [NoteFile(*row) for row in db.rows(sql)]


def facets(db: Database) -> dict[str, list[tuple[str, int]]]:
    """Every type, project, machine, source, scope and tag with its number of notes, most frequent first."""
    found = {name: _counted(db, column, "memories") for name, column in _FACETS.items()}
    return {**found, "tags": _counted(db, "tag", "memory_tags")}


def _tags(db: Database, ids: list[str]) -> dict[str, list[str]]:
    tags: dict[str, list[str]] = {}
    sql = f"SELECT memory_id, tag FROM memory_tags WHERE memory_id IN ({', '.join('?' * len(ids))})"
    for row in db.rows(f"{sql} ORDER BY memory_id, position", ids):
        tags.setdefault(row["memory_id"], []).append(row["tag"])
    return tags


def _counted(db: Database, column: str, table: str) -> list[tuple[str, int]]:
    return [(row["name"], row["number"]) for row in db.rows(_COUNT.format(column=column, table=table))]
