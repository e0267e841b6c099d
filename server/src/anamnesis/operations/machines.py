"""A person's machines as one: who has what, what each wrote last, and putting one away."""

from __future__ import annotations

from collections.abc import Iterable

from anamnesis.fleet.report import Fleet, forget, read_fleet
from anamnesis.history import ChangedFile
from anamnesis.operations.versions import history_of
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend


def known_machines(store: MemoryStore, backend: SyncBackend, *, machine_id: str) -> Fleet:
    """Who agrees with this machine, who lags, and what each machine last said of itself."""
    return read_fleet(store.memory_dir, machine=machine_id, as_of=backend.state().last_sync)


def forget_machine(store: MemoryStore, backend: SyncBackend, name: str) -> None:
    """Remove a machine from the list, on the other machines with the next sync."""
    forget(store.memory_dir, name)
    backend.commit()


def last_notes(
    store: MemoryStore, backend: SyncBackend, names: Iterable[str]
) -> dict[str, tuple[str, ChangedFile]]:
    """By machine, the note it wrote or changed last and when, going by who committed the change."""
    history = history_of(store, backend)
    found = ((name, history.last_note_of(name)) for name in names)
    return {name: last for name, last in found if last is not None}
