"""History from git: a note's versions through moves and deletion, the store's commits, the machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.errors import GitError, NoteNotFound
from anamnesis.git import Git
from anamnesis.history import History
from machines import Machine, make_remote, settle


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine whose note was written, edited, moved and deleted, with another note between."""
    machine = Machine(tmp_path_factory.mktemp("desk") / "desk", None)
    machine.write("N1", "first text")
    machine.backend.commit("write")
    machine.write("OTHER", "x")
    machine.backend.commit("another")
    machine.save(machine.read("N1"), body="second text")
    machine.backend.commit("edit")
    machine.save(machine.read("N1"), type="procedural")
    machine.backend.commit("move")
    machine.delete("N1")
    machine.backend.commit("delete")
    return machine


def test_a_notes_versions_include_moves_and_its_deletion(desk: Machine) -> None:
    versions = History(desk.memory).of_note("N1")
    assert [(version.action, version.message, version.path) for version in versions] == [
        ("deleted", "delete", "procedural/N1.md"),
        ("moved", "move", "procedural/N1.md"),
        ("edited", "edit", "semantic/N1.md"),
        ("added", "write", "semantic/N1.md"),
    ]
    assert {version.machine_id for version in versions} == {"desk"}
    assert versions[0].at.endswith("+00:00")


def test_the_text_of_any_version_can_be_read_even_of_a_deleted_note(desk: Machine) -> None:
    history = History(desk.memory)
    deleted, _, edited, added = history.of_note("N1")
    assert "first text" in history.text(added)
    assert "second text" in history.text(history.find("N1", edited.commit[:10]))
    assert "type: procedural" in history.text(deleted)


def test_a_diff_shows_what_changed_between_two_versions(desk: Machine) -> None:
    history = History(desk.memory)
    deleted, _, edited, added = history.of_note("N1")
    assert {"-first text", "+second text"} <= set(history.diff(added, edited).splitlines())
    assert "+first text" in history.diff(None, added).splitlines()
    assert "-second text" in history.diff(edited, deleted).splitlines()


def test_a_file_not_named_after_its_note_is_found_by_its_path_and_another_type(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "desk", None)
    machine.write("N1", "text").rename(machine.memory / "semantic/by hand.md")
    machine.backend.commit("one")
    (machine.memory / "procedural").mkdir()
    (machine.memory / "semantic/by hand.md").rename(machine.memory / "procedural/by hand.md")
    machine.backend.commit("two")
    versions = History(machine.memory).of_note("N1", path="procedural/by hand.md")
    assert [(version.message, version.path) for version in versions] == [
        ("two", "procedural/by hand.md"),
        ("one", "semantic/by hand.md"),
    ]


def test_the_log_is_paged_newest_first_and_names_the_notes(desk: Machine) -> None:
    history = History(desk.memory)
    first = history.log(limit=2, most=9)
    assert [commit.message for commit, _ in first] == ["delete", "move"]
    assert [(file.path, file.action, file.id, file.title) for file in first[1][1]] == [
        ("procedural/N1.md", "added", "N1", "a title"),
        ("semantic/N1.md", "deleted", "N1", "a title"),
    ]
    rest = history.log(limit=50, before=first[-1][0].oid, most=9)
    assert [(commit.message, commit.machine) for commit, _ in rest] == [
        ("edit", "desk"),
        ("another", "desk"),
        ("write", "desk"),
    ]


def test_a_machines_last_note_is_determined_by_the_committer(tmp_path: Path) -> None:
    remote = make_remote(tmp_path / "r.git")
    desk, lap = Machine(tmp_path / "desk", remote), Machine(tmp_path / "lap", remote)
    desk.write("D1", "x")
    settle(desk, lap, rounds=1)
    lap.write("L1", "x")
    settle(lap, desk, rounds=1)
    desk.write("D2", "x")
    desk.sync()
    desk.delete("D1")
    desk.sync()
    history = History(desk.memory)
    found = {name: history.last_note_of(name) for name in ("desk", "lap", "la", "nobody", "d.sk")}
    assert {name: last[1].id for name, last in found.items() if last} == {"desk": "D2", "lap": "L1"}


def test_a_machines_last_note_is_found_without_reading_every_text_of_a_large_commit(tmp_path: Path) -> None:
    desk = Machine(tmp_path / "desk", None)
    for number in range(60):
        desk.write(f"D{number:02}", "x")
    desk.sync()
    blob = Git(desk.memory).line("rev-parse", "main:semantic/D59.md")
    (desk.memory / ".git/objects" / blob[:2] / blob[2:]).unlink()
    last = History(desk.memory).last_note_of("desk")
    assert last is not None
    assert last[1].id == "D00"


def test_an_unknown_version_or_note_is_a_clear_error(desk: Machine) -> None:
    history = History(desk.memory)
    with pytest.raises(GitError, match="note N1 has no version named 1234567"):
        history.find("N1", "1234567")
    with pytest.raises(NoteNotFound):
        history.of_note("../*")
    assert history.of_note("NEVER") == []


@pytest.fixture
def noted(tmp_path: Path, remote: Path) -> Machine:
    """A machine with one synced note."""
    machine = Machine(tmp_path / "desk", remote)
    machine.write("N1", "body", title="Deploy")
    machine.sync()
    assert _last_subject(machine) == "desk: added 'Deploy'"
    return machine


def _last_subject(machine: Machine) -> str:
    return machine.git("log", "-1", "--format=%s").strip()


def test_a_subject_names_a_session_an_edit_and_a_deletion_in_one_line(noted: Machine) -> None:
    noted.write("N2", "body", title="Ports")
    noted.sync()
    noted.write("S1", "what happened", title="Stripe webhooks twice", type="episodic")
    noted.write("N1", "other", title="Deploy on Fridays")
    (noted.memory / "semantic" / "N2.md").unlink()
    noted.sync()
    edited = "edited 'Deploy on Fridays'"
    assert _last_subject(noted) == f"desk: session 'Stripe webhooks twice'; {edited}; deleted 'Ports'"
    noted.save(noted.read("N1"), type="procedural")
    noted.sync()
    assert _last_subject(noted) == f"desk: {edited}"


def test_a_resolution_names_the_note_and_keeps_the_discarded_version(noted: Machine, tmp_path: Path) -> None:
    lap = Machine(tmp_path / "lap", noted.remote)
    lap.sync()
    noted.write("N1", "mine", title="Deploy")
    lap.write("N1", "theirs", title="Deploy")
    lap.sync()
    assert noted.sync().conflicted
    noted.backend.resolve("N1", choice="theirs")
    subjects = noted.git("log", "--format=%s").splitlines()
    assert subjects[0].startswith("desk: resolved 'Deploy'")
    assert "desk: resolved 'Deploy': the version set aside" in subjects
    assert "lap: edited 'Deploy'" in subjects
