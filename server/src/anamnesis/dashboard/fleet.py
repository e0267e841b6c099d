"""The cards of the Machines page: what `anamnesis fleet` says, and what each machine wrote last.

Both come from git, which is asked once for each new commit or heartbeat, and only about the new ones.
"""

from __future__ import annotations

from dataclasses import asdict

from anamnesis.dashboard.watcher import Memo, traces
from anamnesis.fleet.report import MachineState
from anamnesis.fleet.trails import Trails
from anamnesis.history import ChangedFile
from anamnesis.layout import MACHINES_FOLDER
from anamnesis.notes.vocabulary import utcnow
from anamnesis.operations.machines import known_machines, last_notes
from anamnesis.store import MemoryStore
from anamnesis.sync import HoldingBackend, SyncState

Card = dict[str, object]
_HOUR = len("2026-01-31T12")


class Machines:
    """The machines of one dashboard, cached until one of them reports something new."""

    def __init__(self) -> None:
        self._memo = Memo[list[Card]]()
        self._trails = Trails()

    def cards(
        self, store: MemoryStore, backend: HoldingBackend, *, here: str, state: SyncState
    ) -> list[Card]:
        """One card per machine, this one first."""
        # A machine becomes silent by time alone, so nothing is cached for longer than an hour.
        files = [*backend.watched(), store.memory_dir / MACHINES_FOLDER]
        mark = f"{traces(files)} {here} {utcnow()[:_HOUR]}"
        return self._memo.get(mark, lambda: self._read(store, backend, here, state))

    def _read(self, store: MemoryStore, backend: HoldingBackend, here: str, state: SyncState) -> list[Card]:
        fleet = known_machines(store, backend, machine_id=here, state=state, trails=self._trails)
        last = last_notes(store, backend, (each.name for each in fleet.machines))
        return [_card(each, last.get(each.name), agrees=each.name in fleet.agree) for each in fleet.machines]


def _card(state: MachineState, last: tuple[str, ChangedFile] | None, *, agrees: bool) -> Card:
    known = asdict(state)
    del known["tree"]  # only for comparing machines
    return {
        "machine_id": known.pop("name"),
        **known,
        "agrees": agrees,
        "last_note": {**asdict(last[1]), "at": last[0]} if last and last[1].id else None,
    }
