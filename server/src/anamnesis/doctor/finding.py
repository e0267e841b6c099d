"""What a check finds, and what it looks at, as values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend

State = Literal["ok", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report: what was checked, its state, the evidence, the remedy."""

    name: str
    state: State
    evidence: str
    cure: str = ""
    # Repairs it without asking and says what was done, "" for nothing; None where a person must decide.
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


@dataclass(frozen=True, slots=True)
class Patient:
    """What is checked: an open store and its sync backend."""

    store: MemoryStore
    backend: SyncBackend

    @property
    def home(self) -> Path:
        """The store root."""
        return self.store.root


def some(names: list[str], *, most: int = 3) -> str:
    """The first few of several names, and how many more there are."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
