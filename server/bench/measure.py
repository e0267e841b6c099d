"""Times and sizes, each as a ratio to a floor."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the report: what was measured, its floor, and the bar for their ratio."""

    what: str
    notes: int
    value: float  # seconds, or MiB
    floor: float
    bar: float | None
    unit: str = "ms"

    def text(self) -> str:
        """The line as it is printed."""
        ratio = self.value / self.floor
        verdict = "" if self.bar is None else f"bar {self.bar:<5g} {'ok' if ratio <= self.bar else 'OVER'}"
        value, floor = (1e3 * each if self.unit == "ms" else each for each in (self.value, self.floor))
        return (
            f"{self.what:<46}{self.notes:>8,}  {value:>9.2f} {self.unit}  floor {floor:>9.2f} {self.unit}"
            f"  ratio {ratio:>6.2f}  {verdict}"
        )


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def own_cpu(work: Callable[[], object]) -> float:
    """Processor seconds that one call takes in this process."""
    started = time.process_time()
    work()
    return time.process_time() - started


def median(work: Callable[[], object], *, runs: int) -> float:
    """The median of several runs, which a busy machine affects least."""
    return statistics.median(seconds(work) for _ in range(runs))


def child_cpu(work: Callable[[], object]) -> float:
    """Processor seconds of the programs that one call runs; other load does not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_turn(
    work: Callable[[], object],
    floor: Callable[[], object],
    *,
    runs: int,
    clock: Callable[[Callable[[], object]], float] = seconds,
) -> tuple[float, float]:
    """Both medians, with alternating runs so that load affects both equally."""
    pairs = [(clock(work), clock(floor)) for _ in range(runs)]
    ours, theirs = zip(*pairs, strict=True)
    return statistics.median(ours), statistics.median(theirs)


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder; files that git gc removes meanwhile do not count."""
    # Unlike Path.rglob, os.walk skips a folder that is gone.
    paths = (os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
    total = 0
    for path in paths:
        with suppress(FileNotFoundError):
            total += os.stat(path).st_size
    return total


def quantile(samples: Sequence[float], share: float) -> float:
    """The value that `share` of the samples do not exceed."""
    return sorted(samples)[min(int(len(samples) * share), len(samples) - 1)]


def run_process(
    argv: Sequence[str], *, env: dict[str, str], stdin: bytes = b"", cwd: str | None = None
) -> Callable[[], int]:
    """A call that starts a program, waits for it, and returns its exit status."""
    full = {**os.environ, **env}
    full.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has compiled bytecode

    def _run() -> int:
        return subprocess.run(
            argv, input=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=full, cwd=cwd
        ).returncode

    return _run


# A program's peak includes the process that starts it, so start it from a small one.
_STARTER = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def peak_memory(argv: Sequence[str], *, env: dict[str, str], cwd: str) -> float:
    """Peak memory of a program, or of one that it ran, in MiB."""
    started = [sys.executable, "-I", "-c", _STARTER, *argv]
    said = subprocess.run(
        started, env={**os.environ, **env}, cwd=cwd, capture_output=True, text=True, check=True
    )
    return float(said.stdout)
