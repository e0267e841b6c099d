"""Times in messages are local and short in every command."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.session.ledger import log_line
from anamnesis.session.receipts import add_entry
from anamnesis.sync import GitSyncBackend
from machines import Machine, settle

Run = Callable[..., subprocess.CompletedProcess[str]]
Write = Callable[..., str]

_FOR_PROGRAMS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d\S*")


@pytest.fixture
def unpushed(
    write: Write, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_tokyo: None
) -> None:
    """An unpushed note, a session that was given it, and a failed hook."""
    note = write()
    gone = str(tmp_path / "unplugged.git")
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", gone)
    GitSyncBackend(root / "memory", remote=gone, machine_id="desk").sync()
    add_entry(str(root), "s-1", "searched", query="wal", ids=[note])
    log_line(root, "the hook failed")


@pytest.mark.parametrize("words", ["status", "fleet", "doctor", "why s-1", "sync", "news --since yesterday"])
def test_no_message_contains_an_iso_timestamp(unpushed: None, anamnesis: Run, words: str) -> None:
    done = anamnesis(*words.split())
    assert _FOR_PROGRAMS.findall(done.stdout + done.stderr) == []


def test_status_says_once_what_is_not_pushed(unpushed: None, anamnesis: Run) -> None:
    said = anamnesis("status").stdout
    assert said.count("1 commit not pushed since ") == 1


def test_the_time_of_the_other_version_is_local(
    two_machines: tuple[Machine, Machine], in_tokyo: None
) -> None:
    desk, lap = two_machines
    desk.write("N1", "one")
    settle(desk, lap)
    desk.write("N1", "from desk")
    lap.write("N1", "from lap")
    desk.sync()
    detail = lap.sync().detail
    assert _FOR_PROGRAMS.findall(detail) == []
