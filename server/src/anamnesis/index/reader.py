"""Reads the candidate notes for a session, for a hook that a person waits for.

No store, no dataclasses, no slow imports: one connection, a few queries, and a stat for each folder and each
note that is read. However large the store is, it reads only a few hundred notes: the newest, the pinned,
sessions with rules, and in a large project instructions and those whose words show that they are basic or
about the branch. If the index may be out of date, it returns None and the caller opens the store.
"""

from __future__ import annotations

import os
import sqlite3
import time

from anamnesis.index.rules import Rule, read_rules
from anamnesis.index.scan import are_unchanged
from anamnesis.index.schema import CLOCK_SECONDS, FILE, SCHEMA_VERSION, marks
from anamnesis.layout import DB_NAME, GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import TypeVar

    from anamnesis.index.database import Database
    from anamnesis.notes.record import Memory

    Answer = TypeVar("Answer")
else:
    Memory = object  # a hook has no time to load it

_COLUMNS = (
    "id", "type", "title", "body", "project", "machine_id", "scope", "created_at", "updated_at",
    "prov_source", "prov_model", "prov_session", "confidence", "supersedes",
)  # fmt: skip
_SELECTED = ", ".join(("f." if name == "body" else "m.") + name for name in _COLUMNS)
_MOST = 60  # durable notes of a project, newest first; a larger project gets more queries
_MOST_GLOBAL = 30
_MOST_SESSIONS = 8  # the last two are shown in full, others by title or because of their branch
_MOST_RULED = 12  # sessions in which the user stated rules
_MOST_MATCHES = 24
_MOST_RULES = 400  # of all sessions, newest first

# Excludes superseded notes, and reflected sessions.
_CURRENT = (
    "NOT EXISTS (SELECT 1 FROM supersessions WHERE old_id = m.id) AND NOT (m.type = 'episodic' AND"
    " EXISTS (SELECT 1 FROM memory_tags WHERE memory_id = m.id AND tag = 'reflected'))"
)
# A scripted run must not displace a person's session.
_BY_A_PERSON = "NOT EXISTS (SELECT 1 FROM memory_tags WHERE memory_id = m.id AND tag = 'scripted')"
# Newest first; a date in the future counts as no date.
_BY_AGE = "ORDER BY iif(moment > ?, 0, moment) DESC, confidence DESC, id DESC"
# For one project and type, an index has the notes in this order: they are read only until there are enough.
_LATEST = (
    "SELECT * FROM (SELECT n, {moment} AS age, confidence, id FROM memories m WHERE project = ? AND type = ?"
    " AND moment {side} ? AND {condition} ORDER BY {order}confidence DESC, id DESC LIMIT ?)"
)
_DATED = (("moment", "<=", "moment DESC, "), ("0", ">", ""))
_READ = (
    f"SELECT m.n, {_SELECTED}, p.path, p.size, p.mtime_ns FROM memories m"
    f" JOIN memories_fts f ON f.rowid = m.n LEFT JOIN {FILE} WHERE m.n IN ({{numbers}})"
)
_TAGS = (
    "SELECT m.n, t.tag FROM memories m JOIN memory_tags t ON t.memory_id = m.id WHERE m.n IN ({numbers})"
    " ORDER BY t.position"
)
_MATCHED = "memories_fts f CROSS JOIN memories m ON m.n = f.rowid WHERE memories_fts MATCH ?"
_COUNT = (
    "SELECT (SELECT count(*) FROM memories WHERE project IN ({marks})) - (SELECT count(DISTINCT old_id)"
    " FROM supersessions JOIN memories ON id = old_id WHERE project IN ({marks}))"
)

_ANY_IMPORTED = "SELECT 1 FROM memories WHERE n IN ({numbers}) AND prov_source = 'import' LIMIT 1"
_BY_PROJECT = "SELECT project, count(*) FROM memories GROUP BY project ORDER BY 2 DESC LIMIT 500"


class Candidates:
    """The candidate notes for a session, and the number of all current notes.

    `others` counts the notes of every project; it is filled only if this project has none. `rules` are those
    of the project and global ones, newest first.
    """

    __slots__ = ("everywhere", "notes", "others", "own", "rules")

    def __init__(
        self,
        notes: Sequence[Memory],
        *,
        own: int,
        everywhere: int,
        others: dict[str, int] | None = None,
        rules: Sequence[Rule] = (),
    ) -> None:
        self.rules = rules
        self.notes = notes
        self.own = own
        self.everywhere = everywhere
        self.others = others or {}


class Row(Memory):
    """A note from the index; has the attributes of `Memory` but is cheaper to create."""

    __slots__ = (*_COLUMNS, "tags")

    def __init__(self, values: tuple[object, ...], tags: list[str]) -> None:
        for name, value in zip(_COLUMNS, values, strict=True):
            setattr(self, name, "" if value is None else value)
        self.tags = tags


def read_candidates(home: str, projects: list[str], *, phrases: list[str]) -> Candidates | None:
    """The candidate notes of `projects`, and global ones; None if the index may be out of date.

    In a large project, notes with one of `phrases` in their title are found however old they are.
    """
    own = [key for key in projects if key != GLOBAL]
    return _query(home, lambda db: _read_candidates(db, home, own, phrases))


