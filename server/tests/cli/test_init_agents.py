"""`init --agent`: set up other agents with or without Claude Code, preview, uninstall."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Result = subprocess.CompletedProcess[str]
Anamnesis = Callable[..., Result]
QUIET = ("--yes", "--local-only", "--no-mcp", "--no-sync", "--command", "git")  # a program that exists


@pytest.fixture(autouse=True)
def no_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PATH with git and without any agent."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")


def findings(anamnesis: Anamnesis) -> dict[str, dict[str, str]]:
    found = json.loads(anamnesis("doctor", "--json").stdout)["findings"]
    return {check["name"]: check for check in found}


def test_another_agent_alone_leaves_claude_code_alone(anamnesis: Anamnesis, root: Path, home: Path) -> None:
    done = anamnesis("init", *QUIET, "--agent", "codex", "--agent", "gemini")
    assert done.returncode == 0
    assert not (home / ".claude").exists()
    assert (home / ".codex" / "hooks.json").is_file()
    assert (home / ".gemini" / "settings.json").is_file()
    assert json.loads((root / "config.json").read_text()) == {"machine_id": "desk"}
    assert "accept them under /hooks" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("done: codex, gemini")


def test_a_damaged_file_stops_everything_before_anything_is_written(
    anamnesis: Anamnesis, root: Path, home: Path
) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text("{half")
    done = anamnesis("init", *QUIET, "--agent", "codex", "--agent", "gemini")
    assert done.returncode == 1
    assert "is not plain JSON" in done.stderr
    assert not (home / ".codex").exists()
    assert not root.exists()


@pytest.mark.parametrize("which", [(), ("--agent", "codex")])
def test_uninstalling_removes_the_named_agents_or_all(
    anamnesis: Anamnesis, home: Path, which: tuple[str, ...]
) -> None:
    anamnesis("init", *QUIET, "--agent", "claude", "--agent", "codex", "--agent", "gemini")
    assert anamnesis("init", "--uninstall", "--no-mcp", *which).returncode == 0
    assert not (home / ".codex" / "hooks.json").exists()
    assert (home / ".gemini" / "settings.json").exists() is bool(which)
    assert (home / ".claude" / "settings.json").exists() is bool(which)


def test_the_doctor_reports_an_agent_with_a_missing_command_or_another_store(
    anamnesis: Anamnesis, tmp_path: Path
) -> None:
    anamnesis("init", *QUIET[:-1], "/gone/anamnesis", "--agent", "opencode")
    assert "/gone/anamnesis" in findings(anamnesis)["agents"]["evidence"]
    anamnesis("init", *QUIET, "--agent", "opencode", "--home", str(tmp_path / "elsewhere"))
    found = findings(anamnesis)["agents"]
    assert f"home {tmp_path / 'elsewhere'}" in found["evidence"]
    assert found["remedy"] == "`anamnesis init --agent opencode`"
