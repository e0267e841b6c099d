"""`sync --json` when a sync cannot run: a program that reads the answer still gets one."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from anamnesis.sync import SyncResult
from machines import make_remote, run_git

Run = Callable[..., subprocess.CompletedProcess[str]]
Write = Callable[..., str]


@pytest.fixture(autouse=True)
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, anamnesis: Run, write: Write) -> Path:
    """A bare repository that the store has synced with twice."""
    made = make_remote(tmp_path / "between.git")
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(made))
    for title in ("One", "Two"):
        write(title, "text")
        assert anamnesis("sync").returncode == 0
    return made


def assert_told(done: subprocess.CompletedProcess[str], kind: str) -> None:
    """Check the documented shape, the kind of failure, exit code 1 and the message on stderr."""
    answer = json.loads(done.stdout)
    assert list(answer) == [field.name for field in fields(SyncResult)]
    assert (done.returncode, answer["failure"], answer["reached"]) == (1, kind, False)
    assert answer["detail"] in done.stderr


def test_a_rewritten_remote_is_answered_in_json(anamnesis: Run, remote: Path) -> None:
    run_git(remote, "update-ref", "refs/heads/main", "main~1")
    assert_told(anamnesis("sync", "--json"), "history")
    assert anamnesis("sync").stdout == ""


def test_a_refused_address_is_answered_in_json(anamnesis: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", "ext::sh -c true")
    assert_told(anamnesis("sync", "--json"), "address")


def test_allowing_a_note_that_does_not_wait_is_answered_in_json(anamnesis: Run) -> None:
    assert_told(anamnesis("sync", "--json", "--allow-secret", "01UNKNOWN"), "other")
