"""Where the client keeps its memory files: a folder for each project, or the one that its settings name.

`autoMemoryDirectory` counts in the user's own settings; the client wants it absolute or below `~/`. What it
names holds the memories of every project, so they belong to none of them. A folder that overlaps the store
is refused: an import would mirror its own mirrors.
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
    """The folders that are looked at for the store at `root`, as a person would write them."""
    named = named_folder(claude_dir, root)
    return [str(claude_dir / "projects" / "*" / "memory"), *([named] if named else [])]


def memory_files(claude_dir: Path, root: Path) -> dict[str, os.stat_result]:
    """Every memory file by its path, each once, whatever ways lead to it."""
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
    """The folder that `autoMemoryDirectory` names; "" when it names none that can be meant."""
    value = read_object(claude_dir / "settings.json").get("autoMemoryDirectory")
    if not isinstance(value, str) or "\0" in value:
        return ""
    home = os.path.expanduser("~")
    path = os.path.normpath(os.path.join(home, value[2:]) if value.startswith("~/") else value)
    if not os.path.isabs(path):
        return ""
    # A folder that the whole home lies in, or is, was named by mistake; nobody's home becomes notes.
    if _is_within(home, path) or _is_of_store(path, root):
        return ""
    return path


def _is_of_store(path: str, root: Path) -> bool:
    """Whether a folder is part of the store or holds a part of it: notes would become notes, for ever."""
    parts = [str(root), str(root / MEMORY), str(root / LOCAL)]
    return any(_is_within(path, part) or _is_within(part, path) for part in parts)


def _is_within(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies in it, symlinks followed."""
    real = os.path.realpath(folder)
    return os.path.commonpath([os.path.realpath(path), real]) == real


def _files_below(folder: str, depth: int) -> Iterator[tuple[str, os.stat_result]]:
    for path, state in regular_files(folder):
        if path.endswith(".md") and os.path.basename(path) != INDEX_NAME:
            yield path, state
    for below in folders(folder) if depth > 1 else ():
        yield from _files_below(below, depth - 1)
