"""The state of a large tree: every change of a folder is seen at once, an edit in place within a minute."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from machines import Machine

MANY = 2_100  # with names this long git's index is as large as that of 5,000 ordinary notes
NAME = "a-name-that-goes-on-" * 10


@pytest.fixture
def desk(tmp_path: Path) -> Machine:
    """A machine with a large tree, committed."""
    machine = Machine(tmp_path / "desk", None)
    folder = machine.memory / "semantic"
    folder.mkdir(parents=True)
    for number in range(MANY):
        (folder / f"{NAME}{number:04}.md").write_text(f"text {number}\n")
    machine.backend.commit()
    return machine


def first(machine: Machine) -> Path:
    return machine.memory / "semantic" / f"{NAME}0000.md"


def test_files_that_were_added_removed_or_replaced_show_at_once(desk: Machine) -> None:
    path = first(desk)
    assert not desk.backend.state().dirty
    new = desk.memory / "semantic/sub/new.md"
    new.parent.mkdir()
    assert not desk.backend.state().dirty
    new.write_text("x\n")
    assert desk.backend.state().dirty
    new.unlink()
    assert not desk.backend.state().dirty
    other = path.with_suffix(".tmp")
    other.write_text("replaced\n")
    os.replace(other, path)
    assert desk.backend.state().dirty


def test_an_edit_in_place_shows_when_the_next_look_is_due(
    desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not desk.backend.state().dirty
    with first(desk).open("a") as handle:
        handle.write("more\n")
    assert not desk.backend.state().dirty
    later = time.monotonic() + 61
    monkeypatch.setattr("anamnesis.sync.clean.time.monotonic", lambda: later)
    assert desk.backend.state().dirty


def test_a_sync_sends_an_edit_in_place_whatever_was_remembered(desk: Machine) -> None:
    assert not desk.backend.state().dirty
    with first(desk).open("a") as handle:
        handle.write("more\n")
    desk.sync()
    assert "more" in desk.git("show", f"main:semantic/{first(desk).name}")
    assert not desk.backend.state().dirty


def test_a_memory_from_before_the_machine_started_is_not_believed(
    desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not desk.backend.state().dirty
    with first(desk).open("a") as handle:
        handle.write("more\n")
    monkeypatch.setattr("anamnesis.sync.clean.time.monotonic", lambda: 1.0)
    assert desk.backend.state().dirty


def test_a_commit_by_hand_is_noticed(desk: Machine) -> None:
    assert not desk.backend.state().dirty
    first(desk).write_text("by hand\n")
    desk.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "by hand")
    first(desk).write_text("and again\n")
    assert desk.backend.state().dirty
