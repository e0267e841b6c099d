"""Git's log as commits with the files that each changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from anamnesis.git import AUTHOR, Git, author_machine
from anamnesis.history import Action
from anamnesis.layout import MAIN
from anamnesis.notes.vocabulary import timestamp

_ACTIONS: dict[str, Action] = {"A": "added", "D": "deleted"}
_MARK = "\x02anamnesis\x02"
_FORM = f"--format={_MARK}%H%x00%P%x00%ct%x00%an%x00%ae%x00%s%x00"
_RAW = re.compile(r":\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*\0([^\0]+)\0")


@dataclass(frozen=True, slots=True)
class Row:
    """One file that a commit changed."""

    action: Action
    path: str
    blob: str  # of a deleted file: the last one


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit; `machine` is whose it is, by the name that it was committed under."""

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
    until: str | None = None,
    after: str | None = None,
    only: list[str] | None = None,
) -> Iterator[Commit]:
    """The commits, newest first.

    With `after`, those that this commit does not lead to; with `only`, these in their order.
    """
    if only == [] or (start is None and not only and git.ref(MAIN) is None):
        return
    bound = [f"--max-count={limit}"] if limit else []
    bound += [f"--diff-filter={kinds}"] if kinds else []
    bound += ["--fixed-strings", f"--author=<{AUTHOR}{author}>"] if author else []
    bound += [f"--until={until}T23:59:59Z"] if until else []
    order = ("log", "-z", "--raw", "--no-abbrev", "--no-renames", "--root", _FORM)
    span = ["--no-walk=unsorted", "--stdin"] if only else [start or MAIN, *([f"^{after}"] if after else [])]
    named = "".join(f"{commit}\n" for commit in only or ()).encode()
    out = git.run(*order, *bound, *span, "--", *(places or ()), stdin=named)
    for part in out.decode("utf-8", "replace").split(_MARK)[1:]:
        oid, parents, seconds, name, email, message, rest = part.split("\0", 6)
        machine = author_machine(name, email)
        rows = tuple(_row(*fields) for fields in _RAW.findall(rest))
        yield Commit(oid, tuple(parents.split()), int(seconds), machine, email, message, rows)


def _row(old: str, new: str, kind: str, path: str) -> Row:
    action = _ACTIONS.get(kind, "edited")
    return Row(action, path, old if action == "deleted" else new)
