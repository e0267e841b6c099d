"""What the dashboard works on: one open store, its sync backend, this machine's name."""

from __future__ import annotations

from dataclasses import dataclass, field

from anamnesis.dashboard.watcher import Watcher
from anamnesis.store import MemoryStore
from anamnesis.sync import HoldingBackend


@dataclass(frozen=True, slots=True)
class Workspace:
    """Everything an endpoint may use."""

    store: MemoryStore
    backend: HoldingBackend
    machine_id: str
    watcher: Watcher
    clean: dict[str, bytes] = field(default_factory=dict)  # versions of notes that hold no credential
