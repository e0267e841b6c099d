"""Lists of notes: pages and their filters, notes of a session, notes that a text refers to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from anamnesis import recall
from anamnesis.index.database import Database, marks
from anamnesis.index.query import MOMENT, RECENCY, Filter
from anamnesis.index.rows import NOTE, NOTE_WITH_BODY, note_of
from anamnesis.notes.record import Memory

NEWEST = "newest"
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
    total = int(db.rows(f"SELECT count(*) FROM memories m WHERE {where}", values)[0][0])
    sql = f"SELECT {NOTE} FROM memories m WHERE {where} ORDER BY {ORDERS[sort]} LIMIT ? OFFSET ?"
    rows = db.rows(sql, (*values, -1 if limit is None else limit, offset))
    return Page([note_of(row) for row in rows], total)


def list_notes(db: Database, wanted: Filter, *, bodies: bool) -> list[Memory]:
    """All wanted notes, newest first, including superseded ones."""
    where, values = wanted.where()
    columns = NOTE_WITH_BODY if bodies else NOTE
    sql = f"SELECT {columns} FROM memories m WHERE {where} ORDER BY {ORDERS[NEWEST]}"
    return [note_of(row) for row in db.execute(sql, values)]


class NoteFile(NamedTuple):
    """A note's file, relative to the store."""

    note_id: str
    path: str


def note_files(db: Database) -> list[NoteFile]:
    """The files of all notes, sorted by path."""
    sql = "SELECT note_id, path FROM files WHERE problem IS NULL ORDER BY path"
    return [NoteFile(*row) for row in db.rows(sql)]


def notes_at(db: Database, numbers: Sequence[int]) -> dict[int, Memory]:
    """The notes with these row numbers, in that order, with bodies; deleted ones are left out."""
    sql = f"SELECT {NOTE_WITH_BODY}, m.n FROM memories m WHERE m.n IN ({', '.join(map(str, numbers))})"
    known = {row["n"]: note_of(row) for row in db.rows(sql)}
    return {number: known[number] for number in numbers if number in known}


def captured(db: Database, projects: Sequence[str] | None = None) -> list[tuple[str, int, int]]:
    """Session, time and row number of every note that was captured from a session."""
    where, values = Filter(project=projects, prov_source="session-end").where()
    sql = f"SELECT m.prov_session, {MOMENT}, m.n FROM memories m WHERE m.prov_session IS NOT NULL AND {where}"
    return [(row[0], row[1], row[2]) for row in db.rows(sql, values)]


def notes_from(db: Database, session: str) -> list[Memory]:
    """The notes that were written in a session, without bodies."""
    sql = f"SELECT {NOTE} FROM memories m WHERE m.prov_session = ? ORDER BY {MOMENT}, m.id"
    return [note_of(row) for row in db.rows(sql, (session,))]


def titles(db: Database, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Type and title of the notes that still exist."""
    rows = db.rows(f"SELECT id, type, title FROM memories WHERE id IN ({marks(ids)})", ids)
    return {row["id"]: (row["type"], row["title"]) for row in rows}


def named(db: Database, ids: Sequence[str], titles: Sequence[str]) -> list[Memory]:
    """The notes with one of these ids, or one of these titles, ignoring case; newest rows first."""
    sql = f"SELECT n FROM memories WHERE id IN ({marks(ids)}) OR title COLLATE NOCASE IN ({marks(titles)})"
    rows = db.rows(f"{sql} ORDER BY n DESC", [*ids, *titles])
    return list(notes_at(db, [row["n"] for row in rows]).values())


def with_words_of(db: Database, texts: Sequence[str]) -> list[Memory]:
    """Notes whose body contains the words of one of the texts in the same order; newest rows first."""
    phrases = [recall.quote(text) for text in texts if any(char.isalnum() for char in text)]
    if not phrases:
        return []
    # LIMIT: the caller checks each note for the exact title.
    sql = "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rowid DESC LIMIT 200"
    rows = db.rows(sql, (f"body : ({' OR '.join(phrases)})",))
    return list(notes_at(db, [row["rowid"] for row in rows]).values())
