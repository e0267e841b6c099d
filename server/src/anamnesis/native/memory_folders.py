"""Where the client keeps its memory files: a folder for each project, or the one that its settings name.

`autoMemoryDirectory` counts in the user's own settings; the client wants it absolute or below `~/`. What it
names holds the memories of every project, so they belong to none of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from anamnesis.json_file import read_object
from anamnesis.native.place import folders, regular_files

INDEX_NAME = "MEMORY.md"
_MAX_DEPTH = 4


def places(claude_dir: Path) -> list[str]:
    """The folders that are looked at, as a person would write them."""
    named = named_folder(claude_dir)
    return [str(claude_dir / "projects" / "*" / "memory"), *([named] if named else [])]


def memory_files(claude_dir: Path) -> dict[str, os.stat_result]:
    """Every memory file by its path, each once."""
    found: dict[str, os.stat_result] = {}
    for folder in folders(str(claude_dir / "projects")):
        if os.path.join(folder, "memory") in folders(folder):
            found.update(_files_below(os.path.join(folder, "memory"), _MAX_DEPTH))
    if named := named_folder(claude_dir):
        found.update(_files_below(named, _MAX_DEPTH))
    return found


def named_folder(claude_dir: Path) -> str:
    """The folder that `autoMemoryDirectory` names; "" when it names none that can be meant."""
    value = read_object(claude_dir / "settings.json").get("autoMemoryDirectory")
    if not isinstance(value, str) or "\0" in value:
        return ""
    home = os.path.expanduser("~")
    path = os.path.normpath(os.path.join(home, value[2:]) if value.startswith("~/") else value)
    # A folder that the whole home lies in, or is, was named by mistake; nobody's home becomes notes.
    return path if os.path.isabs(path) and os.path.commonpath([home, path]) != path else ""


def _files_below(folder: str, depth: int) -> Iterator[tuple[str, os.stat_result]]:
    for path, state in regular_files(folder):
        if path.endswith(".md") and os.path.basename(path) != INDEX_NAME:
            yield path, state
    for below in folders(folder) if depth > 1 else ():
        yield from _files_below(below, depth - 1)
