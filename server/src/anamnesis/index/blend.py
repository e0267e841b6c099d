"""Merges matches by words with notes near in meaning into one ranking. The only place that does."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Protocol

from anamnesis import recall
from anamnesis.index.database import Database
from anamnesis.index.finder import Match
from anamnesis.index.query import MOMENT, Filter
from anamnesis.index.schema import marks

_WANTED = (
    f"SELECT m.n, m.id, {MOMENT} AS moment, {{gain}} AS gain"
    " FROM memories m WHERE m.id IN ({ids}) AND {conditions}"
)
_POOL = "SELECT m.id FROM memories m WHERE {conditions} LIMIT ?"
_SMALL_POOL = 2_000  # if a filter leaves at most this many notes, only they are compared
_ASKED = 500  # ids in one statement
_WIDER = 4  # if the filter leaves too few, try this many times as many


class Nearness(Protocol):
    """How near every note is to one query, or to one note."""

    def __len__(self) -> int:
        """How many notes were compared."""
        ...

    def best(self, count: int) -> list[str]:
        """The ids of the nearest notes, nearest first."""
        ...

    def cosine(self, note_id: str) -> float | None:
        """A note's cosine, from -1 to 1; None for a note without vectors."""
        ...

    def among(self, ids: Sequence[str]) -> Nearness:
        """The same, restricted to these notes."""
        ...

    def standing(self, note_id: str) -> float | None:
        """How far a note's cosine is above the mean, in standard deviations."""
        ...


class Meanings(Protocol):
    """Compares notes by meaning with a query or with another note; None if that is not possible now."""

    def near(self, query: str) -> Nearness | None:
        """How near every note is to a query."""
        ...

    def near_note(self, note_id: str) -> Nearness | None:
        """How near every note is to this one."""
        ...


def blend(db: Database, matches: Sequence[Match], near: Nearness, wanted: Filter, k: int) -> list[Match]:
    """The best `k` among the matches by words and the nearest wanted notes."""
    near = _narrowed(db, near, wanted)
    by_words = {match.id: match for match in matches}
    best = max((match.score for match in matches), default=0.0) or 1.0
    rows = {row["id"]: row for row in _nearest(db, near, wanted)}
    rows |= {row["id"]: row for row in _wanted(db, [name for name in by_words if name not in rows], wanted)}
    blended: list[Match] = []
    for name, row in rows.items():
        match = by_words.get(name) or Match(row["n"], name, 0.0, row["moment"])
        match.meaning = near.cosine(name)
        match.score = recall.fused_score(match.score / best, near.standing(name), gain=row["gain"])
        blended.append(match)
    return sorted(blended, key=Match.rank, reverse=True)[:k]


def nearest(db: Database, near: Nearness, wanted: Filter, k: int) -> list[Match]:
    """The `k` notes nearest in meaning, among those wanted."""
    hits = [
        Match(row["n"], row["id"], 0.0, row["moment"])
        for row in _nearest(db, _narrowed(db, near, wanted), wanted)
    ]
    for match in hits:
        match.meaning = near.cosine(match.id)
        match.score = match.meaning or 0.0
    return sorted(hits, key=Match.rank, reverse=True)[:k]


def _narrowed(db: Database, near: Nearness, wanted: Filter) -> Nearness:
    """If a filter leaves few notes, only these, compared among themselves."""
    if not wanted.conditions()[0]:
        return near
    clauses, values = wanted.finds()
    pool = db.rows(_POOL.format(conditions=" AND ".join(clauses)), (*values, _SMALL_POOL + 1))
    return near if len(pool) > _SMALL_POOL else near.among([row["id"] for row in pool])


def _nearest(db: Database, near: Nearness, wanted: Filter) -> list[sqlite3.Row]:
    """The nearest wanted notes that stand out from the others, up to a limit."""
    count, rows = recall.FUSED, list[sqlite3.Row]()
    least = recall.min_standing(len(near))
    tried: set[str] = set()
    while len(rows) < recall.FUSED:
        names = [name for name in near.best(count) if name not in tried]
        standing = [name for name in names if (near.standing(name) or 0.0) >= least]
        rows += _wanted(db, standing, wanted)
        if len(standing) < len(names) or not names:
            break  # the rest are even further away
        tried.update(names)
        count *= _WIDER
    order = {row["id"]: -(near.cosine(row["id"]) or 0.0) for row in rows}
    return sorted(rows, key=lambda row: order[row["id"]])[: recall.FUSED]


def _wanted(db: Database, names: Sequence[str], wanted: Filter) -> Iterable[sqlite3.Row]:
    clauses, values = wanted.finds()
    gain, preferred = wanted.gain()
    rows: list[sqlite3.Row] = []
    for start in range(0, len(names), _ASKED):
        some = names[start : start + _ASKED]
        sql = _WANTED.format(gain=gain, ids=marks(len(some)), conditions=" AND ".join(clauses) or "1")
        rows += db.rows(sql, (*preferred, *some, *values))
    return rows
