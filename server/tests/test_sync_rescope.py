"""A note made machine-local here and edited elsewhere: held, reported, and never in both trees."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest

from anamnesis.errors import SyncError
from anamnesis.store import MemoryStore
from anamnesis.undo import UndoTexts
from machines import Machine, run_git, run_until, settle

LATER, LATEST = "2026-02-01T00:00:00+00:00", "2026-02-02T00:00:00+00:00"


@pytest.fixture(params=["the edit comes first", "the edit comes last"])
def clash(request: pytest.FixtureRequest, desk: Machine, lap: Machine) -> tuple[Machine, Machine]:
    """`desk` made the note machine-local while `lap` edited it; both have synced."""
    desk.write("N1", "one\ntwo")
    settle(desk, lap)
    desk.make_private("N1")
    lap.save(lap.read("N1"), body="one\nEDITED", updated_at=LATER)
    if request.param == "the edit comes last":
        desk.sync()
    lap.sync()
    return desk, lap


def is_in_one_tree(machine: Machine) -> bool:
    """Whether no id is in both trees, as the store sees it."""
    with MemoryStore(machine.root) as store:
        return not store.problems()


def test_the_note_is_held_and_its_private_copy_not_shadowed(clash: tuple[Machine, Machine]) -> None:
    desk, lap = clash
    for _ in range(2):
        result = desk.sync()
        assert (result.conflicted, result.held) == (True, ("N1",))
        assert "'a title' (N1)" in result.detail
        assert "machine-local here" in result.detail
        assert "on lap at 20" in result.detail
        assert "the edit was kept" not in result.detail
        assert desk.private() == {"N1": "one\ntwo"}
        assert desk.files() == {}
        assert is_in_one_tree(desk)
    (held,) = desk.backend.held()
    assert held.private
    assert (held.title, held.machine) == ("a title", "lap")
    assert "one\ntwo" in (held.mine or "")
    assert "EDITED" in (held.theirs or "")
    assert not lap.sync().conflicted
    assert lap.read("N1").body == "one\nEDITED"


def test_mine_keeps_the_note_here_and_removes_it_elsewhere(clash: tuple[Machine, Machine]) -> None:
    desk, lap = clash
    desk.sync()
    desk.backend.resolve("N1", choice="mine")
    settle(desk, lap)
    assert not desk.results[-1].conflicted
    assert desk.files() == lap.files() == {}
    assert desk.private() == {"N1": "one\ntwo"}


def test_theirs_shares_the_note_again_and_the_private_text_stays_reachable_here(
    clash: tuple[Machine, Machine],
) -> None:
    desk, lap = clash
    (path,) = (desk.root / "local").glob("*/N1.md")
    path.write_text(path.read_text().replace("two", "a private line"))
    desk.sync()
    desk.backend.resolve("N1", choice="theirs")
    settle(desk, lap)
    assert desk.read("N1").body == lap.read("N1").body == "one\nEDITED"
    assert desk.private() == {}
    assert is_in_one_tree(desk)
    (kept,) = UndoTexts(desk.root).of_note("N1")
    assert (kept.scope, "a private line" in kept.note.body) == ("machine-local", True)
    assert "a private line" not in run_git(lap.memory, "log", "-p", "--all")


def test_a_kill_while_sharing_the_note_again_leaves_it_held_or_shared(
    clash: tuple[Machine, Machine], tmp_path: Path
) -> None:
    desk, _ = clash
    desk.sync()
    for step in range(2, 50, 4):
        shutil.copytree(desk.root, tmp_path / str(step) / "desk")
        copy = Machine(tmp_path / str(step) / "desk", desk.remote)
        was_killed = run_until(step, partial(copy.backend.resolve, "N1", choice="theirs"))
        assert is_in_one_tree(copy)
        if copy.sync().held:
            assert copy.private() == {"N1": "one\ntwo"}
            copy.backend.resolve("N1", choice="theirs")
        assert (copy.read("N1").body, copy.private()) == ("one\nEDITED", {})
    assert not was_killed


def test_both_and_an_edited_text_are_refused_with_the_two_options(clash: tuple[Machine, Machine]) -> None:
    desk, _ = clash
    desk.sync()
    (held,) = desk.backend.held()
    with pytest.raises(SyncError, match=r"--mine keeps it here .* --theirs shares it again"):
        desk.backend.resolve("N1", choice="both")
    with pytest.raises(SyncError, match="--mine keeps it here"):
        desk.backend.resolve("N1", text=held.theirs)
    assert desk.sync().held == ("N1",)
    assert desk.private() == {"N1": "one\ntwo"}


def test_sharing_the_note_again_merges_both_edits(clash: tuple[Machine, Machine]) -> None:
    desk, lap = clash
    (path,) = (desk.root / "local").glob("*/N1.md")
    path.write_text(path.read_text().replace("one", "ONE"))
    desk.sync()
    desk.share("N1")
    assert not desk.sync().conflicted
    lap.sync()
    assert desk.read("N1").body == lap.read("N1").body == "ONE\nEDITED"


def test_deleting_the_private_note_accepts_the_other_version(clash: tuple[Machine, Machine]) -> None:
    desk, lap = clash
    desk.sync()
    shutil.rmtree(desk.root / "local")
    assert not desk.sync().conflicted
    assert desk.files() == lap.files() != {}


def test_a_deletion_elsewhere_ends_the_clash(clash: tuple[Machine, Machine]) -> None:
    desk, lap = clash
    desk.sync()
    lap.delete("N1")
    lap.sync()
    assert not desk.sync().conflicted
    assert desk.private() == {"N1": "one\ntwo"}
    assert desk.files() == lap.files() == {}


def test_the_note_stays_held_when_the_repository_is_lost(clash: tuple[Machine, Machine]) -> None:
    desk, lap = clash
    desk.sync()
    shutil.rmtree(desk.memory / ".git")
    assert desk.sync().held == ("N1",)
    assert desk.files() == {}
    assert desk.private() == {"N1": "one\ntwo"}
    assert lap.read("N1").body == "one\nEDITED"


def test_a_private_note_is_not_written_back_when_the_repository_is_lost(desk: Machine, lap: Machine) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    desk.make_private("N1")
    shutil.rmtree(desk.memory / ".git")
    settle(desk, lap)
    assert desk.files() == lap.files() == {}
    assert desk.private() == {"N1": "one"}


@pytest.mark.parametrize("choice", ["mine", "theirs"])
def test_a_held_note_that_becomes_machine_local_stays_held(desk: Machine, lap: Machine, choice: str) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    lap.save(lap.read("N1"), body="from lap", updated_at=LATER)
    desk.save(desk.read("N1"), body="from desk", updated_at=LATEST)
    lap.sync()
    assert desk.sync().held == ("N1",)
    desk.make_private("N1")
    assert desk.backend.held()[0].private
    result = desk.sync()
    assert result.held == ("N1",)
    assert "machine-local here" in result.detail
    assert desk.files() == {}
    desk.backend.resolve("N1", choice=choice)  # type: ignore[arg-type]  # one of the two
    settle(desk, lap)
    assert desk.files() == lap.files()
    assert desk.private() == ({"N1": "from desk"} if choice == "mine" else {})
    assert [lap.read("N1").body] == ["from lap"] if choice == "theirs" else lap.files() == {}


def test_a_note_that_became_machine_local_and_was_not_edited_just_disappears_elsewhere(
    desk: Machine, lap: Machine
) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    desk.make_private("N1")
    settle(desk, lap)
    assert desk.files() == lap.files() == {}
    assert not any(result.conflicted for machine in (desk, lap) for result in machine.results)
