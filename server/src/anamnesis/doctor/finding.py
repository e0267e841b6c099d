"""The context of the checks, and `Finding`, which the checks of the sync backends share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from anamnesis.doctor.verdicts import Verdicts
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, SyncState
from anamnesis.sync.results import Finding as Finding


@dataclass(frozen=True)
class Context:
    """What is checked: an open store and its sync backend.

    `verdicts` are those that its owner keeps on which texts hold no credential; without, they are read again.
    """

    store: MemoryStore
    backend: SyncBackend
    verdicts: Verdicts | None = field(default=None, compare=False)

    @property
    def home(self) -> Path:
        """The store root."""
        return self.store.root

    @cached_property
    def state(self) -> SyncState:
        """The state of sync; read once, because that starts git."""
        return self.backend.state()

    @cached_property
    def can_read_head(self) -> bool:
        """Whether the last commit is readable; looked up once, because that starts git."""
        return self.backend.can_read_head()


def some(names: list[str], *, most: int = 3, between: str = ", ") -> str:
    """The first few of several names, and how many more there are."""
    rest = len(names) - most
    return between.join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
