"""The state of a large tree computed from new files equals that of a full scan."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from anamnesis.git import Git
from anamnesis.index.listing import files_since
from anamnesis.layout import MEMORY
from anamnesis.store import MemoryStore
from anamnesis.sync import backend_for, status, worktree
from anamnesis.sync.paths import differing
from anamnesis.sync.results import SyncState, Touched
from anamnesis.sync.state_cache import StateCache
from machines import Machine

LONG_AGO = 1_000_000_000


class Desk:
    """A machine with some committed notes and a long-running process."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.machine = Machine(folder, None)
        self.memory = self.machine.memory
        self.folder = self.memory / "semantic"
        self.folder.mkdir(parents=True)
        for number in range(5):
            self.note(number).write_text(f"text {number}\n")
            os.utime(self.note(number), (LONG_AGO, LONG_AGO))
        self.backend = self.machine.backend
        self.backend.commit()
        self.store = MemoryStore(self.memory.parent)
        self.scans = 0
        monkeypatch.setattr(status, "LARGE_BYTES", 0)
        monkeypatch.setattr(worktree, "differing", self._counted)
        self.state()

    def note(self, number: int) -> Path:
        return self.folder / f"N{number}.md"

    def since(self, moment_ns: int) -> Touched:
        return Touched(*self.store.ask(lambda db: files_since(db, MEMORY, moment_ns)))

    def state(self) -> SyncState:
        return self.backend.state(self.since)

    def as_git_tells(self) -> SyncState:
        """The state that a new process computes."""
        return backend_for(self.memory, remote=None, machine_id="desk").state()

    def _counted(self, git: Git, only: Collection[str] = ()) -> Iterator[tuple[str, bool]]:
        self.scans += not only
        return differing(git, only)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """The machine of these tests."""
    made = Desk(tmp_path / "desk", monkeypatch)
    yield made
    made.store.close()


def add(desk: Desk) -> None:
    desk.note(9).write_text("new\n")


def edit(desk: Desk) -> None:
    desk.note(0).write_text("another text\n")


def leave_a_record(desk: Desk) -> None:
    (desk.memory / "use").mkdir()
    (desk.memory / "use" / "desk.json").write_text("{}")


def edit_and_commit(desk: Desk) -> None:
    edit(desk)
    desk.backend.commit()
    desk.scans = 0


def add_and_remove_again(desk: Desk) -> None:
    add(desk)
    assert desk.state().dirty
    desk.note(9).unlink()


@pytest.mark.parametrize("change", [add, edit, leave_a_record, edit_and_commit, add_and_remove_again])
def test_written_files_show_without_a_full_scan(desk: Desk, change: Callable[[Desk], None]) -> None:
    desk.scans = 0
    change(desk)
    found = desk.state()
    assert desk.scans == 0
    assert found == desk.as_git_tells()
    assert found.dirty == (change in (add, edit, leave_a_record))


def remove(desk: Desk) -> None:
    desk.note(0).unlink()


def put_an_old_file_there(desk: Desk) -> None:
    add(desk)
    os.utime(desk.note(9), (LONG_AGO, LONG_AGO))


def add_a_name_that_is_not_ascii(desk: Desk) -> None:
    (desk.folder / "é.md").write_text("new\n")


def leave_a_link(desk: Desk) -> None:
    (desk.folder / "link.md").symlink_to(desk.note(0))


@pytest.mark.parametrize(
    "change", [remove, put_an_old_file_there, add_a_name_that_is_not_ascii, leave_a_link]
)
def test_changes_that_file_times_do_not_show_trigger_a_full_scan(
    desk: Desk, change: Callable[[Desk], None]
) -> None:
    change(desk)
    assert desk.state() == desk.as_git_tells() != SyncState()
    assert desk.state().dirty or desk.state().left_out


@pytest.mark.parametrize(("wall", "steady"), [(-600, 0), (600, 0), (3601, 3601)])
def test_a_clock_change_or_an_hour_triggers_a_full_scan(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, wall: int, steady: int
) -> None:
    desk.scans = 0
    desk.state()
    assert desk.scans == 0
    moment, count = time.time_ns() + wall * 10**9, time.monotonic() + steady
    clock = SimpleNamespace(time=time.time, time_ns=lambda: moment, monotonic=lambda: count)
    monkeypatch.setattr(status, "time", clock)
    (desk.memory / ".git/anamnesis/remembered.json").unlink(missing_ok=True)
    desk.state()
    assert desk.scans == 1


def test_a_continued_scan_does_not_list_the_whole_tree_to_remember_the_state(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(desk)
    assert desk.state().dirty
    monkeypatch.setattr(StateCache, "start", lambda _: pytest.fail("the tree was listed"))
    desk.note(0).write_text("text 0\n")
    assert not desk.state().dirty
