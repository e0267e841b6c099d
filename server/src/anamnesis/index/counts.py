"""Counts notes for each value of a column.

Few notes are superseded, so they are counted separately and subtracted. Checking each note would cost several
times as much, because SQLite could not count from an index alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from anamnesis.index.database import Database

Counts = dict[str, dict[str, int]]

# The columns of one index, in its order: grouping by all of them needs no sorting.
_TOGETHER = ("project", "type", "scope")
# CROSS JOIN forces SQLite to start from the few superseded ids.
_REPLACED = "(SELECT DISTINCT old_id FROM supersessions) CROSS JOIN {table} m ON m.{key} = old_id"
_REPLACED_NOTES = _REPLACED.format(table="memories", key="id")


def count_by(
    db: Database,
    columns: Sequence[str],
    *,
    current: bool,
    where: Sequence[str] = (),
    values: Sequence[object] = (),
) -> Counts:
    """For each column of `memories m`, the number of notes for each value, most frequent first.

    `where` restricts the notes; with `current`, superseded ones do not count.
    """
    every = _count(db, columns, "memories m", where, values)
    if not current:
        return {column: _ranked(counted) for column, counted in every.items()}
    replaced = _count(db, columns, _REPLACED_NOTES, where, values)
    return {column: _ranked(counted - replaced[column]) for column, counted in every.items()}


def without_replaced(
    db: Database,
    column: str,
    every: Mapping[str, int],
    *,
    where: Sequence[str] = (),
    values: Sequence[object] = (),
) -> dict[str, int]:
    """The counts without superseded notes, most frequent first."""
    return _ranked(Counter(every) - _grouped(db, [column], _REPLACED_NOTES, where, values)[column])


def count_replaced(db: Database, *, where: str = "1", values: Sequence[object] = ()) -> int:
    """How many notes are superseded."""
    return int(db.rows(f"SELECT count(*) FROM {_REPLACED_NOTES} WHERE {where}", values)[0][0])


def count_tags(db: Database, *, current: bool) -> dict[str, int]:
    """The number of notes for each tag, most frequent first."""
    every = _grouped(db, ["tag"], "memory_tags m", (), ())["tag"]
    if current:
        every -= _grouped(db, ["tag"], _REPLACED.format(table="memory_tags", key="memory_id"), (), ())["tag"]
    return _ranked(every)


def _count(
    db: Database, columns: Sequence[str], source: str, where: Sequence[str], values: Sequence[object]
) -> dict[str, Counter[str]]:
    found = _grouped(db, _TOGETHER, source, where, values) if set(columns) & set(_TOGETHER) else {}
    for column in columns:
        if column not in found:
            found |= _grouped(db, [column], source, where, values)
    return {column: found[column] for column in columns}


def _grouped(
    db: Database, columns: Sequence[str], source: str, where: Sequence[str], values: Sequence[object]
) -> dict[str, Counter[str]]:
    """The counts for several columns in one pass over the rows."""
    names = ", ".join(f"m.{column}" for column in columns)
    condition = " AND ".join(where) or "1"
    found: dict[str, Counter[str]] = {column: Counter() for column in columns}
    for *row, number in db.rows(
        f"SELECT {names}, count(*) FROM {source} WHERE {condition} GROUP BY {names}", values
    ):
        for column, name in zip(columns, row, strict=True):
            found[column][name] += number
    return found


def _ranked(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
