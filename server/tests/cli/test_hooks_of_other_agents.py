"""`sync` and `capture` as hooks of agents that wait for them and show their output."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.session.receipts import add_entry
from machines import make_remote
from transcript_lines import SESSION, asked, said, write_transcript

Script = Callable[..., subprocess.CompletedProcess[str]]
OUTCOME = "The crank turns left now, and every test of the engine passes on both machines."


@pytest.fixture
def transcript(home: Path) -> Path:
    """A session that ended without a note."""
    path = home / ".claude" / "projects" / "-work" / f"{SESSION}.jsonl"
    return write_transcript(path, asked("Make the crank turn left"), said(OUTCOME))


def payload(event: str, session: str, transcript: Path) -> str:
    fields = {"hook_event_name": event, "session_id": session, "transcript_path": str(transcript)}
    return json.dumps({**fields, "cwd": "/work"})


def test_a_detached_sync_prints_nothing_and_still_catches_up_and_pushes(
    root: Path, tmp_path: Path, transcript: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_entry(str(root), SESSION, "told")
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(make_remote(tmp_path / "remote.git")))
    done = script("sync", "--detach", stdin=payload("SessionStart", "another", transcript))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    pushed = ["git", "-C", str(tmp_path / "remote.git"), "rev-parse", "--verify", "-q", "main"]
    while subprocess.run(pushed, capture_output=True, check=False).returncode:
        time.sleep(0.05)  # ends at the limit of every test
    assert len(list(root.glob("memory/episodic/*.md"))) == 1


def test_a_quiet_capture_writes_the_note_and_prints_nothing(
    root: Path, transcript: Path, script: Script
) -> None:
    (root / "memory").mkdir(parents=True)
    words = ("capture", "--quiet", "--no-sync")
    done = script(*words, stdin=payload("SessionEnd", SESSION, transcript))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(list(root.glob("memory/episodic/*.md"))) == 1
