"""Filters, counts, and small queries about notes."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anamnesis.index.database import Database
from anamnesis.index.schema import CLOCK_SECONDS, FILE, marks
from anamnesis.layout import MEMORY, TREE_OF
from anamnesis.notes.vocabulary import epoch, is_valid_id

# A date in the future is a wrong clock or a typo. It must not come first, so it counts as no date.
MOMENT = f"iif(m.moment > strftime('%s') + {CLOCK_SECONDS}, 0, m.moment)"
RECENCY = f"{MOMENT} DESC"
CURRENT = "NOT EXISTS (SELECT 1 FROM supersessions WHERE old_id = m.id)"
REVIEWED = "reviewed"  # tag of a note by a model or an import that a person has reviewed
UNVOUCHED = "m.prov_source IN ('reflection', 'import')"  # written by a model or an import
UNSEEN = (
    f"{UNVOUCHED} AND NOT EXISTS (SELECT 1 FROM memory_tags WHERE memory_id = m.id AND tag = '{REVIEWED}')"
)


@dataclass(frozen=True, slots=True)
class Filter:
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
    unseen: bool = False  # only unreviewed notes
    prefer_project: str | Sequence[str] | None = None
    rarest: int | None = None  # if set, a note must contain one of this many of the query's rarest words

    def finds(self) -> tuple[list[str], list[object]]:
        """The conditions for a search, which excludes superseded notes unless `finds_superseded`."""
        clauses, values = self.conditions()
        return clauses if self.finds_superseded else [*clauses, CURRENT], values

    def where(self) -> tuple[str, list[object]]:
        """The conditions as a WHERE clause ("" if there are none), and its bound values."""
        clauses, values = self.conditions()
        return f" WHERE {' AND '.join(clauses)}" if clauses else "", values

    def conditions(self) -> tuple[list[str], list[object]]:
        """SQL conditions on `memories m`, and their bound values."""
        clauses: list[str] = []
        values: list[object] = []
        if self.project is not None:
            clauses.append(_is_in(_listed(self.project)))
            values += map(_bindable, _listed(self.project))
        for column in ("type", "scope", "machine_id", "prov_source"):
            value = getattr(self, column)
            if value is not None:
                clauses.append(f"m.{column} = ?")
                values.append(_bindable(value))
        for tag in self.tags or ():
            clauses.append("EXISTS (SELECT 1 FROM memory_tags t WHERE t.memory_id = m.id AND t.tag = ?)")
            values.append(_bindable(tag))
        for sign, bound in ((">=", self.since), ("<", self.until)):
            if bound:
                clauses.append(f"m.moment {sign} ?")
                values.append(epoch(bound))
        if self.unseen:
            clauses.append(UNSEEN)
        if self.superseded is not None:
            clauses.append(f"NOT {CURRENT}" if self.superseded else CURRENT)
        return clauses, values

    @property
    def most_gain(self) -> float:
        """The largest factor that `gain` can return."""
        return PREFERRED_GAIN if self.prefer_project else 1.0

    def gain(self) -> tuple[str, list[object]]:
        """SQL for the factor on a note's score, and its bound values."""
        if not self.prefer_project:
            return "1.0", []
        preferred = _listed(self.prefer_project)
        return f"iif({_is_in(preferred)}, {PREFERRED_GAIN}, 1.0)", [*map(_bindable, preferred)]


# Enough to break ties between good matches, too little to lift a poor one.
PREFERRED_GAIN = 1.1


# The columns of one index, in its order: grouping by all of them needs no sorting.
_TOGETHER = ("project", "type", "scope")
# Few notes are superseded, so they are counted separately and subtracted: SQLite counts the others from an
# index alone, several times as fast. CROSS JOIN makes it start from the few superseded ids.
_REPLACED = "(SELECT DISTINCT old_id FROM supersessions) CROSS JOIN {table} m ON m.{key} = old_id"
_REPLACED_NOTES = _REPLACED.format(table="memories", key="id")
_EVERY = Filter()


