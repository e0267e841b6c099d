"""Shell completion in a real bash, and in zsh and fish if they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.cli import COMMANDS
from processes import Run, Write

Complete = Callable[..., list[str]]


@pytest.fixture
def complete(anamnesis: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Complete:
    """What bash offers after these words, line by line; its script calls the command by name."""
    command = tmp_path / "bin" / "anamnesis"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m anamnesis "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(command.parent), prepend=os.pathsep)
    script = tmp_path / "completion.bash"
    script.write_text(anamnesis("completion", "bash").stdout, encoding="utf-8")

    def ask(*words: str) -> list[str]:
        quoted = " ".join(f"'{word}'" for word in words)
        ask_bash = f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _shtab_anamnesis; "
        done = subprocess.run(
            ["bash", "-c", ask_bash + 'printf "%s\\n" "${COMPREPLY[@]}"'],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.splitlines()

    return ask


def test_bash_completes_commands_and_their_options(complete: Complete) -> None:
    assert set(COMMANDS) <= set(complete("anamnesis", ""))
    assert complete("anamnesis", "search", "--pro") == ["--project"]


def test_bash_shows_the_titles_of_several_ids_and_completes_one_alone(
    complete: Complete, write: Write
) -> None:
    first, second = write("Use WAL mode"), write("Deploy: a/b with 'care'")
    for command in ("show", "edit", "delete", "history", "supersede"):
        offered = complete("anamnesis", command, "")
        assert offered == [f"{second}  Deploy: a/b with 'care'", f"{first}  Use WAL mode"]
    assert complete("anamnesis", "show", second[:-1]) == [second]
    assert complete("anamnesis", "show", "nothing-like-it") == [""]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_completion_script_lists_every_command_and_is_accepted_by_its_shell(
    anamnesis: Run, root: Path, shell: str
) -> None:
    script = anamnesis("completion", shell).stdout
    assert all(name in script for name in COMMANDS)
    assert not root.exists()
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n"], input=script, text=True, check=True)
