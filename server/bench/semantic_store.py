"""A store that searches by meaning, for any benchmark that creates a store, writes notes and searches.

It uses the model of the user's own store (ANAMNESIS_HOME) and computes the vectors before the first search.
"""

from __future__ import annotations

from anamnesis.config import resolve_home
from anamnesis.index.blend import Nearness
from anamnesis.store import MemoryStore, enable_meaning, make_vectors


class SemanticStore(MemoryStore):
    """MemoryStore with a model."""

    def _near(self, text: str) -> Nearness | None:
        if self.meaning is None:
            make_vectors(self, root=resolve_home())
            enable_meaning(self, root=resolve_home())
        return super()._near(text)
