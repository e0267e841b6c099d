"""Where the store is and which machine this is: environment, then config.json, then a default."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anamnesis import config


@pytest.fixture
def config_file(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    return folder / "config.json"


@pytest.mark.parametrize("unset", [True, False])
def test_the_store_is_in_the_home_folder_by_default(
    monkeypatch: pytest.MonkeyPatch, home: Path, unset: bool
) -> None:
    if unset:
        monkeypatch.delenv("ANAMNESIS_HOME")
    else:
        monkeypatch.setenv("ANAMNESIS_HOME", "")
    assert config.resolve_home() == home / ".anamnesis"


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
