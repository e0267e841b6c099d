"""Shell completion, asked through a real bash."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.cli import COMMANDS

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def complete(anamnesis: Run, tmp_path: Path) -> Callable[..., list[str]]:
    """What bash offers after these words."""
    script = tmp_path / "completion.bash"
    script.write_text(anamnesis("completion", "bash").stdout, encoding="utf-8")

    def ask(*words: str) -> list[str]:
        quoted = " ".join(f"'{word}'" for word in words)
        ask_bash = f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _anamnesis; "
        done = subprocess.run(
            ["bash", "-c", ask_bash + 'printf "%s\\n" "${COMPREPLY[@]}"'],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split()

    return ask


def test_bash_completes_every_command(complete: Callable[..., list[str]]) -> None:
    assert set(COMMANDS) <= set(complete("anamnesis", ""))


def test_bash_completes_a_commands_options(complete: Callable[..., list[str]]) -> None:
    assert complete("anamnesis", "search", "--pro") == ["--project"]


def test_bash_completes_an_options_choices(complete: Callable[..., list[str]]) -> None:
    assert complete("anamnesis", "list", "--type", "s") == ["semantic"]


def test_bash_completes_verbs_and_their_arguments(complete: Callable[..., list[str]]) -> None:
    assert complete("anamnesis", "config", "un") == ["unset"]
    assert complete("anamnesis", "config", "get", "sync_") == ["sync_timeout"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_script_names_every_command_and_makes_no_store(anamnesis: Run, root: Path, shell: str) -> None:
    done = anamnesis("completion", shell)
    assert done.returncode == 0
    assert all(name in done.stdout for name in COMMANDS)
    assert not root.exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_script_is_accepted_by_its_shell(anamnesis: Run, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = anamnesis("completion", shell).stdout
    subprocess.run([shell, "-n"], input=script, text=True, check=True)
