"""status, reindex and config: what is there, which source wins, and hidden secrets."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from anamnesis.session.receipts import add_entry
from anamnesis.settings import SETTINGS
from processes import Run, Write


def test_status_as_json_has_the_documented_shape(anamnesis: Run, write: Write, root: Path) -> None:
    write()
    report = json.loads(anamnesis("status", "--json").stdout)
    assert (report["root"], report["total"], report["by_type"]) == (str(root), 1, {"semantic": 1})
    assert set(report["sync"]) == {"initialized", "remote", "head", "dirty", "detail"}
    assert report["held"] == report["problems"] == []
    assert report["usage"] is None


def test_status_and_reindex_list_files_that_are_not_notes(anamnesis: Run, write: Write, root: Path) -> None:
    write()
    (root / "memory" / "semantic" / "broken.md").write_text("no front matter")
    status, reindex = anamnesis("status"), anamnesis("reindex")
    assert "memory/semantic/broken.md: memory file missing YAML front-matter" in status.stdout
    assert reindex.stdout == "indexed 1 note\n"
    assert "memory/semantic/broken.md" in reindex.stderr


def test_status_warns_when_sessions_with_our_hooks_ended_without_a_note(
    anamnesis: Run, write: Write, home: Path, root: Path
) -> None:
    write()
    folder = home / ".claude" / "projects" / "-work"
    folder.mkdir(parents=True)
    transcript = folder / "session.jsonl"
    transcript.write_text("{}\n")
    long_ago = time.time() - 7200
    os.utime(transcript, (long_ago, long_ago))
    assert "ended sessions without a note" not in anamnesis("status").stdout
    add_entry(str(root), "session", "told")
    assert "ended sessions without a note: 1" in anamnesis("status").stdout
    assert "warn\tactivity\t" in anamnesis("doctor").stdout


def test_reindex_finds_hand_edits_and_full_rebuilds_the_index(
    anamnesis: Run, write: Write, root: Path
) -> None:
    note = write()
    path = root / "memory" / "semantic" / f"{note}.md"
    path.write_text(path.read_text().replace(note, "by-hand"))
    path.rename(path.with_name("by-hand.md"))
    assert json.loads(anamnesis("reindex", "--json").stdout) == {"indexed": 1, "problems": []}
    (root / "index.db").write_bytes(b"not a database")
    assert anamnesis("reindex", "--full").stdout == "indexed 1 note\n"
    assert anamnesis("show", "by-hand").returncode == 0


def test_status_lists_files_that_do_not_sync(anamnesis: Run, write: Write, root: Path) -> None:
    write()
    anamnesis("sync")
    (root / "memory" / "semantic" / "a:b.md").write_text("x")
    shown = anamnesis("status")
    assert shown.returncode == 0
    assert "left out    semantic/a:b.md: its name has a character" in shown.stdout
    report = json.loads(anamnesis("status", "--json").stdout)
    assert [row["path"] for row in report["left_out"]] == ["semantic/a:b.md"]
    assert "a:b.md was left out" in anamnesis("sync").stdout


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
