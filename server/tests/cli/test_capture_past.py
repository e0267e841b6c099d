"""`capture --past`: sessions from before the hooks were installed, or without our hooks."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from transcript_lines import SESSION, asked, said, write_transcript

Script = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.usefixtures("transcript")


@pytest.fixture
def transcript(home: Path, root: Path) -> None:
    """A non-trivial session in the client's folder, and a store."""
    (root / "memory").mkdir(parents=True)
    lines = (
        asked("Make the crank turn left"),
        said("The crank turns left now: a sign in `crank.py` was wrong."),
    )
    write_transcript(home / ".claude/projects/-work" / f"{SESSION}.jsonl", *lines)


def notes(root: Path) -> list[Path]:
    return list(root.glob("memory/episodic/*.md"))


def test_a_session_without_our_hooks_is_captured_only_on_request(root: Path, script: Script) -> None:
    script("sync", stdin=json.dumps({"session_id": "new"}))
    assert notes(root) == []
    assert json.loads(script("status", "--json").stdout)["uncaptured"] == 0
    done = script("capture", "--past", "--no-sync")
    assert done.stdout == "capture: 1 note from 1 session\n"
    assert len(notes(root)) == 1
    assert script("capture", "--past", "--no-sync").stdout == "capture: 0 notes from 0 sessions\n"
    refused = script("capture", "--past", "--no-sync", "--project", "shop")
    assert "every session was captured or skipped before" in refused.stderr


def test_past_sessions_are_captured_by_date_and_by_project(root: Path, script: Script) -> None:
    day = time.strftime("%Y-%m-%d", time.localtime(time.time() + 2 * 86400))
    assert "0 notes from 0 sessions" in script("capture", "--past", "--no-sync", "--since", day).stdout
    refused = script("capture", "--past", "--no-sync", "--project", "shop")
    assert (refused.returncode, "there are: parser" in refused.stderr) == (1, True)
    assert notes(root) == []
    assert "1 note" in script("capture", "--past", "--no-sync", "--project", "parser").stdout


def test_past_sessions_can_be_captured_since_yesterday(script: Script) -> None:
    assert "1 note" in script("capture", "--past", "--no-sync", "--since", "yesterday").stdout


def test_a_session_captured_by_hand_under_a_relative_path_is_not_new(
    home: Path, root: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home / ".claude")
    by_hand = script("capture", "--no-sync", "--transcript", f"projects/-work/{SESSION}.jsonl")
    assert "wrote episodic note" in by_hand.stdout
    assert "0 notes from 0 sessions" in script("capture", "--past", "--no-sync").stdout
