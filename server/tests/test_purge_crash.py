"""A purge that is killed at any step, or whose repository is lost: the next run finishes it.

ANAMNESIS_TEST_EVERY_STEP=1 tries every step instead of some of them; that takes a quarter of an hour.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from anamnesis.purge import Purge, PurgeState, file_of, new_purge, save_state
from faults import Record
from machines import LATER, Machine, assert_gone, make_remote, run_git, run_until, settle, traces

SECRET = "Zx8-kestrel-4471"
_STRIDE = 1 if os.environ.get("ANAMNESIS_TEST_EVERY_STEP") else 11


def _gone(text: str, *machines: Machine) -> None:
    for machine in machines:
        assert traces(machine.root, text) == []
    remote = Path(str(machines[0].remote))
    assert text not in run_git(remote, "log", "-p", "--format=%B", "--all")


def _purged(tmp_path: Path) -> tuple[Machine, Machine]:
    remote = make_remote(tmp_path / "r.git")
    desk, lap = Machine(tmp_path / "desk", remote), Machine(tmp_path / "lap", remote)
    desk.write("N1", f"one {SECRET}\ntwo")
    desk.write("N2", SECRET)
    desk.write("N3", "stays")
    settle(desk, lap)
    lap.write("L1", f"not pushed {SECRET}")
    return desk, lap


def _check_purged(desk: Machine, lap: Machine) -> None:
    settle(desk, lap)
    settle(desk, lap)
    assert desk.files() == lap.files()
    assert sorted(path.stem for path in desk.memory.glob("*/*.md")) == ["L1", "N1", "N3"]
    assert desk.read("N1").body == "one [removed]\ntwo"
    assert desk.git("status", "--porcelain") == ""
    _gone(SECRET, desk, lap)


def _record() -> Purge:
    return new_purge(ids=["N2"], texts=[SECRET], machine="desk", at=LATER)


def test_a_started_purge_is_finished_even_if_gits_index_is_damaged(tmp_path: Path) -> None:
    desk, lap = _purged(tmp_path)
    purge = _record()
    save_state(desk.root, PurgeState({purge.name: purge}, (purge.name,), unsettled=True))
    (desk.memory / ".git/index").write_bytes(b"DIRC but not really")
    _check_purged(desk, lap)


def test_a_purge_killed_at_any_step_is_finished_by_the_next_sync(
    tmp_path: Path, record_property: Record
) -> None:
    desk, lap = _purged(tmp_path / "original")
    purge = _record()
    for step in range(0, 200, _STRIDE):
        folder = tmp_path / str(step)
        shutil.copytree(tmp_path / "original", folder)
        desk, lap = (Machine(folder / name, folder / "r.git") for name in ("desk", "lap"))
        killed = run_until(step, lambda desk=desk: desk.backend.purge(purge))  # type: ignore[misc]
        desk.sync()
        if not (desk.memory / file_of(purge)[0]).exists():
            desk.backend.purge(purge)  # it was killed before it started
        _check_purged(desk, lap)
        shutil.rmtree(folder)
        if not killed:
            break
    record_property("tried", len(range(0, step, _STRIDE)))
    assert 15 < step < 190


@pytest.mark.slow
@pytest.mark.parametrize("who", ["desk", "lap"])
def test_a_sync_with_a_purge_in_it_killed_at_any_step_is_finished_by_the_next(
    tmp_path: Path, record_property: Record, who: str
) -> None:
    desk, lap = _purged(tmp_path / "original")
    desk.backend.purge(_record())
    if who == "lap":
        desk.sync()
    for step in range(0, 400, 2 * _STRIDE):
        folder = tmp_path / str(step)
        shutil.copytree(tmp_path / "original", folder)
        desk, lap = (Machine(folder / name, folder / "r.git") for name in ("desk", "lap"))
        killed = run_until(step, (desk if who == "desk" else lap).backend.sync)
        _check_purged(desk, lap)
        shutil.rmtree(folder)
        if not killed:
            break
    record_property("tried", len(range(0, step, 2 * _STRIDE)))
    assert 20 < step < 390


@pytest.mark.parametrize("lost", ["before the purge", "after it"])
@pytest.mark.parametrize("is_deleted_elsewhere", [False, True])
def test_a_machine_that_lost_its_repository_does_not_push_the_purged_text_again(
    desk: Machine, lap: Machine, lost: str, is_deleted_elsewhere: bool
) -> None:
    desk.write("N1", f"one\n{SECRET}\nthree")
    settle(desk, lap)
    if is_deleted_elsewhere:
        lap.delete("N1")
    lap.write("N2", "another")
    lap.sync()
    if lost == "before the purge":
        shutil.rmtree(desk.memory / ".git")
    desk.purge(texts=[SECRET])
    if lost == "after it":
        shutil.rmtree(desk.memory / ".git")
    desk.sync()
    assert_gone(SECRET, desk)
    settle(lap, desk)
    assert_gone(SECRET, desk, lap)
    assert desk.files() == lap.files()
    assert lap.read("N2").body == "another"
    if not is_deleted_elsewhere:
        assert lap.read("N1").body == "one\n[removed]\nthree"


@pytest.mark.parametrize("step", [3, 8, 13])
def test_a_purge_that_was_killed_is_finished_even_if_the_repository_is_lost_then(
    desk: Machine, lap: Machine, step: int
) -> None:
    desk.write("N1", f"one\n{SECRET}\nthree")
    settle(desk, lap)
    assert run_until(step, lambda: desk.purge(texts=[SECRET]))
    shutil.rmtree(desk.memory / ".git")
    settle(desk, lap)
    assert_gone(SECRET, desk, lap)


def test_a_purge_at_a_shallow_remote_says_so_each_time_and_is_pushed_once_it_is_complete(
    desk: Machine, remote: Path, tmp_path: Path
) -> None:
    for text in ("one", "two", SECRET):
        desk.write("N1", text)
        desk.sync()
    remote.rename(tmp_path / "whole.git")
    run_git(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{tmp_path}/whole.git", str(remote))
    desk.purge(texts=[SECRET])
    for _ in range(2):
        result = desk.sync()
        assert (result.failure, result.reached) == ("shallow", False)
        assert f"`git -C {remote} fetch --unshallow`" in result.detail
    run_git(remote, "fetch", "-q", "--unshallow")
    assert desk.sync().pushed
    assert_gone(SECRET, desk)
