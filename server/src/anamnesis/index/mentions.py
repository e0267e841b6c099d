"""Finds the notes that a text names, by id or by title, and the notes that may name a note."""

from __future__ import annotations

from collections.abc import Sequence

from anamnesis import recall
from anamnesis.index.database import Database
from anamnesis.index.rows import indexed_note
from anamnesis.notes.record import Memory

_MOST = 200  # notes with the words of a title; the caller checks each for the title itself
_MENTIONING = "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rowid DESC LIMIT ?"


def named(db: Database, ids: Sequence[str], titles: Sequence[str]) -> list[Memory]:
    """The notes that have one of the ids, or one of the titles in upper or lower case."""
    clauses = [f"id IN ({_marks(ids)})"] + [f"title COLLATE NOCASE IN ({_marks(titles)})"] * bool(titles)
    found = db.rows(f"SELECT n FROM memories WHERE {' OR '.join(clauses)} ORDER BY n DESC", [*ids, *titles])
    return [indexed_note(db, row["n"]).note for row in found]


def with_words_of(db: Database, texts: Sequence[str]) -> list[Memory]:
    """Notes whose body has the words of one of the texts in their order; the newest rows first."""
    phrases = [recall.quote(text) for text in texts if any(char.isalnum() for char in text)]
    if not phrases:
        return []
    expression = f"body : ({' OR '.join(phrases)})"
    return [indexed_note(db, row["rowid"]).note for row in db.rows(_MENTIONING, (expression, _MOST))]


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
