"""Filters, and small queries about notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.index.database import CLOCK_SECONDS, Database, marks
from anamnesis.index.rows import FILE, words_in
from anamnesis.notes.record import is_valid_id
from anamnesis.notes.vocabulary import REFERENCE, REVIEWED
from anamnesis.text import epoch

# A date in the future is a wrong clock or a typo. It must not come first, so it counts as no date.
MOMENT = f"iif(m.moment > strftime('%s') + {CLOCK_SECONDS}, 0, m.moment)"
RECENCY = f"{MOMENT} DESC"
SUPERSEDED = "m.id IN (SELECT old_id FROM supersessions)"
CURRENT = "m.id NOT IN (SELECT old_id FROM supersessions)"
ANY_CURRENT = f"TRUE AND {CURRENT}"  # the condition of a search without a filter
_TAGGED = "EXISTS (SELECT 1 FROM memory_tags WHERE memory_id = m.id AND tag = ?)"
# Enough to break ties between good matches, too little to lift a poor one.
_PREFERRED_GAIN = 1.1


class Filter(NamedTuple):
    """Which notes a query is about, and which projects come first among equally good notes."""

    project: str | Sequence[str] | None = None
    type: str | None = None
    scope: str | None = None
    tags: Sequence[str] | None = None
    since: str | None = None  # updated from then on
    until: str | None = None  # updated before this
    machine_id: str | None = None
    prov_source: str | None = None
    superseded: bool | None = None  # None: both
    finds_superseded: bool = False  # a search excludes superseded notes unless this is set
    unseen: bool = False  # only notes by a model or an import that sessions are told, not reviewed
    prefer_project: str | Sequence[str] | None = None
    rarest: int | None = None  # search only for this many of the query's words, the rarest

    def where(self, *, search: bool = False) -> tuple[str, list[object]]:
        """A condition on `memories m`, and its bound values; a search leaves out superseded notes too."""
        clauses = ["TRUE"]
        values: list[object] = []
        if self.project is not None:
            clauses.append(f"m.project IN ({marks(_listed(self.project))})")
            values += _listed(self.project)
        for column in ("type", "scope", "machine_id", "prov_source"):
            if (value := getattr(self, column)) is not None:
                clauses.append(f"m.{column} = ?")
                values.append(value)
        for tag in self.tags or ():
            clauses.append(_TAGGED)
            values.append(tag)
        for sign, bound in ((">=", self.since), ("<", self.until)):
            if bound:
                clauses.append(f"m.moment {sign} ?")
                values.append(epoch(bound))
        if self.unseen:
            clauses.append(f"m.prov_source IN ('reflection', 'import') AND NOT {_TAGGED} AND NOT {_TAGGED}")
            values += [REVIEWED, REFERENCE]
        if self.superseded is not None:
            clauses.append(SUPERSEDED if self.superseded else CURRENT)
        if search and not self.finds_superseded:
            clauses.append(CURRENT)
        return " AND ".join(clauses), [bindable(value) for value in values]

    def gain(self) -> tuple[str, list[object]]:
        """SQL for the factor on a note's score, and its bound values."""
        if not self.prefer_project:
            return "1.0", []
        keys = _listed(self.prefer_project)
        return f"iif(m.project IN ({marks(keys)}), {_PREFERRED_GAIN}, 1.0)", [bindable(key) for key in keys]


def _listed(project: str | Sequence[str]) -> Sequence[str]:
    return [project] if isinstance(project, str) else project


def bindable(value: object) -> object:
    """A value that SQLite accepts: a command-line argument may contain bytes that are not UTF-8."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


def superseded_ids(db: Database) -> set[str]:
    """Every id that another note replaces."""
    return {row[0] for row in db.rows("SELECT DISTINCT old_id FROM supersessions")}


def successors(db: Database) -> dict[str, list[str]]:
    """For every superseded id, the ids of the notes that replace it."""
    newer: dict[str, list[str]] = {}
    for row in db.rows("SELECT old_id, new_id FROM supersessions ORDER BY old_id, new_id"):
        newer.setdefault(row["old_id"], []).append(row["new_id"])
    return newer


def starting_with(db: Database, text: str, k: int) -> list[tuple[str, str]]:
    """Id and title of the first `k` notes whose id starts with `text`; a ULID may be typed in lower case."""
    if not is_valid_id(text):
        return []
    # DEL sorts after every character of an id.
    ranges = [bound for start in (text, text.upper()) for bound in (start, f"{start}\x7f")]
    sql = "SELECT id, title FROM memories WHERE id >= ? AND id < ? OR id >= ? AND id < ? ORDER BY id LIMIT ?"
    return [(row["id"], row["title"]) for row in db.rows(sql, (*ranges, k))]


def titled(db: Database, text: str, k: int) -> list[tuple[str, str]]:
    """Id and title of the `k` newest current notes with these words as their title, or else in it."""
    words = str(bindable(words_in(text)))
    if not words:
        return []
    terms = " AND ".join(f'"{word}"' for word in words.split())
    order = f"{CURRENT} ORDER BY {RECENCY}, m.id DESC LIMIT ?"
    whole = db.rows(f"SELECT m.id, m.title FROM memories m WHERE m.title_words = ? AND {order}", (words, k))
    joined = "memories_fts f CROSS JOIN memories m ON m.n = f.rowid WHERE memories_fts MATCH ?"
    rows = whole or db.rows(f"SELECT m.id, m.title FROM {joined} AND {order}", (f"title : ({terms})", k))
    return [(row["id"], row["title"]) for row in rows]


class Problem(NamedTuple):
    """A file in the trees that is not indexed as a note."""

    path: str
    reason: str


def problems(db: Database) -> list[Problem]:
    """Files that cannot be read as notes, and duplicates, with the reason."""
    sql = "SELECT path, problem FROM files WHERE problem IS NOT NULL ORDER BY path"
    return [Problem(row["path"], row["problem"]) for row in db.rows(sql)]


def digests(db: Database) -> dict[str, bytes]:
    """The digest of each note's file, by note id, newest first."""
    sql = f"SELECT m.id, p.digest FROM memories m JOIN {FILE} ORDER BY m.moment DESC"
    return {row["id"]: row["digest"] for row in db.rows(sql)}
