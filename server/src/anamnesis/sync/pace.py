"""Writing the files of a landing: durable in the end, and in turns with others who write notes."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

from anamnesis.files import TEMP_PREFIX, Turn, make_folder, sync_files, write_atomic
from anamnesis.sync.repo import Repo
from anamnesis.sync.state import Write
from anamnesis.text import Progress

MANY = 50  # beyond this many files it is quicker to fsync them together at the end
_SYNCED_TOGETHER = 500
_TURN_SECONDS = 0.25  # how long others wait at most for the write lock while many files land
_NAME_REFUSED = frozenset((errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL))  # by this file system


class Pace:
    """Shares the write lock while many files land; once shared, checks each file again before its write."""

    def __init__(self, check: Callable[[list[Write]], None], turn: Turn | None) -> None:
        self._check = check
        self._turn = turn
        self._was_shared = False

    def step(self, write: Write | None = None) -> None:
        """Let others write if they have waited for a while; TreeChanged if they changed the next file."""
        if self._turn is not None and self._turn.share(after=_TURN_SECONDS):
            self._was_shared = True
        if self._was_shared and write is not None:
            self._check([write])


def write_files(
    repo: Repo, writes: list[Write], pace: Pace, *, progress: Progress | None = None
) -> frozenset[str]:
    """Write blobs to files; returns the paths that this file system refuses."""
    refused: set[str] = set()
    many = len(writes) > MANY
    contents = repo.git.blobs(write.after or "" for write in writes)
    for done, (write, (_, data)) in enumerate(zip(writes, contents, strict=True), 1):
        pace.step(write)
        try:
            if many:
                _write_unsynced(repo, f"{repo.folder}/{write.path}", data)
            else:
                write_atomic(repo.folder / write.path, data)
        except OSError as exc:
            if exc.errno not in _NAME_REFUSED:
                raise
            refused.add(write.path)
        if progress is not None:
            progress(done, len(writes))
    if many:
        paths = [f"{repo.folder}/{write.path}" for write in writes if write.path not in refused]
        for start in range(0, len(paths), _SYNCED_TOGETHER):
            sync_files(paths[start : start + _SYNCED_TOGETHER])
            pace.step()
    return frozenset(refused)


def _write_unsynced(repo: Repo, path: str, data: bytes) -> None:
    """An atomic write; the caller makes it durable."""
    temp = f"{repo.own}/{TEMP_PREFIX}{os.getpid()}"
    descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as handle:
        handle.write(data)
    try:
        os.replace(temp, path)
    except FileNotFoundError:
        make_folder(Path(path).parent)
        os.replace(temp, path)
