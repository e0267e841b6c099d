"""What a sync says about itself, and the protocol every sync backend follows. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from anamnesis.text import StepProgress, silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.purge.record import Purge

Choice = Literal["mine", "theirs", "both"]

CONFLICT = "conflict; kept local edits, did not push"
CURE = "resolve and re-sync"
# Failures that may be gone by the next sync without anyone's doing.
_PASSING = ("", "slow", "network", "away", "other")
NOT_INITIALIZED = "not initialized; the first sync does it"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that does not travel, or that other machines have and this one cannot write."""

    path: str  # printable: what is not to be seen stands there as an escape
    reason: str


@dataclass(frozen=True, slots=True)
class WaitingFile:
    """A credential that keeps a changed file from being committed; a file may hold several."""

    path: str
    line: int
    kind: str
    id: str  # of the note; the path of a file that is no note


@dataclass(frozen=True, slots=True)
class SyncResult:
    """The outcome of one sync."""

    pushed: bool = False
    pulled: int = 0  # commits that came from the other side
    conflicted: bool = False  # some note is held
    head: str | None = None  # short name of the commit the store is at
    detail: str = ""
    reached: bool = True  # whether the remote answered; False when offline or when there is none
    held: tuple[str, ...] = ()  # ids of the held notes
    changed: tuple[str, ...] = ()  # files of the store that this sync wrote or removed
    left_out: tuple[LeftOut, ...] = ()
    waiting: tuple[WaitingFile, ...] = ()
    failure: str = ""  # why the remote took no part, as one of the kinds in docs/sync.md

    @property
    def needs_attention(self) -> bool:
        """Whether a person must do something before every note travels again."""
        return self.conflicted or bool(self.waiting) or self.failure not in _PASSING


@dataclass(frozen=True, slots=True)
class SyncState:
    """Where a store stands, without asking the remote."""

    initialized: bool = False
    remote: str | None = None  # credentials masked
    head: str | None = None
    dirty: bool = False
    detail: str = ""
    ahead: int = 0  # commits not pushed
    behind: int = 0  # commits fetched and not yet integrated
    unpushed_since: str | None = None  # None also when a clock was wrong
    uncommitted_since: str | None = None  # when the oldest change was made; None also when that is unknown
    late_push: bool = False  # commits have waited for a week, or for nobody knows how long
    late_commit: bool = False  # changes have waited for a day, or for nobody knows how long
    failure: str = ""  # why the last sync did not get through, as one of the kinds in docs/sync.md
    failure_text: str = ""  # the same in words, with what to do
    held: tuple[str, ...] = ()
    held_names: tuple[str, ...] = ()  # title and id of each
    last_sync: str | None = None
    left_out: tuple[LeftOut, ...] = ()
    waiting: tuple[WaitingFile, ...] = ()

    @property
    def is_stuck(self) -> bool:
        """Whether a person must do something before the remote takes part again."""
        return self.failure not in _PASSING


@dataclass(frozen=True, slots=True)
class HeldNote:
    """A note whose two versions clash: `path` is the local file, the texts are the three versions."""

    id: str
    path: str
    title: str
    base: str | None
    mine: str | None  # None: the local file is gone
    theirs: str | None
    since: str
    is_text: bool = True  # False: the versions are not text and can only be chosen between
    machine: str = ""  # who made the other version, and when
    moment: str = ""
    private: bool = False  # machine-local here, shared elsewhere: it can only be one of them


class SyncBackend(Protocol):
    """What moves the notes between machines."""

    def init(self) -> None:
        """Make the store ready to sync; harmless when it is."""

    def sync(self, *, progress: StepProgress = silent) -> SyncResult:
        """Commit, fetch, integrate and push once; `progress` hears of each step by these names."""

    def state(self) -> SyncState:
        """Where the store stands; cheap, and never raises."""

    def commit(self, message: str | None = None) -> bool:
        """Commit what changed, on this machine only; whether there was anything."""


class HoldingBackend(SyncBackend, Protocol):
    """A backend that holds a clashing note until someone resolves it; what `backend_for` gives."""

    remote: str | None

    def sync(self, *, rejoin: bool = False, progress: StepProgress = silent) -> SyncResult:
        """The same, step by step; `rejoin` accepts a remote that no longer has what it had."""

    def held(self) -> list[HeldNote]:
        """The notes whose versions clash, with their texts."""

    def resolve(self, note_id: str, *, choice: Choice = "mine", text: str | None = None) -> None:
        """End a clash: keep this machine's version, the other, both, or `text`."""

    def allow_secret(self, name: str) -> bool:
        """Let the present version of a waiting note or file be committed; False when none waits so."""

    def purge(self, purge: Purge) -> None:
        """Remove notes and texts from every version on this machine; the next sync takes it to the others."""
