"""The candidate notes for a session that starts: a few hundred at most, however large the store is.

They are the newest, the pinned, and in a large project instructions and notes with one of the given phrases.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from anamnesis.index.database import Database
from anamnesis.index.rows import read_notes
from anamnesis.index.rules import Rule, read_rules
from anamnesis.index.schema import CLOCK_SECONDS, marks
from anamnesis.layout import GLOBAL
from anamnesis.notes.record import DURABLE, Memory
from anamnesis.notes.vocabulary import HOW, SESSION

_MOST = 60  # durable notes of a project, newest first; a larger project gets more queries
_MOST_GLOBAL = 30
_MOST_SESSIONS = 8  # the last two are shown in full, others by title or because of their branch
_MOST_MATCHES = 24
_MOST_RULES = 400  # of all sessions, newest first

# Excludes superseded notes, and reflected sessions.
_CURRENT = (
    "NOT EXISTS (SELECT 1 FROM supersessions WHERE old_id = m.id) AND NOT (m.type = 'episodic' AND"
    " EXISTS (SELECT 1 FROM memory_tags WHERE memory_id = m.id AND tag = 'reflected'))"
)
# A scripted run must not displace a person's session.
_BY_A_PERSON = "NOT EXISTS (SELECT 1 FROM memory_tags WHERE memory_id = m.id AND tag = 'scripted')"
# For one project and type, an index has the notes in this order: they are read only until there are enough.
# A date in the future counts as no date.
_LATEST = (
    "SELECT * FROM (SELECT n, {moment} AS age, confidence, id FROM memories m WHERE project = ? AND type = ?"
    " AND moment {side} ? AND {condition} ORDER BY {order}confidence DESC, id DESC LIMIT ?)"
)
_DATED = (("moment", "<=", "moment DESC, "), ("0", ">", ""))
_PINNED = (
    "memory_tags t CROSS JOIN memories m ON m.id = t.memory_id WHERE t.tag = 'pinned' AND {whose}"
    " ORDER BY iif(moment > ?, 0, moment) DESC, confidence DESC, id DESC LIMIT ?"
)
_MATCHED = (
    "memories_fts f CROSS JOIN memories m ON m.n = f.rowid WHERE memories_fts MATCH ? AND {whose}"
    " ORDER BY f.rowid DESC LIMIT ?"
)
_COUNT = (
    "SELECT (SELECT count(*) FROM memories WHERE project IN ({marks})) - (SELECT count(DISTINCT old_id)"
    " FROM supersessions JOIN memories ON id = old_id WHERE project IN ({marks}))"
)
_BY_PROJECT = "SELECT project, count(*) FROM memories GROUP BY project ORDER BY 2 DESC LIMIT 500"


@dataclass(slots=True)
class Candidates:
    """The candidate notes for a session, and the number of all current notes.

    `others` counts the notes of every project; it is filled only if this project has none. `rules` are those
    of the project and global ones, newest first.
    """

    notes: Sequence[Memory]
    own: int
    everywhere: int
    others: dict[str, int] = field(default_factory=dict)
    rules: Sequence[Rule] = ()


def read_candidates(db: Database, home: str, projects: list[str], *, phrases: list[str]) -> Candidates:
    """The candidate notes of `projects`, and global ones.

    In a large project, notes that match one of the full-text expressions `phrases` are found however old
    they are.
    """
    own = [key for key in projects if key != GLOBAL]
    counts = [_count(db, keys) for keys in (own, [GLOBAL])]
    numbers: dict[int, None] = {}
    for keys, count, most in zip((own, [GLOBAL]), counts, (_MOST, _MOST_GLOBAL), strict=True):
        numbers |= dict.fromkeys(_numbers(db, keys, most, phrases if count > most else []))
    notes = list(read_notes(db, home, numbers).values())
    others = {} if counts[0] else {row[0]: row[1] for row in db.rows(_BY_PROJECT)}
    rules = read_rules(db, [*own, GLOBAL], limit=_MOST_RULES)
    return Candidates(notes, counts[0], counts[1], others, rules)


def _numbers(db: Database, keys: list[str], most: int, phrases: list[str]) -> list[int]:
    """The row numbers of the notes under `keys` that are worth reading."""
    if not keys:
        return []
    now = int(time.time()) + CLOCK_SECONDS
    whose = f"project IN ({marks(len(keys))}) AND {_CURRENT}"
    queries = [
        _latest(keys, DURABLE, now, most, _CURRENT),
        _sessions(keys, now),
        (_PINNED.format(whose=whose), [*keys, now, most]),
    ]
    if phrases:
        # Many imported notes with today's date must not displace what a person wrote before.
        queries.append(_latest(keys, DURABLE, now, most, f"prov_source = 'human' AND {_CURRENT}"))
        queries.append(_latest(keys, (HOW.name,), now, _MOST_MATCHES, _CURRENT))
    queries += [(_MATCHED.format(whose=whose), [phrase, *keys, _MOST_MATCHES]) for phrase in phrases]
    return [row[0] for source, values in queries for row in db.rows(f"SELECT n FROM {source}", values)]


def _sessions(keys: list[str], now: int) -> tuple[str, list[object]]:
    return _latest(keys, (SESSION.name,), now, _MOST_SESSIONS, f"{_BY_A_PERSON} AND {_CURRENT}")


def _latest(
    keys: list[str], types: Sequence[str], now: int, most: int, condition: str
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


def _count(db: Database, keys: list[str]) -> int:
    return int(db.rows(_COUNT.format(marks=marks(len(keys))), [*keys, *keys])[0][0])
