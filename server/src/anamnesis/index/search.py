"""The index of a store with its search, for everyone but the hook, which starts faster without it."""

from __future__ import annotations

from dataclasses import dataclass

from anamnesis import recall
from anamnesis.index import finder, query
from anamnesis.index.blend import Nearness, blend, nearest
from anamnesis.index.core import Index
from anamnesis.index.database import Database


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the index matches the files."""

    notes: int
    files: int
    problems: list[query.Problem]
    healed: str  # why the index was rebuilt on open, if it was
    in_memory: bool  # no index file can be used

    @property
    def ok(self) -> bool:
        """Whether every file is an indexed note."""
        return not self.problems and not self.in_memory


class SearchIndex(Index):
    """The index of the store at `root`, and its search; thread-safe."""

    def __enter__(self) -> SearchIndex:
        return self

    def find(
        self,
        text: str,
        wanted: query.Filter,
        *,
        k: int,
        explain: bool = True,
        thorough: bool = True,
        near: Nearness | None = None,
    ) -> list[finder.Hit]:
        """The best `k` notes for a text; `explain` adds a snippet and the matched words to each.

        `near` is how near each note is to the text; without it, only words count.
        """

        def _answer(db: Database) -> list[finder.Hit]:
            if near is None or k < 1:
                found = finder.find(db, text, wanted, k)
            else:
                found = finder.find(db, text, wanted, max(k, recall.FUSED))
                found.matches = blend(db, found.matches, near, wanted, k)
            return finder.hits_of(db, str(self.root), found, explain=explain)

        return self.ask(_answer, thorough=thorough)

    def nearest(self, near: Nearness, wanted: query.Filter, *, k: int) -> list[finder.Hit]:
        """The nearest notes by meaning alone."""

        def _answer(db: Database) -> list[finder.Hit]:
            found = finder.Found(nearest(db, near, wanted, k))
            return finder.hits_of(db, str(self.root), found, explain=False)

        return self.ask(_answer)

    def stats(self) -> dict[str, object]:
        """Counts: total, by_type, by_project, by_scope."""
        return self.ask(query.stats)

    def problems(self) -> list[query.Problem]:
        """Files that cannot be read as notes, and files with a duplicate id, each with the reason."""
        return self.ask(query.problems)
