"""A transcript file as a stream: its lines one at a time, or its end. Nothing here raises for a bad file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

RAW_LIMIT = 16_000_000
_MAX_LINE = 32_000_000


def read_lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The lines of a regular file, without those above 32 MB; no lines for anything else."""
    handle = _open(path)
    if handle is None:
        return
    with handle:
        try:
            while line := handle.readline(_MAX_LINE):
                if len(line) < _MAX_LINE or line.endswith(b"\n"):
                    yield line
                else:
                    _skip_rest(handle)
        except OSError:
            return


def read_end(path: str | os.PathLike[str]) -> str:
    """The text of a file, or its last lines when it is above 16 MB; "" when it cannot be read."""
    handle = _open(path)
    if handle is None:
        return ""
    with handle:
        try:
            size = os.fstat(handle.fileno()).st_size
            if size > RAW_LIMIT:
                handle.seek(size - RAW_LIMIT)
                handle.readline(RAW_LIMIT)
            return handle.read(RAW_LIMIT).decode("utf-8", "replace")
        except OSError:
            return ""


def _open(path: str | os.PathLike[str]) -> BufferedReader | None:
    try:
        # Non-blocking: opening a pipe would wait for a writer.
        descriptor = os.open(Path(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    return os.fdopen(descriptor, "rb")


def _skip_rest(handle: BufferedReader) -> None:
    while rest := handle.readline(_MAX_LINE):
        if rest.endswith(b"\n"):
            return
