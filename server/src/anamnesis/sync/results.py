"""The protocol of a sync backend, and the values it returns. Nothing here knows git."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from anamnesis.text import StepProgress, silent

if TYPE_CHECKING:  # a command that only writes a note does without git
    from pathlib import Path

    from anamnesis.history import History
    from anamnesis.purge import Purge
    from anamnesis.undo import UndoTexts

Choice = Literal["mine", "theirs", "both"]
Health = Literal["ok", "warn", "bad"]

REMEDY = "resolve and re-sync"
PRIVATE = "scope machine-local"  # kind of a waiting note in the shared tree whose front matter says so
UNREADABLE = "unreadable"  # kind of a waiting note whose file was readable and no longer is
# Failures that may be gone at the next sync without anyone acting.
_PASSING = ("", "slow", "network", "other")


Undo = Callable[[], None]
Rejoin = bool | Callable[[str], bool]  # whether to accept a remote that lost history, given what will happen


class LeftOut(NamedTuple):
    """A file that is not synced, or that other machines have and this one cannot write."""

    path: str  # printable: invisible characters are escaped
    reason: str


class WaitingFile(NamedTuple):
    """A reason why a changed file is not committed, such as a credential; a file may have several."""

    path: str
    line: int
    kind: str
    id: str  # the note's id; for any other file, its path
    title: str = ""  # the note's title, unless it may contain the credential

    @property
    def place(self) -> str:
        """Where the credential is, for messages: title, path and, in a readable file, line."""
        title = f"{self.title!r} in " if self.title else ""
        return f"{title}{self.path}" + ("" if self.kind == UNREADABLE else f" line {self.line}")

    @property
    def why(self) -> str:
        """Why it waits, as the end of a sentence."""
        known = {UNREADABLE: "because it is no longer readable as a note", PRIVATE: "marked machine-local"}
        return known.get(self.kind, "with a credential")

    @property
    def remedy(self) -> str:
        """What ends the waiting."""
        restore = f"`anamnesis history {self.id} --restore`; other machines keep the good text"
        allow = f"`anamnesis sync --allow-secret {self.id}`"
        known = {
            UNREADABLE: f"correct it, or {restore}",
            PRIVATE: "move it to local/, or set its scope back to portable",
        }
        return known.get(self.kind, f"remove the credential, or allow this version with {allow}")


class SyncResult(NamedTuple):
    """The outcome of one sync."""

    pushed: bool = False
    pulled: int = 0  # commits that came from the other side
    conflicted: bool = False  # whether a note is held
    head: str | None = None  # abbreviated name of the store's commit
    detail: str = ""
    reached: bool = True  # whether the remote answered; False if offline, or without a remote
    held: tuple[str, ...] = ()  # ids of the held notes
    changed: tuple[str, ...] = ()  # files of the store that this sync wrote or removed
    left_out: tuple[LeftOut, ...] = ()
    waiting: tuple[WaitingFile, ...] = ()
    failure: str = ""  # why syncing with the remote failed, as one of the kinds in docs/sync.md

    @property
    def needs_attention(self) -> bool:
        """Whether a person must do something before every note is synced again."""
        return self.conflicted or bool(self.waiting) or self.failure not in _PASSING


class SyncState(NamedTuple):
    """The state of a store, without contacting the remote."""

    initialized: bool = False
    remote: str | None = None  # credentials masked
    head: str | None = None
    dirty: bool = False
    detail: str = ""
    ahead: int = 0  # commits not pushed
    behind: int = 0  # commits fetched and not yet integrated
    unpushed_since: str | None = None  # None also if a clock was wrong
    uncommitted_since: str | None = None  # when the oldest change was made; None also if that is unknown
    late_push: bool = False  # whether commits have waited for a week or an unknown time
    late_commit: bool = False  # whether changes have waited for a day or an unknown time
    failure: str = ""  # why the last sync failed, as one of the kinds in docs/sync.md
    failure_text: str = ""  # the same in words, with what to do
    held: tuple[str, ...] = ()
    held_names: tuple[str, ...] = ()  # title and id of each
    last_sync: str | None = None
    left_out: tuple[LeftOut, ...] = ()
    waiting: tuple[WaitingFile, ...] = ()

    @property
    def is_stuck(self) -> bool:
        """Whether a person must do something before syncing with the remote works again."""
        return self.failure not in _PASSING


def as_dict(value: SyncResult | SyncState) -> dict[str, object]:
    """The JSON form of a result or a state."""
    files = {name: [each._asdict() for each in getattr(value, name)] for name in ("left_out", "waiting")}
    return value._asdict() | files


class HeldNote(NamedTuple):
    """A note whose two versions clash: `path` is the local file, the texts are the three versions."""

    id: str
    path: str
    title: str
    base: str | None
    mine: str | None  # None if the local file is gone
    theirs: str | None
    since: str
    machine: str = ""  # machine and time of the other version
    moment: str = ""
    private: bool = False  # machine-local here, shared elsewhere: it can only be one of these


class Heartbeat(NamedTuple):
    """What a machine reported, and when."""

    machine: str
    at: str
    version: str = ""
    last_sync: str = ""
    last_capture: str = ""
    last_inject: str = ""
    held: int = 0
    waiting: int = 0
    problems: int = 0  # files that are not synced
    store: str = ""  # the id of the store, to detect two machines with the same name
    head: str = ""  # the commit that it was at


class Machine(NamedTuple):
    """One machine: its last heartbeat, and what the history shows about it."""

    beat: Heartbeat
    here: bool = False
    arrived: float | None = None  # when the heartbeat arrived, by this machine's clock
    tree: str = ""  # a short hash of the notes that it last had; "" for none
    lacks: tuple[int, ...] = ()  # times of the commits with notes that it had not seen, newest first
    has_twin: bool = False  # whether two stores report under its name


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's report: what was checked, its state, the evidence, what to do."""

    name: str
    state: Health
    evidence: str
    remedy: str = ""
    # Repairs it without asking and returns what was done ("" for nothing); None if a person must decide.
    fix: Callable[[], str] | None = field(default=None, compare=False)
    place: str = ""  # where it is settled: a page of the dashboard, or of the web

    def as_dict(self) -> dict[str, object]:
        """The JSON form of a finding."""
        said = {name: getattr(self, name) for name in ("name", "state", "evidence", "remedy")}
        return {**said, "fixable": self.fix is not None}


class SyncBackend(Protocol):
    """Moves notes between machines; the rest of the program uses it only through this protocol.

    What each method promises is said in `backend.GitSyncBackend`. Clashing notes are held until someone
    resolves them.
    """

    kind: str  # its name in messages: "git"
    remote: str | None
    machine_id: str  # this machine's name

    def init(self) -> None: ...
    def sync(self, *, rejoin: Rejoin = False, progress: StepProgress = silent) -> SyncResult: ...
    def recover(self, name: str) -> list[str]: ...
    def state(self) -> SyncState: ...
    def commit(self, message: str | None = None) -> bool: ...
    def history(self, kept: UndoTexts | None = None) -> History: ...
    def machines(self) -> Iterable[Machine]: ...
    def examine_tools(self) -> Finding: ...
    def examine_storage(self) -> Finding: ...
    def examine_remote(self) -> Finding: ...
    def watched(self) -> list[Path]: ...
    def held(self) -> list[HeldNote]: ...
    def resolve(self, note_id: str, *, choice: Choice = "mine", text: str | None = None) -> Undo | None: ...
    def purge(self, purge: Purge) -> None: ...
    def count_left(self, purge: Purge) -> int: ...
    def allow_secret(self, name: str) -> bool: ...
