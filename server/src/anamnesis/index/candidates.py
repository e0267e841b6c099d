"""What a session that starts may be told: its rules, and a few hundred candidate notes at most.

The notes are the newest, the pinned, and in a large project instructions and those with a given phrase.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from anamnesis.index.database import CLOCK_SECONDS, Database, marks
from anamnesis.index.query import CURRENT, RECENCY
from anamnesis.index.rows import read_notes
from anamnesis.layout import GLOBAL
from anamnesis.notes.record import Memory
from anamnesis.notes.vocabulary import HOW, REVIEWED, SESSION

_TAGGED = "EXISTS (SELECT 1 FROM memory_tags WHERE memory_id = m.id AND tag = '{tag}')"
_DURABLE = f"m.type <> '{SESSION}'"
# A scripted run must not displace a person's session.
_SESSION = (
    f"m.type = '{SESSION}' AND NOT {_TAGGED.format(tag='reflected')} AND NOT {_TAGGED.format(tag='scripted')}"
)


_RULES = (
    "SELECT r.note_id, r.line, m.updated_at, r.project, m.prov_source, m.prov_model, m.title, EXISTS ("
    "SELECT 1 FROM memory_tags WHERE memory_id = m.id AND tag = 'reviewed') FROM rules r"
    " JOIN memories m ON m.id = r.note_id WHERE r.project IN ({projects}) AND r.moment <= strftime('%s') + ?"
    " AND NOT EXISTS (SELECT 1 FROM supersessions WHERE old_id = r.note_id)"
    " ORDER BY r.moment DESC, r.note_id DESC, r.position LIMIT ?"
)


class Rule(NamedTuple):
    """One rule, as it stands in a note, and where the note comes from."""

    note_id: str
    line: str
    at: str  # when the note was last changed
    project: str
    source: str  # `prov_source` of the note: "session-end" for a captured session
    model: str  # `prov_model` of the note
    title: str
    is_kept: bool = False  # a person has reviewed it

    @classmethod
    def of(cls, note: Memory, line: str) -> Rule:
        """A rule that a note states in this line."""
        fields = (note.updated_at, note.project, note.prov_source, note.prov_model, note.title)
        return cls(note.id, line, *fields, REVIEWED in note.tags)

    @property
    def is_stated(self) -> bool:
        """Whether it is the user's: typed in a session, written by a person, or kept by one."""
        return self.is_kept or self.source == "session-end" or (self.source == "human" and not self.model)


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
    numbers: list[int] = []
    for keys, count, most in zip((own, [GLOBAL]), counts, (60, 30), strict=True):
        numbers += _numbers(db, keys, most, phrases if count > most else [])
    notes = list(read_notes(db, home, list(dict.fromkeys(numbers))).values())
    sql = "SELECT project, count(*) FROM memories GROUP BY project ORDER BY 2 DESC LIMIT 500"
    others = {} if counts[0] else {row[0]: row[1] for row in db.rows(sql)}
    return Candidates(notes, counts[0], counts[1], others, read_rules(db, [*own, GLOBAL], limit=400))


def read_rules(db: Database, projects: Sequence[str], *, limit: int) -> list[Rule]:
    """The rules of some projects, of current notes, newest first."""
    sql = _RULES.format(projects=marks(projects))
    rows = db.execute(sql, (*projects, CLOCK_SECONDS, limit))
    return [
        Rule(note_id, line, at, project, source, model or "", title, bool(is_kept))
        for note_id, line, at, project, source, model, title, is_kept in rows
    ]


def _numbers(db: Database, keys: list[str], most: int, phrases: list[str]) -> Iterator[int]:
    """The row numbers of the notes under `keys` that are worth reading, `most` of each kind."""
    yield from _newest(db, keys, _DURABLE, most)
    yield from _newest(db, keys, _SESSION, 8)  # the last two are shown in full, others by title or branch
    yield from _newest(db, keys, _TAGGED.format(tag="pinned"), most)
    if phrases:
        # Many imported notes with today's date must not displace what a person wrote before. With the plus,
        # SQLite does not start from the index of sources, where nearly all notes of all projects are.
        yield from _newest(db, keys, f"{_DURABLE} AND +m.prov_source = 'human'", most)
        yield from _newest(db, keys, f"m.type = '{HOW}'", 24)
    sql = (
        "SELECT m.n FROM memories_fts f CROSS JOIN memories m ON m.n = f.rowid WHERE memories_fts MATCH ?"
        f" AND m.project IN ({marks(keys)}) AND {CURRENT} ORDER BY f.rowid DESC LIMIT 24"
    )
    for phrase in phrases:
        yield from (row[0] for row in db.rows(sql, (phrase, *keys)))


def _newest(db: Database, keys: list[str], condition: str, most: int) -> Iterator[int]:
    sql = (
        f"SELECT m.n FROM memories m WHERE m.project IN ({marks(keys)}) AND {condition} AND {CURRENT}"
        f" ORDER BY {RECENCY}, m.confidence DESC, m.id DESC LIMIT ?"
    )
    return (row[0] for row in db.rows(sql, (*keys, most)))


def _count(db: Database, keys: list[str]) -> int:
    sql = f"SELECT count(*) FROM memories m WHERE m.project IN ({marks(keys)}) AND {CURRENT}"
    return int(db.rows(sql, keys)[0][0])
