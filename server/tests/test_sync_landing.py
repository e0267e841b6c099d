"""A landing: others can write in between, nothing of theirs is lost, no temporary files are left."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.errors import StoreUnavailable
from anamnesis.files import lock
from anamnesis.store import MemoryStore
from machines import Machine, make_remote, run_until, settle

LATER = "2026-02-01T00:00:00+00:00"
COUNT = 12
Pair = tuple[Machine, Machine]
Meanwhile = Callable[[Callable[[], object]], None]


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    """Two machines: desk has edited all shared notes and pushed them."""
    remote = make_remote(tmp_path / "r.git")
    desk, lap = Machine(tmp_path / "desk", remote), Machine(tmp_path / "lap", remote)
    for number in range(COUNT):
        desk.write(f"N{number:02d}", "one\ntwo\nthree")
    settle(desk, lap)
    for number in range(COUNT):
        note = desk.read(f"N{number:02d}")
        desk.save(note, body="ONE\ntwo\nthree", updated_at=LATER)
    desk.sync()
    return desk, lap


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Make a landing pause after each file; the action runs when three have landed, without the lock."""
    monkeypatch.setattr("anamnesis.sync.tree._SHARE_SECONDS", 0.0)

    def plan(act: Callable[[], object]) -> None:
        pauses = [0]
        real = lock._let_others_in

        def give(shared: lock) -> None:
            pauses[0] += 1
            if pauses[0] == COUNT + 3:
                act()
            real(shared)

        monkeypatch.setattr(lock, "_let_others_in", give)

    return plan


def _store(machine: Machine, act: Callable[[MemoryStore], object]) -> Callable[[], object]:
    def write() -> object:
        with MemoryStore(machine.root) as store:
            return act(store)

    return write


def _landed(machine: Machine) -> list[str]:
    """The notes that have desk's text."""
    return [name for name in machine.files() if machine.read(Path(name).stem).body.startswith("ONE")]


def test_a_note_written_during_a_landing_is_kept_and_pushed_with_it(pair: Pair, meanwhile: Meanwhile) -> None:
    desk, lap = pair
    seen: list[int] = []

    def write(store: MemoryStore) -> None:
        seen.append(len(_landed(lap)))
        store.write(type="semantic", title="in between", body="in between")

    meanwhile(_store(lap, write))
    assert lap.sync().pushed
    assert 0 < seen[0] < COUNT
    assert len(_landed(lap)) == COUNT
    desk.sync()
    assert desk.files() == lap.files()
    assert len(desk.files()) == COUNT + 1


@pytest.mark.parametrize("number", [0, COUNT - 1], ids=["that has landed", "that is yet to land"])
def test_an_edit_made_during_a_landing_is_merged(pair: Pair, meanwhile: Meanwhile, number: int) -> None:
    desk, lap = pair
    name = f"N{number:02d}"

    def edit(store: MemoryStore) -> None:
        note = store.get(name)
        assert note is not None
        store.update(name, body=note.body.replace("three", "THREE"))

    meanwhile(_store(lap, edit))
    settle(lap, desk)
    assert lap.read(name).body == "ONE\ntwo\nTHREE"
    assert len(_landed(lap)) == COUNT
    assert desk.files() == lap.files()


@pytest.mark.parametrize("number", [0, COUNT - 1], ids=["that has landed", "that is yet to land"])
def test_a_note_deleted_during_a_landing_is_deleted_or_keeps_the_other_edit(
    pair: Pair, meanwhile: Meanwhile, number: int
) -> None:
    desk, lap = pair
    name = f"N{number:02d}"
    meanwhile(_store(lap, lambda store: store.delete(name)))
    settle(lap, desk)
    # Deleted after the edit arrived, it is gone; deleted before, the edit from elsewhere wins.
    assert bool(lap.path(name)) == (number != 0)
    assert desk.files() == lap.files()


def test_no_other_process_commits_half_a_landing(
    pair: Pair, meanwhile: Meanwhile, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, lap = pair
    monkeypatch.setattr("anamnesis.sync.cycle._WRITE_WAIT", 0.1)

    def commit() -> None:
        with pytest.raises(StoreUnavailable, match="a sync is bringing many notes into"):
            lap.backend.commit()

    meanwhile(commit)
    lap.sync()
    assert len(_landed(lap)) == COUNT
    assert desk.files() == lap.files()
    assert not lap.backend.commit()


def test_a_landing_killed_in_a_pause_is_undone_and_keeps_what_was_written(
    pair: Pair, meanwhile: Meanwhile
) -> None:
    desk, lap = pair
    write = _store(lap, lambda store: store.write(type="semantic", title="t", body="in between"))

    parent = os.getpid()

    def write_and_die() -> None:
        if os.getpid() != parent:
            write()
            os.kill(os.getpid(), 9)

    meanwhile(write_and_die)
    assert run_until(10_000, lap.backend.sync)
    assert 0 < len(_landed(lap)) < COUNT
    lap.backend.commit()
    assert len(_landed(lap)) == 0
    settle(lap, desk)
    assert len(_landed(lap)) == COUNT
    assert len(desk.files()) == COUNT + 1
    assert desk.files() == lap.files()


def test_killed_syncs_leave_no_temporary_files(pair: Pair, tmp_path: Path) -> None:
    _, lap = pair
    for step in range(20, 60, 3):
        run_until(step, lap.backend.sync)
    lap.sync()
    left = [path for path in lap.root.rglob("*") if "tmp" in path.name]
    assert left == []
    assert not [*(lap.memory / ".git/anamnesis").rglob("*")]


def test_many_files_are_made_durable_without_a_system_wide_sync(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, lap = pair
    monkeypatch.delattr(os, "sync")
    synced: set[str] = set()
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.add(os.readlink(f"/proc/self/fd/{descriptor}"))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    lap.sync()
    staged = {str(lap.memory / ".git/anamnesis/staged" / str(number)) for number in range(COUNT)}
    assert {*staged, str(lap.memory / "semantic")} <= synced
    for number in range(COUNT):
        lap.write(f"L{number}", "new")
    lap.sync()
    desk.sync()
    assert desk.files() == lap.files()
