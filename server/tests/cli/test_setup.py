"""`init`: set up a machine, run again, by hand, uninstall."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from processes import running
from transcript_lines import SESSION, asked, said, write_transcript

Result = subprocess.CompletedProcess[str]
Anamnesis = Callable[..., Result]
QUIET = ("--yes", "--local-only", "--no-mcp", "--no-sync", "--command", "anamnesis")
FOREIGN = {
    "model": "opus",
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo bye"}]}]},
    "permissions": {"allow": ["Bash(ls:*)"]},
}


@pytest.fixture
def settings(home: Path) -> Path:
    """The client's settings file; it does not exist yet."""
    return home / ".claude" / "settings.json"


@pytest.fixture(autouse=True)
def no_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with git but without the real client; tests may put programs there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_init_creates_the_store_the_config_the_hooks_and_the_permissions(
    anamnesis: Anamnesis, root: Path, settings: Path
) -> None:
    done = anamnesis("init", *QUIET, "--machine-id", "lap top")
    assert done.returncode == 0
    assert json.loads((root / "config.json").read_text()) == {"machine_id": "lap top"}
    assert (root / "memory").is_dir()
    wired = json.loads(settings.read_text())
    assert set(wired["hooks"]) == {"SessionStart", "SessionEnd", "PreCompact"}
    command = wired["hooks"]["SessionEnd"][0]["hooks"][0]["command"]
    assert command == f"ANAMNESIS_MACHINE_ID='lap top' ANAMNESIS_HOME={root} anamnesis capture"
    assert wired["permissions"]["allow"] == [
        f"mcp__anamnesis__memory_{name}" for name in ("search", "list", "status")
    ]
    assert json.dumps(command) in done.stdout
    assert '"mcp__anamnesis__memory_search"' in done.stdout


