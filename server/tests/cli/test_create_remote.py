"""`init --create`: create the remote over ssh or in a folder; its address is stored in one place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis.cli import main
from machines import run_git
from ssh_server import SshServer, serve_ssh


@pytest.fixture
def server(tmp_path: Path, home: Path) -> Iterator[SshServer]:
    """An ssh server that accepts this user's key."""
    with serve_ssh(tmp_path / "ssh", home) as running:
        yield running


def _init(*words: str) -> int:
    return main(["init", "--machine-id", "desk", "--command", "anamnesis", "--no-mcp", *words])


def test_the_repository_is_created_over_ssh_and_used(
    server: SshServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "it's here" / "memory.git"
    bare.parent.mkdir()
    assert _init("--remote", server.url(bare), "--create", "--yes") == 0
    assert "was created" in capsys.readouterr().out
    assert run_git(bare, "symbolic-ref", "HEAD") == "refs/heads/main\n"
    assert _init("--remote", server.url(bare), "--create", "--yes") == 0
    assert "exists already" in capsys.readouterr().out
    assert main(["write", "--type", "semantic", "--title", "t", "--body", "b"]) == 0
    assert main(["sync"]) == 0
    assert "semantic/" in run_git(bare, "ls-tree", "-r", "--name-only", "main")


def test_a_folder_is_created_only_after_confirmation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "memory.git"
    assert _init("--remote", str(bare), "--create") == 1
    said = capsys.readouterr()
    assert "was not created" in said.err
    assert "correct the address" in said.out
    assert f"`anamnesis init --remote {bare} --create --yes` creates it" in said.out
    assert not bare.exists()
    assert _init("--remote", str(bare), "--create", "--yes") == 0
    assert (bare / "HEAD").read_text() == "ref: refs/heads/main\n"


def test_a_web_address_cannot_be_created(capsys: pytest.CaptureFixture[str]) -> None:
    assert _init("--remote", "https://example.invalid/x.git", "--create", "--yes") == 1
    assert "in a folder or over ssh" in capsys.readouterr().err


def test_the_remote_is_only_in_the_config_and_an_older_hook_is_updated(
    tmp_path: Path, remote: Path, home: Path
) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    line = f"ANAMNESIS_MACHINE_ID=desk ANAMNESIS_GIT_REMOTE={tmp_path}/old.git anamnesis sync"
    hook = {"matcher": "startup", "hooks": [{"type": "command", "command": line}]}
    settings.write_text(json.dumps({"hooks": {"SessionStart": [hook]}}))
    assert _init("--remote", str(remote), "--yes") == 0
    written = settings.read_text()
    assert "ANAMNESIS_GIT_REMOTE" not in written
    assert "old.git" not in written
    assert json.loads((tmp_path / "store/config.json").read_text())["remote"] == str(remote)
