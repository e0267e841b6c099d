"""A store that searches by meaning, for any bench that makes a store, writes notes and searches.

It uses the model of the user's own store (ANAMNESIS_HOME) and makes the vectors before the first search.
"""

from __future__ import annotations

from collections.abc import Sequence

from anamnesis.config import resolve_home
from anamnesis.meaning import give_meaning
from anamnesis.notes.record import Memory, MemoryType, Scope
from anamnesis.store import MemoryStore


class SemanticStore(MemoryStore):
    """MemoryStore with a model."""

    def search(
        self,
        query: str,
        *,
        project: str | Sequence[str] | None = None,
        type: MemoryType | None = None,
        scope: Scope | None = None,
        k: int = 8,
        tags: Sequence[str] | None = None,
        since: str | None = None,
        prefer_project: str | Sequence[str] | None = None,
    ) -> list[Memory]:
        """The best notes by words and meaning."""
        if self.meaning is None:
            give_meaning(self, root=resolve_home())
        return super().search(
            query,
            project=project,
            type=type,
            scope=scope,
            k=k,
            tags=tags,
            since=since,
            prefer_project=prefer_project,
        )
