"""Lists the files of both trees, with one stat each. Imports little, because a hook uses it.

A folder's fingerprint (its own time, and the number, sizes and times of its files) tells whether anything
in it was added, edited or removed, without reading a row of the index.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator

from anamnesis.index.schema import SUM_MASK
from anamnesis.layout import MEMORY, RECORD_FOLDERS, SCOPE_OF

# Folders for small records of ours. They hold no notes, so their changes are ignored: otherwise each would
# make the next session scan every file.
_RECORDS = frozenset(f"{MEMORY}/{name}" for name in RECORD_FOLDERS)


class Folder:
    """One folder of a tree on disk: its note files, and their fingerprint."""

    __slots__ = ("files", "mtime_ns", "mtimes", "path", "seen_ns", "sizes", "unreadable")

    def __init__(self, path: str) -> None:
        self.path = path  # relative to the store, "memory/semantic"
        self.mtime_ns = 0
        self.seen_ns = time.time_ns()
        self.files: list[tuple[str, int, int]] = []  # name, size, mtime_ns
        self.unreadable: list[tuple[str, str]] = []  # name, why it is not read
        self.sizes = 0
        self.mtimes = 0

    @property
    def fingerprint(self) -> tuple[int, int, int, int]:
        """Equal as long as the folder is unchanged."""
        return self.mtime_ns, len(self.files) + len(self.unreadable), self.sizes, self.mtimes


def scan(root: str) -> Iterator[Folder]:
    """Every folder of both trees, parents first. Links are not followed; hidden entries are not ours."""
    pending = [*reversed(SCOPE_OF)]
    while pending:
        folder, below = scan_folder(root, pending.pop())
        if folder is not None:
            if folder.path not in _RECORDS or folder.files or folder.unreadable:
                yield folder
            pending += reversed(below)


def scan_folder(root: str, path: str) -> tuple[Folder | None, list[str]]:
    """One folder and the folders below it; None when it cannot be read."""
    folder = Folder(path)
    below: list[str] = []
    absolute = os.path.join(root, path)
    try:
        folder.mtime_ns = os.stat(absolute).st_mtime_ns
        with os.scandir(absolute) as entries:
            for entry in entries:
                if entry.name[0] != ".":
                    _take(folder, below, entry)
    except OSError:
        return None, []
    folder.files.sort()
    folder.sizes &= SUM_MASK
    folder.mtimes &= SUM_MASK
    return folder, sorted(below)


def _take(folder: Folder, below: list[str], entry: os.DirEntry[str]) -> None:
    name = entry.name
    if not _is_text(name):
        shown = os.fsencode(name).decode(errors="backslashreplace")
        folder.unreadable.append((shown, "has a name that is not UTF-8; rename it"))
        return
    if not name.endswith(".md"):
        if entry.is_dir(follow_symlinks=False):
            below.append(f"{folder.path}/{name}")
        return
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:  # removed meanwhile
        return
    if stat.S_ISREG(found.st_mode):
        folder.files.append((name, found.st_size, found.st_mtime_ns))
        folder.sizes += found.st_size
        folder.mtimes += found.st_mtime_ns
    elif stat.S_ISDIR(found.st_mode):
        below.append(f"{folder.path}/{name}")
    else:
        kind = (
            "a symbolic link, which is not followed" if stat.S_ISLNK(found.st_mode) else "not a regular file"
        )
        folder.unreadable.append((name, f"is {kind}; put the note itself here"))


def _is_text(name: str) -> bool:
    """Whether a name is valid UTF-8; Linux allows any bytes."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def folder_times(root: str, paths: list[str]) -> list[int]:
    """The modification times of folders; 0 for one that is gone."""
    return [_folder_time(os.path.join(root, path)) for path in paths]


def _folder_time(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
