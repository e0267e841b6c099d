"""`upgrade`: how Anamnesis was installed, from the installers' records, and the command to run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from anamnesis import __version__
from anamnesis.cli.upgrade import (
    Installation,
    _installed_extras,
    extra_command,
    find_installation,
    upgrade_commands,
)

Anamnesis = Callable[..., subprocess.CompletedProcess[str]]


def package(folder: Path, origin: object = None) -> PathDistribution:
    """An installed package with its installer's record of where it came from."""
    info = folder / "anamnesis_memory-1.dist-info"
    info.mkdir()
    if origin is not None:
        (info / "direct_url.json").write_text(origin if isinstance(origin, str) else json.dumps(origin))
    return PathDistribution(info)


@pytest.mark.parametrize(
    ("trace", "way", "command"),
    [
        ("uv-receipt.toml", "uv tool", "uv tool upgrade anamnesis-memory"),
        ("pipx_metadata.json", "pipx", "pipx upgrade anamnesis-memory"),
        ("pyvenv.cfg", "pip", f"{sys.executable} -m pip install --upgrade 'anamnesis-memory[mcp]'"),
    ],
)
def test_the_installer_is_recognised_by_its_records(
    tmp_path: Path, trace: str, way: str, command: str
) -> None:
    (tmp_path / trace).touch()
    found = find_installation(tmp_path, package(tmp_path))
    assert (found.way, found.place) == (way, str(tmp_path))
    (line,) = upgrade_commands(Installation(found.way, found.place), ["mcp"])
    assert line == command


def test_an_editable_clone_is_upgraded_with_git_pull(tmp_path: Path) -> None:
    origin = {"url": "file:///home/jo/ana mnesis/server", "dir_info": {"editable": True}}
    found = find_installation(tmp_path, package(tmp_path, origin))
    assert (found.way, found.place) == ("editable clone", "/home/jo/ana mnesis/server")
    assert upgrade_commands(found, [])[0] == "git -C '/home/jo/ana mnesis/server' pull"


@pytest.mark.parametrize(
    ("trace", "start"),
    [
        ("uv-receipt.toml", "uv tool install --force 'NEW-FILE[mcp,dashboard]'"),
        ("pipx_metadata.json", "pipx install --force 'NEW-FILE[mcp,dashboard]'"),
        ("pyvenv.cfg", f"{sys.executable} -m pip install --force-reinstall 'NEW-FILE[mcp,dashboard]'"),
    ],
)
def test_an_installation_from_a_file_is_upgraded_with_a_newer_file(
    tmp_path: Path, trace: str, start: str
) -> None:
    (tmp_path / trace).touch()
    found = find_installation(tmp_path, package(tmp_path, {"url": "file:///tmp/a.whl", "archive_info": {}}))
    assert found.source == "/tmp/a.whl"
    assert upgrade_commands(found, ["mcp", "dashboard"]) == [start]


@pytest.mark.parametrize(
    ("trace", "text"),
    [
        ("pipx_metadata.json", json.dumps({"main_package": {"package_or_url": "/tmp/a.whl[mcp]"}})),
        ("uv-receipt.toml", '[tool]\nrequirements = [{ name = "anamnesis-memory", extras = ["mcp"] }]\n'),
    ],
)
def test_only_the_requested_extras_are_kept(tmp_path: Path, trace: str, text: str) -> None:
    """FastMCP also installs the packages of another extra."""
    (tmp_path / trace).write_text(text)
    found = find_installation(tmp_path, package(tmp_path))
    assert _installed_extras(found) == ["mcp"]


def test_packages_that_mcp_brings_do_not_count_as_the_dashboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = {"fastmcp", "uvicorn", "starlette", "shtab"}
    monkeypatch.setattr("anamnesis.cli.upgrade.find_spec", lambda name: name if name in there else None)
    assert _installed_extras(Installation("pip", str(tmp_path))) == ["mcp", "completion"]
    there.remove("fastmcp")
    assert _installed_extras(Installation("pip", str(tmp_path))) == ["dashboard", "completion"]


def test_a_copy_with_the_packages_of_every_extra_keeps_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamnesis.cli.upgrade.find_spec", lambda name: name)
    assert _installed_extras(Installation("pip", str(tmp_path))) == ["all"]
    assert extra_command("mcp").endswith("[all]'")


@pytest.mark.parametrize("way", ["uv tool", "pipx"])
def test_an_extra_is_added_by_the_tool_that_installed_the_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(
        "anamnesis.cli.upgrade.find_installation", lambda *_: Installation(way, str(tmp_path))
    )
    assert extra_command("mcp").startswith(f"{way} install --force 'anamnesis-memory[")


def test_the_plugins_copy_is_upgraded_with_the_plugin(tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    engine.mkdir()
    (engine / "complete").touch()
    found = find_installation(engine, package(engine))
    assert found.way == "plugin"
    assert upgrade_commands(found, []) == ["claude plugin update anamnesis@anamnesis", f"rm -r {engine}"]


def test_without_pip_the_command_uses_uv() -> None:
    (line,) = upgrade_commands(Installation("pip", "/venv", has_pip=False), [])
    assert line == f"uv pip install --python {sys.executable} --upgrade anamnesis-memory"


@pytest.mark.parametrize("damage", ["{half", "[]", ""])
def test_a_damaged_record_is_ignored(tmp_path: Path, damage: str) -> None:
    assert find_installation(tmp_path, package(tmp_path, damage)).source == ""
    assert find_installation(tmp_path, None).way == "pip"


def test_upgrade_prints_the_version_the_installer_and_the_command(anamnesis: Anamnesis) -> None:
    told = json.loads(anamnesis("upgrade", "--json").stdout)
    assert told["version"] == __version__
    lines = anamnesis("upgrade").stdout.splitlines()
    assert lines[0].startswith(f"anamnesis {__version__}, installed ")
    assert told["way"] in lines[0]
    assert [line.strip() for line in lines[2:]] == told["commands"]
