"""The Claude Code plugin: the hooks of `init`, and an engine that it finds or installs once."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from anamnesis.onboard import build_hooks
from anamnesis.onboard.client import READ_TOOLS

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "plugin"
SCRIPT = PLUGIN / "bin" / "anamnesis-plugin"
CALL = re.compile(r'"\$\{CLAUDE_PLUGIN_ROOT\}/bin/anamnesis-plugin" (.+)')
# A fake uv, because the real one needs a registry: it records its call and creates the engine's command.
UV = """#!/bin/sh
echo "$@" >> "$CALLS"
case "$1" in
  venv) for last; do :; done; mkdir -p "$last/bin" ;;
  pip) [ -z "${REFUSE:-}" ] || exit 1
       made=${5%/python}/anamnesis
       printf '#!/bin/sh\\necho engine "$@"\\n' > "$made"; chmod +x "$made" ;;
esac
"""


def load(path: str) -> dict[str, object]:
    found = json.loads((ROOT / path).read_text())
    assert isinstance(found, dict)
    return found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A machine with a shell and the fake uv, without Anamnesis."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "mkdir", "rmdir", "rm", "touch", "find", "cat", "chmod"):
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    (programs / "uv").write_text(UV)
    (programs / "uv").chmod(0o755)
    return tmp_path


def run(place: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    env = {
        "PATH": str(place / "bin"),
        "HOME": str(place),
        "CLAUDE_PLUGIN_DATA": str(place / "data"),
        "CALLS": str(place / "calls"),
        **more,
    }
    return subprocess.run([SCRIPT, *words], env=env, capture_output=True, text=True, timeout=60, check=False)


def test_the_plugin_has_the_hooks_of_init_and_one_that_installs() -> None:
    def calls(hooks: dict[str, list[dict[str, object]]]) -> set[tuple[str, object, str]]:
        return {
            (event, group.get("matcher"), entry["command"])
            for event, groups in hooks.items()
            for group in groups
            for entry in group["hooks"]  # type: ignore[attr-defined]  # JSON
        }

    shipped = {
        (event, matcher, match.group(1))
        for event, matcher, command in calls(load("plugin/hooks/hooks.json")["hooks"])  # type: ignore[arg-type]  # JSON
        if (match := CALL.fullmatch(command))
    }
    wired = {
        (event, matcher, command.removeprefix("anamnesis "))
        for event, matcher, command in calls(build_hooks(["anamnesis"]))
    }
    assert shipped == wired | {("SessionStart", "startup", "install")}


@pytest.mark.parametrize("path", sorted((PLUGIN / "commands").glob("*.md")), ids=lambda path: path.stem)
def test_a_command_may_use_our_tools_under_both_names(path: Path) -> None:
    tools = re.findall(r"mcp__(\w+?)__(memory_\w+)", path.read_text())
    assert {tool for _, tool in tools} <= {*READ_TOOLS, "memory_write"}
    assert {server for server, _ in tools} == {"plugin_anamnesis_anamnesis", "anamnesis"}


def test_an_installed_engine_is_used(place: Path) -> None:
    (place / "bin" / "anamnesis").write_text('#!/bin/sh\ncat\necho installed "$@"\n')
    (place / "bin" / "anamnesis").chmod(0o755)
    assert run(place, "capture", "--no-sync").stdout == "installed capture --no-sync\n"
    assert run(place, "install").returncode == 0
    assert not (place / "calls").exists()


@pytest.mark.parametrize("hook", ["inject", "sync", "capture"])
def test_without_an_engine_a_hook_says_so_and_leaves_the_session_alone(place: Path, hook: str) -> None:
    done = run(place, hook)
    assert (done.returncode, done.stdout) == (0, "")
    assert "not installed yet" in done.stderr
    assert run(place, "serve").returncode == 1


def test_the_engine_is_installed_once_and_used_from_then_on(place: Path) -> None:
    assert run(place, "install").returncode == 0
    assert run(place, "install").returncode == 0
    assert len((place / "calls").read_text().splitlines()) == 2  # the environment, then the package
    assert run(place, "inject").stdout == "engine inject\n"


def test_a_failed_install_is_reported_and_retried(place: Path) -> None:
    failed = run(place, "install", REFUSE="yes")
    assert failed.returncode == 0
    assert "could not be installed" in failed.stderr
    assert run(place, "inject").stdout == ""
    run(place, "install")
    assert run(place, "inject").stdout == "engine inject\n"


def test_two_simultaneous_sessions_install_once(place: Path) -> None:
    (place / "data" / "installing").mkdir(parents=True)
    assert run(place, "install").returncode == 0
    assert not (place / "calls").exists()
    os.utime(place / "data" / "installing", (0, 0))  # the one that started long ago was killed
    run(place, "install")
    assert run(place, "inject").stdout == "engine inject\n"
