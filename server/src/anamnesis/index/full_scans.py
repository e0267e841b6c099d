"""When to scan every file for an edit in place; all processes on this machine share one record of it.

Folder times, a few stat calls, show which files were added, removed or renamed. An edit in place shows only
in the file itself. Scanning all files costs nothing in a small store and a third of a second at 100,000
notes, so a large store is scanned from time to time, by whichever process asks first.
"""

from __future__ import annotations

import os
import time

from anamnesis.layout import FULL_SCAN_NAME

_FREE_FILES = 1_000  # so few are scanned before every answer
_FILES_PER_SECOND = 5_000  # a long-lived process scans 100,000 files every 20 seconds
_COMMAND_FREE_FILES = 5_000
_COMMAND_FILES_PER_SECOND = 1_250
_LONGEST_SECONDS = 60.0
_NEVER = float("-inf")


class FullScans:
    """The time of the last scan of all files of the store at `home`."""

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, FULL_SCAN_NAME)
        self._ended: float | None = None

    def is_due(self, files: int) -> bool:
        """Whether a process that answers many questions should scan so many files now."""
        return files <= _FREE_FILES or self._is_older_than(files / _FILES_PER_SECOND)

    def is_due_for_command(self, files: int) -> bool:
        """Whether a command that asks one question should scan so many files before it answers."""
        return files <= _COMMAND_FREE_FILES or self._is_older_than(files / _COMMAND_FILES_PER_SECOND)

    def record(self, files: int) -> None:
        """Record that a scan just ended, on disk unless other processes would scan anyway."""
        self._ended = time.monotonic()
        if files > _FREE_FILES:
            self._write(self._ended)

    def forget(self) -> None:
        """Make this process scan before its next answer."""
        self._ended = _NEVER

    def _is_older_than(self, seconds: float) -> bool:
        if self._ended is None or (self._ended != _NEVER and _is_past(self._ended, seconds)):
            self._ended = self._read()  # another process may have scanned since
        return self._ended is None or _is_past(self._ended, seconds)

    def _read(self) -> float | None:
        try:
            with open(self._path, encoding="ascii") as handle:
                return float(handle.read(100))
        except (OSError, ValueError):
            return None

    def _write(self, ended: float) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(self._path, flags, 0o600)
        except OSError:
            return  # a read-only store is scanned more often
        with os.fdopen(descriptor, "w", encoding="ascii") as handle:
            handle.write(f"{ended:.3f}\n")


def _is_past(ended: float, seconds: float) -> bool:
    # All processes share this clock, which restarts with the machine: a time ahead of it is from before.
    return not 0 <= time.monotonic() - ended < min(seconds, _LONGEST_SECONDS)
