"""Purging when a repository was lost, here or in part at the remote: the text is removed and stays away."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from machines import Machine, assert_gone, run_git, run_until, settle

SECRET = "Zx8-kestrel-4471"


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
