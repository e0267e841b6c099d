"""Subjects of commits: the titles of the first few notes, so that git's log is readable. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from posixpath import basename

from anamnesis.git import Edits
from anamnesis.layout import MACHINES_FOLDER, RECORD_FOLDERS
from anamnesis.sync.merge import title_of

_MOST_NAMED = 4
_MAX_TITLE = 60


def subject(edits: Edits, known: Mapping[str, str], *, read: Callable[[str | None], bytes | None]) -> str:
    """What a commit changes; `known` are the blobs of the files that existed before, `read` reads one."""
    if all(path.startswith(f"{MACHINES_FOLDER}/") for path in edits):
        return "heartbeat"
    paths = [path for path in edits if path.partition("/")[0] not in RECORD_FOLDERS] or list(edits)
    new = {path for path in paths if path not in known}
    changes = _verbs(paths, new=new, gone={path for path in paths if edits[path] is None})
    groups: dict[str, list[str]] = {}
    for verb, path in changes[:_MOST_NAMED]:
        value = edits[path]
        data = value if isinstance(value, bytes) else read(value[1] if value else known.get(path))
        groups.setdefault(verb, []).append(quoted(title_of(data)) or _line(path))
    rest = len(changes) - _MOST_NAMED
    parts = "; ".join(f"{verb} {', '.join(names)}" for verb, names in groups.items())
    return f"{parts}{f' and {rest} more' if rest > 0 else ''}"


def _verbs(paths: Collection[str], *, new: Collection[str], gone: Collection[str]) -> list[tuple[str, str]]:
    """What happened to each file, added ones first, deleted ones last; a moved file counts as edited."""
    came, left = {basename(path) for path in new}, {basename(path) for path in gone}
    added = [path for path in paths if path in new and basename(path) not in left]
    edited = [path for path in paths if path not in gone and (path not in new or basename(path) in left)]
    deleted = [path for path in paths if path in gone and basename(path) not in came]
    return [
        *(("session" if path.startswith("episodic/") else "added", path) for path in added),
        *(("edited", path) for path in edited),
        *(("deleted", path) for path in deleted),
    ]


def quoted(title: str) -> str:
    """A title quoted for a subject; "" if there is none."""
    line = _line(title)
    shortened = f"{line[: _MAX_TITLE - 3]}..." if len(line) > _MAX_TITLE else line
    return f"'{shortened}'" if shortened else ""


def _line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
