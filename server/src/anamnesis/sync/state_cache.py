"""A cache of the sync state of an unchanged store, valid until a file that it depends on changes.

Running git takes longer than the rest of `status`. Instead we compare sizes, times and inodes of the
repository's references and small files, and of every file in the tree. In a large tree we compare only the
folders, and run git from time to time anyway, because an edit in place shows only in the file. Imports
little, because `status` waits for it. A sync never reads this cache.
"""

from __future__ import annotations

import json
import os
import time
import zlib

from anamnesis.files import entries_in, read_object
from anamnesis.layout import ALLOWED_NAME, OWN_FOLDER, SHARED_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Facts = dict[str, Any]  # the fields of a SyncState, whose module is not loaded here

NOT_INITIALIZED = "not initialized; the first sync does it"
NO_GIT = "git was not found on the PATH: nothing is committed or sent; install git 2.30 or newer"
# The fields of a SyncState with their defaults, for a store that was never synced.
NEVER_SYNCED: Facts = {
    **dict.fromkeys(("initialized", "dirty", "late_push", "late_commit"), False),
    **dict.fromkeys(("remote", "head", "unpushed_since", "uncommitted_since", "last_sync")),
    **dict.fromkeys(("ahead", "behind"), 0),
    **dict.fromkeys(("failure", "failure_text"), ""),
    **dict.fromkeys(("held", "held_names", "left_out", "waiting"), ()),
    "detail": NOT_INITIALIZED,
}

_NAME = "remembered.json"
FORM = 1  # version of the file; increased when a SyncState gets other fields
_SETTLED_NS = 100_000_000  # a file that changed this recently may change again within one clock tick
LARGE_BYTES = 500_000  # of git's index, about 5,000 files; up to that size, every file is compared
_BYTES_PER_SECOND = 125_000  # git runs every 8 seconds for 10,000 files
_LONGEST_SECONDS = 60.0


class StateCache:
    """The cached sync state of the store with this `memory_dir` and `remote`."""

    def __init__(self, memory_dir: str, remote: str | None) -> None:
        self._tree = memory_dir
        self._git = os.path.join(memory_dir, ".git")
        self._path = os.path.join(self._git, OWN_FOLDER, _NAME)
        # Not the address itself, which may contain a password.
        self._remote = zlib.crc32(remote.encode("utf-8", "surrogatepass")) if remote else None
        self._before: dict[str, object] = {}
        self._folders: list[str] = []

    def facts(self) -> Facts | None:
        """The cached state, if it is still valid."""
        stored = read_object(self._path)
        facts, since, until = stored.get("facts"), stored.get("since"), stored.get("until")
        if not isinstance(facts, dict) or not isinstance(since, float) or not isinstance(until, float):
            return None
        is_large = index_bytes(self._git) > LARGE_BYTES
        if not since <= time.time() < until or (is_large and not self._is_recent(stored)):
            return None
        folders = stored.get("folders") if is_large else None
        if not isinstance(folders, list) or not all(isinstance(path, str) for path in folders):
            folders = None
        return facts if stored.get("follows_from") == self._now(folders) else None

    def start(self) -> None:
        """Record the files that the state depends on, before it is read."""
        is_large = index_bytes(self._git) > LARGE_BYTES
        self._folders = list(_walk(self._tree, folders_only=True)) if is_large else []
        self._before = self._now(self._folders or None)

    def end(self, facts: Facts, *, until: float) -> None:
        """Cache a state that stays valid until `until`; not if a file has changed just now."""
        newest = self._before.get("newest")
        if not isinstance(newest, int) or newest > time.time_ns() - _SETTLED_NS:
            return
        content = {
            "facts": facts,
            "since": time.time(),
            "until": until,
            "ended": time.monotonic(),
            "follows_from": self._before,
            "folders": self._folders,
        }
        # Written in place: a new file would signal a change to anyone who watches this folder.
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(self._path, flags, 0o600)
        except OSError:
            return  # in a read-only store nothing is cached
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            handle.write(json.dumps(content))

    def _is_recent(self, stored: dict[str, object]) -> bool:
        ended = stored.get("ended")
        # All processes share this clock, which restarts with the machine.
        age = time.monotonic() - ended if isinstance(ended, float) else -1.0
        return 0 <= age < min(index_bytes(self._git) / _BYTES_PER_SECOND, _LONGEST_SECONDS)

    def _now(self, folders: list[str] | None) -> dict[str, object]:
        """Everything that the state depends on, as JSON values.

        In a large tree, `folders` are enough: a new file changes the time of its folder.
        """
        sums, newest = _summed((*self._small_files(), *(folders or _walk(self._tree))))
        return {"form": FORM, "remote": self._remote, "sums": sums, "newest": newest}

    def _small_files(self) -> Iterator[str]:
        """References, git's own files next to them, and sync's small files; not the objects."""
        root = os.path.dirname(self._tree)
        yield from (os.path.join(root, name) for name in (SHARED_NAME, ALLOWED_NAME))
        yield from _files_in(self._git)
        yield from (path for path in _files_in(os.path.dirname(self._path)) if path != self._path)
        yield from _walk(os.path.join(self._git, "refs"))


def index_bytes(git_dir: str | os.PathLike[str]) -> int:
    """The size of git's index, which grows with the number of files; 0 if there is none."""
    try:
        return os.stat(os.path.join(git_dir, "index")).st_size
    except OSError:
        return 0


def _summed(paths: Iterable[str]) -> tuple[list[int], int]:
    """The number of files, the sums of their sizes, times and inodes; and the time of the last change."""
    sums, newest = [0, 0, 0, 0, 0], 0
    for path in paths:
        try:
            info = os.lstat(path)
        except OSError:
            continue  # a missing one counts as nothing
        parts = (1, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)
        sums = [one + other for one, other in zip(sums, parts, strict=True)]
        newest = max(newest, info.st_mtime_ns, info.st_ctime_ns)
    return sums, newest


def _walk(folder: str, *, folders_only: bool = False) -> Iterator[str]:
    """A folder and everything below it, except a repository and unreadable folders."""
    pending = [folder]
    while pending:
        folder = pending.pop()
        yield folder
        for entry in entries_in(folder):
            if entry.is_dir(follow_symlinks=False):
                if entry.name != ".git":
                    pending.append(entry.path)
            elif not folders_only:
                yield entry.path


def _files_in(folder: str) -> Iterator[str]:
    return (entry.path for entry in entries_in(folder) if not entry.is_dir(follow_symlinks=False))
