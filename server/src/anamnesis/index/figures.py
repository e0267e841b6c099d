"""Figures about all notes, counted by SQLite: a page that shows numbers reads no notes for them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from anamnesis.index.counts import Counts, count_by
from anamnesis.index.database import Database
from anamnesis.index.listing import notes_of
from anamnesis.index.query import CURRENT, MOMENT, RECENCY, REVIEWED, UNVOUCHED, Filter
from anamnesis.notes.record import Memory

# A day before the text of a moment: a moment written in another time zone may sort earlier than it is.
_MARGIN = timedelta(days=1)
_CREATED = (
    "SELECT date(created_at) AS day, type, count(*) AS number,"
    " sum(created_at >= ? AND CAST(strftime('%s', created_at) AS INTEGER) >= ?) AS fresh"
    f" FROM memories m WHERE created_at >= ? AND day IS NOT NULL AND {CURRENT} GROUP BY 1, 2"
)
# In the order of an index, which a moment has not; a text that is no date has the moment 0.
_NEWEST_TEXTS = (
    f"SELECT m.moment FROM memories m WHERE {MOMENT} > 0 AND {CURRENT} ORDER BY m.updated_at DESC LIMIT ?"
)
_LATEST = (
    f"SELECT m.* FROM memories m WHERE m.updated_at >= ? AND {CURRENT} ORDER BY {RECENCY}, m.id DESC LIMIT ?"
)
# Those that a person has looked at or that are replaced are counted apart, as they are fewer.
_UNVOUCHED = f"SELECT count(*) FROM memories m WHERE {UNVOUCHED}"
_SETTLED = (
    f"SELECT count(*) FROM (SELECT memory_id AS id FROM memory_tags WHERE tag = '{REVIEWED}'"
    f" UNION SELECT old_id FROM supersessions) s CROSS JOIN memories m ON m.id = s.id WHERE {UNVOUCHED}"
)
_SUPERSEDED = "SELECT count(DISTINCT old_id) FROM supersessions JOIN memories ON id = old_id"


@dataclass(frozen=True, slots=True)
class Created:
    """How many notes of one type were created on one day, in UTC, and how many of them are fresh."""

    day: date
    type: str
    number: int
    fresh: int


def created(db: Database, *, since: date, fresh: datetime) -> list[Created]:
    """The current notes that were created from a day on, by day and type; `fresh` is from that moment on."""
    around = (fresh.astimezone(UTC) - _MARGIN).isoformat(timespec="seconds")
    found = db.rows(_CREATED, (around, int(fresh.timestamp()), (since - _MARGIN).isoformat()))
    days = [
        Created(date.fromisoformat(row["day"]), row["type"], row["number"], row["fresh"]) for row in found
    ]
    return [each for each in days if each.day >= since]


def current_by(db: Database, *columns: str) -> Counts:
    """How many notes that nothing replaces there are for each value of some columns, most frequent first."""
    return count_by(db, columns, current=True)


def count_superseded(db: Database) -> int:
    """How many notes are replaced by others."""
    return int(db.rows(_SUPERSEDED)[0][0])


def count_wanted(db: Database, wanted: Filter) -> int:
    """How many notes a filter leaves."""
    clauses, values = wanted.conditions()
    return int(db.rows(f"SELECT count(*) FROM memories m WHERE {' AND '.join(clauses)}", values)[0][0])


def latest(db: Database, *, limit: int) -> list[Memory]:
    """The newest notes that nothing replaces, without bodies."""
    moments = [row["moment"] for row in db.rows(_NEWEST_TEXTS, (limit,))]
    # The newest by their moment cannot be older than these, and their text not more than the margin.
    since = _text_of(min(moments)) if len(moments) == limit else ""
    return notes_of(db, db.rows(_LATEST, (since, limit)))


def _text_of(moment: int) -> str:
    """The start of the text of a moment, or of one that may have been written in another time zone."""
    return (datetime.fromtimestamp(max(moment, 0), UTC) - 2 * _MARGIN).date().isoformat()


def count_unseen(db: Database) -> int:
    """How many current notes of a model or an import no person has looked at."""
    found = db.rows(f"SELECT ({_UNVOUCHED}) - ({_SETTLED})")
    return int(found[0][0])


@dataclass(frozen=True, slots=True)
class ProjectFigures:
    """How much there is of one project: current notes by type and machine, and of all its notes the bytes of
    their files, the first moment and the last.
    """

    by_type: dict[str, int]
    by_machine: dict[str, int]
    superseded: int
    size: int
    first: str
    last: str


def project(db: Database, keys: list[str]) -> ProjectFigures:
    """The figures of the notes under one key and its older ones."""
    clauses, values = Filter(project=keys).conditions()
    row = db.rows(_SPAN.format(where=" AND ".join(clauses)), values)[0]
    counts = count_by(db, ("type", "machine_id"), current=True, where=clauses, values=values)
    return ProjectFigures(
        by_type=counts["type"],
        by_machine=counts["machine_id"],
        superseded=count_wanted(db, Filter(project=keys, superseded=True)),
        size=row["size"] or 0,
        first=row["first"] or "",
        last=row["last"] or "",
    )


_SPAN = (
    "SELECT sum(p.size) AS size, min(m.created_at) AS first, max(m.updated_at) AS last FROM memories m"
    " LEFT JOIN files p ON p.note_id = m.id AND p.problem IS NULL WHERE {where}"
)
