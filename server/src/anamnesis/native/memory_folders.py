"""Where the client keeps its memory files: a folder per project, or the one named in its settings.

`autoMemoryDirectory` is read from the user's own settings; the client requires it to be absolute or below
`~/`. It holds memories of every project, so they belong to none. A folder that overlaps the store is refused:
an import would import its own notes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from anamnesis.files import read_object
from anamnesis.layout import LOCAL, MEMORY
from anamnesis.native.place import folders, regular_files

INDEX_NAME = "MEMORY.md"
_MAX_DEPTH = 4


def places(claude_dir: Path, root: Path) -> list[str]:
    """The folders to look in for the store at `root`, as a person would write them."""
    named = named_folder(claude_dir, root)
    return [str(claude_dir / "projects" / "*" / "memory"), *([named] if named else [])]


def memory_files(claude_dir: Path, root: Path) -> dict[str, os.stat_result]:
    """Every memory file by its path, each only once even if two paths lead to it."""
    found: dict[str, os.stat_result] = {}
    for folder in folders(str(claude_dir / "projects")):
        if os.path.join(folder, "memory") in folders(folder):
            found.update(_files_below(os.path.join(folder, "memory"), _MAX_DEPTH))
    if named := named_folder(claude_dir, root):
        known = {(state.st_dev, state.st_ino) for state in found.values()}
        beside = _files_below(named, _MAX_DEPTH)
        found.update((path, state) for path, state in beside if (state.st_dev, state.st_ino) not in known)
    return found


def named_folder(claude_dir: Path, root: Path) -> str:
    """The folder that `autoMemoryDirectory` names; "" when it names none that can be used."""
    value = read_object(claude_dir / "settings.json").get("autoMemoryDirectory")
    if not isinstance(value, str) or "\0" in value:
        return ""
    home = os.path.expanduser("~")
    path = os.path.normpath(os.path.join(home, value[2:]) if value.startswith("~/") else value)
    if not os.path.isabs(path):
        return ""
    # A folder that is or contains the home folder was named by mistake.
    if _is_within(home, path) or _is_of_store(path, root):
        return ""
    return path


def _is_of_store(path: str, root: Path) -> bool:
    """Whether a folder is inside the store or contains part of it: notes would be imported again."""
    parts = [str(root), str(root / MEMORY), str(root / LOCAL)]
    return any(_is_within(path, part) or _is_within(part, path) for part in parts)


def _is_within(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or inside it, symlinks followed."""
    real = os.path.realpath(folder)
    return os.path.commonpath([os.path.realpath(path), real]) == real


def _files_below(folder: str, depth: int) -> Iterator[tuple[str, os.stat_result]]:
    for path, state in regular_files(folder):
        if path.endswith(".md") and os.path.basename(path) != INDEX_NAME:
            yield path, state
    for below in folders(folder) if depth > 1 else ():
        yield from _files_below(below, depth - 1)
