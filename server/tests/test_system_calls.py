"""A command that is killed, or gets an error, at any modifying system call: nothing is lost.

The calls are real: strace kills the process or answers for the kernel. ANAMNESIS_TEST_EVERY_STEP=1 tries
every call instead of one in eleven.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from anamnesis.store import MemoryStore
from faults import Call, Record, can_trace, changing_calls, lost_texts, run_with_fault
from machines import LATER, Machine, make_remote, settle

_STRIDE = 1 if os.environ.get("ANAMNESIS_TEST_EVERY_STEP") else 11
_KEPT = ("walrus of desk", "walrus of lap", "edited by lap", "not yet committed")
FAULTS = {"kill": "signal=KILL", "EIO": "error=EIO", "ENOSPC": "error=ENOSPC"}


@dataclass(frozen=True)
class Command:
    """A command, the text that must exist if it exits 0, and texts of which one must always exist."""

    words: tuple[str, ...]
    promised: str = ""
    either: tuple[str, ...] = ()


COMMANDS = {
    "write": Command(
        ("write", "--type", "semantic", "--title", "T", "--body", "a new walrus"), "a new walrus"
    ),
    "edit": Command(("edit", "EDIT"), "the text after", ("the text before", "the text after")),
    "delete": Command(("delete", "GONE", "--yes")),
    "sync": Command(("sync",)),
}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two machines, each with something that the other lacks."""
    folder = tmp_path_factory.mktemp("original")
    desk, lap = _machines(folder)
    make_remote(folder / "r.git")
    for note_id, body in (("DESK", _KEPT[0]), ("EDIT", "the text before"), ("GONE", "to go"), ("LAP", "old")):
        desk.write(note_id, body)
    settle(desk, lap)
    lap.save(lap.read("LAP"), body=_KEPT[2], updated_at=LATER)
    lap.write("NEW", _KEPT[1])
    lap.sync()
    desk.write("OPEN", _KEPT[3])
    with MemoryStore(desk.root) as store:
        store.reindex()
    return folder


def _machines(folder: Path) -> tuple[Machine, Machine]:
    return Machine(folder / "desk", folder / "r.git"), Machine(folder / "lap", folder / "r.git")


@pytest.mark.slow
@pytest.mark.skipif(not can_trace(), reason="strace is not installed or not allowed to trace")
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_at_any_modifying_system_call_loses_nothing(
    original: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Record,
    name: str,
    fault: str,
) -> None:
    monkeypatch.setenv("EDITOR", "sed -i s/before/after/")
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "desk")
    line = [sys.executable, "-m", "anamnesis", *COMMANDS[name].words]
    _use(_copy(original, tmp_path / "plain"), monkeypatch)
    calls = changing_calls(line, log=tmp_path / "calls")
    tried, lost = 0, {}
    for at in range(0, len(calls), _STRIDE):
        folder = _copy(original, tmp_path / str(at))
        _use(folder, monkeypatch)
        done = run_with_fault(line, calls[at], FAULTS[fault], log=tmp_path / "log")
        tried += done is not None
        if missing := _lost(folder, COMMANDS[name], done):
            lost[calls[at]] = missing
        shutil.rmtree(folder)
    record_property("tried", tried)
    record_property("lost", sum(map(len, lost.values())))
    assert lost == {}
    assert tried > len(calls) // _STRIDE // 2


def _copy(original: Path, folder: Path) -> Path:
    return Path(shutil.copytree(original, folder))


def _use(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(folder / "desk"))
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(folder / "r.git"))


def _lost(folder: Path, command: Command, done: subprocess.CompletedProcess[str] | None) -> list[str]:
    """Texts that are missing on either machine after both have synced."""
    if done is not None:
        assert "Traceback" not in done.stderr, done.stderr
    desk, lap = _machines(folder)
    settle(desk, lap)
    wanted = [*_KEPT, *([command.promised] if command.promised and done and not done.returncode else [])]
    everywhere = [desk.files().values(), lap.files().values()]
    lost = lost_texts(wanted, *everywhere)
    if command.either and len(lost_texts(command.either, *everywhere)) == len(command.either):
        lost.append(" / ".join(command.either))
    with MemoryStore(desk.root) as store:
        assert store.health().ok
        assert store.search("walrus")
    return lost


def test_system_calls_are_identified_by_name_and_number(tmp_path: Path) -> None:
    if not can_trace():
        pytest.skip("strace is not installed or not allowed to trace")
    program = f"import os; os.mkdir({str(tmp_path / 'a')!r}); os.mkdir({str(tmp_path / 'b')!r})"
    calls = changing_calls([sys.executable, "-c", program], log=tmp_path / "log")
    assert [call for call in calls if call.name == "mkdir"] == [Call("mkdir", 1), Call("mkdir", 2)]
