"""What a check finds, as a value; and what is examined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, SyncState

State = Literal["ok", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report: what was looked at, how it is, how that is known, what to do."""

    name: str
    state: State
    evidence: str
    cure: str = ""
    # Mends it without asking anyone and says what was done, "" when that was nothing; None where a person
    # must decide.
    fix: Callable[[], str] | None = field(default=None, compare=False)

    def as_dict(self) -> dict[str, object]:
        """The JSON form of a finding."""
        return {
            "name": self.name,
            "state": self.state,
            "evidence": self.evidence,
            "cure": self.cure,
            "fixable": self.fix is not None,
        }


@dataclass(frozen=True)
class Patient:
    """What is examined: an open store and its sync backend.

    `clean` remembers, for as long as its owner keeps it, which version of each note holds no credential.
    """

    store: MemoryStore
    backend: SyncBackend
    clean: dict[str, bytes] = field(default_factory=dict, compare=False)

    @property
    def home(self) -> Path:
        """The store root."""
        return self.store.root

    @cached_property
    def state(self) -> SyncState:
        """The state of sync; asked for once, because git is started for it."""
        return self.backend.state()


def some(names: list[str], *, most: int = 3) -> str:
    """The first few of several names, and how many more there are."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
