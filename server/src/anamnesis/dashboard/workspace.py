"""The dashboard's open store, its sync backend, this machine's name, and cached answers.

The remote and the machine's name are settings: after a change, the next request uses the new value. A watcher
checks several times a second whether the store has changed. Every change to a note reaches the index, and the
sync backend names the files that a sync changes, so a stat of a few files is enough. The index looks for
manual edits when it is queried, so each check queries it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Generic, TypeVar

from anamnesis.config import resolve_machine_id, resolve_remote
from anamnesis.doctor import LOCAL, Context, Finding, examine
from anamnesis.doctor.files import check_secrets
from anamnesis.errors import ConfigError
from anamnesis.fleet import MachineState
from anamnesis.history import ChangedFile
from anamnesis.index.listing import files_since
from anamnesis.index.refresh import is_unsettled
from anamnesis.layout import CONFIG_NAME, MACHINES_FOLDER, MEMORY
from anamnesis.notes.vocabulary import utcnow
from anamnesis.operations.exchange import known_machines, last_notes
from anamnesis.project import place_of
from anamnesis.store import MemoryStore
from anamnesis.sync import HoldingBackend, SyncBackend, SyncState, backend_for
from anamnesis.sync.results import Touched

Card = dict[str, object]
_HOUR = len("2026-01-31T12")
_MINUTE = len("2026-01-31T12:00")
# How often folders are checked: a few stat calls show every note that was added, removed or replaced.
CHECK_SECONDS = 0.2
_QUIET_CHECK_SECONDS = 0.5  # the same, if nothing has changed for a while
_QUIET_SECONDS = 30.0
# An edit in place shows only in a scan of every file, which may take one part in this many of the time.
_THOROUGH_SHARE = 300
_TYPING_SECONDS = 0.4  # after a search, another one is likely to follow
_LONGEST_SECONDS = 2.0  # the longest pause between two checks
T = TypeVar("T")


class CachedAnswer(Generic[T]):
    """The last answer to one question, and the store's mark when it was computed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: tuple[str, T] | None = None

    def get(self, mark: str, make: Callable[[], T]) -> T:
        """The answer for this mark; calls `make` only if the cached answer is for another mark."""
        with self._lock:
            if self._known is None or self._known[0] != mark:
                self._known = (mark, make())
            return self._known[1]


class Answers:
    """The most frequent answers, each cached until the store changes."""

    def __init__(self) -> None:
        self.state = CachedAnswer[SyncState]()
        self.review = CachedAnswer[int]()
        self.overview = CachedAnswer[dict[str, object]]()
        self.project = CachedAnswer[dict[str, object]]()
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
    undo_of: dict[str, Callable[[], None]] = field(default_factory=dict)  # by the id of a resolved note

    @property
    def here(self) -> str:
        """The key of the project whose folder the dashboard runs in."""
        return place_of(".", home=str(self.store.root)).key

    def state(self) -> SyncState:
        """The sync state of the store; git runs once for each change."""

        def _since(moment_ns: int) -> Touched:
            return Touched(*self.store.ask(lambda db: files_since(db, MEMORY, moment_ns)))

        return self.answers.state.get(self.mark(), lambda: self.backend.state(_since))

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


class Watcher:
    """A mark of a store's state, shared by all requests that wait for a change."""

    def __init__(self, store: MemoryStore, backend: SyncBackend) -> None:
        self._store = store
        self._backend = backend
        self._watching_store: MemoryStore | None = None
        self._closed = False
        self._lock = threading.Lock()
        self._mark = ""
        self._checked_at = float("-inf")
        self._changed_at = time.monotonic()
        self._not_before = 0.0
        self._thorough_at = 0.0

    def mark(self) -> str:
        """A string that differs whenever the store does; reads the disk at most every CHECK_SECONDS."""
        with self._lock:
            now = time.monotonic()
            pause = CHECK_SECONDS if now < self._changed_at + _QUIET_SECONDS else _QUIET_CHECK_SECONDS
            if not self._closed and now >= max(self._checked_at + pause, self._not_before):
                self._check()
                index = self._store.db_path
                wal, config = index.with_name(f"{index.name}-wal"), self._store.root / CONFIG_NAME
                before, self._mark = self._mark, traces([index, wal, config, *self._backend.watched()])
                self._checked_at = time.monotonic()
                if self._mark != before:
                    self._changed_at = self._checked_at
            return self._mark

    def _check(self) -> None:
        """Make the index check the folders and, from time to time, every file."""
        began = time.monotonic()
        thorough = began >= self._thorough_at
        self._own_store().ask(is_unsettled, thorough=thorough)  # any query makes it check
        if thorough:
            self._thorough_at = began + (time.monotonic() - began) * _THOROUGH_SHARE

    def postpone(self) -> bool:
        """Delay the next check while a user is typing; returns whether the last check is recent enough.

        Takes no lock, so it never waits for a running check.
        """
        until = self._checked_at + _LONGEST_SECONDS
        self._not_before = min(time.monotonic() + _TYPING_SECONDS, until)
        return self._watching_store is not self._store and time.monotonic() < until + CHECK_SECONDS

    def close(self) -> None:
        """Close the index; later calls of `mark` report no change."""
        with self._lock:
            self._closed = True
            if self._watching_store is not None and self._watching_store is not self._store:
                self._watching_store.close()
            self._watching_store = None

    def _own_store(self) -> MemoryStore:
        """The store on its own connection, so that no request waits for a check."""
        if self._watching_store is None:
            opened = MemoryStore(self._store.root)
            if opened.health().in_memory:  # an in-memory index exists only in its own connection
                opened.close()
                opened = self._store
            self._watching_store = opened
        return self._watching_store


def traces(paths: list[Path]) -> str:
    """A string that differs after one of the files was written, replaced, created or removed."""
    return " ".join(_trace(path) for path in paths)


def _trace(path: Path) -> str:
    try:
        info = path.stat()
    except OSError:
        return "-"
    return f"{info.st_mtime_ns}:{info.st_size}:{info.st_ino}"
