"""Break the code in small ways, one at a time, and show the changes that no test notices.

python server/tools/mutate.py --only sync/lines.py --sample 60 --seed 1

Why our own tool: mutmut 3.8 does not run with pytest 9.2, and it leaves out decorated functions and
module level. cosmic-ray 8.7 edits the work tree in place, runs one test command for every mutant, and most
of its mutants only change annotations or raise TypeError. Neither removes statements, and both would need
a script around them for the copy, the sample and the choice of tests. This one changes a copy of the
package, which tests see in their own process and in those they start, and runs for each mutant the tests
that run its line, fastest first, within a budget of seconds.

Which test runs which line is traced once per test file and kept in `server/build/mutants.json` until that
file changes. A line that only other processes run counts as not reached.
"""

from __future__ import annotations

import argparse
import compileall
import hashlib
import json
import os
import py_compile
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import hypothesis.stateful  # noqa: F401  # imported once, before each mutant's fork
import pytest
from mutant_tests import MODULES, TESTS
from mutants import Mutant, mutants_of, places_of

if TYPE_CHECKING:
    from _typeshed import TraceFunction

SERVER = Path(__file__).resolve().parents[1]
SOURCE = SERVER / "src"
TRACES = SERVER / "build" / "mutants.json"
_PACKAGE = f"{SOURCE}/anamnesis/"

_MOST_WAITING = 20  # times the CPU seconds: a busy machine may be that much slower
Traces = dict[str, dict[str, list[str]]]  # test file and digest -> test -> milliseconds, then places


@dataclass(frozen=True)
class Verdict:
    """The outcome of one mutant: killed, survived or unreached; how many tests were run and skipped."""

    mutant: Mutant
    fate: str
    tried: int
    left_out: int


def main() -> int:
    """Run a sample and print the table and the survivors; return 0 whatever survives."""
    options = _options()
    if options.trace:
        return _trace(Path(options.trace), options.tests)
    chosen = _sample(options)
    traces = _traces({path for mutant in chosen for path in _test_files(mutant.module, options.tests)})
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "src"
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__", "static"))
        # Checked by content: a mutant of the same size within one second must not run the old code.
        mode = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(copy, quiet=1, invalidation_mode=mode)
        verdicts = []
        for mutant in chosen:
            verdicts.append(_judge(mutant, copy, _reaching(mutant, traces, options.tests), options.budget))
            _show(verdicts[-1], len(verdicts), len(chosen))
    sys.stdout.write(_table(verdicts))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="*", default=list(MODULES), help="modules or folders of the package")
    parser.add_argument("--sample", type=int, default=60, help="how many mutants at most (0: all)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample")
    parser.add_argument("--budget", type=float, default=30.0, help="seconds of tests per mutant")
    parser.add_argument("--tests", nargs="*", default=[], help="test files to use instead of the table's")
    parser.add_argument("--trace", help=argparse.SUPPRESS)
    return parser.parse_args()


def _sample(options: argparse.Namespace) -> list[Mutant]:
    package = SOURCE / "anamnesis"
    paths = sorted({path for name in options.only for path in _modules(package, name)})
    every = [
        mutant
        for path in paths
        for mutant in mutants_of(path.relative_to(package).as_posix(), path.read_bytes())
    ]
    if not 0 < options.sample < len(every):
        return every
    drawn = set(random.Random(options.seed).sample(range(len(every)), options.sample))  # noqa: S311
    return [mutant for at, mutant in enumerate(every) if at in drawn]


def _modules(package: Path, name: str) -> list[Path]:
    path = package / name
    found = list(path.rglob("*.py")) if path.is_dir() else [path] if path.is_file() else []
    if not found:
        raise SystemExit(f"{name}: no such module in {package}; name one as in sync/lines.py")
    return found


