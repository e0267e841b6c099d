"""A store that searches by meaning, for any benchmark that creates a store, writes notes and searches.

It uses the model of the user's own store (ANAMNESIS_HOME) and computes the vectors before the first search.
"""

from __future__ import annotations

from anamnesis.config import resolve_home
from anamnesis.index.query import Filter
from anamnesis.store import Hit, MemoryStore
from anamnesis.store.meaning import enable_meaning


class SemanticStore(MemoryStore):
    """MemoryStore with a model."""

    def find(
        self, query: str, wanted: Filter, *, k: int, explain: bool = True, thorough: bool = True
    ) -> list[Hit]:
        """The best notes by words and meaning."""
        if self.meaning is None:
            enable_meaning(self, root=resolve_home())
        return super().find(query, wanted, k=k, explain=explain, thorough=thorough)
