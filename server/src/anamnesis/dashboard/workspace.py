"""The dashboard's open store, its sync backend and this machine's name; nothing is cached.

The remote and the machine's name are settings: after a change, the next request uses the new value.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from anamnesis.config import resolve_machine_id, resolve_remote
from anamnesis.errors import ConfigError
from anamnesis.layout import CONFIG_NAME
from anamnesis.project import place_of
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, SyncState, backend_for


@dataclass(frozen=True, slots=True)
class Workspace:
    """Everything an endpoint can use."""

    store: MemoryStore
    backend: SyncBackend
    machine_id: str
    undo_of: dict[str, Callable[[], None]] = field(default_factory=dict)  # by the id of a resolved note

    @property
    def here(self) -> str:
        """The key of the project whose folder the dashboard runs in."""
        return place_of(".", home=str(self.store.root)).key

    def state(self) -> SyncState:
        """The sync state of the store."""
        return self.backend.state()

    def mark(self) -> str:
        """A string that differs after every change to the notes, the settings or the sync state."""
        files = [self.store.root / CONFIG_NAME, *self.backend.watched()]
        return f"{self.store.ask(lambda db: db.changes())} {' '.join(map(_trace, files))}"


class CurrentWorkspace:
    """Provides the workspace for the current settings."""

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
                remote, machine_id = settings
                memory = self._workspace.store.memory_dir
                backend = backend_for(memory, remote=remote, machine_id=machine_id)
                self._workspace = replace(self._workspace, backend=backend, machine_id=machine_id)
            return self._workspace


def _read_settings() -> tuple[str | None, str] | None:
    """Remote and machine name; None if config.json cannot be read, which the doctor reports."""
    try:
        return resolve_remote(), resolve_machine_id()
    except ConfigError:
        return None


def _trace(path: Path) -> str:
    """A string that differs after the file was written, replaced, created or removed."""
    try:
        info = path.stat()
    except OSError:
        return "-"
    return f"{info.st_mtime_ns}:{info.st_size}:{info.st_ino}"
