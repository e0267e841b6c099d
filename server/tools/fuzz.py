"""`make fuzz`: the property tests with many examples and a new seed each round, until the time is up.

The area `api` has no tests of ours: schemathesis sends requests by the API's description.

python server/tools/fuzz.py [MINUTES] [AREA ...]        default: 10 minutes for all areas together

A failure prints the smallest example that Hypothesis found; add it to a test (`@example`) and fix the code.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from fuzz_api import fuzz_api

_SERVER = Path(__file__).resolve().parents[1]
_TRIED = re.compile(r"(\d+) (?:passing|generated)")
_API = "api"
AREAS = {
    "codec": ["test_notes.py", "test_frontmatter.py", "test_export.py", "test_store.py"],
    "merge": ["test_sync_merge.py", "test_sync_lines.py"],
    "query": ["test_recall.py"],
    "transcript": ["test_capture.py"],
    "payloads": ["cli/test_payloads.py"],
    "text": ["test_redact.py", "test_text.py", "inject/test_briefing.py"],
    "dashboard": ["dashboard/test_fuzz.py"],
}


def main(argv: Sequence[str]) -> int:
    """Give every area its share of the minutes; return 1 if an example failed."""
    minutes = float(argv[0]) if argv else 10.0
    areas = list(argv[1:]) or [*AREAS, _API]
    _say(f"{'area':<12}{'rounds':>8}{'examples':>12}{'failed':>8}")
    failed = 0
    for area in areas:
        deadline = time.monotonic() + minutes * 60 / len(areas)
        failed += _fuzz(area, deadline)
    return 1 if failed else 0


def _fuzz(area: str, deadline: float) -> int:
    rounds = examples = failed = 0
    while not failed and (not rounds or time.monotonic() < deadline):
        done = _round(area, max(deadline - time.monotonic(), 30.0))
        rounds += 1
        examples += sum(map(int, _TRIED.findall(done.stdout)))
        if done.returncode:
            failed += 1
            _say(done.stdout + done.stderr)
    _say(f"{area:<12}{rounds:>8}{examples:>12,}{failed:>8}")
    return failed


def _round(area: str, seconds: float) -> subprocess.CompletedProcess[str]:
    """One run of an area's property tests with a new seed; many examples if there is time."""
    profile = "fuzz" if seconds > 300 else "house"
    with tempfile.TemporaryDirectory(prefix="anamnesis-fuzz-", dir=_memory_folder()) as folder:
        if area == _API:
            return fuzz_api(Path(folder), seconds=seconds)
        return subprocess.run(
            [
                *(sys.executable, "-m", "pytest", *"-q -n 0 -p no:cacheprovider -m hypothesis".split()),
                *("--hypothesis-show-statistics", f"--hypothesis-seed={random.randrange(10**9)}"),  # noqa: S311
                *(f"tests/{name}" for name in AREAS[area]),
            ],
            cwd=_SERVER,
            env={**os.environ, "TMPDIR": folder, "ANAMNESIS_TEST_PROFILE": profile},
            capture_output=True,
            text=True,
            check=False,
        )


def _memory_folder() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108  # a folder of our own in it


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
