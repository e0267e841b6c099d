"""A repository that lost its branch and our record of it: git's own log still knows where it was."""

from __future__ import annotations

import shutil

import pytest

from machines import Machine, settle


@pytest.mark.parametrize("log", ["logs/refs/heads/main", "logs/HEAD"])
def test_a_deletion_that_was_only_committed_stays_one_when_the_branch_is_lost(
    two_machines: tuple[Machine, Machine], log: str
) -> None:
    desk, lap = two_machines
    desk.write("N1", "one")
    desk.write("N2", "two")
    settle(desk, lap)
    lap.delete("N1")
    lap.backend.commit()
    git = lap.memory / ".git"
    (git / "refs/heads/main").unlink()
    shutil.rmtree(git / "anamnesis")
    for name in {"logs/refs/heads/main", "logs/HEAD"} - {log}:
        (git / name).unlink()
    settle(lap, desk)
    assert sorted(desk.files()) == sorted(lap.files()) == ["semantic/N2.md"]