@dataclass(frozen=True, slots=True)
class NoteCounts:
    """How many notes there are: for each column the number for each value, most frequent first.

    The rule for every surface: a count of notes is a count of `current` ones, and superseded notes, which no
    search finds, are counted apart. `every` has both, for whoever looks for files or keys.
    """

    every: dict[str, dict[str, int]]
    current: dict[str, dict[str, int]]
    superseded: int
    total: int


def note_counts(
    db: Database, columns: Sequence[str] = ("type", "project", "scope"), *, wanted: Filter = _EVERY
) -> NoteCounts:
    """Count the wanted notes by columns of `memories m`."""
    every = _count(db, columns, "memories m", wanted)
    replaced = _count(db, columns, _REPLACED_NOTES, wanted)
    superseded = replaced[columns[0]].total()
    return NoteCounts(
        every={name: _ranked(counted) for name, counted in every.items()},
        current={name: _ranked(counted - replaced[name]) for name, counted in every.items()},
        superseded=superseded,
        total=every[columns[0]].total() - superseded,
    )


def count_tags(db: Database, *, current: bool) -> dict[str, int]:
    """The number of notes for each tag, most frequent first."""
    every = _grouped(db, ["tag"], "memory_tags m", _EVERY)["tag"]
    if current:
        every -= _grouped(db, ["tag"], _REPLACED.format(table="memory_tags", key="memory_id"), _EVERY)["tag"]
    return _ranked(every)


def _count(db: Database, columns: Sequence[str], source: str, wanted: Filter) -> dict[str, Counter[str]]:
    counts = _grouped(db, _TOGETHER, source, wanted) if set(columns) & set(_TOGETHER) else {}
    for column in columns:
        if column not in counts:
            counts |= _grouped(db, [column], source, wanted)
    return {column: counts[column] for column in columns}


def _grouped(db: Database, columns: Sequence[str], source: str, wanted: Filter) -> dict[str, Counter[str]]:
    """The counts for several columns in one pass over the rows."""
    names = ", ".join(f"m.{column}" for column in columns)
    where, values = wanted.where()
    counts: dict[str, Counter[str]] = {column: Counter() for column in columns}
    for *row, number in db.rows(f"SELECT {names}, count(*) FROM {source}{where} GROUP BY {names}", values):
        for column, name in zip(columns, row, strict=True):
            counts[column][name] += number
    return counts


