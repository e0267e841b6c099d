"""Numbers about all notes, counted by SQLite without reading notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from anamnesis.index.database import Database
from anamnesis.index.query import CURRENT, SUPERSEDED, Filter
from anamnesis.index.rows import FILE

_EVERY = Filter()
# Name on the dashboard's pages -> column.
_FACETS = {
    "types": "type",
    "projects": "project",
    "machines": "machine_id",
    "sources": "prov_source",
    "scopes": "scope",
}


class NoteCounts(NamedTuple):
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
    every, old = (_counted(db, columns, wanted, condition) for condition in ("TRUE", SUPERSEDED))
    current = [all_ - gone for all_, gone in zip(every, old, strict=True)]
    return NoteCounts(_ranked(columns, every), _ranked(columns, current), old[0].total(), current[0].total())


def _counted(db: Database, columns: Sequence[str], wanted: Filter, condition: str) -> list[Counter[str]]:
    """For each column, how many of the wanted notes that meet a condition have each value."""
    where, values = wanted.where()
    names = ", ".join(f"m.{column}" for column in columns)
    sql = f"SELECT count(*), {names} FROM memories m WHERE {where} AND {condition} GROUP BY {names}"
    counts: list[Counter[str]] = [Counter() for _ in columns]
    for number, *row in db.rows(sql, values):
        for counted, value in zip(counts, row, strict=True):
            counted[value] += number
    return counts


def _ranked(columns: Sequence[str], counts: Sequence[Counter[str]]) -> dict[str, dict[str, int]]:
    ranked = (sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])) for counted in counts)
    return dict(zip(columns, map(dict, ranked), strict=True))


def facets(db: Database) -> dict[str, list[tuple[str, int]]]:
    """Each type, project, machine, source, scope and tag of current notes, with its number, largest first."""
    by_column = note_counts(db, tuple(_FACETS.values())).current
    found = {name: list(by_column[column].items()) for name, column in _FACETS.items()}
    tagged = f"(SELECT memory_id AS id, tag FROM memory_tags) m WHERE {CURRENT}"
    rows = db.rows(f"SELECT tag, count(*) FROM {tagged} GROUP BY 1 ORDER BY 2 DESC, 1")
    found["tags"] = [(row[0], row[1]) for row in rows]
    return found


def created(db: Database, *, since: date) -> list[tuple[str, str, int]]:
    """The number of current notes created since a day, by the Monday of their week (UTC) and by type."""
    sql = (
        "SELECT date(created_at, 'weekday 0', '-6 days'), type, count(*) FROM memories m"
        f" WHERE date(created_at) >= ? AND {CURRENT} GROUP BY 1, 2"
    )
    return [(week, kind, number) for week, kind, number in db.rows(sql, (since.isoformat(),))]


def extent(db: Database, wanted: Filter) -> dict[str, object]:
    """The bytes of the wanted notes, superseded ones included, and the first and the last moment in them."""
    where, values = wanted.where()
    sql = "SELECT coalesce(sum(p.size), 0), coalesce(min(m.created_at), ''), coalesce(max(m.updated_at), '')"
    found = db.rows(f"{sql} FROM memories m LEFT JOIN {FILE} WHERE {where}", values)[0]
    return dict(zip(("size", "first", "last"), found, strict=True))
