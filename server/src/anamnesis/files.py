"""Files and locks: atomic writes, advisory locks. Knows nothing of notes."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

TEMP_PREFIX = ".anamnesis-tmp-"


def write_atomic(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Replace `path` by `data` so that a reader sees the old bytes or the new, and a crash leaves either."""
    make_folder(path.parent)
    temp = path.parent / f"{TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}"
    descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(temp, path)
    finally:
        temp.unlink(missing_ok=True)  # it is still there only if it did not take its place
    sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Create `folder` and its parents, readable by their owner alone; an existing one is left as it is."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """Make a rename or removal inside `folder` survive a power cut, where the file system can."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # The change has happened and everyone sees it: to call it failed now would be wrong.
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def lock(path: Path, *, timeout: float) -> Iterator[bool]:
    """Hold an exclusive lock on `path` for the block; yields whether it was had within `timeout` seconds.

    The lock is the kernel's: it ends with the process, so a crash never leaves one behind.
    """
    make_folder(path.parent)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield _acquire(descriptor, deadline=time.monotonic() + timeout)
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, *, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.01)
        else:
            return True
