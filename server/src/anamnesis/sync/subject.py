"""The subject of a commit: the notes it adds, edits and deletes, so that git log is readable. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from anamnesis.sync.merge import title_of

_MOST_NAMED = 4
_MAX_TITLE = 60

_VERBS = ("added", "edited", "deleted")

Read = Callable[[str], bytes | None]


class Changed(NamedTuple):
    """The changed files of one commit, by what happened to them; a moved note is an edited one."""

    added: Sequence[str] = ()
    edited: Sequence[str] = ()
    deleted: Sequence[str] = ()


def sort_changes(paths: Collection[str], *, new: Collection[str], gone: Collection[str]) -> Changed:
    """Sort files into added, edited and deleted ones; a file that only moved keeps its name."""
    came = {_name(path) for path in new}
    left = {_name(path) for path in gone}
    return Changed(
        added=[path for path in paths if path in new and _name(path) not in left],
        edited=[path for path in paths if path not in gone and (path not in new or _name(path) in left)],
        deleted=[path for path in paths if path in gone and _name(path) not in came],
    )


def subject(machine: str, changed: Changed, *, read: Read) -> str:
    """One line that names the first few notes; `read` gives a file's text, also that of a deleted one."""
    named = [(_verb(verb, path), path) for verb, paths in zip(_VERBS, changed, strict=True) for path in paths]
    groups: dict[str, list[str]] = {}
    for verb, path in named[:_MOST_NAMED]:
        groups.setdefault(verb, []).append(quoted(title_of(read(path))) or _line(path))
    rest = len(named) - _MOST_NAMED
    parts = "; ".join(f"{verb} {', '.join(names)}" for verb, names in groups.items())
    return f"{machine}: {parts}{f' and {rest} more' if rest > 0 else ''}"


def _verb(verb: str, path: str) -> str:
    return "session" if verb == "added" and path.startswith("episodic/") else verb


def quoted(title: str) -> str:
    """A title as subjects name it; "" when there is none."""
    line = _line(title)
    shown = f"{line[: _MAX_TITLE - 3]}..." if len(line) > _MAX_TITLE else line
    return f"'{shown}'" if shown else ""


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
