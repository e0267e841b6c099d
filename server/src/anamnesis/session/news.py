"""Notes from other machines that no session was told yet: sync writes the file, a session reads it.

The SessionStart hook uses this module, so it does not run git and imports next to nothing. An unreadable file
counts as empty, and one that cannot be written is skipped.
"""

from __future__ import annotations

import json
import os

from anamnesis.files import read_object, write_atomic
from anamnesis.layout import NEWS_NAME
from anamnesis.text import plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_TOLD = "news-told.json"
_MAX_BYTES = 400_000
_MOST_LINES = 3
_MOST_TITLES = 3
_MOST_PROJECTS = 500
_TITLE = 60

Item = dict[str, str]


def read_items(home: str, *, deleted: bool = False) -> list[Item]:
    """The notes that other machines wrote or edited, oldest first; with `deleted` also those they deleted."""
    items = read_object(os.path.join(home, NEWS_NAME), most=_MAX_BYTES).get("items")
    valid = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    valid = [item for item in valid if all(isinstance(value, str) for value in item.values())]
    return valid if deleted else [item for item in valid if item.get("kind") != "deleted"]


def untold(home: str, project: str, keys: Collection[str]) -> list[Item]:
    """The items for a project that none of its sessions was told; `keys` are all keys of the project."""
    told = read_object(os.path.join(home, _TOLD), most=_MAX_BYTES).get(project)
    seen = told if isinstance(told, str) else ""
    return [item for item in read_items(home) if item.get("project") in keys and item.get("seen", "") > seen]


def news_lines(items: Sequence[Item]) -> list[str]:
    """At most three lines, one per machine, latest news first."""
    machines = list(dict.fromkeys(item.get("machine", "") for item in reversed(items)))
    shown = machines[:_MOST_LINES] if len(machines) <= _MOST_LINES else machines[: _MOST_LINES - 1]
    lines = [_line(name, [item for item in items if item.get("machine") == name]) for name in shown]
    rest = [item for item in items if item.get("machine") not in shown]
    lines += (
        [f"{plural(len(rest), 'note')} more from {len(machines) - len(shown)} other machines"] if rest else []
    )
    return [f"While you were away: {line}." for line in lines]


def mark_told(home: str, project: str, items: Sequence[Item]) -> None:
    """Record that a session in this project was told these items."""
    path = os.path.join(home, _TOLD)
    told = read_object(path, most=_MAX_BYTES)
    told.pop(project, None)
    told[project] = max(item.get("seen", "") for item in items)
    kept = dict(list(told.items())[-_MOST_PROJECTS:])
    try:
        write_atomic(path, json.dumps(kept).encode(), durable=False)
    except (OSError, ValueError):
        return


def _line(machine: str, items: Sequence[Item]) -> str:
    parts = []
    for kind in ("wrote", "edited"):
        titles = [_short(item.get("title", "")) for item in reversed(items) if item.get("kind") == kind]
        if titles:
            more = f" and {len(titles) - _MOST_TITLES} more" if len(titles) > _MOST_TITLES else ""
            parts.append(f"{kind} {', '.join(repr(title) for title in titles[:_MOST_TITLES])}{more}")
    return f"{machine} {' and '.join(parts)}"


def _short(title: str) -> str:
    """A title that is not too long, cut at a word; "…" marks the cut."""
    return title if len(title) <= _TITLE else f"{title[:_TITLE].rsplit(None, 1)[0]}…"
