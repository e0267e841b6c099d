"""Files and locks: atomic writes, advisory locks, small JSON files. Knows nothing of notes.

A hook that a person waits for reads files here: `pathlib`, `contextlib` and `threading` would cost it more
than the reading.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    FilePath = str | os.PathLike[str]

TEMP_PREFIX = ".anamnesis-tmp-"
_POLL_SECONDS = 0.01
_SYNCED_AT_ONCE = 16


def write_atomic(path: FilePath, data: bytes, *, mode: int = 0o600, durable: bool = True) -> None:
    """Replace `path` by `data` so that a reader sees the old bytes or the new, and a crash leaves either.

    Unless it is to be `durable`, a power cut may still undo it; `sync_files` makes many files so at once.
    """
    folder = os.path.dirname(os.fspath(path)) or "."
    make_folder(folder)
    temp = os.path.join(folder, f"{TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}")
    descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(data)
            if durable:
                handle.flush()
                os.fsync(handle.fileno())
        os.replace(temp, path)
    finally:
        remove(temp)  # it is still there only if it did not take its place
    if durable:
        sync_folder(folder)


def remove(path: FilePath) -> None:
    """Delete a file; one that is gone already is fine."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def open_private(path: str, flags: int) -> int:
    """An opener for `open`: a new file is readable by its owner alone, no link is followed, no pipe waits."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)


def read_regular(path: FilePath, *, follow: bool = False, most: int | None = None) -> bytes:
    """The bytes of a regular file; OSError for anything else, which could lead away or keep us waiting.

    `follow` allows a link to one. A file of more than `most` bytes is an error too.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    descriptor = os.open(path, flags)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or (most is not None and found.st_size > most):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file, or too long", str(path))
    with os.fdopen(descriptor, "rb") as handle:
        return handle.read()


def read_text(path: FilePath) -> str:
    """The text of a small file; "" when it cannot be read."""
    try:
        return read_regular(path, follow=True).decode("utf-8", "replace")
    except OSError:
        return ""


def is_device(path: FilePath) -> bool:
    """Whether there is a pipe, a socket or a device at `path`: what has no end of its own to read to."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def read_object(path: FilePath, *, most: int | None = None) -> dict[str, object]:
    """The JSON object in the file; {} when it cannot be read as one, or is longer than `most` bytes."""
    try:
        return parse_object(read_regular(path, follow=True, most=most)) or {}
    except (OSError, ValueError):  # ValueError: a path with a NUL byte
        return {}


def parse_object(data: bytes | str) -> dict[str, object] | None:
    """The JSON object that a text is; None when it is not one."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def write_object(path: FilePath, content: Mapping[str, object], *, indent: int | None = None) -> None:
    """Replace `path` by a JSON object; with an `indent` it ends in a newline, for people and for git."""
    text = json.dumps(content, indent=indent)
    write_atomic(path, (text if indent is None else f"{text}\n").encode())


def entries_in(folder: FilePath) -> list[os.DirEntry[str]]:
    """What is in a folder, in no order; nothing when it cannot be read."""
    try:
        with os.scandir(os.fspath(folder)) as entries:
            return list(entries)
    except OSError:
        return []


def make_folder(folder: FilePath) -> None:
    """Create `folder` and its parents, readable only by their owner; an existing folder is left unchanged."""
    if os.path.isdir(folder):
        return
    parent = os.path.dirname(os.path.abspath(folder))
    if parent != os.fspath(folder):
        make_folder(parent)
    try:
        os.mkdir(folder, mode=0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise


def sync_folder(folder: FilePath) -> None:
    """Make a rename or removal inside `folder` survive a power cut, where the file system can."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError:
        return  # the change has happened and everyone sees it: to call it failed now would be wrong
    finally:
        os.close(descriptor)


class Turn:
    """A lock that is held by one who works for long, and lets others have it in between."""

    def __init__(self, descriptor: int) -> None:
        self.was_shared = False
        self._descriptor = descriptor
        self._since = time.monotonic()

    def share(self, *, after: float) -> bool:
        """Let others have the lock if it was held for `after` seconds; whether they could have it."""
        if time.monotonic() - self._since < after:
            return False
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        self._give()
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        self._since = time.monotonic()
        self.was_shared = True
        return True

    def _give(self) -> None:
        time.sleep(_POLL_SECONDS * 3)  # give a waiting process several chances to take it


class turns:  # noqa: N801  # used like a function: `with turns(path, timeout=1) as turn:`
    """Hold an exclusive lock on `path` for the block, in turns with others; None when it could not be had.

    The lock is the kernel's: it ends with the process, so a crash never leaves one behind.
    """

    def __init__(self, path: FilePath, *, timeout: float) -> None:
        self._path = path
        self._timeout = timeout
        self._descriptor = -1

    def __enter__(self) -> Turn | None:
        make_folder(os.path.dirname(os.path.abspath(self._path)))
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            is_mine = _acquire(self._descriptor, deadline=time.monotonic() + self._timeout)
        except (OSError, KeyboardInterrupt):  # the block, and with it __exit__, never starts
            os.close(self._descriptor)
            raise
        return Turn(self._descriptor) if is_mine else None

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)


class lock:  # noqa: N801  # used like a function: `with lock(path, timeout=1) as is_mine:`
    """Hold an exclusive lock on `path` for the block; yields whether it was had within `timeout` seconds."""

    def __init__(self, path: FilePath, *, timeout: float) -> None:
        self._turns = turns(path, timeout=timeout)

    def __enter__(self) -> bool:
        return self._turns.__enter__() is not None

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._turns.__exit__(kind, failure, trace)


def _acquire(descriptor: int, *, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)
        else:
            return True


def sync_files(paths: Sequence[str]) -> None:
    """Make files that were written, and their places in their folders, survive a power cut.

    Several at once: the file system then writes its journal once for all of them. A file that is gone by now
    needs no syncing.
    """
    import threading

    failures: list[OSError] = []
    threads = [
        threading.Thread(target=_sync_each, args=(paths[start::_SYNCED_AT_ONCE], failures))
        for start in range(min(_SYNCED_AT_ONCE, len(paths)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    for folder in {os.path.dirname(path) for path in paths}:
        if os.path.isdir(folder):
            sync_folder(folder)


def _sync_each(paths: Sequence[str], failures: list[OSError]) -> None:
    for path in paths:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue  # it was moved, deleted or replaced since, by someone who saw to it
        try:
            os.fsync(descriptor)
        except OSError as exc:
            failures.append(exc)
        finally:
            os.close(descriptor)