def _test_files(module: str, given: list[str]) -> list[Path]:
    if given:
        return [SERVER / name for name in given]
    for modules, patterns in TESTS:
        if module.startswith(modules):
            return sorted({path for name in patterns for path in (SERVER / "tests").glob(f"{name}.py")})
    raise SystemExit(f"{module}: no row in the table TESTS of mutant_tests.py fits; add one or give --tests")


# --- which tests reach which lines


def _traces(paths: set[Path]) -> Traces:
    """The traces of these test files, from the cache or by running them once."""
    kept: Traces = json.loads(TRACES.read_text()) if TRACES.exists() else {}
    keys = {_key(path): path for path in paths}
    missing = sorted(keys.keys() - kept.keys())
    if missing:
        TRACES.parent.mkdir(exist_ok=True)
        sys.stderr.write(f"tracing {len(missing)} test files\n")
        command = [
            sys.executable,
            __file__,
            "--trace",
            str(TRACES),
            "--tests",
            *(str(keys[key]) for key in missing),
        ]
        subprocess.run(command, check=True, cwd=SERVER, stdout=sys.stderr)
        kept = json.loads(TRACES.read_text())
    return {key: kept[key] for key in keys}


def _key(path: Path) -> str:
    return f"{path.relative_to(SERVER)} {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


def _trace(target: Path, tests: list[str]) -> int:
    """Run test files under trace and record which lines of the package each test runs."""
    tracer = _Tracer()
    status = pytest.main([*_PYTEST, *tests], plugins=[tracer])
    if status:
        return status
    kept: Traces = json.loads(target.read_text()) if target.exists() else {}
    for key in map(_key, map(Path, tests)):
        name = key.split()[0]
        kept = {old: value for old, value in kept.items() if old.split()[0] != name}
        kept[key] = {test: seen for test, seen in tracer.seen.items() if test.split("::")[0] == name}
    target.write_text(json.dumps(kept))
    return 0


# Hypothesis is loaded before pytest could rewrite its assertions, and needs none of them rewritten.
_PYTEST = [
    *"-q -p no:cacheprovider -p no:xdist --no-header --tb=no -m".split(),
    "not slow",
    "-Wignore::pytest.PytestAssertRewriteWarning",
]


