"""A clock that was ahead or behind stops nothing and loses nothing once it is right again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from anamnesis import files
from anamnesis.sync.state import load_state, save_state
from machines import Machine, settle

needs_faketime = pytest.mark.skipif(not shutil.which("faketime"), reason="faketime is not installed")
_SYNC = """
import sys
from anamnesis.sync import GitSyncBackend
assert GitSyncBackend(sys.argv[1], remote=sys.argv[2], machine_id="m", timeout=60).sync().pushed
"""


@pytest.fixture
def pair(desk: Machine, lap: Machine) -> tuple[Machine, Machine]:
    """Two machines that share one note."""
    desk.write("N1", "one\ntwo\nthree")
    settle(desk, lap)
    return desk, lap


def _at(shift: str, code: str, *args: str) -> None:
    """Run Python with the clock of the process and of git shifted by `shift`."""
    subprocess.run(["faketime", "-f", shift, sys.executable, "-c", code, *args], check=True)


@needs_faketime
@pytest.mark.parametrize("shift", ["+40d", "-40d"])
def test_after_a_sync_with_a_wrong_clock_the_next_one_still_works(
    pair: tuple[Machine, Machine], shift: str
) -> None:
    desk, lap = pair
    desk.write("N2", "written while the clock was wrong")
    _at(shift, _SYNC, str(desk.memory), str(desk.remote))
    desk.write("N3", "written when it was right again")
    assert desk.sync().pushed
    lap.sync()
    assert sorted(lap.files()) == ["semantic/N1.md", "semantic/N2.md", "semantic/N3.md"]


@needs_faketime
def test_a_lock_dated_in_the_future_does_not_block(pair: tuple[Machine, Machine]) -> None:
    _, lap = pair
    lock = lap.memory / ".git/index.lock"
    lock.touch()
    os.utime(lock, (4_000_000_000, 4_000_000_000))
    lap.write("L1", "body")
    assert lap.sync().pushed


def test_a_sync_that_waited_runs_if_the_other_one_started_before_it(
    pair: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, lap = pair
    lap.write("L1", "written after the other sync had looked")
    state = load_state(lap.memory)
    state.started, state.finished = 5, 4
    save_state(lap.memory, state)
    state.finished = 5
    _meanwhile(monkeypatch, lambda: save_state(lap.memory, state))
    assert lap.sync().pushed


def test_a_sync_that_waited_is_skipped_if_another_one_started_after_it(
    pair: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, lap = pair
    lap.write("L1", "body")
    _meanwhile(monkeypatch, lap.sync)
    result = lap.backend.sync()
    assert result.detail == "another sync of this store did the work meanwhile"
    assert lap.results[-1].pushed


def _meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Run something while the next sync waits for its turn."""

    def lock_after(path: Path, *, timeout: float) -> AbstractContextManager[bool]:
        if path.name == "sync.lock":
            monkeypatch.setattr("anamnesis.sync.cycle.lock", files.lock)
            act()
        return files.lock(path, timeout=timeout)

    monkeypatch.setattr("anamnesis.sync.cycle.lock", lock_after)
