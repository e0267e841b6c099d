"""A cache of git's log for a long-running process: after a commit it reads only the new commits.

Each commit of a store with 100,000 notes takes git some 30 ms to compare with the one before, so the new
commits are read once for all questions.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar, cast

from anamnesis.errors import GitError
from anamnesis.git import Git
from anamnesis.history.walk import Commit, walk

Item = TypeVar("Item")
_MOST_QUESTIONS = 64
_MOST_COMMITS = 200  # with more new ones than this, every question is asked again


class LogTail:
    """Answers to questions about the log, newest first, each with the commit up to which it was read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[Hashable, tuple[str, list[object]]] = OrderedDict()
        self._new: tuple[str, str, Sequence[Commit] | None] = ("", "", None)

    def read(
        self,
        git: Git,
        question: Hashable,
        tip: str,
        read: Callable[[Sequence[Commit] | None], list[Item]],
        *,
        limit: int | None = None,
    ) -> list[Item]:
        """The answer at `tip`; `read` gives it for the new commits that it is given, or for all."""
        with self._lock:
            last, known = self._known.get(question, ("", []))
        found: list[object]
        if last == tip:
            found = known
        elif last and (new := self.since(git, last, tip)) is not None:
            found = [*read(new), *known][:limit]
        else:
            found = [*read(None)]
        self._keep(question, tip, found)
        return cast("list[Item]", found)  # a question always has the same kind of answer

    def since(self, git: Git, last: str, tip: str) -> Sequence[Commit] | None:
        """The commits after `last`, newest first; None when they are too many, or not one line from it."""
        with self._lock:
            known_last, known_tip, known = self._new
        if (known_last, known_tip) != (last, tip):
            known = _line(git, last, tip)
            with self._lock:
                self._new = (last, tip, known)
        return known

    def _keep(self, question: Hashable, tip: str, found: list[object]) -> None:
        with self._lock:
            self._known[question] = (tip, found)
            self._known.move_to_end(question)
            while len(self._known) > _MOST_QUESTIONS:
                self._known.popitem(last=False)


def _line(git: Git, last: str, tip: str) -> Sequence[Commit] | None:
    try:
        new = list(walk(git, start=tip, after=last, limit=_MOST_COMMITS + 1))
    except GitError:
        return None  # `last` was purged
    if not 0 < len(new) <= _MOST_COMMITS:
        return None
    parents = [*(commit.oid for commit in new[1:]), last]
    is_line = all(commit.parents == (parent,) for commit, parent in zip(new, parents, strict=True))
    return new if is_line else None
