"""Git's log as commits with the files that each changed, and a cache of answers from it.

In a store with 100,000 notes, git takes some 30 ms to compare a commit with its parent. So a long-running
process caches its answers, and after a commit reads only the new commits, once for all questions.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from anamnesis.errors import GitError
from anamnesis.git import AUTHOR, Git, author_machine
from anamnesis.history import Action
from anamnesis.layout import MAIN
from anamnesis.notes.vocabulary import seconds_of, timestamp

Item = TypeVar("Item")
_MOST_QUESTIONS = 64
_MOST_COMMITS = 200  # new commits; with more, the cache starts over
_ACTIONS: dict[str, Action] = {"A": "added", "D": "deleted"}
_MARK = "\x02anamnesis\x02"
_FORM = f"--format={_MARK}%H%x00%P%x00%ct%x00%an%x00%ae%x00%s%x00"
_RAW = re.compile(r":\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*\0([^\0]+)\0")


@dataclass(frozen=True, slots=True)
class Row:
    """One file that a commit changed."""

    action: Action
    path: str
    blob: str  # for a deleted file: its last blob


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit; `machine` is the one that made it, by the author's name."""

    oid: str
    parents: tuple[str, ...]
    seconds: int
    machine: str
    email: str
    message: str
    rows: tuple[Row, ...]

    @property
    def at(self) -> str:
        """When it was made."""
        return timestamp(self.seconds)

    def is_by(self, machine: str) -> bool:
        """Whether a machine made it."""
        return self.email == f"{AUTHOR}{machine}"


def walk(
    git: Git,
    *,
    limit: int | None = None,
    start: str | None = None,
    places: list[str] | None = None,
    kinds: str = "",
    author: str = "",
    since: int | None = None,
    until: str | None = None,
    after: str | None = None,
    only: list[str] | None = None,
) -> Iterator[Commit]:
    """The commits, newest first. `since` is in seconds, `until` is a day.

    With `after`, only commits that are not reachable from it; with `only`, exactly these, in their order.
    """
    if only == [] or (start is None and not only and git.ref(MAIN) is None):
        return
    bound = [f"--max-count={limit}"] if limit else []
    bound += [f"--diff-filter={kinds}"] if kinds else []
    bound += ["--fixed-strings", f"--author=<{AUTHOR}{author}>"] if author else []
    bound += [f"--since={since}"] if since else []
    bound += [f"--until={until}T23:59:59Z"] if until else []
    order = ("log", "-z", "--raw", "--no-abbrev", "--no-renames", "--root", _FORM)
    span = ["--no-walk=unsorted", "--stdin"] if only else [start or MAIN, *([f"^{after}"] if after else [])]
    named = "".join(f"{commit}\n" for commit in only or ()).encode()
    out = git.run(*order, *bound, *span, "--", *(places or ()), stdin=named)
    for part in out.decode("utf-8", "replace").split(_MARK)[1:]:
        oid, parents, seconds, name, email, message, rest = part.split("\0", 6)
        machine = author_machine(name, email)
        rows = tuple(_row(*fields) for fields in _RAW.findall(rest))
        yield Commit(oid, tuple(parents.split()), seconds_of(seconds), machine, email, message, rows)


def _row(old: str, new: str, kind: str, path: str) -> Row:
    action = _ACTIONS.get(kind, "edited")
    return Row(action, path, old if action == "deleted" else new)


class LogTail:
    """A cache of answers about the log, each with the commit up to which the log was read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[Hashable, tuple[str, list[object]]] = OrderedDict()
        self._new: tuple[str, str, Sequence[Commit] | None] = ("", "", None)

    def read(
        self,
        git: Git,
        question: Hashable,
        tip: str,
        read: Callable[[Sequence[Commit] | None], Iterable[Item]],
        *,
        limit: int | None = None,
    ) -> list[Item]:
        """The answer at `tip`; `read` computes it for the new commits passed to it, or for the whole log."""
        with self._lock:
            last, known = self._known.get(question, ("", []))
        answer: list[object]
        if last == tip:
            answer = known
        elif last and (new := self.since(git, last, tip)) is not None:
            answer = [*read(new), *known][:limit]
        else:
            answer = [*read(None)]
        with self._lock:
            self._known[question] = (tip, answer)
            self._known.move_to_end(question)
            while len(self._known) > _MOST_QUESTIONS:
                self._known.popitem(last=False)
        return cast("list[Item]", answer)  # the same question always has the same type of answer

    def since(self, git: Git, last: str, tip: str) -> Sequence[Commit] | None:
        """The commits after `last`, newest first; None if there are too many or the history is not linear."""
        with self._lock:
            known_last, known_tip, known = self._new
        if (known_last, known_tip) != (last, tip):
            known = _linear_commits(git, last, tip)
            with self._lock:
                self._new = (last, tip, known)
        return known


def _linear_commits(git: Git, last: str, tip: str) -> Sequence[Commit] | None:
    """The commits after `last` up to `tip`; None if there are too many, or the history is not linear."""
    try:
        new = list(walk(git, start=tip, after=last, limit=_MOST_COMMITS + 1))
    except GitError:
        return None  # `last` was purged
    if not 0 < len(new) <= _MOST_COMMITS:
        return None
    parents = [*(commit.oid for commit in new[1:]), last]
    is_line = all(commit.parents == (parent,) for commit, parent in zip(new, parents, strict=True))
    return new if is_line else None
