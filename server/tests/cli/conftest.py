"""Run commands as separate processes, in a folder of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from processes import Result, Run


@pytest.fixture(autouse=True)
def root(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the store will be; it does not exist yet. The user's settings and projects are hidden."""
    monkeypatch.chdir(tmp_path_factory.mktemp("folder"))
    for variable in ("VISUAL", "EDITOR", "NO_COLOR", "DEEPSEEK_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "desk")
    return tmp_path / "store"


@pytest.fixture
def script() -> Run:
    """Run the installed command as its own process, with `stdin` as text."""

    def run(*words: str, stdin: str = "") -> Result:
        command = [sys.executable, "-m", "anamnesis", *words]
        return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def write(anamnesis: Run) -> Callable[..., str]:
    """Write a note through the command line; returns its id."""

    def run(
        title: str = "Use WAL mode", body: str = "set busy_timeout", *more: str, kind: str = "semantic"
    ) -> str:
        done = anamnesis("write", "--type", kind, "--title", title, "--body", body, *more)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run
