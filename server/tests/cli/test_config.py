"""config: which source wins, validation, and hidden secrets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.settings import SETTINGS
from processes import Run


@pytest.fixture(autouse=True)
def only_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove even the setting that all other tests have."""
    monkeypatch.delenv("ANAMNESIS_SYNC_TIMEOUT")


def listed(anamnesis: Run) -> dict[str, dict[str, str]]:
    """The settings by name."""
    return {each["name"]: each for each in json.loads(anamnesis("config", "list", "--json").stdout)}


def test_list_shows_every_setting_and_creates_no_store(anamnesis: Run, root: Path) -> None:
    assert list(listed(anamnesis)) == [setting.name for setting in SETTINGS]
    assert not root.exists()


def test_a_key_is_read_from_stdin_and_never_printed(script: Run) -> None:
    key = "sk-proj-0123456789abcdefghij"
    assert script("config", "set", "reflection.api_key", "-", stdin=f"{key}\n").returncode == 0
    for words in (("list",), ("list", "--json"), ("get", "reflection.api_key")):
        done = script("config", *words)
        assert "*****" in done.stdout
        assert key not in done.stdout + done.stderr


def test_a_password_in_the_remote_is_never_printed(anamnesis: Run) -> None:
    anamnesis("config", "set", "remote", "https://me:hunter2@example.invalid/notes.git")
    anamnesis("write", "a note")
    for words in ("config list", "config list --json", "config get remote", "status", "status --json"):
        done = anamnesis(*words.split())
        assert "example.invalid" in done.stdout
        assert "hunter2" not in done.stdout + done.stderr


def test_config_test_contacts_the_remote(anamnesis: Run, remote: Path) -> None:
    assert anamnesis("config", "set", "remote", str(remote)).returncode == 0
    assert anamnesis("config", "test").returncode == 0
    typo = anamnesis("config", "set", "remote", str(remote) + "-gone")
    assert typo.returncode == 1
    assert "it is stored, but the remote's folder" in typo.stderr
    done = anamnesis("config", "test")
    assert done.returncode == 1
    assert "bad\tremote" in done.stdout


def test_a_damaged_file_is_named_and_a_failed_sync_makes_status_exit_1(
    anamnesis: Run, root: Path, remote: Path
) -> None:
    anamnesis("config", "set", "remote", str(remote))
    assert anamnesis("write", "a note").returncode == anamnesis("sync").returncode == 0
    remote.rename(remote.with_name("gone"))
    assert anamnesis("sync").returncode == anamnesis("status").returncode == 1
    (root / "config.json").write_text('{"remote": "r",}')
    assert "config.json is not a JSON object, so none of its settings apply" in anamnesis("sync").stderr
