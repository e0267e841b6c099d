"""The fleet: which machines agree, what each wrote last, and removing one from the list."""

from __future__ import annotations

from collections.abc import Iterable

from anamnesis.fleet.report import Fleet, forget, read_fleet
from anamnesis.fleet.trails import Trails
from anamnesis.history import ChangedFile
from anamnesis.operations.versions import history_of
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, SyncState


def known_machines(
    store: MemoryStore,
    backend: SyncBackend,
    *,
    machine_id: str,
    state: SyncState | None = None,
    trails: Trails | None = None,
) -> Fleet:
    """Which machines agree with this one, which are behind, and what each last reported.

    `state` is the sync state, if known. A long-running process passes its `trails`, so that only new commits
    are read.
    """
    return read_fleet(
        store.memory_dir,
        machine=machine_id,
        state=state or backend.state(),
        trails=trails,
        since=history_of(store, backend).since,
    )


def forget_machine(store: MemoryStore, backend: SyncBackend, name: str) -> None:
    """Remove a machine from the list; the next sync removes it on the other machines."""
    forget(store.memory_dir, name)
    backend.commit()


def last_notes(
    store: MemoryStore, backend: SyncBackend, names: Iterable[str]
) -> dict[str, tuple[str, ChangedFile]]:
    """The note that each machine wrote or changed last and that still exists, and when, from the commits."""
    history = history_of(store, backend)
    found = ((name, history.last_note_of(name, lambda note: store.get(note) is not None)) for name in names)
    return {name: last for name, last in found if last is not None}
