"""`init`: set up a machine, its remote and its agents, run again, by hand, uninstall."""

from __future__ import annotations

import json
import os
import pty
import select
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from machines import run_git
from processes import Run, Write, running
from ssh_server import SshServer
from transcript_lines import SESSION, asked, said, write_transcript

QUIET = ("--yes", "--local-only", "--no-mcp", "--no-sync", "--command", "anamnesis")
GIT = (*QUIET[:-1], "git")  # a program that exists
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
    anamnesis: Run, root: Path, settings: Path
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
    anamnesis: Run, no_client: Path, root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
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


def test_init_again_changes_nothing_and_backs_nothing_up(anamnesis: Run, root: Path, home: Path) -> None:
    anamnesis("init", *QUIET)
    before = tree(home / ".claude"), tree(root)
    done = anamnesis("init", *QUIET)
    assert (tree(home / ".claude"), tree(root)) == before
    assert "claude: nothing to change in " in done.stdout


def test_foreign_settings_are_kept_and_the_old_file_is_backed_up(anamnesis: Run, settings: Path) -> None:
    settings.parent.mkdir()
    settings.write_text(json.dumps(FOREIGN))
    anamnesis("init", *QUIET)
    wired = json.loads(settings.read_text())
    assert wired["model"] == "opus"
    assert wired["hooks"]["Stop"] == FOREIGN["hooks"]["Stop"]  # type: ignore[index]  # JSON
    assert json.loads(settings.with_name("settings.json.bak").read_text()) == FOREIGN


def test_uninstalling_restores_the_settings_and_touches_no_note(
    anamnesis: Run, settings: Path, root: Path, write: Write
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
    anamnesis: Run, settings: Path, root: Path, text: str
) -> None:
    settings.parent.mkdir()
    settings.write_text(text)
    done = anamnesis("init", *QUIET)
    assert done.returncode == 1
    assert tree(settings.parent) == {"settings.json": text.encode()}
    assert not root.exists()


def test_printing_writes_nothing_at_all(anamnesis: Run, root: Path, home: Path) -> None:
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
    anamnesis: Run, no_client: Path, settings: Path
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
def test_a_remote_that_could_run_a_program_is_refused(anamnesis: Run, root: Path, remote: str) -> None:
    done = anamnesis("init", "--yes", "--no-mcp", "--no-sync", f"--remote={remote}")
    assert done.returncode == 1
    assert not root.exists()


def test_running_init_again_keeps_the_remote_unless_told_to_drop_it(
    anamnesis: Run, root: Path, remote: Path
) -> None:
    silent = ("--yes", "--no-mcp", "--no-sync")
    anamnesis("init", *silent, "--remote", str(remote))
    anamnesis("init", *silent)
    assert json.loads((root / "config.json").read_text())["remote"] == str(remote)
    anamnesis("init", *silent, "--local-only")
    assert "remote" not in json.loads((root / "config.json").read_text())


def test_the_first_sync_fetches_the_other_machines_notes(
    anamnesis: Run,
    tmp_path: Path,
    remote: Path,
    write: Write,
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
    anamnesis: Run, root: Path, home: Path
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
    anamnesis: Run, root: Path, settings: Path, tmp_path: Path
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
    anamnesis: Run, root: Path, home: Path, remote: Path, tmp_path: Path
) -> None:
    anamnesis("init", "--yes", "--no-mcp", "--remote", str(remote))
    before = tree(root), tree(home)
    done = anamnesis("init", "--yes", "--no-mcp", "--remote", str(tmp_path / "gone.git"))
    assert done.returncode == 1
    assert f"nothing was changed, the remote stays {remote}" in done.stderr
    assert (tree(root), tree(home)) == before


def findings(anamnesis: Run) -> dict[str, dict[str, str]]:
    found = json.loads(anamnesis("doctor", "--json").stdout)["findings"]
    return {check["name"]: check for check in found}


def test_another_agent_alone_leaves_claude_code_alone(anamnesis: Run, root: Path, home: Path) -> None:
    done = anamnesis("init", *GIT, "--agent", "codex", "--agent", "gemini")
    assert done.returncode == 0
    assert not (home / ".claude").exists()
    assert (home / ".codex" / "hooks.json").is_file()
    assert (home / ".gemini" / "settings.json").is_file()
    assert json.loads((root / "config.json").read_text()) == {"machine_id": "desk"}
    assert "accept them under /hooks" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("done: codex, gemini")


def test_a_damaged_file_stops_everything_before_anything_is_written(
    anamnesis: Run, root: Path, home: Path
) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text("{half")
    done = anamnesis("init", *GIT, "--agent", "codex", "--agent", "gemini")
    assert done.returncode == 1
    assert "is not plain JSON" in done.stderr
    assert not (home / ".codex").exists()
    assert not root.exists()


@pytest.mark.parametrize("which", [(), ("--agent", "codex")])
def test_uninstalling_removes_the_named_agents_or_all(
    anamnesis: Run, home: Path, which: tuple[str, ...]
) -> None:
    anamnesis("init", *GIT, "--agent", "claude", "--agent", "codex", "--agent", "gemini")
    assert anamnesis("init", "--uninstall", "--no-mcp", *which).returncode == 0
    assert not (home / ".codex" / "hooks.json").exists()
    assert (home / ".gemini" / "settings.json").exists() is bool(which)
    assert (home / ".claude" / "settings.json").exists() is bool(which)


def test_the_doctor_reports_an_agent_with_a_missing_command_or_another_store(
    anamnesis: Run, tmp_path: Path
) -> None:
    anamnesis("init", *GIT[:-1], "/gone/anamnesis", "--agent", "opencode")
    assert "/gone/anamnesis" in findings(anamnesis)["agents"]["evidence"]
    anamnesis("init", *GIT, "--agent", "opencode", "--home", str(tmp_path / "elsewhere"))
    found = findings(anamnesis)["agents"]
    assert f"home {tmp_path / 'elsewhere'}" in found["evidence"]
    assert found["remedy"] == "`anamnesis init --agent opencode`"


CREATE = ("init", "--machine-id", "desk", "--command", "anamnesis", "--no-mcp", "--create", "--remote")


def test_the_repository_is_created_over_ssh_and_used(
    anamnesis: Run, write: Write, ssh_host: SshServer, tmp_path: Path
) -> None:
    bare = tmp_path / "it's here" / "memory.git"
    bare.parent.mkdir()
    for outcome in ("was created", "exists already"):
        done = anamnesis(*CREATE, ssh_host.url(bare), "--yes")
        assert (done.returncode, outcome in done.stdout) == (0, True)
    assert run_git(bare, "symbolic-ref", "HEAD") == "refs/heads/main\n"
    write("Walnut", "shelf")
    assert anamnesis("sync").returncode == 0
    assert "semantic/" in run_git(bare, "ls-tree", "-r", "--name-only", "main")


def test_a_folder_is_created_only_after_confirmation_and_a_web_address_never(
    anamnesis: Run, tmp_path: Path
) -> None:
    bare = tmp_path / "memory.git"
    refused = anamnesis(*CREATE, str(bare))
    assert (refused.returncode, "was not created" in refused.stderr, bare.exists()) == (1, True, False)
    assert f"`anamnesis init --remote {bare} --create --yes` creates it" in refused.stdout
    assert anamnesis(*CREATE, str(bare), "--yes").returncode == 0
    assert (bare / "HEAD").read_text() == "ref: refs/heads/main\n"
    web = anamnesis(*CREATE, "https://example.invalid/x.git", "--yes")
    assert (web.returncode, "in a folder or over ssh" in web.stderr) == (1, True)
