"""Settings: which source wins, valid values, and what a change of config.json preserves."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from anamnesis import config
from anamnesis.errors import ConfigError
from anamnesis.settings import SETTINGS, resolve, resolve_all, save


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for setting in SETTINGS:
        for variable in (setting.variable, *setting.fallbacks):
            monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "store"))
    return tmp_path / "store"


def test_the_environment_beats_the_file_and_the_file_beats_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert (resolve("reflection.model").value, resolve("reflection.model").source) == ("", "default")
    save("reflection.model", "from-file")
    assert (resolve("reflection.model").value, resolve("reflection.model").source) == (
        "from-file",
        "config.json",
    )
    monkeypatch.setenv("ANAMNESIS_REFLECTION_MODEL", "from-shell")
    assert resolve("reflection.model").value == "from-shell"
    assert resolve("reflection.model").variable == "ANAMNESIS_REFLECTION_MODEL"


def test_a_secret_is_never_shown(home: Path) -> None:
    save("reflection.api_key", "own-secret-key")
    assert all("own-secret-key" not in found.shown for found in resolve_all())
    assert (home / "config.json").stat().st_mode & 0o777 == 0o600


def test_a_change_keeps_every_other_key_of_the_file(home: Path) -> None:
    home.mkdir()
    (home / "config.json").write_text('{"machine_id": "desk", "mine": [1], "reflection": {"extra": true}}')
    save("reflection.model", "tiny")
    save("remote", "git@host:notes.git")
    save("remote", None)
    assert json.loads((home / "config.json").read_text()) == {
        "machine_id": "desk",
        "mine": [1],
        "reflection": {"extra": True, "model": "tiny"},
    }


def test_a_relative_path_of_a_remote_is_stored_as_an_absolute_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes.git").mkdir()
    monkeypatch.chdir(tmp_path)
    save("remote", "notes.git")
    assert resolve("remote").value == str(tmp_path / "notes.git")


def test_a_broken_file_is_not_overwritten(home: Path) -> None:
    home.mkdir()
    (home / "config.json").write_text("{half")
    with pytest.raises(ConfigError, match="fix or remove"):
        save("remote", "git@host:notes.git")
    assert (home / "config.json").read_text() == "{half"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("reflection.provider", "somebody"),
        ("reflection.base_url", "ftp://host"),
        ("reflection.timeout", "soon"),
        ("reflection.max_tokens", "0"),
        ("import_native", "perhaps"),
        ("machine_id", "two\nlines"),
        ("home", "/elsewhere"),
        ("no.such.thing", "1"),
        ("remote", "ext::sh -c id"),
        ("remote", "--upload-pack=x"),
    ],
)
def test_an_invalid_value_is_refused_and_nothing_is_written(home: Path, name: str, text: str) -> None:
    with pytest.raises(ConfigError):
        save(name, text)
    assert not (home / "config.json").exists()


@pytest.fixture
def config_file(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    return folder / "config.json"


@pytest.mark.parametrize("unset", [True, False])
def test_the_store_is_in_the_home_folder_by_default(monkeypatch: pytest.MonkeyPatch, unset: bool) -> None:
    if unset:
        monkeypatch.delenv("ANAMNESIS_HOME")
    else:
        monkeypatch.setenv("ANAMNESIS_HOME", "")
    assert config.resolve_home() == Path.home() / ".anamnesis"


def test_the_machine_name_comes_from_environment_then_file_then_host(
    monkeypatch: pytest.MonkeyPatch, config_file: Path
) -> None:
    assert config.resolve_machine_id() == os.uname().nodename
    config_file.write_text('{"machine_id": "thinkpad"}')
    assert config.resolve_machine_id() == "thinkpad"
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "desk")
    assert config.resolve_machine_id() == "desk"


@pytest.mark.parametrize(
    "content",
    [
        b"not json",
        b'{"machine_id": 7, "remote": ["x"], "project_aliases": "x"}',
        b'{"machine_id": "  ", "remote": "", "project_aliases": {"a": 1, "b": ""}}',
    ],
)
def test_an_invalid_config_file_counts_as_empty(config_file: Path, content: bytes) -> None:
    config_file.write_bytes(content)
    assert config.resolve_machine_id() == os.uname().nodename
    assert config.resolve_remote() is None
    assert config.resolve_aliases() == {}
