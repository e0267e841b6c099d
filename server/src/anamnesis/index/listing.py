"""Pages of notes, newest first, and what there is to narrow them by; only the rows of the page are read."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Collection, Sequence
from typing import NamedTuple

from anamnesis.index.counts import count_by, count_tags
from anamnesis.index.database import Database
from anamnesis.index.query import MOMENT, RECENCY, Filter
from anamnesis.index.rows import to_memory
from anamnesis.notes.record import Memory

# The name on the pages, and its column.
_FACETS = {
    "types": "type",
    "projects": "project",
    "machines": "machine_id",
    "sources": "prov_source",
    "scopes": "scope",
}
_MOST_BOUND = 1000
_DIGEST_BYTES = 16  # of `load.digest_of`
NEWEST = "newest"
# How a list can be sorted; ties by id, so that pages neither repeat nor skip a note.
ORDERS = {
    NEWEST: f"{RECENCY}, m.id DESC",
    "oldest": f"{MOMENT}, m.id",
    "created": "m.created_at DESC, m.id DESC",
    "title": "m.title COLLATE NOCASE, m.id",
}


class Page(NamedTuple):
    """Some notes of a longer list, without their bodies, and the length of that list."""

    notes: list[Memory]
    total: int


def page_of(db: Database, wanted: Filter, *, limit: int | None, offset: int, sort: str = NEWEST) -> Page:
    """The notes from `offset` on, newest first by default; without a limit all of them.

    A future date counts as none.
    """
    clauses, values = wanted.conditions()
    where = f" WHERE {' AND '.join(clauses)}" if clauses else ""
    total = int(db.rows(f"SELECT count(*) FROM memories m{where}", values)[0][0])
    sql = f"SELECT m.* FROM memories m{where} ORDER BY {ORDERS[sort]} LIMIT ? OFFSET ?"
    found = db.rows(sql, (*values, -1 if limit is None else limit, offset))
    return Page(notes_of(db, found), total)


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


def all_ids(db: Database) -> list[str]:
    """The id of every note."""
    return [row["id"] for row in db.rows("SELECT id FROM memories")]


class NoteFile(NamedTuple):
    """Where a note's file is, relative to the store, and the digest of the indexed content."""

    note_id: str
    path: str
    digest: bytes


def note_files(db: Database, *, after: str = "", limit: int = -1) -> list[NoteFile]:
    """The files of notes, in the order of their paths, from the one that follows `after`."""
    sql = "SELECT note_id, path, digest FROM files WHERE problem IS NULL AND path > ? ORDER BY path LIMIT ?"
    return [NoteFile(*row) for row in db.rows(sql, (after, limit))]


def note_digests(db: Database) -> set[bytes]:
    """The digests of the files of all notes."""
    # One long text: reading a row for each note takes several times as long.
    found = db.rows("SELECT group_concat(hex(digest), '') FROM files WHERE problem IS NULL")[0][0] or ""
    joined = bytes.fromhex(found)
    return {joined[at : at + _DIGEST_BYTES] for at in range(0, len(joined), _DIGEST_BYTES)}


def note_files_of(db: Database, digests: Collection[bytes]) -> list[NoteFile]:
    """The files of notes with one of a few digests, in the order of their paths."""
    marks = ", ".join("?" * len(digests))
    sql = (
        f"SELECT note_id, path, digest FROM files WHERE problem IS NULL AND digest IN ({marks}) ORDER BY path"
    )
    return [NoteFile(*row) for row in db.rows(sql, tuple(digests))]


def files_since(db: Database, tree: str, moment_ns: int) -> tuple[list[str], int]:
    """The files of a tree, relative to it, that were written since a moment; and how many it has."""
    bounds = (f"{tree}/", f"{tree}0")  # "0" comes after "/"
    sql = "SELECT path FROM files WHERE path > ? AND path < ? AND mtime_ns >= ?"
    written = [row["path"].removeprefix(f"{tree}/") for row in db.rows(sql, (*bounds, moment_ns))]
    sql = "SELECT ifnull(sum(files), 0) FROM folders WHERE path = ? OR path > ? AND path < ?"
    return written, int(db.rows(sql, (tree, *bounds))[0][0])


def numbers_of(db: Database, wanted: Filter) -> Sequence[int]:
    """The row numbers of the notes that a filter leaves, newest first."""
    clauses, values = wanted.conditions()
    where = f" WHERE {' AND '.join(clauses)}" if clauses else ""
    sql = f"SELECT m.n FROM memories m{where} ORDER BY {ORDERS[NEWEST]}"
    return array("q", (row[0] for row in db.execute(sql, values)))


def notes_at(db: Database, numbers: Sequence[int]) -> list[Memory]:
    """The notes under some row numbers, in that order and without bodies; deleted ones are skipped."""
    sql = f"SELECT * FROM memories WHERE n IN ({', '.join('?' * len(numbers))})"
    found = db.rows(sql, numbers)
    known = {row["n"]: note for row, note in zip(found, notes_of(db, found), strict=True)}
    return [known[number] for number in numbers if number in known]


def facets(db: Database, *, current: bool = False) -> dict[str, list[tuple[str, int]]]:
    """Every type, project, machine, source, scope and tag with its number of notes, most frequent first.

    With `current`, notes that another one replaces do not count.
    """
    counts = count_by(db, tuple(_FACETS.values()), current=current)
    found = {name: counts[column] for name, column in _FACETS.items()}
    found["tags"] = count_tags(db, current=current)
    return {name: list(counted.items()) for name, counted in found.items()}


def _tags(db: Database, ids: list[str]) -> dict[str, list[str]]:
    tags: dict[str, list[str]] = {}
    if not ids:
        return tags
    few = ids if len(ids) <= _MOST_BOUND else []  # SQLite binds only so many values; beyond that, all tags
    where = f" WHERE memory_id IN ({', '.join('?' * len(few))})" if few else ""
    for row in db.rows(f"SELECT memory_id, tag FROM memory_tags{where} ORDER BY memory_id, position", few):
        tags.setdefault(row["memory_id"], []).append(row["tag"])
    return tags