def _query(home: str, question: Callable[[sqlite3.Connection], Answer | None]) -> Answer | None:
    """Query an index that is up to date with its folders; None if there is none, or it is busy."""
    path = os.path.join(home, DB_NAME)
    # SQLite would wait for a pipe in place of its journal; the store removes it.
    if not os.path.isfile(path) or os.path.exists(f"{path}-journal"):
        return None
    try:
        db = sqlite3.connect(f"file:{_quoted(path)}?mode=rw", uri=True, timeout=0.3, isolation_level=None)
    except sqlite3.Error:
        return None
    try:
        if db.execute("PRAGMA user_version").fetchone()[0] != SCHEMA_VERSION or not _is_fresh(db, home):
            return None
        return question(db)
    except sqlite3.Error:
        return None
    finally:
        db.close()


def _is_fresh(db: sqlite3.Connection, home: str) -> bool:
    known = dict(db.execute("SELECT path, mtime_ns FROM folders").fetchall())
    return bool(known) and are_unchanged(home, known)


def _read_candidates(
    db: sqlite3.Connection, home: str, own: list[str], phrases: list[str]
) -> Candidates | None:
    counts = [_count(db, keys) for keys in (own, [GLOBAL])]
    numbers: set[int] = set()
    for keys, count, most in zip((own, [GLOBAL]), counts, (_MOST, _MOST_GLOBAL), strict=True):
        numbers |= _numbers(db, keys, most, phrases if count > most else [])
    rows = read_rows(db, home, numbers)
    if rows is None:
        return None
    notes = list(rows.values())
    others = {} if counts[0] else dict(db.execute(_BY_PROJECT).fetchall())
    rules = read_rules(db, [*own, GLOBAL], limit=_MOST_RULES)
    return Candidates(notes, own=counts[0], everywhere=counts[1], others=others, rules=rules)


def read_rows(
    db: sqlite3.Connection | Database, home: str | None, numbers: Collection[int]
) -> dict[int, Row] | None:
    """The notes with these row numbers; None if one of their files below `home` has changed since."""
    listed = ", ".join(map(str, numbers))
    rows = db.execute(_READ.format(numbers=listed)).fetchall()
    if home is not None and not all(_is_unchanged(home, *row[-3:]) for row in rows):
        return None
    tags: dict[int, list[str]] = {}
    for number, tag in db.execute(_TAGS.format(numbers=listed)):
        tags.setdefault(number, []).append(tag)
    return {row[0]: Row(row[1:-3], tags.get(row[0], [])) for row in rows}


def _sessions(keys: list[str], now: int) -> tuple[str, list[object]]:
    return _latest(keys, ("episodic",), now, _MOST_SESSIONS, f"{_BY_A_PERSON} AND {_CURRENT}")


def _latest(
    keys: list[str], types: tuple[str, ...], now: int, most: int, condition: str
) -> tuple[str, list[object]]:
    """A source of the latest `most` notes of these projects and types, and its values."""
    parts: list[str] = []
    values: list[object] = []
    for key in keys:
        for kind in types:
            for moment, side, order in _DATED:
                parts.append(_LATEST.format(moment=moment, side=side, order=order, condition=condition))
                values += [key, kind, now, most]
    source = f"({' UNION ALL '.join(parts)}) ORDER BY age DESC, confidence DESC, id DESC LIMIT ?"
    return source, [*values, most]


def _count(db: sqlite3.Connection, keys: list[str]) -> int:
    return int(db.execute(_COUNT.format(marks=marks(len(keys))), [*keys, *keys]).fetchone()[0])


def _numbers(db: sqlite3.Connection, keys: list[str], most: int, phrases: list[str]) -> set[int]:
    """The row numbers of the notes under `keys` that are worth reading."""
    if not keys:
        return set()
    now = int(time.time()) + CLOCK_SECONDS
    whose = f"project IN ({marks(len(keys))}) AND {_CURRENT}"
    tagged = "memory_tags t CROSS JOIN memories m ON m.id = t.memory_id WHERE t.tag = ?"
    durable = ("procedural", "semantic")
    queries: list[tuple[str, list[object]]] = [
        _latest(keys, durable, now, most, _CURRENT),
        _sessions(keys, now),
        (f"{tagged} AND {whose} {_BY_AGE} LIMIT ?", ["pinned", *keys, now, most]),
        (f"{tagged} AND type = 'episodic' AND {whose} {_BY_AGE} LIMIT ?", ["rule", *keys, now, _MOST_RULED]),
    ]
    matched = f"{_MATCHED} AND {whose} ORDER BY f.rowid DESC LIMIT {_MOST_MATCHES}"
    if phrases:
        queries.append(_latest(keys, ("procedural",), now, _MOST_MATCHES, _CURRENT))
    queries += [(matched, [phrase, *keys]) for phrase in phrases]
    numbers: set[int] = set()
    for source, values in queries:
        numbers.update(number for (number,) in db.execute(f"SELECT n FROM {source}", values))
    if phrases and db.execute(_ANY_IMPORTED.format(numbers=", ".join(map(str, numbers)))).fetchone():
        # Many imported notes with today's date must not displace what a person wrote before.
        source, values = _latest(keys, durable, now, most, f"prov_source = 'human' AND {_CURRENT}")
        numbers.update(number for (number,) in db.execute(f"SELECT n FROM {source}", values))
    return numbers


def _is_unchanged(home: str, path: str, size: int, mtime_ns: int) -> bool:
    """Whether a file is unchanged since it was indexed; an edit in place does not show in its folder."""
    try:
        info = os.lstat(f"{home}/{path}")
    except OSError:
        return False
    return (info.st_size, info.st_mtime_ns) == (size, mtime_ns)


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
