"""The same commands on a pseudo-terminal: colour and tables appear only there."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.store import MemoryStore
from machines import run_git
from processes import Run, Write, running

Look = Callable[..., tuple[int, str]]

ESCAPE = "\x1b["


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Look:
    """Run a command on a terminal, type `keys`, and return its exit code and screen."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def run(*words: str, keys: str = "") -> tuple[int, str]:
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "anamnesis", *words]
        with running(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            os.write(ours, keys.encode())
            screen = _read_all(ours)
            process.wait()
        os.close(ours)
        return process.returncode, screen.replace("\r\n", "\n")

    return run


def _read_all(terminal: int) -> str:
    shown = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # the last process on the other side has ended
            chunk = b""
        if not chunk:
            return shown.decode()
        shown += chunk


def test_a_first_clone_shows_its_steps_and_a_one_line_summary(
    look: Look,
    anamnesis: Callable[..., object],
    write: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run_git(tmp_path, "init", "--bare", "-q", "remote.git")
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(tmp_path / "remote.git"))
    write("Use WAL mode")
    anamnesis("sync")
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "second machine"))
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "lap")
    code, screen = look("sync")
    assert code == 0
    assert "fetch ..." in screen  # a fetch that takes longer shows git's counts
    assert "sync: changes to 1 note came in" in screen.splitlines()[-1]


def test_list_shows_the_newest_fifty_and_says_how_many_there_are(look: Look, root: Path) -> None:
    with MemoryStore(root) as store:
        for number in range(52):
            store.write(type="semantic", title=f"Note {number}", body="b")
    screen = look("list")[1]
    assert screen.count("semantic") == 50
    assert "50 shown of 52 notes; --all shows the rest" in screen
    assert look("list", "--all")[1].count("semantic") == 52
    assert look("list", "--limit", "3")[1].count("semantic") == 3
    with MemoryStore(root) as store:
        old = [note.id for note in store.list()[:2]]
        store.write(type="semantic", title="Newer", body="b", supersedes=" ".join(old))
    assert "50 shown of 53 notes; --all shows the rest" in look("list")[1]


def test_no_escape_sequence_in_a_note_reaches_the_terminal(look: Look, write: Write, root: Path) -> None:
    note = write("marker", "marker body")
    path = root / "memory" / "semantic" / f"{note}.md"
    text = path.read_text().replace("title: marker", 'title: "marker \\e]0;pwned\\a [bold red]x[/] \\u202e"')
    path.write_text(text.replace("marker body", "marker \x1b]0;pwned\x07 \x9b2J [link=http://x]y[/link]"))
    for words in (("search", "marker"), ("list",), ("show", note), ("status",)):
        _, screen = look(*words)
        assert "\x1b]" not in screen
        assert not set(screen) & {"\x07", "\x9b", "\u202e"}


@pytest.mark.parametrize(("keys", "code"), [("y\n", 0), ("n\n", 1), ("\x04", 1)])
def test_delete_asks_first(look: Look, write: Write, root: Path, keys: str, code: int) -> None:
    note = write("Dear note")
    done, screen = look("delete", note, keys=keys)
    assert "delete 'Dear note' (" in screen
    assert done == code
    assert (root / "memory" / "semantic" / f"{note}.md").exists() == bool(code)


def test_a_refused_edit_can_be_corrected_at_once(
    look: Look, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = write("Title", "text")
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/nonsense/procedural/; s/type: semantic/type: nonsense/" "$1"\n')
    editor.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(editor))
    code, screen = look("edit", note, keys="y\n")
    assert code == 0
    assert "open it again?" in screen
    assert f"saved 'Title' ({note})" in screen


@pytest.mark.parametrize(
    "words", [("search", "WAL"), ("list",), ("status",), ("doctor",), ("config", "list")]
)
def test_a_pipe_gets_no_escape_sequences(
    script: Run,
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:
    write()
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert ESCAPE not in script(*words).stdout
