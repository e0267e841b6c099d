"""Lists the files of both trees, with one stat each; and decides when to scan them all.

Imports little: hooks use it.

A folder's fingerprint (its own time, and the number, sizes and times of its files) shows whether anything in
it was added, edited or removed, without reading rows of the index.

Folder times, a few stat calls, show files that were added, removed or renamed. An edit in place shows only in
the file itself. Scanning all files costs nothing in a small store and a third of a second at 100,000 notes,
so a large store is scanned from time to time, by whichever process needs it first; all processes on this
machine share the time of the last scan.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping

from anamnesis.files import read_regular
from anamnesis.index.schema import SUM_MASK
from anamnesis.layout import FULL_SCAN_NAME, MEMORY, RECORD_FOLDERS, SCOPE_OF

# Folders of our own small records. They contain no notes, so changes in them are ignored; otherwise each
# would make the next session scan every file.
_RECORDS = frozenset(f"{MEMORY}/{name}" for name in RECORD_FOLDERS)
_FREE_FILES = 1_000  # up to this many are scanned before every answer
_FILES_PER_SECOND = 5_000  # a long-lived process scans 100,000 files every 20 seconds
_COMMAND_FREE_FILES = 5_000
_COMMAND_FILES_PER_SECOND = 1_250
_LONGEST_SECONDS = 60.0
_NEVER = float("-inf")


class Folder:
    """One folder of a tree on disk: its note files, and their fingerprint."""

    __slots__ = ("files", "mtime_ns", "mtimes", "path", "seen_ns", "sizes", "unreadable")

    def __init__(self, path: str) -> None:
        self.path = path  # relative to the store, "memory/semantic"
        self.mtime_ns = 0
        self.seen_ns = time.time_ns()
        self.files: list[tuple[str, int, int]] = []  # name, size, mtime_ns
        self.unreadable: list[tuple[str, str]] = []  # name, and why it is not read
        self.sizes = 0
        self.mtimes = 0

    @property
    def fingerprint(self) -> tuple[int, int, int, int]:
        """A value that stays equal while the folder is unchanged."""
        return self.mtime_ns, len(self.files) + len(self.unreadable), self.sizes, self.mtimes


def scan(root: str) -> Iterator[Folder]:
    """Every folder of both trees, parents first. Symlinks are not followed, hidden entries are skipped."""
    pending = [*reversed(SCOPE_OF)]
    while pending:
        folder, below = scan_folder(root, pending.pop())
        if folder is not None:
            if folder.path not in _RECORDS or folder.files or folder.unreadable:
                yield folder
            pending += reversed(below)


def scan_folder(root: str, path: str) -> tuple[Folder | None, list[str]]:
    """One folder and the folders below it; None if it cannot be read."""
    folder = Folder(path)
    below: list[str] = []
    absolute = os.path.join(root, path)
    try:
        folder.mtime_ns = os.stat(absolute).st_mtime_ns
        with os.scandir(absolute) as entries:
            for entry in entries:
                if entry.name[0] != ".":
                    _add_entry(folder, below, entry)
    except OSError:
        return None, []
    folder.files.sort()
    folder.sizes &= SUM_MASK
    folder.mtimes &= SUM_MASK
    return folder, sorted(below)


def _add_entry(folder: Folder, below: list[str], entry: os.DirEntry[str]) -> None:
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
        info = entry.stat(follow_symlinks=False)
    except OSError:  # removed meanwhile
        return
    if stat.S_ISREG(info.st_mode):
        folder.files.append((name, info.st_size, info.st_mtime_ns))
        folder.sizes += info.st_size
        folder.mtimes += info.st_mtime_ns
    elif stat.S_ISDIR(info.st_mode):
        below.append(f"{folder.path}/{name}")
    else:
        kind = (
            "a symbolic link, which is not followed" if stat.S_ISLNK(info.st_mode) else "not a regular file"
        )
        folder.unreadable.append((name, f"is {kind}; put the note itself here"))


def _is_text(name: str) -> bool:
    """Whether a name is valid UTF-8; Linux allows any bytes."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def are_unchanged(root: str, known: Mapping[str, int]) -> bool:
    """Whether these folders still have these modification times: no file was added, removed or renamed."""
    return folder_times(root, [*known]) == [*known.values()]


def folder_times(root: str, paths: list[str]) -> list[int]:
    """The modification times of folders; 0 for one that is gone."""
    return [_folder_time(os.path.join(root, path)) for path in paths]


def _folder_time(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


class FullScans:
    """When all files of the store at `home` were last scanned."""

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, FULL_SCAN_NAME)
        self._ended: float | None = None

    def is_due(self, files: int) -> bool:
        """Whether a long-running process should scan this many files now."""
        return files <= _FREE_FILES or self._is_older_than(files / _FILES_PER_SECOND)

    def is_due_for_command(self, files: int) -> bool:
        """Whether a command with one query should scan this many files before it answers."""
        return files <= _COMMAND_FREE_FILES or self._is_older_than(files / _COMMAND_FILES_PER_SECOND)

    def record(self, files: int) -> None:
        """Record that a scan just ended; on disk, unless other processes would scan anyway."""
        self._ended = time.monotonic()
        if files > _FREE_FILES:
            self._write(self._ended)

    def forget(self) -> None:
        """Make this process scan before its next answer."""
        self._ended = _NEVER

    def _is_older_than(self, seconds: float) -> bool:
        if self._ended is None or (self._ended != _NEVER and _is_past(self._ended, seconds)):
            self._ended = self._read()  # another process may have scanned meanwhile
        return self._ended is None or _is_past(self._ended, seconds)

    def _read(self) -> float | None:
        try:
            return float(read_regular(self._path, most=100))
        except (OSError, ValueError):
            return None

    def _write(self, ended: float) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(self._path, flags, 0o600)
        except OSError:
            return  # a read-only store is just scanned more often
        with os.fdopen(descriptor, "w", encoding="ascii") as handle:
            handle.write(f"{ended:.3f}\n")


def _is_past(ended: float, seconds: float) -> bool:
    # All processes share this clock. It restarts with the machine, so a time ahead of it is from before the
    # restart.
    return not 0 <= time.monotonic() - ended < min(seconds, _LONGEST_SECONDS)
