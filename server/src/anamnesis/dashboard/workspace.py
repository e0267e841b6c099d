"""What the dashboard works on: one open store, its sync backend, this machine's name.

The remote and the machine's name are settings: once one of them has changed, the next request works with it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace

from anamnesis.config import resolve_machine_id, resolve_remote
from anamnesis.dashboard.health import Health
from anamnesis.dashboard.watcher import Watcher
from anamnesis.errors import ConfigError
from anamnesis.store import MemoryStore
from anamnesis.sync import HoldingBackend, backend_for


@dataclass(frozen=True, slots=True)
class Workspace:
    """Everything an endpoint may use."""

    store: MemoryStore
    backend: HoldingBackend
    machine_id: str
    watcher: Watcher
    health: Health = field(default_factory=Health)
    clean: dict[str, bytes] = field(default_factory=dict)  # versions of notes that hold no credential


class Desk:
    """Hands out the workspace as the settings are now."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._settings = _read_settings()
        self._lock = threading.Lock()

    def workspace(self) -> Workspace:
        """The workspace for one request."""
        settings = _read_settings()
        with self._lock:
            if settings is not None and settings != self._settings:
                self._settings = settings
                self._workspace = _with(self._workspace, *settings)
            return self._workspace


def _read_settings() -> tuple[str | None, str] | None:
    """Remote and machine name; None while config.json cannot be read, which the doctor tells of."""
    try:
        return resolve_remote(), resolve_machine_id()
    except ConfigError:
        return None


def _with(workspace: Workspace, remote: str | None, machine_id: str) -> Workspace:
    backend = backend_for(workspace.store.memory_dir, remote=remote, machine_id=machine_id)
    return replace(workspace, backend=backend, machine_id=machine_id)
