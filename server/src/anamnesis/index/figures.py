"""Numbers about all notes for the dashboard, counted by SQLite without reading notes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from anamnesis.index.database import Database
from anamnesis.index.query import (
    CURRENT,
    REVIEWED,
    UNVOUCHED,
    Filter,
    note_counts,
)
from anamnesis.index.schema import FILE

# A timestamp in another time zone may sort up to a day too early as text.
_MARGIN = timedelta(days=1)
_CREATED = (
    "SELECT date(created_at) AS day, type, count(*) AS number"
    f" FROM memories m WHERE created_at >= ? AND day IS NOT NULL AND {CURRENT} GROUP BY 1, 2"
)
# There are fewer reviewed or superseded notes, so they are counted separately and subtracted.
_UNVOUCHED = f"SELECT count(*) FROM memories m WHERE {UNVOUCHED}"
_SETTLED = (
    f"SELECT count(*) FROM (SELECT memory_id AS id FROM memory_tags WHERE tag = '{REVIEWED}'"
    f" UNION SELECT old_id FROM supersessions) s CROSS JOIN memories m ON m.id = s.id"
    f" WHERE {UNVOUCHED}"
)


@dataclass(frozen=True, slots=True)
class Created:
    """How many notes of one type were created on one day (UTC)."""

    day: date
    type: str
    number: int


def created(db: Database, *, since: date) -> list[Created]:
    """The current notes created since a day, by day and type."""
    rows = db.rows(_CREATED, ((since - _MARGIN).isoformat(),))
    days = [Created(date.fromisoformat(row["day"]), row["type"], row["number"]) for row in rows]
    return [each for each in days if each.day >= since]


def count_unseen(db: Database) -> int:
    """How many current notes by a model or an import are not reviewed."""
    return int(db.rows(f"SELECT ({_UNVOUCHED}) - ({_SETTLED})")[0][0])


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
