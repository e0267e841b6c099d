"""The dashboard's open store, its sync backend, this machine's name, and cached answers.

The remote and the machine's name are settings: after a change, the next request uses the new value.
"""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass, field, replace

from anamnesis.config import resolve_machine_id, resolve_remote
from anamnesis.dashboard.watcher import CachedAnswer, Watcher, traces
from anamnesis.doctor import LOCAL, Context, Finding, examine
from anamnesis.doctor.context import Verdicts
from anamnesis.doctor.files import check_secrets
from anamnesis.errors import ConfigError
from anamnesis.fleet import MachineState
from anamnesis.history import ChangedFile
from anamnesis.index.listing import files_since
from anamnesis.layout import CONFIG_NAME, MACHINES_FOLDER, MEMORY
from anamnesis.notes.vocabulary import utcnow
from anamnesis.operations.exchange import known_machines, last_notes
from anamnesis.store import MemoryStore
from anamnesis.sync import HoldingBackend, SyncState, backend_for
from anamnesis.sync.results import Touched

Card = dict[str, object]
_HOUR = len("2026-01-31T12")
_MINUTE = len("2026-01-31T12:00")


class Answers:
    """The most frequent answers, each cached until the store changes."""

    def __init__(self) -> None:
        self.state = CachedAnswer[SyncState]()
        self.review = CachedAnswer[int]()
        self.overview = CachedAnswer[dict[str, object]]()
        self.project = CachedAnswer[dict[str, object]]()
        self.verdicts = CachedAnswer[Verdicts]()
        # Finding credentials reads every note that is not known to be clean.
        self.secrets = CachedAnswer[Finding]()
        self.machines = CachedAnswer[list[Card]]()


@dataclass(frozen=True, slots=True)
class Workspace:
    """Everything an endpoint can use."""

    store: MemoryStore
    backend: HoldingBackend
    machine_id: str
    watcher: Watcher
    answers: Answers = field(default_factory=Answers)

    def state(self) -> SyncState:
        """The sync state of the store; git runs once for each change."""

        def _since(moment_ns: int) -> Touched:
            return Touched(*self.store.ask(lambda db: files_since(db, MEMORY, moment_ns)))

        return self.answers.state.get(self.mark(), lambda: self.backend.state(_since))

    def verdicts(self) -> Verdicts:
        """The texts known to contain no credential; the file of earlier runs is read once."""
        return self.answers.verdicts.get("", lambda: Verdicts(self.store.root))

    def health(self, context: Context) -> list[Finding]:
        """The findings of the doctor's local checks, cheap enough for every page."""
        secrets = self.answers.secrets.get(self.watcher.mark(), lambda: check_secrets(context))
        return [*examine(context, LOCAL), secrets]

    def machines(self) -> list[Card]:
        """One card per machine, this one first; git runs once for each new commit or heartbeat."""
        # A machine becomes silent as time passes, so nothing is cached for longer than an hour.
        files = [*self.backend.watched(), self.store.memory_dir / MACHINES_FOLDER]
        mark = f"{traces(files)} {self.machine_id} {utcnow()[:_HOUR]}"
        return self.answers.machines.get(mark, self._read_machines)

    def _read_machines(self) -> list[Card]:
        fleet = known_machines(self.backend, state=self.state())
        last = last_notes(self.store, self.backend, (each.name for each in fleet.machines))
        return [_card(each, last.get(each.name), agrees=each.name in fleet.agree) for each in fleet.machines]

    def mark(self) -> str:
        """A string that differs after every change to the notes or the sync state, and once a minute.

        Once a minute, because some pages show ages, and because only git notices changes to files that are
        not notes.
        """
        changes = self.store.ask(lambda db: db.changes())
        files = [self.store.db_path, self.store.root / CONFIG_NAME, *self.backend.watched()]
        return f"{changes} {traces(files)} {utcnow()[:_MINUTE]}"


def _card(state: MachineState, last: tuple[str, ChangedFile] | None, *, agrees: bool) -> Card:
    known = asdict(state)
    del known["tree"]  # used only to compare machines
    return {
        "machine_id": known.pop("name"),
        **known,
        "agrees": agrees,
        "last_note": {**asdict(last[1]), "at": last[0]} if last and last[1].id else None,
    }


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
