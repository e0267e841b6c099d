"""Remember that a tree was found unchanged, so that a large one is not walked for every `status`.

An added, removed, renamed or atomically replaced file changes the time of its folder and is seen at once. An
edit in place shows only in the file itself, so all files are checked from time to time, as the index does.
A sync never asks here.
"""

from __future__ import annotations

import json
import os
import time

from anamnesis.files import read_object
from anamnesis.sync.repo import Repo
from anamnesis.sync.state import file_stamp

_NAME = "clean.json"
_FREE_BYTES = 500_000  # of git's index, about 5,000 files: up to that size every file is checked every time
_BYTES_PER_SECOND = 125_000  # 10,000 files are checked every 8 seconds
_LONGEST_SECONDS = 60.0


class CleanTree:
    """What is remembered of the tree of a store whose branch is at `head`."""

    def __init__(self, repo: Repo, head: str | None) -> None:
        self._path = repo.own / _NAME
        self._root = str(repo.folder)
        self._index = file_stamp(repo.git.dir / "index")
        self._head = head
        self._folders: dict[str, int] = {}

    @property
    def is_known(self) -> bool:
        """Whether the tree was found unchanged a short while ago and shows no sign of a change since."""
        if not self._is_large():
            return False
        found = read_object(self._path)
        folders, ended = found.get("folders"), found.get("ended")
        return (
            (found.get("head"), found.get("index")) == (self._head, self._index)
            and isinstance(folders, dict)
            and isinstance(ended, float)
            # All processes share this clock, which starts again with the machine.
            and 0 <= time.monotonic() - ended < min(self._index[1] / _BYTES_PER_SECOND, _LONGEST_SECONDS)
            and all(_time(self._root, folder) == known for folder, known in folders.items())
        )

    def start(self) -> None:
        """Record the times of all folders, before the files are checked."""
        self._folders = _folder_times(self._root) if self._is_large() else {}

    def end(self, *, is_clean: bool) -> None:
        """Remember that the scan found no changes, if it found none."""
        if not is_clean or not self._folders:
            return
        content = {
            "head": self._head,
            "index": self._index,
            "folders": self._folders,
            "ended": time.monotonic(),
        }
        self._write(json.dumps(content))

    def _write(self, text: str) -> None:
        # In place: a new file would signal a state change to anyone watching this folder.
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(self._path, flags, 0o600)
        except OSError:
            return  # a store that cannot be written to is checked every time
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            handle.write(text)

    def _is_large(self) -> bool:
        return bool(self._index) and self._index[1] > _FREE_BYTES


def _folder_times(root: str) -> dict[str, int]:
    """The time of every folder of the tree, by its path in it."""
    found: dict[str, int] = {}
    pending = [""]
    while pending:
        folder = pending.pop()
        found[folder] = _time(root, folder)
        with os.scandir(f"{root}/{folder}") as entries:
            pending += [
                f"{folder}/{entry.name}"
                for entry in entries
                if entry.is_dir(follow_symlinks=False) and entry.name != ".git"
            ]
    return found


def _time(root: str, folder: str) -> int:
    try:
        return os.stat(f"{root}{folder}").st_mtime_ns
    except OSError:
        return -1
