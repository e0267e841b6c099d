"""Scans a large tree without reading every file: only what differed last time and what was written since.

A long-running process asks the index of notes which files were written, and compares only those with git's
index. A removed file, or an old one moved in, does not show in a file's time but changes the number of files;
then the whole tree is scanned. It is also scanned after an hour, for changes that neither shows: a file that
is not a note, or an older git index that someone restored.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import NamedTuple

from anamnesis.layout import RECORD_FOLDERS
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import Since, Touched
from anamnesis.sync.worktree import Scan, WorkTree

_LARGE_BYTES = 500_000  # of git's index, about 5,000 files: in a smaller tree a scan costs little
_LONGEST_SECONDS = 3600.0
_MOST = 100  # files to compare; beyond that a scan is quicker
_SKEW_NS = 60 * 10**9  # by which the clocks of files and of this process may differ


class _Last(NamedTuple):
    paths: tuple[str, ...]
    moment_ns: int
    monotonic: float


class QuickScan:
    """What differed at the last scan of one tree."""

    def __init__(self) -> None:
        self._last: _Last | None = None

    def start(self) -> _Last:
        """When a scan starts; pass it to `remember` with the result."""
        return _Last((), time.time_ns(), time.monotonic())

    def remember(self, scan: Scan, started: _Last) -> None:
        """Keep the result of a scan; one with files that cannot travel is not kept."""
        self._last = None if scan.left_out else started._replace(paths=tuple(scan.paths))

    def is_ready(self, repo: Repo) -> bool:
        """Whether the last scan can be continued."""
        return self._last is not None and _is_usable(self._last) and _is_large(repo)

    def scan(self, repo: Repo, tree: WorkTree, since: Since) -> Scan | None:
        """What differs now; None when all files have to be scanned."""
        last = self._last
        if last is None or not self.is_ready(repo):
            return None
        touched = since(last.moment_ns - _SKEW_NS)
        wanted = {*last.paths, *touched.paths, *_present_records(repo)}
        if len(wanted) > _MOST or not all(map(str.isascii, wanted)):
            return None
        known = _tracked_objects(repo, wanted)
        compared = {path: (known.get(path), tree.hash(path)) for path in {*wanted, *known}}
        if not _adds_up(compared, touched, _count_tracked(repo)):
            return None
        changed = {path: old is None for path, (old, new) in sorted(compared.items()) if old != new}
        return tree.scan(only=changed) if changed else Scan()


def _is_usable(last: _Last) -> bool:
    """Whether the scan is under an hour old and the clock was not set since, which file times depend on."""
    elapsed, by_clock = time.monotonic() - last.monotonic, (time.time_ns() - last.moment_ns) / 1e9
    return elapsed < _LONGEST_SECONDS and abs(elapsed - by_clock) < _SKEW_NS / 2e9


def _is_large(repo: Repo) -> bool:
    try:
        return os.stat(repo.git.dir / "index").st_size > _LARGE_BYTES
    except OSError:
        return False


def _present_records(repo: Repo) -> Iterable[str]:
    """The paths of our records: they travel with the notes but are not in the index of notes."""
    for folder in RECORD_FOLDERS:
        try:
            yield from (f"{folder}/{name}" for name in os.listdir(repo.folder / folder) if name[0] != ".")
        except OSError:
            continue


def _tracked_objects(repo: Repo, paths: Iterable[str]) -> dict[str, str]:
    """The objects that git's index has for these paths and for all our records."""
    places = [f":(literal){path}" for path in (*paths, *RECORD_FOLDERS)]
    rows = repo.git.run("ls-files", "-s", "-z", "--", *places).decode("utf-8", "surrogateescape").split("\0")
    return {path: entry.split()[1] for entry, _, path in (row.partition("\t") for row in rows) if path}


def _count_tracked(repo: Repo) -> int:
    """How many files git's index has, as its header says: signature, version, number."""
    with open(repo.git.dir / "index", "rb") as handle:
        return int.from_bytes(handle.read(12)[8:], "big")


def _adds_up(compared: dict[str, tuple[str | None, str | None]], touched: Touched, tracked: int) -> bool:
    """Whether the number of notes is what git's index and the compared files lead to expect."""
    notes = [states for path, states in compared.items() if path.endswith(".md")]
    records = sum(old is not None for path, (old, _) in compared.items() if not path.endswith(".md"))
    new = sum(old is None and now is not None for old, now in notes)
    gone = sum(old is not None and now is None for old, now in notes)
    return touched.notes == tracked - records + new - gone
