"""Sync compared with plain git on the same repository: no change, one changed note, first clone.

python server/bench/bench_sync.py [SIZE ...]        default sizes: 1000 10000
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from corpus import make_store
from measure import Row, child_cpu, in_turn, median, run_process

_RUNS = 7
_SYNC = (
    "import sys; from anamnesis.sync import GitSyncBackend; "
    "GitSyncBackend(sys.argv[1], remote=sys.argv[2], machine_id='bench').sync()"
)
_NO_CHANGE_BAR = 4.0
_FIRST_BAR = 2.0
_BAR_FROM = 10_000  # notes; with fewer, a sync with nothing new mostly imports modules and starts git


def main(sizes: list[int]) -> int:
    """Print every row for every size."""
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="anamnesis-bench-") as folder:
            for row in _rows(Path(folder), size):
                sys.stdout.write(row.text() + "\n")
                sys.stdout.flush()
    return 0


def _rows(folder: Path, size: int) -> Iterator[Row]:
    remote, home = folder / "remote.git", folder / "store"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    make_store(home, count=size)
    _sync(home, remote)()
    bare = folder / "bare"
    _git(folder, "clone", "-q", str(remote), str(bare))()
    start = median(run_process([sys.executable, "-c", "pass"], env={}), runs=_RUNS)

    look = _all(_git(bare, "fetch", "-q"), _git(bare, "status", "--porcelain"))
    ours, floor = in_turn(_sync(home, remote), look, runs=3 * _RUNS)
    bar = _NO_CHANGE_BAR if size >= _BAR_FROM else None
    yield Row("no-change sync / git fetch + status + start", size, ours, floor + start, bar)

    numbers = count()
    commit = _git(bare, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qam", "edit")
    push = _all(_git(bare, "pull", "-q", "--rebase"), _git(bare, "push", "-q"))
    change = _all(_edit(home / "memory", numbers), _sync(home, remote))
    ours, floor = in_turn(change, _all(_edit(bare, numbers), commit, push), runs=_RUNS)
    yield Row("one-note sync / git commit + pull + push + start", size, ours, floor + start, None)

    homes, clones = count(), count()
    ours, floor = in_turn(
        lambda: _first_sync(folder / f"home-{next(homes)}", remote)(),
        lambda: _clone_and_rebuild(folder / f"clone-{next(clones)}", remote)(),
        runs=3,
        clock=child_cpu,
    )
    yield Row("first sync of a new machine (CPU) / git clone + rebuild", size, ours, floor, _FIRST_BAR)


def _sync(home: Path, remote: Path) -> Callable[[], object]:
    return run_process([sys.executable, "-c", _SYNC, str(home / "memory"), str(remote)], env={})


def _first_sync(home: Path, remote: Path) -> Callable[[], object]:
    (home / "memory").mkdir(parents=True)
    return _anamnesis(home, "sync", ANAMNESIS_GIT_REMOTE=str(remote))


def _clone_and_rebuild(home: Path, remote: Path) -> Callable[[], object]:
    home.mkdir()
    return _all(
        _git(home, "clone", "-q", str(remote), "memory"),
        _anamnesis(home, "reindex"),  # a store without an index is rebuilt
    )


def _anamnesis(home: Path, *words: str, **settings: str) -> Callable[[], object]:
    env = {"ANAMNESIS_HOME": str(home), "HOME": str(home.parent), "ANAMNESIS_MACHINE_ID": home.name}
    return run_process([str(Path(sys.executable).with_name("anamnesis")), *words], env={**env, **settings})


def _git(folder: Path, *order: str) -> Callable[[], object]:
    return run_process(["git", *order], env={}, cwd=str(folder))


def _edit(memory: Path, numbers: Iterator[int]) -> Callable[[], object]:
    note = sorted((memory / "semantic").glob("*.md"))[0]

    def append() -> None:
        with note.open("a", encoding="utf-8") as handle:
            handle.write(f"line {next(numbers)}\n")

    return append


def _all(*steps: Callable[[], object]) -> Callable[[], object]:
    def run() -> None:
        for step in steps:
            step()

    return run


if __name__ == "__main__":
    sys.exit(main([int(size) for size in sys.argv[1:]] or [1000, 10_000]))
