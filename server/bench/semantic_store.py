"""A store that searches by meaning, for any benchmark that creates a store, writes notes and searches.

It uses the model of the user's own store (ANAMNESIS_HOME) and computes the vectors before the first search.
"""

from __future__ import annotations

from pathlib import Path

from anamnesis.config import resolve_home
from anamnesis.index.finder import Nearness
from anamnesis.store import MemoryStore, make_vectors


def use_model_of(home: Path, store: MemoryStore) -> None:
    """Let a store use the model of another one, and compute its vectors."""
    (store.root / "semantic").mkdir()
    for name in ("installed.json", "model"):
        (store.root / "semantic" / name).symlink_to(home / "semantic" / name)
    make_vectors(store)


class SemanticStore(MemoryStore):
    """MemoryStore with a model."""

    def _near(self, text: str) -> Nearness | None:
        if self.meaning is None:
            use_model_of(resolve_home(), self)
        return super()._near(text)
