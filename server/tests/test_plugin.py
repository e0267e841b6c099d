"""The plugin and the package: the hooks of `init`, an engine installed once, a small base of requirements."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
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


SERVER = Path(__file__).resolve().parents[1]
ROOT = SERVER.parent
PROJECT = tomllib.loads((SERVER / "pyproject.toml").read_text())["project"]
BASE = {"pyyaml"}


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=!~ ]", each, maxsplit=1)[0].lower() for each in requirements}


def test_the_base_package_requires_only_one_package() -> None:
    assert names(PROJECT["dependencies"]) == BASE


def test_all_is_every_extra_except_dev() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    assert set(everything.partition("[")[2].strip("]").split(",")) == set(extras) - {"all", "dev"}


@pytest.mark.parametrize(
    ("tag", "heading", "faults"),
    [
        ("v1.2.0", "## 1.2.0 (2026-05-01)", 0),
        ("v1.2.1", "## 1.2.0 (2026-05-01)", 1),
        ("v1.2.0", "## 1.2.0 (unreleased)", 1),
        ("v1.2.0", "## 1.1.0 (2026-05-01)", 1),
        ("", "## 1.1.0 (2026-05-01)", 2),
    ],
)
def test_a_release_needs_a_tag_a_version_and_a_dated_section(
    monkeypatch: pytest.MonkeyPatch, tag: str, heading: str, faults: int
) -> None:
    monkeypatch.syspath_prepend(SERVER / "tools")
    from check_release import disagreements

    assert (
        len(disagreements(tag, '"""Doc."""\n\n__version__ = "1.2.0"\n', f"# Changelog\n\n{heading}\n"))
        == faults
    )


def test_the_package_contains_the_licence_as_a_file() -> None:
    """Installers refuse an archive with a link out of it."""
    own = SERVER / "LICENSE"
    assert not own.is_symlink()
    assert own.read_bytes() == (ROOT / "LICENSE").read_bytes()
