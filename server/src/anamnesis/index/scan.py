"""Lists the files of both trees, and says when all of them are looked at.

Freshness is one rule for every size. Before every answer, the times of all folders are compared with the
index: a few stat calls show each file that was added, renamed or removed. An edit in place shows only in the
file itself, so all files are compared too, at most once in a second for each 5,000 of them; all processes
share the time of the last look, which is the time of the index's lock file. It also finds a file that was
added within the same tick of the clock as another. And whatever note is then shown is read from its file if
that has changed since.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Container, Iterator
from dataclasses import dataclass, field

from anamnesis.layout import INDEX_LOCK, MEMORY, RECORD_FOLDERS, SCOPE_OF

# Folders of our own small records. They contain no notes, so changes in them are ignored; otherwise each
# would make the next session scan every file.
_RECORDS = frozenset(f"{MEMORY}/{name}" for name in RECORD_FOLDERS)
_FILES_PER_SECOND = 5_000
NOT_READ = (-1, 0)  # size and time of an entry that cannot be a note


@dataclass(slots=True)
class Folder:
    """One folder of a tree on disk, and the note files in it; paths are relative to the store."""

    path: str
    mtime_ns: int = 0
    files: dict[str, tuple[int, int]] = field(default_factory=dict)  # path -> size, mtime_ns
    unreadable: dict[str, str] = field(default_factory=dict)  # path -> why it is not read


def scan(
    root: str, start: Collection[str] = tuple(SCOPE_OF), *, besides: Container[str] = ()
) -> Iterator[Folder]:
    """The given folders, by default both trees, and all below them except `besides`; parents first.

    Symlinks are not followed, hidden entries are skipped.
    """
    pending = [*start][::-1]
    while pending:
        folder = Folder(pending.pop())
        below: list[str] = []
        absolute = os.path.join(root, folder.path)
        try:
            folder.mtime_ns = os.stat(absolute).st_mtime_ns
            with os.scandir(absolute) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    if entry.name[0] != ".":
                        _add_entry(folder, below, entry)
        except OSError:
            continue
        if folder.path not in _RECORDS or folder.files:
            yield folder
        pending += (path for path in reversed(below) if path not in besides)


def _add_entry(folder: Folder, below: list[str], entry: os.DirEntry[str]) -> None:
    name = entry.name
    if not _is_text(name):
        shown = os.fsencode(name).decode(errors="backslashreplace")
        _leave_out(folder, shown, "has a name that is not UTF-8; rename it")
        return
    path = f"{folder.path}/{name}"
    if not name.endswith(".md"):
        if entry.is_dir(follow_symlinks=False):
            below.append(path)
        return
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:  # removed meanwhile
        return
    if stat.S_ISREG(info.st_mode):
        folder.files[path] = (info.st_size, info.st_mtime_ns)
    elif stat.S_ISDIR(info.st_mode):
        below.append(path)
    elif stat.S_ISLNK(info.st_mode):
        _leave_out(folder, name, "is a symbolic link, which is not followed; put the note itself here")
    else:
        _leave_out(folder, name, "is not a regular file; put the note itself here")


def _leave_out(folder: Folder, name: str, reason: str) -> None:
    path = f"{folder.path}/{name}"
    folder.files[path], folder.unreadable[path] = NOT_READ, reason


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


class Looks:
    """When all files of the store at `home` were last looked at, by any process."""

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, INDEX_LOCK)
        self._own = 0.0  # for a store that cannot be written
        self._is_forced = False

    def is_due(self, files: int) -> bool:
        """Whether this many files are to be looked at before the next answer."""
        try:
            last = max(os.stat(self._path).st_mtime, self._own)
        except OSError:
            last = self._own
        # A time ahead of the clock is from before the clock was set.
        return self._is_forced or not 0 <= time.time() - last < files / _FILES_PER_SECOND

    def record(self, began: float) -> None:
        """Record that all files were looked at, from `began` on."""
        self._own, self._is_forced = began, False
        try:
            os.utime(self._path, (began, began))
        except FileNotFoundError:
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError:
            return  # other processes look for themselves

    def force(self) -> None:
        """Make this process look before its next answer."""
        self._is_forced = True
