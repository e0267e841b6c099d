"""`make weather`: the fault suite as one table: each fault, how often it was tried, survived, what was lost.

python server/tools/weather.py [--quick] [WORD ...]      only the faults whose name contains one of the words

Each row is a group of tests. A test reports how often it caused its fault and how many acknowledged texts
were lost (`record_property`); one that reports nothing counts once. --quick kills only at some steps.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

_SERVER = Path(__file__).resolve().parents[1]
_CALLS = "test_system_calls.py"


@dataclass(frozen=True, slots=True)
class Group:
    """One fault and the tests that cause it: their files, and words in their names."""

    fault: str
    files: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Count:
    """How a fault was survived. `failed` counts tests that do not report what was lost."""

    tried: int = 0
    survived: int = 0
    lost: int = 0
    failed: int = 0
    skipped: int = 0
    reason: str = ""

    def __add__(self, other: Count) -> Count:
        return Count(
            self.tried + other.tried,
            self.survived + other.survived,
            self.lost + other.lost,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.reason or other.reason,
        )

    @property
    def is_good(self) -> bool:
        """Whether every try was survived and nothing was lost."""
        return self.survived == self.tried and not self.lost and not self.failed


GROUPS = (
    Group("killed at a modifying system call", (_CALLS,), ("kill",)),
    Group("killed at a step of a sync", ("test_sync_crash.py",), ("kill", "interrupted")),
    Group("a damaged or odd repository", ("test_sync_rebuild.py",)),
    Group("killed at a step of a purge", ("test_purge_crash.py",)),
    Group(
        "killed at a step of a write, or at random",
        ("test_store_faults.py",),
        ("killed_change", "random_kills"),
    ),
    Group("EIO from a system call", (_CALLS,), ("EIO",)),
    Group("ENOSPC from a system call", (_CALLS,), ("ENOSPC",)),
    Group("a full disk (small tmpfs)", ("test_full_disk.py",)),
    Group("a read-only store", ("cli/test_bad_input.py",), ("read_only",)),
    Group("a wrong clock", ("test_wrong_clock.py",)),
    Group("a remote that hangs or is gone", ("test_sync_faults.py",), ("offline", "never_answers")),
    Group("a remote that fails", ("test_sync_failures.py",)),
    Group(
        "a hostile remote",
        ("test_sync_faults.py",),
        ("hostile", "from_the_remote", "leave_the_tree", "refus"),
    ),
    Group("random actions on several machines, slow remotes", ("test_sync_machines.py",)),
    Group("concurrent writers (4, 24 processes)", ("test_store_faults.py",), ("concurrent_writers",)),
    Group("many syncs at once", ("test_sync_crash.py",), ("simultaneous", "same_moment", "while_syncs_run")),
    Group("200 broken files among 10,000", ("test_store_faults.py",), ("two_hundred_broken",)),
)


def main(argv: Sequence[str]) -> int:
    """Run the groups and print the table; return 1 if something was lost or not survived."""
    quick, words = "--quick" in argv, [word for word in argv if not word.startswith("-")]
    groups = [group for group in GROUPS if not words or any(word in group.fault for word in words)]
    _say(f"{'fault':<50}{'tried':>7}{'survived':>10}{'lost':>6}")
    whole = Count()
    for group in groups:
        count = _run(group, quick=quick)
        _say(line(group.fault, count))
        whole += count
    _say(line("all", whole))
    return 0 if whole.is_good else 1


def line(fault: str, count: Count) -> str:
    """One row of the table."""
    if not count.tried:
        return f"{fault:<50}{'not tried':>23}  {count.reason or 'no test of this name'}"
    told = f"{fault:<50}{count.tried:>7,}{count.survived:>10,}{count.lost:>6,}"
    failed = f"{count.failed} failed, see the log" if count.failed else ""
    skipped = f"{count.skipped} skipped: {count.reason}" if count.skipped else ""
    return "  ".join(filter(None, (told, failed, skipped)))


def counted(report: ElementTree.Element) -> Count:
    """The sum over the test cases of a JUnit report."""
    return sum(map(_case, report.iter("testcase")), Count())


def _case(case: ElementTree.Element) -> Count:
    said = {each.get("name", ""): int(each.get("value", "0")) for each in case.iter("property")}
    if (skip := case.find("skipped")) is not None:
        return Count(skipped=1, reason=skip.get("message", ""))
    tried, lost = said.get("tried", 1), said.get("lost", 0)
    failed = case.find("failure") is not None or case.find("error") is not None
    return Count(tried, max(tried - max(lost, int(failed)), 0), lost, int(failed))


def _run(group: Group, *, quick: bool) -> Count:
    with tempfile.TemporaryDirectory(prefix="anamnesis-weather-", dir=_memory_folder()) as folder:
        report = Path(folder) / "report.xml"
        done = subprocess.run(
            [*_pytest(group), f"--junitxml={report}"],
            cwd=_SERVER,
            env={**os.environ, "TMPDIR": folder, **({} if quick else _EVERY)},
            capture_output=True,
            text=True,
            check=False,
        )
        if not report.is_file():
            raise SystemExit(f"{group.fault}: the tests did not run\n{done.stdout}{done.stderr}")
        found = counted(ElementTree.parse(report).getroot())  # noqa: S314  # our own report
    if found.failed:
        log = _SERVER / "build" / "weather.log"
        log.parent.mkdir(exist_ok=True)
        with log.open("a", encoding="utf-8") as handle:
            handle.write(done.stdout)
    return found


_EVERY = {"ANAMNESIS_TEST_EVERY_STEP": "1", "ANAMNESIS_TEST_SYNC_STEPS": "200"}


def _pytest(group: Group) -> Iterator[str]:
    options = "-q -n 2 --dist worksteal -p no:cacheprovider".split()
    yield from (sys.executable, "-m", "pytest", *options)
    yield from ("-k", " or ".join(group.names)) if group.names else ()
    yield from (f"tests/{name}" for name in group.files)


def _memory_folder() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108  # a folder of our own in it


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
