"""Syncs killed at any time, and many at once: the next run is correct, without lock errors."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from anamnesis.git import Git
from anamnesis.sync import session
from anamnesis.sync.repo import Repo
from anamnesis.sync.state import State, load_state
from anamnesis.sync.tree import Tree
from faults import Record
from machines import LATER, Machine, every_start, make_remote, run_git, run_until, run_until_call, settle
from processes import running

STRIDE = 7
Start = Callable[[Machine], subprocess.Popen[str]]
Copies = Callable[[], tuple[Machine, Machine]]
_SYNC = """
import sys
from anamnesis.sync import GitSyncBackend
result = GitSyncBackend(sys.argv[1], remote=sys.argv[2], machine_id=sys.argv[3], timeout=600).sync()
print(result.detail)
"""


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a machine's sync in a separate process."""
    with ExitStack() as stack:

        def run(machine: Machine) -> subprocess.Popen[str]:
            command = [sys.executable, "-c", _SYNC, str(machine.memory), str(machine.remote)]
            pipe = subprocess.PIPE
            process = running([*command, machine.root.name], stdout=pipe, stderr=pipe)
            return stack.enter_context(process)

        yield run


def _diverged(tmp_path: Path) -> tuple[Machine, Machine]:
    """Two machines with merges, moves, deletions, a clash and local edits at once."""
    remote = make_remote(tmp_path / "r.git")
    desk, lap = Machine(tmp_path / "desk", remote), Machine(tmp_path / "lap", remote)
    for note_id in ("MERGE", "MOVE", "GONE", "CLASH", "LOST"):
        desk.write(note_id, f"one\n{note_id}\nthree")
    settle(desk, lap)
    desk.save(desk.read("MERGE"), body="ONE\nMERGE\nthree", updated_at=LATER)
    desk.save(desk.read("MOVE"), type="procedural", updated_at=LATER)
    desk.delete("GONE")
    desk.save(desk.read("CLASH"), body="one\ndesk\nthree", updated_at=LATER)
    desk.write("NEW", "from desk")
    desk.sync()
    lap.save(lap.read("MERGE"), body="one\nMERGE\nTHREE", updated_at=LATER)
    lap.save(lap.read("MOVE"), body="one\nMOVED\nthree", updated_at=LATER)
    lap.save(lap.read("CLASH"), body="one\nlap\nthree", updated_at=LATER)
    lap.delete("LOST")
    lap.write("OWN", "from lap")
    return desk, lap


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The diverged machines, created once."""
    folder = tmp_path_factory.mktemp("original")
    _diverged(folder)
    return folder


@pytest.fixture
def diverged(original: Path, tmp_path: Path) -> Copies:
    """A factory for fresh copies of the diverged machines."""

    def copy() -> tuple[Machine, Machine]:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        shutil.copytree(original, folder)
        return Machine(folder / "desk", folder / "r.git"), Machine(folder / "lap", folder / "r.git")

    return copy


def _check(desk: Machine, lap: Machine) -> None:
    settle(lap, desk)
    for machine in (desk, lap):
        assert sorted(machine.files()) == [
            "procedural/MOVE.md",
            "semantic/CLASH.md",
            "semantic/MERGE.md",
            "semantic/NEW.md",
            "semantic/OWN.md",
        ]
        assert machine.read("MERGE").body == "ONE\nMERGE\nTHREE"
        assert machine.read("MOVE").body == "one\nMOVED\nthree"
    assert desk.read("CLASH").body == "one\ndesk\nthree"
    assert lap.read("CLASH").body == "one\nlap\nthree"
    assert lap.backend.state().held == ("CLASH",)
    lap.backend.resolve("CLASH", choice="both")
    settle(lap, desk)
    assert desk.files() == lap.files()
    assert not run_git(Path(str(desk.remote)), "log", "--merges", "--format=%h", "main")


@every_start(STRIDE)
def test_a_sync_killed_at_any_step_is_completed_by_the_next(
    diverged: Copies, record_property: Record, first: int
) -> None:
    for step in range(first, 200, STRIDE):
        desk, lap = diverged()
        killed = run_until(step, lap.backend.sync)
        _check(desk, lap)
        if not killed:
            break
    record_property("tried", len(range(first, step, STRIDE)))
    assert 40 < step < 190


def test_a_sync_killed_again_and_again_still_completes(diverged: Copies) -> None:
    desk, lap = diverged()
    for step in range(0, 60, 4):
        run_until(step, lap.backend.sync)
    _check(desk, lap)


class Kill(NamedTuple):
    """Where a process dies: before a call for which `at` is true; what the next one finds then."""

    owner: object
    name: str
    at: Callable[..., bool]
    found: Callable[[Machine], bool]
    act: Callable[[Machine], object] = Machine.sync
    before: Callable[[Machine], object] = lambda lap: None


def _always(*_: object, **__: object) -> bool:
    return True


def _saves(changed: Callable[[State, State], bool]) -> Callable[[Path, State], bool]:
    return lambda memory, state: changed(load_state(memory), state)


def _main(machine: Machine) -> str:
    return machine.git("rev-parse", "main").strip()


def _is_at_head(lap: Machine) -> bool:
    return _main(lap) == load_state(lap.memory).head


def _is_pushed(lap: Machine) -> bool:
    there = run_git(Path(str(lap.remote)), "rev-parse", "main").strip()
    return there == load_state(lap.memory).head != load_state(lap.memory).shared


def _resolve(lap: Machine) -> object:
    return lap.backend.resolve("CLASH", choice="theirs")


def _lose_head(lap: Machine) -> None:
    lap.backend.commit()  # a deletion that is not committed counts as lost
    (lap.memory / ".git/HEAD").write_bytes(b"\0")


KILLS = {
    "after fast-import, before the branch moves": Kill(
        Tree, "check", _always, lambda lap: _is_at_head(lap) and not load_state(lap.memory).landing
    ),
    "after the branch moved, before head is saved": Kill(
        session,
        "save_state",
        _saves(lambda known, new: new.head != known.head and not known.landing),
        lambda lap: not _is_at_head(lap) and not load_state(lap.memory).landing,
    ),
    "while landing": Kill(
        Tree,
        "remove",
        _always,
        lambda lap: _is_at_head(lap) and bool(load_state(lap.memory).landing and lap.path("NEW")),
    ),
    "after the landing's branch, before head is saved": Kill(
        session,
        "save_state",
        _saves(lambda known, new: bool(known.landing) and not new.landing),
        lambda lap: not _is_at_head(lap) and bool(load_state(lap.memory).landing),
    ),
    "before git's index": Kill(
        Tree,
        "reset_index",
        lambda tree, head: bool(head),
        lambda lap: _is_at_head(lap) and lap.git("diff", "--cached", "--name-only") != "",
    ),
    "after the push, before it is saved": Kill(
        session, "save_state", _saves(lambda known, new: new.shared != known.shared), _is_pushed
    ),
    "while resolving, file written": Kill(
        Git,
        "commit",
        _always,
        lambda lap: lap.read("CLASH").body == "one\ndesk\nthree" and bool(load_state(lap.memory).held),
        _resolve,
        Machine.sync,
    ),
    "while setting aside": Kill(
        Repo, "create", _always, lambda lap: not (lap.memory / ".git").exists(), before=_lose_head
    ),
}


@pytest.mark.parametrize("where", list(KILLS))
def test_what_a_kill_leaves_is_completed_as_the_design_says(diverged: Copies, where: str) -> None:
    desk, lap = diverged()
    kill = KILLS[where]
    kill.before(lap)
    assert run_until_call(kill.owner, kill.name, kill.at, lambda: kill.act(lap))
    assert kill.found(lap)
    if kill.act is not _resolve:
        _check(desk, lap)
        return
    assert lap.sync().held == ()
    settle(lap, desk)
    assert lap.read("CLASH").body == desk.read("CLASH").body == "one\ndesk\nthree"


def test_a_resolution_killed_at_any_step_leaves_the_note_held_or_resolved(diverged: Copies) -> None:
    for step in range(2, 40, 6):
        desk, lap = diverged()
        lap.sync()
        run_until(step, _resolver(lap))
        if lap.sync().held:
            lap.backend.resolve("CLASH", choice="theirs")
        settle(lap, desk)
        assert lap.read("CLASH").body == desk.read("CLASH").body == "one\ndesk\nthree"


def _resolver(machine: Machine) -> Callable[[], object]:
    return lambda: machine.backend.resolve("CLASH", choice="theirs")


def test_a_process_killed_by_signal_9_at_random_moments_loses_nothing(diverged: Copies, start: Start) -> None:
    chance = random.Random(7)  # noqa: S311  # seeded, so that a failure can be reproduced
    desk, lap = diverged()
    for _ in range(6):
        process = start(lap)
        time.sleep(chance.uniform(0.1, 0.5))
        process.send_signal(signal.SIGKILL)
        process.communicate()
    _check(desk, lap)


def test_twenty_simultaneous_syncs_of_one_store_all_succeed(tmp_path: Path, start: Start) -> None:
    machine = Machine(tmp_path / "desk", make_remote(tmp_path / "r.git"))
    for number in range(5):
        machine.write(f"N{number}", "body")
    started = [start(machine) for _ in range(20)]
    endings = [(process.communicate(), process.returncode) for process in started]
    assert [code for _, code in endings] == [0] * 20, [each for each in endings if each[1]]
    assert {error for (_, error), _ in endings} == {""}
    assert not any("lock" in out for (out, _), _ in endings)
    assert run_git(Path(str(machine.remote)), "rev-list", "--count", "main").strip() == "1"
    assert machine.git("rev-parse", "main") == run_git(Path(str(machine.remote)), "rev-parse", "main")


def test_machines_that_push_at_the_same_moment_all_succeed(tmp_path: Path, start: Start) -> None:
    remote = make_remote(tmp_path / "r.git")
    fleet = [Machine(tmp_path / f"m{number}", remote) for number in range(6)]
    for machine in fleet:
        machine.write(f"NOTE-{machine.root.name}", "body")
    started = [start(machine) for machine in fleet]
    assert [(process.communicate()[1], process.returncode) for process in started] == [("", 0)] * 6
    settle(*fleet, rounds=2)
    assert len(fleet[0].files()) == 6
    assert all(machine.files() == fleet[0].files() for machine in fleet)


def test_notes_written_while_syncs_run_are_all_kept(desk: Machine, lap: Machine, start: Start) -> None:
    started: list[subprocess.Popen[str]] = []
    for number in range(30):
        (desk if number % 2 else lap).write(f"N{number}", f"body {number}")
        if number % 6 == 0:
            started += [start(desk), start(lap)]
        time.sleep(0.02)
    assert [(process.communicate()[1], process.returncode) for process in started] == [("", 0)] * 10
    settle(desk, lap)
    assert len(desk.files()) == 30
    assert desk.files() == lap.files()


def test_an_edit_made_after_an_interrupted_landing_is_kept(diverged: Copies) -> None:
    desk, lap = diverged()
    kill = KILLS["while landing"]
    assert run_until_call(kill.owner, kill.name, kill.at, lap.sync)
    lap.save(lap.read("MERGE"), body=lap.read("MERGE").body + "\nfour")
    settle(lap, desk)
    for held in lap.backend.held():
        lap.backend.resolve(held.id, choice="both")
    settle(lap, desk)
    assert desk.files() == lap.files()
    assert {"ONE", "THREE", "four"} <= set(desk.read("MERGE").body.split("\n"))


def test_a_killed_capture_commit_leaves_a_store_that_syncs(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "desk", make_remote(tmp_path / "r.git"))
    for step in range(12):
        machine.write(f"N{step}", "body")
        run_until(step, machine.backend.commit)
    machine.sync()
    assert len(run_git(Path(str(machine.remote)), "ls-tree", "-r", "--name-only", "main").split()) == 12


def test_killed_syncs_leave_no_temporary_files(diverged: Copies) -> None:
    _, lap = diverged()
    for step in range(20, 60, 3):
        run_until(step, lap.backend.sync)
    lap.sync()
    assert not [name for name in lap.files() if "tmp" in name]
    assert not [*(lap.memory / ".git/anamnesis/staged").rglob("*")]


def test_what_lands_is_durable_before_it_replaces_a_file(
    diverged: Copies, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, lap = diverged()
    done: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        done.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        fsync(descriptor)

    def replaced(old: str, new: str) -> None:
        assert old in done
        replace(old, new)
        done.append(new)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    lap.sync()
    landed = str(lap.memory / "semantic/NEW.md")
    assert str(lap.memory / "semantic") in done[done.index(landed) :]
