"""Commit subjects name the notes, so that the git log of a store reads like a diary."""

from __future__ import annotations

from pathlib import Path

import pytest

from machines import Machine


@pytest.fixture
def desk(tmp_path: Path, remote: Path) -> Machine:
    """A machine with one synced note."""
    machine = Machine(tmp_path / "desk", remote)
    machine.write("N1", "body", title="Deploy")
    machine.sync()
    return machine


def last_subject(machine: Machine) -> str:
    return machine.git("log", "-1", "--format=%s").strip()


def test_a_new_note_is_named_by_its_title(desk: Machine) -> None:
    assert last_subject(desk) == "desk: added 'Deploy'"


def test_a_session_an_edit_and_a_deletion_are_named_in_one_line(desk: Machine) -> None:
    desk.write("N2", "body", title="Ports")
    desk.sync()
    desk.write("S1", "what happened", title="Stripe webhooks twice", type="episodic")
    desk.write("N1", "other", title="Deploy")
    (desk.memory / "semantic" / "N2.md").unlink()
    desk.sync()
    assert last_subject(desk) == "desk: session 'Stripe webhooks twice'; edited 'Deploy'; deleted 'Ports'"


def test_an_edited_note_is_named_by_its_current_title(desk: Machine) -> None:
    desk.write("N1", "body", title="Deploy on Fridays")
    desk.sync()
    assert last_subject(desk) == "desk: edited 'Deploy on Fridays'"


def test_a_note_that_changed_its_type_was_edited_not_deleted(desk: Machine) -> None:
    desk.save(desk.read("N1"), type="procedural")
    desk.sync()
    assert last_subject(desk) == "desk: edited 'Deploy'"


def test_only_the_first_notes_of_many_are_named(desk: Machine) -> None:
    for number in range(7):
        desk.write(f"M{number}", "body", title=f"Note {number}")
    desk.sync()
    assert last_subject(desk) == "desk: added 'Note 0', 'Note 1', 'Note 2', 'Note 3' and 3 more"


def test_a_file_without_a_title_is_named_by_its_path_and_a_long_title_is_cut(desk: Machine) -> None:
    (desk.memory / "README.md").write_text("what this is")
    desk.write("N3", "body", title="long " * 40)
    desk.sync()
    assert last_subject(desk) == f"desk: added README.md, '{('long ' * 12)[:57]}...'"


def test_a_resolution_names_the_note_and_keeps_the_discarded_version(desk: Machine, tmp_path: Path) -> None:
    lap = Machine(tmp_path / "lap", desk.remote)
    lap.sync()
    desk.write("N1", "mine", title="Deploy")
    lap.write("N1", "theirs", title="Deploy")
    lap.sync()
    assert desk.sync().conflicted
    desk.backend.resolve("N1", choice="theirs")
    assert last_subject(desk) in ("desk: resolved 'Deploy'", "desk: resolved 'Deploy': the version set aside")
    subjects = desk.git("log", "--format=%s").splitlines()
    assert "desk: resolved 'Deploy': the version set aside" in subjects
    assert "lap: edited 'Deploy'" in subjects
