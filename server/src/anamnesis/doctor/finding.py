"""What is examined, and what a check finds: the value is that of the sync backends, which have checks too."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend
from anamnesis.sync.results import Finding as Finding


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