class _Tracer:
    """A pytest plugin that records the lines of the package that a test runs in this process."""

    def __init__(self) -> None:
        self.seen: dict[str, list[str]] = {}
        self.lines: set[tuple[str, int]] = set()
        self.places: dict[str, dict[int, str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Trace one test, its fixtures included."""
        self.lines = set()
        threading.settrace(self._call)
        sys.settrace(self._call)
        start = _cpu_seconds()
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            took = int(1000 * (_cpu_seconds() - start))
            self.seen[item.nodeid] = [str(took), *sorted({*map(self._place, self.lines)})]

    def _call(self, frame: FrameType, _event: str, _argument: object) -> TraceFunction | None:
        return self._line if frame.f_code.co_filename.startswith(_PACKAGE) else None

    def _line(self, frame: FrameType, _event: str, _argument: object) -> TraceFunction:
        self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line

    def _place(self, at: tuple[str, int]) -> str:
        path, line = at
        if path not in self.places:
            self.places[path] = places_of(Path(path).read_bytes())
        return f"{path.removeprefix(_PACKAGE)} {self.places[path].get(line, '')}"


def _cpu_seconds() -> float:
    """CPU time of this process and its children so far; on a busy machine the clock says little."""
    return sum(os.times()[:4])


def _reaching(mutant: Mutant, traces: Traces, given: list[str]) -> list[tuple[float, str]]:
    """The tests that run the mutant's line, otherwise its function or module, fastest first."""
    names = {str(path.relative_to(SERVER)) for path in _test_files(mutant.module, given)}
    tests = [
        (int(took) / 1000, test, places)
        for key, traced in traces.items()
        if key.split()[0] in names
        for test, (took, *places) in traced.items()
    ]
    place = places_of((SOURCE / "anamnesis" / mutant.module).read_bytes()).get(mutant.line, "")
    function = f"{mutant.module} {place.partition('+')[0]}"
    exact = [(took, test) for took, test, places in tests if place and f"{mutant.module} {place}" in places]
    return sorted(exact) or sorted(
        (took, test) for took, test, places in tests if any(each.startswith(function) for each in places)
    )


# --- one mutant


def _judge(mutant: Mutant, copy: Path, tests: list[tuple[float, str]], budget: float) -> Verdict:
    chosen = _within(tests, budget)
    if not chosen:
        return Verdict(mutant, "unreached", 0, len(tests))
    path = copy / "anamnesis" / mutant.module
    source = path.read_bytes()
    path.write_bytes(mutant.apply(source))
    try:
        died = _fails(copy, [test for _, test in chosen], seconds=5 + 2 * sum(took for took, _ in chosen))
    finally:
        path.write_bytes(source)
    return Verdict(mutant, "killed" if died else "survived", len(chosen), len(tests) - len(chosen))


def _within(tests: list[tuple[float, str]], budget: float) -> list[tuple[float, str]]:
    chosen: list[tuple[float, str]] = []
    for took, test in tests:
        budget -= took
        if chosen and budget < 0:
            break
        chosen.append((took, test))
    return chosen


def _fails(copy: Path, tests: list[str], *, seconds: float) -> bool:
    """Whether one of the tests fails, or hangs, with the package as it is in the copy."""
    names = copy.parent / "tests.txt"
    names.write_text("\n".join(tests))
    child = os.fork()  # which saves each mutant the start of pytest and hypothesis
    if child == 0:
        _run_tests(copy, names, int(seconds))
    try:
        status = _wait(child, 60 + _MOST_WAITING * seconds)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # including processes that the tests left behind
    return status != 0


def _wait(child: int, seconds: float) -> int | None:
    """The exit status of a process, or None if it did not end in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.05)
    return None


def _run_tests(copy: Path, names: Path, seconds: int) -> NoReturn:
    os.setsid()
    # CPU time stops an endless loop, the clock an endless wait.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.chdir(SERVER)
    sys.path.insert(0, str(copy))
    sys.dont_write_bytecode = True
    os.environ |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(copy.parent)}
    try:
        os._exit(int(pytest.main(["-x", *_PYTEST, f"@{names}"])))
    finally:
        os._exit(1)


# --- the report


def _show(verdict: Verdict, done: int, of: int) -> None:
    sys.stderr.write(f"\r{done}/{of} {verdict.fate:<9} {verdict.mutant.module}:{verdict.mutant.line}\x1b[K")
    sys.stderr.write("\n" if done == of else "")


def _table(verdicts: list[Verdict]) -> str:
    modules = sorted({verdict.mutant.module for verdict in verdicts})
    rows = [f"{'module':<28}{'mutants':>9}{'killed':>9}{'survived':>10}{'unreached':>11}"]
    for name in [*modules, "all"]:
        fates = [verdict.fate for verdict in verdicts if name in ("all", verdict.mutant.module)]
        counts = [len(fates), *(fates.count(fate) for fate in ("killed", "survived", "unreached"))]
        rows.append(f"{name:<28}{counts[0]:>9}{counts[1]:>9}{counts[2]:>10}{counts[3]:>11}")
    return "\n".join(rows) + "\n" + "".join(_told(one) for one in verdicts if one.fate != "killed")


def _told(verdict: Verdict) -> str:
    mutant = verdict.mutant
    path = SOURCE / "anamnesis" / mutant.module
    slow = f", {verdict.left_out} slower ones left out" if verdict.left_out else ""
    head = f"\n{path.relative_to(SERVER.parent)}:{mutant.line} {verdict.fate} {verdict.tried} tests{slow}\n"
    return head + mutant.diff(path.read_bytes())


if __name__ == "__main__":
    sys.exit(main())
