"""Dispatching a command, and turning the outcome into an exit code."""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from command_shapes import all_shapes, every_shape

from anamnesis.cli import COMMANDS, load
from processes import Run, Write, interruptible, running


def test_version_prints_the_package_version_and_creates_no_store(anamnesis: Run, root: Path) -> None:
    assert anamnesis("--version").stdout.strip() == version("anamnesis-memory")
    assert not root.exists()


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("help",)])
def test_the_help_shows_the_commands_of_every_day(anamnesis: Run, words: list[str]) -> None:
    shown = re.findall(r"^  (\w+) ", anamnesis(*words).stdout, re.MULTILINE)
    wanted = "search list show write edit delete sync resolve status doctor init dashboard"
    assert shown == wanted.split()


def test_the_full_help_lists_every_command_and_creates_no_store(anamnesis: Run, root: Path) -> None:
    done = anamnesis("help", "--all")
    assert all(f"\n  {name} " in done.stdout for name in COMMANDS)
    assert not root.exists()


def test_every_command_of_the_table_has_a_function() -> None:
    assert {shape.name for shape in all_shapes()} == set(COMMANDS)
    assert all(hasattr(load(module), f"cmd_{name.replace('-', '_')}") for name, module in COMMANDS.items())


def test_every_command_has_an_example_that_starts_with_its_name() -> None:
    for shape in all_shapes():
        assert f"anamnesis {shape.name}" in shape.example, shape.name


def test_every_option_and_verb_says_what_it_is_for() -> None:
    for shape in every_shape().values():
        assert shape.about, shape.name
        assert all(argument.help for argument in shape.arguments), shape.name


@pytest.mark.parametrize("name", COMMANDS)
def test_help_for_one_command_shows_its_example(anamnesis: Run, root: Path, name: str) -> None:
    for words in ((name, "--help"), ("help", name)):
        done = anamnesis(*words)
        assert done.returncode == 0
        assert f"usage: anamnesis {name}" in done.stdout
        assert "xample" in done.stdout
    assert not root.exists()


def test_an_unknown_command_is_a_usage_error_with_a_suggestion(anamnesis: Run) -> None:
    done = anamnesis("serch", "words")
    assert done.returncode == 2
    assert done.stderr == "anamnesis: there is no command 'serch'; did you mean `search`?\n"
    assert not done.stdout


def test_a_name_with_escapes_is_not_echoed_to_the_terminal(anamnesis: Run) -> None:
    assert "\x1b" not in anamnesis("\x1b[31m").stderr
    assert "\x1b" not in anamnesis("list", "--\x1b[31m").stderr


def test_a_missing_extra_names_the_command_that_adds_it(
    anamnesis: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastmcp", None)
    monkeypatch.delitem(sys.modules, "anamnesis.server", raising=False)
    monkeypatch.delattr("anamnesis.server", raising=False)
    done = anamnesis("serve")
    assert done.returncode == 1
    assert "this needs the package 'fastmcp'; to add it: " in done.stderr
    assert re.search(r" install .*\[.*mcp.*\]", done.stderr)


def test_a_closed_pipe_is_not_an_error(write: Write) -> None:
    for number in range(3):
        write(f"note {number}", "x" * 100_000)
    command = f"{sys.executable} -m anamnesis search --json note | head -c 10"
    done = subprocess.run(
        ["bash", "-c", f"{command}; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("0\n")
    assert not done.stderr


def test_a_full_disk_behind_stdout_is_reported_once() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "anamnesis", "--help"], stdout=full, stderr=-1, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "anamnesis: the system says: No space left on device\n"


def test_an_interrupt_exits_130_without_a_traceback(root: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "anamnesis", "write", "--type", "semantic", "--title", "waiting"]
    pipe = subprocess.PIPE
    with interruptible(), running(command, stdin=theirs, stdout=pipe, stderr=pipe) as process:
        assert process.stderr is not None
        assert "end it with Ctrl-D" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    os.close(ours)
    os.close(theirs)
    assert process.returncode == 130
    assert (out, err) == ("", "")
    assert not root.exists()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_title_that_the_output_cannot_encode_is_not_an_error(
    write: Write, script: Run, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    write("日本語の題", "本文")
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    assert script("list").returncode == 0


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
