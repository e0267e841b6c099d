"""Writing many files at once: durable, and without keeping others from writing in the meantime."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from anamnesis.files import TEMP_PREFIX, Turn, make_folder, sync_folder, write_atomic
from anamnesis.sync.memo import Write
from anamnesis.sync.repo import Repo
from anamnesis.text import Progress

MANY = 50  # beyond so many files it is quicker to sync them together in the end
_SYNCED_TOGETHER = 500
_SYNCED_AT_ONCE = 16
_TURN_SECONDS = 0.25  # how long others wait at most for the write lock while many files are landing
_NAME_NOT_TAKEN = frozenset((errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL))  # by this file system


class Pace:
    """Shares the write lock while many files land; from then on each file is looked at again before."""

    def __init__(self, check: Callable[[list[Write]], None], turn: Turn | None) -> None:
        self._check = check
        self._turn = turn
        self._was_shared = False

    def step(self, write: Write | None = None) -> None:
        """Let others write if they have waited for a while; TreeChanged if they changed what comes next."""
        if self._turn is not None and self._turn.share(after=_TURN_SECONDS):
            self._was_shared = True
        if self._was_shared and write is not None:
            self._check([write])


def write_files(
    repo: Repo, writes: list[Write], pace: Pace, *, progress: Progress | None = None
) -> frozenset[str]:
    """Write blobs to files; the paths that this file system does not take."""
    not_taken: set[str] = set()
    many = len(writes) > MANY
    contents = repo.git.blobs(write.after or "" for write in writes)
    for done, (write, (_, data)) in enumerate(zip(writes, contents, strict=True), 1):
        pace.step(write)
        try:
            if many:
                _write_soon(repo, f"{repo.folder}/{write.path}", data)
            else:
                write_atomic(repo.folder / write.path, data)
        except OSError as exc:
            if exc.errno not in _NAME_NOT_TAKEN:
                raise
            not_taken.add(write.path)
        if progress is not None:
            progress(done, len(writes))
    if many:
        paths = [f"{repo.folder}/{write.path}" for write in writes if write.path not in not_taken]
        for start in range(0, len(paths), _SYNCED_TOGETHER):
            _sync_files(paths[start : start + _SYNCED_TOGETHER])
            pace.step()
    return frozenset(not_taken)


def _write_soon(repo: Repo, path: str, data: bytes) -> None:
    """An atomic write whose durability the caller sees to."""
    temp = f"{repo.own}/{TEMP_PREFIX}{os.getpid()}"
    descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as handle:
        handle.write(data)
    try:
        os.replace(temp, path)
    except FileNotFoundError:
        make_folder(Path(path).parent)
        os.replace(temp, path)


def _sync_files(paths: Sequence[str]) -> None:
    """Make files that were written, and their places in their folders, survive a power cut.

    Several at once: the file system then writes its journal once for all of them. A file that is gone by now
    needs no syncing.
    """
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