def _ranked(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def stats(db: Database) -> dict[str, object]:
    """Counts by type, project and scope, superseded notes included."""
    every = note_counts(db).every
    return {"total": sum(every["type"].values()), **{f"by_{name}": every[name] for name in every}}


def complete(db: Database, beginning: str, k: int) -> list[str]:
    """The `k` most frequent terms of the notes that start with `beginning`."""
    sql = "SELECT term FROM temp.vocabulary WHERE term >= ? AND term < ? ORDER BY doc DESC, term LIMIT ?"
    after = beginning[:-1] + chr(min(ord(beginning[-1]) + 1, 0x10FFFF))
    return [row["term"] for row in db.rows(sql, (beginning, after, k))]


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
    ranges = [bound for start in (text, text.upper()) for bound in (start, start + _AFTER_ANY)]
    return [(row["id"], row["title"]) for row in db.rows(_BEGINNING, (*ranges, k))]


_AFTER_ANY = "\x7f"  # sorts after every character of an id
_BEGINNING = (
    "SELECT id, title FROM memories WHERE id >= ? AND id < ? OR id >= ? AND id < ? ORDER BY id LIMIT ?"
)


def titled(db: Database, words: Sequence[str], k: int) -> list[tuple[str, str]]:
    """Id and title of the `k` newest current notes that have all of these words in their title."""
    if not words:
        return []
    terms = " AND ".join('"{}"'.format(word.replace('"', '""')) for word in words)
    rows = db.rows(_TITLED, (_bindable(f"title : ({terms})"), k))
    return [(row["id"], row["title"]) for row in rows]


_TITLED = (
    "SELECT m.id, m.title FROM memories_fts f JOIN memories m ON m.n = f.rowid"
    f" WHERE memories_fts MATCH ? AND {CURRENT} ORDER BY {RECENCY}, m.id DESC LIMIT ?"
)


def titled_exactly(
    db: Database, text: str, wanted: Filter, *, rarest: Sequence[str] = ()
) -> list[sqlite3.Row]:
    """Current notes whose title has exactly the words of `text`; preferred and newest first.

    `rarest` are terms of the text, rarest first, if known: two of its words then select the titles to
    compare, which takes much less time than the whole phrase.
    """
    words = _words(text)
    if not words or len(text) > _LONGEST_TITLE:
        return []
    rare = [word for word in rarest if word in words][:2]
    clauses, values = wanted.finds()
    gain, preferred = wanted.gain()
    sql = _TITLED_EXACTLY.format(gain=gain, conditions=" AND ".join(clauses) or "1")
    selected = " AND ".join(f'"{word}"' for word in rare) or f'^ "{" ".join(words)}"'
    rows = db.rows(sql, (*preferred, _bindable(f"title : ({selected})"), len(text) + _MORE_SIGNS, *values))
    return [row for row in rows if _words(row["title"]) == words]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


_WORD = re.compile(r"\w+")
_LONGEST_TITLE = 300
_MORE_SIGNS = 20  # characters outside words
# LIMIT 2000: if so many titles have these words, the words do not identify one.
_TITLED_EXACTLY = (
    f"SELECT m.n, m.id, m.title, {MOMENT} AS moment, -{{gain}} AS score FROM"
    " (SELECT rowid AS n FROM memories_fts WHERE memories_fts MATCH ? LIMIT 2000) f"
    " CROSS JOIN memories m ON m.n = f.n WHERE length(m.title) <= ? AND {conditions}"
    " ORDER BY score, moment DESC, m.id DESC LIMIT 20"
)


def path_of(db: Database, note_id: str) -> str | None:
    """The path of a note's file, relative to the store."""
    if not is_valid_id(note_id):
        return None
    for row in db.rows("SELECT scope, body_path FROM memories WHERE id = ?", (note_id,)):
        return file_path(row)
    return None


@dataclass(frozen=True, slots=True)
class Problem:
    """A file in the trees that is not indexed as a note."""

    path: str
    reason: str


def problems(db: Database) -> list[Problem]:
    """Files that cannot be read as notes, and duplicates, with the reason."""
    sql = "SELECT path, problem FROM files WHERE problem IS NOT NULL ORDER BY path"
    return [Problem(row["path"], row["problem"]) for row in db.rows(sql)]


def _listed(project: str | Sequence[str]) -> Sequence[str]:
    return [project] if isinstance(project, str) else project


def _is_in(projects: Sequence[str]) -> str:
    return f"m.project IN ({marks(len(projects))})"


def _bindable(text: str) -> str:
    """A string that SQLite accepts: a command-line argument may contain bytes that are not UTF-8."""
    return text.encode(errors="replace").decode()


def file_path(row: sqlite3.Row) -> str:
    """The path of the file of a note, relative to the store."""
    return f"{TREE_OF.get(row['scope'], MEMORY)}/{row['body_path']}"


def digests(db: Database) -> dict[str, bytes]:
    """The digest of each note's file, by note id, newest first."""
    sql = f"SELECT m.id, p.digest FROM memories m JOIN {FILE} ORDER BY m.moment DESC"
    return {row["id"]: row["digest"] for row in db.rows(sql)}


def count_files(db: Database) -> int:
    """The number of scanned files, notes or not."""
    return int(db.rows("SELECT count(*) FROM files")[0][0])
