"""Files and locks: atomic writes, advisory locks, small JSON files. Knows nothing about notes."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

FilePath = str | os.PathLike[str]

TEMP_PREFIX = ".anamnesis-tmp-"
_POLL_SECONDS = 0.01
_SYNCED_AT_ONCE = 16
_FLUSH_DISK_FROM = 1000  # files; below that, fsyncing each one is fast enough


def write_atomic(path: FilePath, data: bytes, *, mode: int = 0o600, durable: bool = True) -> None:
    """Replace the content of `path` atomically: a reader or a crash sees the old bytes or the new.

    Unless `durable`, a power cut may still undo it; `sync_files` makes many files durable at once.
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
        remove(temp)  # it still exists only if the rename failed
    if durable:
        sync_folder(folder)


def remove(path: FilePath) -> None:
    """Delete a file, if it exists."""
    with suppress(FileNotFoundError):
        os.unlink(path)


def open_private(path: str, flags: int) -> int:
    """An opener for `open`: a new file is private, a symlink is not followed, a pipe does not block."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)


def append_line(path: str, line: bytes, *, most: int) -> bool:
    """Append a line to a regular file without waiting; False if the file would grow beyond `most` bytes."""
    descriptor = open_private(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        state = os.fstat(descriptor)
        if state.st_size + len(line) > most:
            return False
        if stat.S_ISREG(state.st_mode):
            os.write(descriptor, line)
        return True
    finally:
        os.close(descriptor)


def read_regular(path: FilePath, *, follow: bool = False, most: int | None = None) -> bytes:
    """The bytes of a regular file; OSError for anything else: a symlink leads elsewhere, a pipe may block.

    `follow` allows a symlink to one. A file of more than `most` bytes is an error too.
    """
    return read_with_status(path, follow=follow, most=most)[0]


def read_with_status(
    path: FilePath, *, follow: bool = False, most: int | None = None
) -> tuple[bytes, os.stat_result]:
    """The bytes of a regular file as `read_regular` reads them, and its status before they were read."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    descriptor = os.open(path, flags)
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode) or (most is not None and info.st_size > most):
            raise OSError(errno.EINVAL, "not a regular file, or too long", str(path))
        parts: list[bytes] = []
        while part := os.read(descriptor, info.st_size + 1):
            parts.append(part)
        return b"".join(parts), info
    finally:
        os.close(descriptor)


def read_text(path: FilePath) -> str:
    """The text of a small file; "" if it cannot be read."""
    try:
        return read_regular(path, follow=True).decode("utf-8", "replace")
    except OSError:
        return ""


def read_object(path: FilePath, *, most: int | None = None) -> dict[str, object]:
    """The JSON object in the file; {} if it is not one, or is longer than `most` bytes."""
    try:
        return parse_object(read_regular(path, follow=True, most=most)) or {}
    except (OSError, ValueError):  # ValueError: a path with a NUL byte
        return {}


def parse_object(data: bytes | str) -> dict[str, object] | None:
    """Parse a JSON object; None if the text is not one."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def write_object(path: FilePath, content: Mapping[str, object], *, indent: int | None = None) -> None:
    """Write a JSON object to `path`; with an `indent` it ends in a newline, for people and for git."""
    text = json.dumps(content, indent=indent)
    write_atomic(path, (text if indent is None else f"{text}\n").encode())


def entries_in(folder: FilePath) -> list[os.DirEntry[str]]:
    """The entries of a folder, in no order; none if it cannot be read."""
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
    """Make a rename or removal inside `folder` survive a power cut, if the file system supports it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError:
        return  # the change is done and visible; reporting a failure now would be wrong
    finally:
        os.close(descriptor)


@contextmanager
def lock(path: FilePath, *, timeout: float) -> Iterator[bool]:
    """Hold an exclusive lock on `path` for the block; yields whether we got it within `timeout` seconds.

    It is a kernel lock: it ends with the process, so a crash never leaves one behind.
    """
    make_folder(os.path.dirname(os.path.abspath(path)))
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
            time.sleep(_POLL_SECONDS)
        else:
            return True


def sync_files(paths: Sequence[str]) -> None:
    """Make files and their folders survive a power cut.

    Very many files are flushed with all else on their disk: for 10,000 notes that takes a tenth of the time.
    Fewer are fsynced in parallel, so that the file system commits its journal once for several of them; what
    other programs write does not delay that. Files that no longer exist are skipped.
    """
    if len(paths) >= _FLUSH_DISK_FROM and not _in_threads(_flush_disks, [paths]):
        return
    count = min(_SYNCED_AT_ONCE, len(paths))
    failures = _in_threads(_sync_each, [paths[start::count] for start in range(count)])
    if failures:
        raise failures[0]
    for folder in {os.path.dirname(path) for path in paths}:
        if os.path.isdir(folder):
            sync_folder(folder)


def _in_threads(flush: Callable[[Sequence[str]], None], parts: list[Sequence[str]]) -> list[BaseException]:
    """Call `flush` for all parts at the same time; returns what failed."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max(1, len(parts))) as pool:
        started = [pool.submit(flush, part) for part in parts]
    return [failure for future in started if (failure := future.exception())]


def _flush_disks(paths: Sequence[str]) -> None:
    """Flush the file systems of `paths`; OSError where that is not possible."""
    import ctypes

    flush = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if flush is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    folders = {os.stat(folder).st_dev: folder for folder in {os.path.dirname(path) for path in paths}}
    for folder in folders.values():
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if flush(descriptor):
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        finally:
            os.close(descriptor)


def _sync_each(paths: Sequence[str]) -> None:
    for path in paths:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue  # moved, deleted or replaced since, by code that syncs its own changes
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
