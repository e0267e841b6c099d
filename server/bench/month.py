"""A month on three machines that share a remote: size of the history, cost of a sync with nothing new.

python server/bench/month.py [DAYS]        default: 30

The clock is fake: eight sessions a day, most on the desktop, few on the server. A session syncs when it
starts; most write a note when they end, some edit one, and all that are captured sync again.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

from corpus import Words
from measure import Row, in_turn, run_process, size_of

import anamnesis.store
from anamnesis.session.receipts import count_use
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend, SyncResult, cycle, heartbeat

_SESSIONS = 8  # a day, on all machines together
_MACHINES = {"desktop": 4, "laptop": 3, "server": 1}  # the share of each machine
_CAPTURED = 0.8  # of the sessions; the others are too short for a note
_LEARNED, _EDITED = 0.25, 0.15
_TOLD = 5  # notes at the start of a session
_RUNS = 41
_KIB = 1024


class Clock:
    """The time of the simulation, in place of the real one for notes, syncs and heartbeats."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        for module in (anamnesis.store, cycle, heartbeat):
            vars(module)["utcnow"] = self
        vars(heartbeat)["time"] = self

    def __call__(self) -> str:
        return self.now.isoformat(timespec="seconds")

    def time(self) -> float:
        """The same as `time.time` has it."""
        return self.now.timestamp()


@dataclass(frozen=True)
class Desk:
    """One machine."""

    root: Path
    remote: Path

    def sync(self) -> SyncResult:
        """One sync, as a session makes it."""
        name = self.root.name
        backend = GitSyncBackend(
            self.root / "memory", remote=str(self.remote), machine_id=name, heartbeat=True
        )
        result = backend.sync()
        if not result.reached or result.conflicted:
            raise SystemExit(f"{name}: {result.detail}")
        return result


def main(days: int) -> int:
    """Simulate the days and print the result."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-month-") as folder:
        remote = Path(folder) / "remote.git"
        _git(Path(folder), "init", "-q", "--bare", "-b", "main", str(remote))
        desks = [Desk(Path(folder) / name, remote) for name in _MACHINES]
        rows = list(_live(desks, days))
        for line in chain((row.text() for row in rows), _figures(desks[0], remote)):
            sys.stdout.write(line + "\n")
        grown = (rows[-1].value / rows[-1].floor) / (rows[0].value / rows[0].floor)
        sys.stdout.write(f"cost of a sync with nothing new, day {days} / day 1: {grown:.2f}\n")
    return 0


def _live(desks: list[Desk], days: int) -> Iterator[Row]:
    """Every session of every day; a row at the end of the first day and of the last."""
    clock, rng = Clock(), random.Random(11)  # noqa: S311 - for measuring, not for secrets
    words = Words(rng)
    dawn = clock.now
    for day in range(days):
        hours = sorted(rng.uniform(8, 23) for _ in range(_SESSIONS))
        for hour, desk in zip(hours, rng.choices(desks, [*_MACHINES.values()], k=_SESSIONS), strict=True):
            clock.now = dawn + timedelta(days=day, hours=hour)
            _session(desk, clock, words, rng)
        if day in (0, days - 1):
            yield _quiet(desks[0], f"no-change sync on day {day + 1} / git fetch + status")


def _session(desk: Desk, clock: Clock, words: Words, rng: random.Random) -> None:
    desk.sync()
    clock.now += timedelta(minutes=rng.uniform(2, 50))
    if rng.random() > _CAPTURED:
        return
    with MemoryStore(desk.root) as store:
        ids = [note.id for note in store.list(bodies=False)]
        told = rng.sample(ids, min(_TOLD, len(ids)))
        count_use(str(desk.root), desk.root.name, told=told, used=told[:1])
        _write(store, desk, "episodic", words.draw(120))
        if rng.random() < _LEARNED:
            _write(store, desk, "semantic", words.draw(60))
        edited = store.get(told[0]) if told and rng.random() < _EDITED else None
        if edited:
            store.update(edited.id, body=f"{edited.body}\n\n{' '.join(words.draw(30))}")
    desk.sync()


def _write(store: MemoryStore, desk: Desk, kind: str, text: list[str]) -> None:
    store.write(
        type=kind,
        title=" ".join(text[:5]).capitalize(),
        body="\n\n".join(" ".join(text[at : at + 40]) for at in range(0, len(text), 40)),
        machine_id=desk.root.name,
    )


def _quiet(desk: Desk, what: str) -> Row:
    """A sync with nothing to do, compared with plain git in a clone."""
    desk.sync()
    bare = desk.root.parent / f"bare-{len(list(desk.root.parent.iterdir()))}"
    _git(desk.root.parent, "clone", "-q", str(desk.remote), str(bare))
    look = [
        run_process(["git", *order], env={}, cwd=str(bare))
        for order in (["fetch", "-q"], ["status", "--porcelain"])
    ]
    before = _git(desk.remote, "rev-parse", "main")
    ours, floor = in_turn(desk.sync, lambda: [each() for each in look], runs=_RUNS)
    if _git(desk.remote, "rev-parse", "main") != before:
        raise SystemExit("a sync measured as having nothing new pushed something")
    return Row(what, sum(1 for _ in (desk.root / "memory").rglob("*.md")), ours, floor, None)


def _figures(desk: Desk, remote: Path) -> Iterator[str]:
    subjects = _git(remote, "log", "--format=%s", "main").splitlines()
    alone = sum(subject.endswith(": heartbeat") for subject in subjects)
    notes = list((desk.root / "memory").rglob("*.md"))
    yield f"notes: {len(notes)}, {sum(path.stat().st_size for path in notes) // _KIB} KiB"
    yield f"commits: {len(subjects)}, of which only heartbeats: {alone} ({alone / len(subjects):.1%})"
    pushed = _size(remote / "objects")
    _git(remote, "gc", "-q", "--prune=now")
    yield f"repository at the remote: {pushed} KiB as pushed, {_size(remote / 'objects')} KiB after git gc"
    yield f"repository on the desktop: {_size(desk.root / 'memory/.git')} KiB"


def _size(folder: Path) -> int:
    return size_of(folder) // _KIB


def _git(folder: Path, *order: str) -> str:
    return subprocess.run(["git", *order], cwd=folder, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 30))
