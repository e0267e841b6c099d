"""`sync` when it cannot run: one line that says what to do, and exit code 1."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("words", [("sync",), ("sync", "--json")])
def test_a_rewritten_remote_is_an_error_of_one_line(
    anamnesis: Run, remote: Path, words: tuple[str, ...]
) -> None:
    run_git(remote, "update-ref", "refs/heads/main", "main~1")
    done = anamnesis(*words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "--rejoin" in done.stderr
