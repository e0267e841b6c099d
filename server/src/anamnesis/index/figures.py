"""Numbers about all notes for the dashboard, counted by SQLite without reading notes."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from anamnesis.index.database import Database
from anamnesis.index.query import (
    CURRENT,
    MOMENT,
    RECENCY,
    REVIEWED,
    UNVOUCHED,
    Filter,
    note_counts,
)
from anamnesis.index.rows import notes_of
from anamnesis.index.schema import FILE
from anamnesis.notes.record import Memory

# A timestamp in another time zone may sort up to a day too early as text.
_MARGIN = timedelta(days=1)
_CREATED = (
    "SELECT date(created_at) AS day, type, count(*) AS number,"
    " sum(created_at >= ? AND CAST(strftime('%s', created_at) AS INTEGER) >= ?) AS fresh"
    f" FROM memories m WHERE created_at >= ? AND day IS NOT NULL AND {CURRENT} GROUP BY 1, 2"
)
# Ordered by `updated_at`, which has an index, unlike `moment`. Text that is not a date has moment 0.
_NEWEST_TEXTS = (
    f"SELECT m.moment FROM memories m INDEXED BY idx_mem_recency WHERE {MOMENT} > 0 AND {{where}}"
    " ORDER BY m.updated_at DESC LIMIT ?"
)
_LATEST = f"SELECT m.* FROM memories m WHERE {{where}} ORDER BY {RECENCY}, m.id DESC LIMIT ?"
_FREQUENT = 1000  # with this many matching notes, reading from the newest finds enough of them soon
# There are fewer reviewed or superseded notes, so they are counted separately and subtracted.
_UNVOUCHED = f"SELECT count(*) FROM memories m WHERE {UNVOUCHED} AND {{where}}"
_SETTLED = (
    f"SELECT count(*) FROM (SELECT memory_id AS id FROM memory_tags WHERE tag = '{REVIEWED}'"
    f" UNION SELECT old_id FROM supersessions) s CROSS JOIN memories m ON m.id = s.id"
    f" WHERE {UNVOUCHED} AND {{where}}"
)


@dataclass(frozen=True, slots=True)
class Created:
    """How many notes of one type were created on one day (UTC), and how many of them are fresh."""

    day: date
    type: str
    number: int
    fresh: int


def created(db: Database, *, since: date, fresh: datetime) -> list[Created]:
    """The current notes created since a day, by day and type; those created since `fresh` count as fresh."""
    around = (fresh.astimezone(UTC) - _MARGIN).isoformat(timespec="seconds")
    rows = db.rows(_CREATED, (around, int(fresh.timestamp()), (since - _MARGIN).isoformat()))
    days = [Created(date.fromisoformat(row["day"]), row["type"], row["number"], row["fresh"]) for row in rows]
    return [each for each in days if each.day >= since]


def latest(db: Database, *, limit: int) -> list[Memory]:
    """The newest current notes, without bodies."""
    return notes_of(db, _newest(db, CURRENT, [], limit))


def _newest(db: Database, where: str, values: Sequence[object], limit: int) -> list[sqlite3.Row]:
    """The newest rows that satisfy a condition which many notes satisfy."""
    moments = [row["moment"] for row in db.rows(_NEWEST_TEXTS.format(where=where), (*values, limit))]
    if len(moments) < limit:
        return db.rows(_LATEST.format(where=where), (*values, limit))
    # The newest by moment cannot be older than these, nor sort more than the margin earlier as text.
    bounded = _LATEST.format(where=f"m.updated_at >= ? AND {where}")
    return db.rows(bounded, (_text_of(min(moments)), *values, limit))


def _text_of(moment: int) -> str:
    """The earliest timestamp text for a moment in any time zone."""
    return (datetime.fromtimestamp(max(moment, 0), UTC) - 2 * _MARGIN).date().isoformat()


def count_unseen(db: Database, projects: Sequence[str] | None = None) -> int:
    """How many current notes by a model or an import are not reviewed, in all or some projects."""
    clauses, values = Filter(project=projects).conditions()
    counted = f"SELECT ({_UNVOUCHED}) - ({_SETTLED})".format(where=" AND ".join(clauses) or "1")
    return int(db.rows(counted, [*values, *values])[0][0])


def unseen(db: Database, projects: Sequence[str], *, limit: int) -> tuple[list[Memory], int]:
    """The newest unreviewed notes of some projects, without bodies; and their number."""
    clauses, values = Filter(project=projects, unseen=True, superseded=False).conditions()
    where, count = " AND ".join(clauses), count_unseen(db, projects)
    if count >= _FREQUENT:
        return notes_of(db, _newest(db, where, values, limit)), count
    return notes_of(db, db.rows(_LATEST.format(where=where), (*values, limit))), count


@dataclass(frozen=True, slots=True)
class ProjectFigures:
    """The size of one project: current notes by type and machine; bytes and time span of all its notes."""

    by_type: dict[str, int]
    by_machine: dict[str, int]
    superseded: int
    size: int
    first: str
    last: str


def project(db: Database, keys: list[str]) -> ProjectFigures:
    """The figures of a project's notes, under its current and older keys."""
    wanted = Filter(project=keys)
    where, values = wanted.where()
    notes = note_counts(db, ("type", "machine_id"), wanted=wanted)
    span = db.rows(f"{_SPAN}{where}", values)[0]
    return ProjectFigures(
        by_type=notes.current["type"],
        by_machine=notes.current["machine_id"],
        superseded=notes.superseded,
        size=span["size"] or 0,
        first=span["first"] or "",
        last=span["last"] or "",
    )


_SPAN = (
    "SELECT sum(p.size) AS size, min(m.created_at) AS first, max(m.updated_at) AS last"
    f" FROM memories m LEFT JOIN {FILE}"
)
