"""A repository that lost its branch and our record of it: git's reflog still knows where it was."""

from __future__ import annotations

import shutil

import pytest

from machines import Machine, settle

LATER = "2026-02-01T00:00:00+00:00"


@pytest.mark.parametrize("log", ["logs/refs/heads/main", "logs/HEAD"])
def test_an_unpushed_deletion_survives_the_loss_of_the_branch(
    two_machines: tuple[Machine, Machine], log: str
) -> None:
    desk, lap = two_machines
    desk.write("N1", "one")
    desk.write("N2", "two")
    settle(desk, lap)
    lap.delete("N1")
    lap.backend.commit()
    last = lap.git("rev-parse", "main").strip()
    git = lap.memory / ".git"
    (git / "refs/heads/main").unlink()
    shutil.rmtree(git / "anamnesis")
    for name in {"logs/refs/heads/main", "logs/HEAD"} - {log}:
        (git / name).unlink()
    settle(lap, desk)
    assert sorted(desk.files()) == sorted(lap.files()) == ["semantic/N2.md"]
    assert last in lap.git("rev-list", "main").split()


@pytest.mark.parametrize(
    "lost", ["", "refs", "logs"], ids=["repository", "references", "logs and references"]
)
def test_a_machine_that_lost_its_branch_accepts_edits_and_deletions_from_others(
    two_machines: tuple[Machine, Machine], lost: str
) -> None:
    desk, lap = two_machines
    for name in ("N1", "N2", "N3"):
        desk.write(name, "one\ntwo\nthree")
    settle(desk, lap)
    desk.save(desk.read("N1"), body="ONE\ntwo\nthree", updated_at=LATER)
    desk.delete("N2")
    desk.sync()
    lap.save(lap.read("N3"), body="one\ntwo\nTHREE", updated_at=LATER)
    _lose(lap, lost)
    settle(lap, desk)
    assert not lap.results[-1].conflicted
    assert sorted(lap.files()) == ["semantic/N1.md", "semantic/N3.md"]
    assert lap.files() == desk.files()
    assert (lap.read("N1").body, desk.read("N3").body) == ("ONE\ntwo\nthree", "one\ntwo\nTHREE")


def _lose(machine: Machine, what: str) -> None:
    """Remove the whole repository, or its refs and our own files in it."""
    git = machine.memory / ".git"
    for name in (what, "refs", "anamnesis") if what else ("",):
        shutil.rmtree(git / name, ignore_errors=True)
