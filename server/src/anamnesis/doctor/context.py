"""What the checks share: the store, its backend, the sync state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, SyncState
from anamnesis.sync.results import Finding as Finding


@dataclass(frozen=True)
class Context:
    """What is checked: a store and its sync backend; `known` is the sync state, if it was read already."""

    store: MemoryStore
    backend: SyncBackend
    known: SyncState | None = None

    @property
    def home(self) -> Path:
        """The store root."""
        return self.store.root

    @cached_property
    def state(self) -> SyncState:
        """The sync state; read once, because that runs git."""
        return self.known or self.backend.state()

    @cached_property
    def can_read_head(self) -> bool:
        """Whether the last commit is readable; checked once, because that runs git."""
        return self.backend.can_read_head()
