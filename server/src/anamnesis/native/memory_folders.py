"""Where the client keeps its memory files, and which project each folder of them belongs to.

There is a folder per project, or one that its settings name.

`autoMemoryDirectory` is read from the user's own settings; the client requires it to be absolute or below
`~/`. It holds memories of every project, so they belong to none. A folder that overlaps the store is refused:
an import would import its own notes.

The name of a folder under `projects/` is the working directory with everything but letters and digits
replaced by `-`, which cannot be undone; the transcripts in it name the real directory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from anamnesis.files import entries_in, read_object
from anamnesis.layout import GLOBAL, LOCAL, MEMORY
from anamnesis.project import resolve_project_key

INDEX_NAME = "MEMORY.md"
_MAX_DEPTH = 4
_OTHER = re.compile(r"[^A-Za-z0-9]")
_MAX_TRANSCRIPTS = 5
_MAX_FOLDERS = 20


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


def project_of(folder: Path) -> str:
    """The project key for a folder of the client; its own name, tidied, when no transcript says more."""
    cwd = _working_directory(folder)
    return resolve_project_key(cwd) if cwd else folder.name.strip("-").lower() or GLOBAL


def folder_name(cwd: str) -> str:
    """The client's name for a working directory."""
    return _OTHER.sub(lambda found: "-" if ord(found[0]) < 0x10000 else "--", cwd)


def _working_directory(folder: Path) -> str:
    from anamnesis.session.transcript import first_cwd  # only a folder that was not met before is asked about

    beside = [cwd for path in _transcripts(folder) if (cwd := first_cwd(path))]
    for cwd in beside:
        if folder_name(cwd) == folder.name:
            return cwd
    # The client keeps the memory of a repository at its root; sessions may have started below it.
    for below in _folders_below(folder):
        for cwd in map(first_cwd, _transcripts(below)):
            above = next((str(up) for up in Path(cwd).parents if folder_name(str(up)) == folder.name), "")
            if above:
                return above
    return beside[0] if beside else ""


def _transcripts(folder: Path) -> list[Path]:
    """The newest transcripts of a folder."""
    found = [(state.st_mtime, path) for path, state in regular_files(str(folder)) if path.endswith(".jsonl")]
    return [Path(path) for _, path in sorted(found, reverse=True)[:_MAX_TRANSCRIPTS]]


def _folders_below(folder: Path) -> list[Path]:
    below = [path for path in folders(str(folder.parent)) if path.startswith(f"{folder}-")]
    return [Path(path) for path in below[:_MAX_FOLDERS]]


def folders(folder: str) -> list[str]:
    """The folders in a folder by name, without symlinks; none when it cannot be read."""
    return [entry.path for entry in _scan(folder) if entry.is_dir(follow_symlinks=False)]


def regular_files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """The regular files in a folder by name, with their state; none when it cannot be read."""
    for entry in _scan(folder):
        try:
            if entry.is_file(follow_symlinks=False):
                yield entry.path, entry.stat(follow_symlinks=False)
        except OSError:
            continue  # removed while the folder was read


def _scan(folder: str) -> list[os.DirEntry[str]]:
    return sorted(entries_in(folder), key=lambda entry: entry.name)
