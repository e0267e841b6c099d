"""The machines of one person as the Machines page shows them.

Told by who committed what, since a note's own `machine_id` names only who wrote it first. This is the one
place that knows how a machine's state is found out; heartbeats, once there are any, take its place.
"""

from __future__ import annotations

from dataclasses import asdict

from anamnesis.dashboard.call import Json
from anamnesis.history import History, MachineRecord
from anamnesis.notes.record import TYPES


def fleet_cards(history: History, *, here: str) -> list[Json]:
    """One card per machine, this one first, the others by when they were last seen."""
    records = history.machines()
    if all(record.machine_id != here for record in records):
        records = [MachineRecord(here, "", 0, 0), *records]
    records.sort(key=lambda record: record.machine_id != here)  # stable: the rest stays most recent first
    return [_card(record, here=here) for record in records]


def _card(record: MachineRecord, *, here: str) -> Json:
    last = record.last
    return {
        "machine_id": record.machine_id,
        "here": record.machine_id == here,
        "notes": record.notes,
        "commits": record.commits,
        "by_type": {name: number for name, number in record.by_type.items() if name in TYPES},
        "last_seen": record.last_commit or None,
        "since": record.since,
        "last_note": {**asdict(last), "at": record.last_change} if last and last.id else None,
    }
