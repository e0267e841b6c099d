"""Committing only named files, as capture does, at the same cost in a store of any size."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.cli import main
from machines import Machine, settle
from secret_samples import SAMPLES
from test_hot_path import transcript, work

__all__ = ["transcript", "work"]
KEY, SECRET = SAMPLES["anthropic"]


@pytest.fixture
def desk(tmp_path: Path) -> Machine:
    """A machine with one committed note and no remote."""
    machine = Machine(tmp_path / "desk", None)
    machine.write("N1", "first text")
    machine.backend.commit()
    return machine


def committed(machine: Machine) -> list[str]:
    return machine.git("show", "--format=", "--name-only", "main").split()


def test_a_commit_of_named_files_leaves_other_changes_uncommitted(desk: Machine) -> None:
    desk.write("N1", "second text")
    new = desk.write("N2", "new")
    assert desk.backend.commit(only=[new])
    assert committed(desk) == ["semantic/N2.md"]
    assert desk.git("status", "--porcelain").strip() == "M semantic/N1.md"
    assert desk.backend.commit()
    assert "semantic/N1.md" in committed(desk)
    assert desk.git("status", "--porcelain") == ""


def test_a_named_file_that_was_deleted_is_committed_as_deleted(desk: Machine) -> None:
    gone = desk.memory / "semantic/N1.md"
    desk.delete("N1")
    assert desk.backend.commit(only=[gone])
    assert desk.git("ls-tree", "-r", "--name-only", "main").split() == []


def test_a_named_file_with_a_credential_is_not_committed(desk: Machine) -> None:
    bad, good = desk.write("N2", f"key: {KEY}"), desk.write("N3", "fine")
    assert desk.backend.commit(only=[bad, good])
    assert committed(desk) == ["semantic/N3.md"]
    assert SECRET not in desk.git("log", "-p", "--all")
    assert [each.id for each in desk.backend.state().waiting] == ["N2"]


def test_a_named_file_behind_a_link_is_not_committed(desk: Machine, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "N2.md").write_text("---\nid: N2\ntype: procedural\ntitle: T\n---\nb\n")
    (desk.memory / "linked").symlink_to(outside)
    assert not desk.backend.commit(only=[desk.memory / "linked/N2.md"])


def test_a_named_file_of_a_held_note_is_not_committed(two_machines: tuple[Machine, Machine]) -> None:
    desk, lap = two_machines
    desk.write("N1", "one")
    settle(desk, lap)
    desk.write("N1", "from desk", at="2026-02-01T00:00:00+00:00")
    path = lap.write("N1", "from lap", at="2026-02-02T00:00:00+00:00")
    desk.sync()
    assert lap.sync().held == ("N1",)
    path.write_text(path.read_text().replace("from lap", "from lap again"))
    assert not lap.backend.commit(only=[path])
    assert lap.backend.state().held == ("N1",)


def test_capture_commits_only_its_note(
    tmp_path: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "desk"))
    desk = Machine(tmp_path / "desk", None)
    desk.write("N1", "first text")
    desk.backend.commit()
    desk.write("N2", "typed by hand")
    assert main(["capture", "--no-sync", "--transcript", str(transcript)]) == 0
    names = committed(desk)
    assert [name.partition("/")[0] for name in names] == ["episodic"]
    assert desk.git("status", "--porcelain").split() == ["??", "semantic/N2.md"]