def test_a_remotes_password_is_only_in_the_stores_config(
    anamnesis: Anamnesis, no_client: Path, root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANAMNESIS_MACHINE_ID")
    log = no_client / "log"
    (no_client / "claude").write_text(f'#!/bin/sh\necho "$@" >> {log}\n')
    (no_client / "anamnesis").write_text("#!/bin/sh\n")
    for name in ("claude", "anamnesis"):
        (no_client / name).chmod(0o700)
    again = [word for word in QUIET if word not in ("--local-only", "--no-mcp")]
    done = anamnesis("init", *again, "--remote", "https://jo:hunter2@localhost:1/x.git")
    assert "hunter2" not in done.stdout + done.stderr + log.read_text()
    assert "hunter2" not in (home / ".claude" / "settings.json").read_text()
    assert "hunter2" in (root / "config.json").read_text()
    assert (root / "config.json").stat().st_mode & 0o777 == 0o600
    assert "ok\thooks\t" in anamnesis("doctor").stdout


def test_init_again_changes_nothing_and_backs_nothing_up(
    anamnesis: Anamnesis, root: Path, home: Path
) -> None:
    anamnesis("init", *QUIET)
    before = tree(home / ".claude"), tree(root)
    done = anamnesis("init", *QUIET)
    assert (tree(home / ".claude"), tree(root)) == before
    assert "claude: nothing to change in " in done.stdout


def test_foreign_settings_are_kept_and_the_old_file_is_backed_up(
    anamnesis: Anamnesis, settings: Path
) -> None:
    settings.parent.mkdir()
    settings.write_text(json.dumps(FOREIGN))
    anamnesis("init", *QUIET)
    wired = json.loads(settings.read_text())
    assert wired["model"] == "opus"
    assert wired["hooks"]["Stop"] == FOREIGN["hooks"]["Stop"]  # type: ignore[index]  # JSON
    assert json.loads(settings.with_name("settings.json.bak").read_text()) == FOREIGN


def test_uninstalling_restores_the_settings_and_touches_no_note(
    anamnesis: Anamnesis, settings: Path, root: Path, write: Callable[..., str]
) -> None:
    settings.parent.mkdir()
    settings.write_text(json.dumps(FOREIGN))
    write("A note", "body")
    anamnesis("init", *QUIET)
    before = tree(root / "memory")
    done = anamnesis("init", "--uninstall")
    assert done.returncode == 0
    assert json.loads(settings.read_text()) == FOREIGN
    assert tree(root / "memory") == before
    assert anamnesis("init", "--uninstall").stdout.startswith("claude: nothing to change in ")


@pytest.mark.parametrize("text", ["{ not json", "[]", '{"hooks": []}', '{"permissions": {"allow": "all"}}'])
def test_unparsable_settings_are_refused_and_nothing_is_touched(
    anamnesis: Anamnesis, settings: Path, root: Path, text: str
) -> None:
    settings.parent.mkdir()
    settings.write_text(text)
    done = anamnesis("init", *QUIET)
    assert done.returncode == 1
    assert tree(settings.parent) == {"settings.json": text.encode()}
    assert not root.exists()


def test_printing_writes_nothing_at_all(anamnesis: Anamnesis, root: Path, home: Path) -> None:
    done = anamnesis(
        "init", "--print", "--remote", "https://ada:hunter2pass@host/notes.git", "--command", "'/a b/an'"
    )
    assert done.returncode == 0
    assert not root.exists()
    assert tree(home) == {}
    assert "'/a b/an' inject" in done.stdout
    assert "claude mcp add-json --scope user anamnesis" in done.stdout
    assert "hunter2pass" not in done.stdout + done.stderr


def test_with_a_client_the_server_is_registered_and_unregistered(
    anamnesis: Anamnesis, no_client: Path, settings: Path
) -> None:
    client, log = no_client / "claude", no_client / "log"
    client.write_text(f'#!/bin/sh\necho "$1 $2 $5" >> {log}\n')
    client.chmod(0o755)
    anamnesis("init", "--yes", "--local-only", "--no-sync")
    assert log.read_text() == "mcp add-json anamnesis\n"
    assert "mcp__anamnesis__memory_search" in settings.read_text()
    done = anamnesis("init", "--uninstall")
    assert log.read_text().endswith("mcp remove anamnesis\n")
    assert "'anamnesis' unregistered" in done.stdout


@pytest.mark.parametrize("remote", ["ext::sh -c evil", "-oProxyCommand=evil", "gopher://host/x"])
def test_a_remote_that_could_run_a_program_is_refused(anamnesis: Anamnesis, root: Path, remote: str) -> None:
    done = anamnesis("init", "--yes", "--no-mcp", "--no-sync", f"--remote={remote}")
    assert done.returncode == 1
    assert not root.exists()


def test_running_init_again_keeps_the_remote_unless_told_to_drop_it(
    anamnesis: Anamnesis, root: Path, remote: Path
) -> None:
    silent = ("--yes", "--no-mcp", "--no-sync")
    anamnesis("init", *silent, "--remote", str(remote))
    anamnesis("init", *silent)
    assert json.loads((root / "config.json").read_text())["remote"] == str(remote)
    anamnesis("init", *silent, "--local-only")
    assert "remote" not in json.loads((root / "config.json").read_text())


def test_the_first_sync_fetches_the_other_machines_notes(
    anamnesis: Anamnesis,
    tmp_path: Path,
    remote: Path,
    write: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    anamnesis("init", "--yes", "--no-mcp", "--no-hooks", "--remote", str(remote))
    write("Walnut", "shelf")
    assert anamnesis("sync").returncode == 0
    other = tmp_path / "other store"
    done = anamnesis("init", "--yes", "--no-mcp", "--no-hooks", "--remote", str(remote), "--home", str(other))
    assert done.returncode == 0
    assert len(list(other.glob("memory/*/*.md"))) == 1


def test_existing_sessions_are_offered_and_captured_on_request(
    anamnesis: Anamnesis, root: Path, home: Path
) -> None:
    lines = (
        asked("Make the crank turn left"),
        said("The crank turns left now: a sign was wrong in `crank.py`."),
    )
    write_transcript(home / ".claude/projects/-work" / f"{SESSION}.jsonl", *lines)
    told = anamnesis("init", *QUIET)
    assert "1 session on disk from before: `anamnesis capture --past` makes notes of them" in told.stdout
    assert not (root / "memory/episodic").exists()
    assert "capture: 1 note from 1 session" in anamnesis("init", *QUIET, "--capture-past").stdout
    assert len(list((root / "memory/episodic").glob("*.md"))) == 1
    assert "on disk" not in anamnesis("init", *QUIET).stdout


def answered(command: list[str], answers: list[str]) -> int | None:
    """Run a command on a terminal and answer its questions; return the exit code."""
    master, slave = pty.openpty()
    with running(command, stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        seen = ""
        while process.poll() is None:
            if select.select([master], [], [], 0.2)[0]:
                with suppress(OSError):  # the other end has closed
                    seen += os.read(master, 4096).decode()
            if answers and seen.endswith(("]: ", "] ")):
                os.write(master, answers.pop(0).encode() + b"\n")
                seen = ""
    os.close(master)
    return process.returncode


def test_on_a_terminal_the_sessions_on_disk_become_notes_unless_the_user_says_no(
    root: Path, home: Path
) -> None:
    lines = (asked("Make the crank turn left"), said("It turns left now: a sign was wrong in `crank.py`."))
    write_transcript(home / ".claude/projects/-work" / f"{SESSION}.jsonl", *lines)
    command = [sys.executable, "-m", "anamnesis", "init", "--no-mcp", "--no-sync"]
    assert answered(command, ["", "study", "", "yes", "no"]) == 0
    assert not list(root.glob("memory/episodic/*.md"))
    assert answered(command, ["", "study", "", "yes", ""]) == 0
    assert len(list(root.glob("memory/episodic/*.md"))) == 1


def test_on_a_terminal_init_asks_and_uses_the_answers(root: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "anamnesis", "init", "--no-mcp", "--no-sync"]
    answers = [f"{tmp_path}/my notes", "study", "", ""]
    assert answered(command, answers) == 0
    config = json.loads((tmp_path / "my notes" / "config.json").read_text())
    assert config == {"machine_id": "study"}
    assert not root.exists()


def test_an_unreachable_remote_sets_the_last_line_and_the_exit_code(
    anamnesis: Anamnesis, root: Path, settings: Path, tmp_path: Path
) -> None:
    done = anamnesis("init", "--yes", "--no-mcp", "--remote", str(tmp_path / "gone.git"))
    assert done.returncode == 1
    last = done.stdout.splitlines()[-1]
    assert last.startswith(
        f"done, but the first sync failed: the remote's folder {tmp_path}/gone.git does not exist"
    )
    assert f"anamnesis init --remote {tmp_path}/gone.git --create" in last
    assert settings.exists()
    assert json.loads((root / "config.json").read_text())["remote"] == str(tmp_path / "gone.git")


def test_a_remote_that_does_not_answer_never_replaces_one_that_the_store_has(
    anamnesis: Anamnesis, root: Path, home: Path, remote: Path, tmp_path: Path
) -> None:
    anamnesis("init", "--yes", "--no-mcp", "--remote", str(remote))
    before = tree(root), tree(home)
    done = anamnesis("init", "--yes", "--no-mcp", "--remote", str(tmp_path / "gone.git"))
    assert done.returncode == 1
    assert f"nothing was changed, the remote stays {remote}" in done.stderr
    assert (tree(root), tree(home)) == before
