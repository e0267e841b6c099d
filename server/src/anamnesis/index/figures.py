"""Figures about all notes, counted by SQLite: a page that shows numbers reads no notes for them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from anamnesis.index.database import Database
from anamnesis.index.listing import notes_of
from anamnesis.index.query import CURRENT, MOMENT, RECENCY, Filter
from anamnesis.notes import Memory

# A day before the text of a moment: a moment written in another time zone may sort earlier than it is.
_MARGIN = timedelta(days=1)
_DAYS = (
    "SELECT date(created_at) AS day, type, count(*) AS number FROM memories"
    " WHERE created_at >= ? AND day IS NOT NULL GROUP BY 1, 2"
)
_SINCE = (
    "SELECT count(*) FROM memories WHERE created_at >= ? AND CAST(strftime('%s', created_at) AS INTEGER) >= ?"
)
_SUPERSEDED = "SELECT count(DISTINCT old_id) FROM supersessions JOIN memories ON id = old_id"
_BY_MACHINE = "SELECT machine_id, type, count(*) AS number FROM memories GROUP BY 1, 2"
_LAST_OF_EACH = (
    "SELECT m.* FROM memories m JOIN"
    f" (SELECT m.machine_id AS name, max({MOMENT}) AS latest FROM memories m GROUP BY 1)"
    f" ON m.machine_id = name AND {MOMENT} = latest ORDER BY {RECENCY}, m.id DESC"
)


@dataclass(frozen=True, slots=True)
class MachineFigures:
    """What one machine wrote: how many notes of each type, and the last of them."""

    machine_id: str
    by_type: dict[str, int]
    last: Memory

    @property
    def total(self) -> int:
        """The number of its notes."""
        return sum(self.by_type.values())


def written_by_day(db: Database, *, since: date) -> list[tuple[date, str, int]]:
    """How many notes of each type were created on each day from `since` on, in UTC."""
    found = db.rows(_DAYS, ((since - _MARGIN).isoformat(),))
    days = [(date.fromisoformat(row["day"]), row["type"], row["number"]) for row in found]
    return [each for each in days if each[0] >= since]


def created_since(db: Database, moment: datetime) -> int:
    """How many notes were created at or after a moment."""
    text = (moment.astimezone(UTC) - _MARGIN).isoformat(timespec="seconds")
    return int(db.rows(_SINCE, (text, int(moment.timestamp())))[0][0])


def count_superseded(db: Database) -> int:
    """How many notes are replaced by others."""
    return int(db.rows(_SUPERSEDED)[0][0])


def count_wanted(db: Database, wanted: Filter) -> int:
    """How many notes a filter leaves."""
    clauses, values = wanted.conditions()
    return int(db.rows(f"SELECT count(*) FROM memories m WHERE {' AND '.join(clauses)}", values)[0][0])


def latest(db: Database, *, limit: int) -> list[Memory]:
    """The newest notes that nothing replaces, without bodies."""
    sql = f"SELECT m.* FROM memories m WHERE {CURRENT} ORDER BY {RECENCY}, m.id DESC LIMIT ?"
    return notes_of(db, db.rows(sql, (limit,)))


def machines(db: Database) -> list[MachineFigures]:
    """Every machine that wrote a note, the one that wrote last first."""
    counts: dict[str, dict[str, int]] = {}
    for row in db.rows(_BY_MACHINE):
        counts.setdefault(row["machine_id"], {})[row["type"]] = row["number"]
    last: dict[str, Memory] = {}
    for note in notes_of(db, db.rows(_LAST_OF_EACH)):
        last.setdefault(note.machine_id, note)
    return [MachineFigures(name, counts[name], note) for name, note in last.items()]


def superseded_among(db: Database, ids: list[str]) -> set[str]:
    """Those of the ids that other notes replace."""
    marks = ", ".join("?" * len(ids))
    return {row[0] for row in db.rows(f"SELECT old_id FROM supersessions WHERE old_id IN ({marks})", ids)}
