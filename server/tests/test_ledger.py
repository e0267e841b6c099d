"""The ledger finds sessions that were not captured; the hooks' log stays small and free of secrets."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from anamnesis.capture import capture_session, catch_up
from anamnesis.session.agents import pending
from anamnesis.session.receipts import MAX_LOG_BYTES, add_entry, log_line, read_ledger
from anamnesis.store import MemoryStore
from secret_samples import SAMPLES
from transcript_lines import asked, said, write_transcript


@pytest.fixture
def claude_dir(home: Path) -> Path:
    """The client's folder."""
    return home / ".claude"


def session_file(claude_dir: Path, name: str, *, prompt: str = "A question", age: float = 0) -> Path:
    """A transcript of a session that ended `age` seconds ago."""
    path = claude_dir / "projects" / "-home-ada-app" / f"{name}.jsonl"
    write_transcript(path, asked(prompt, sessionId=name), said("An answer.", sessionId=name))
    os.utime(path, (time.time() - age,) * 2)
    return path


def names(paths: list[Path]) -> list[str]:
    """The sessions of these transcripts."""
    return [path.stem for path in paths]


def started(store: MemoryStore, *sessions: str) -> None:
    """Write receipts as if our hook had run at the start of these sessions."""
    for session in sessions:
        add_entry(str(store.root), session, "told")


def test_uncaptured_transcripts_are_pending_newest_first(tmp_path: Path, claude_dir: Path) -> None:
    session_file(claude_dir, "older", age=600)
    session_file(claude_dir, "newer", age=60)
    session_file(claude_dir, "agent-1", age=60)
    (claude_dir / "projects" / "-home-ada-app" / "empty.jsonl").touch()
    (claude_dir / "projects" / "stray.jsonl").touch()
    found, started = read_ledger(tmp_path), {"newer", "older", "agent-1", "empty", "stray"}
    assert names(pending(found, claude_dir, started=started)) == ["newer", "older"]
    assert names(pending(found, claude_dir, started=started, current="newer")) == ["older"]
    assert names(pending(found, claude_dir, started=started, quiet_seconds=300)) == ["older"]


def test_a_captured_transcript_is_pending_again_only_when_it_changed(
    store: MemoryStore, claude_dir: Path
) -> None:
    path = session_file(claude_dir, "s")
    capture_session(store, transcript=path, machine_id="desk")
    assert pending(read_ledger(store.root), claude_dir, started=()) == []
    session_file(claude_dir, "s", prompt="A longer question")
    assert names(pending(read_ledger(store.root), claude_dir, started=())) == ["s"]


def test_catching_up_captures_missed_sessions_and_reads_each_once(
    store: MemoryStore, claude_dir: Path
) -> None:
    session_file(claude_dir, "killed")
    session_file(claude_dir, "trivial", prompt="/clear")
    session_file(claude_dir, "bare")
    started(store, "killed", "trivial")
    first = catch_up(store, claude_dir=claude_dir, machine_id="desk")
    assert sorted(outcome.status for outcome in first) == ["trivial", "written"]
    assert [note.prov_session for note in store.list()] == ["killed"]
    assert catch_up(store, claude_dir=claude_dir, machine_id="desk") == []


def test_catching_up_is_limited_and_continues_next_time(store: MemoryStore, claude_dir: Path) -> None:
    for number in range(3):
        session_file(claude_dir, f"s{number}", age=number)
        started(store, f"s{number}")
    assert catch_up(store, claude_dir=claude_dir, machine_id="desk", seconds=0) == []
    assert len(catch_up(store, claude_dir=claude_dir, machine_id="desk", current="s2")) == 2
    assert sorted(note.prov_session for note in store.list()) == ["s0", "s1"]


def test_a_line_is_added_to_the_log_with_its_time(tmp_path: Path) -> None:
    log_line(tmp_path, "first")
    log_line(tmp_path, "second\nand its second line")
    one, two = (tmp_path / "anamnesis.log").read_text().splitlines()
    assert one.endswith("+00:00 first")
    assert two.endswith("+00:00 second | and its second line")
    assert (tmp_path / "anamnesis.log").stat().st_mode & 0o777 == 0o600


def test_no_secret_is_logged(tmp_path: Path) -> None:
    for text, _ in SAMPLES.values():
        log_line(tmp_path, f"capture: ValueError: {text}")
    written = (tmp_path / "anamnesis.log").read_text()
    assert [kind for kind, (_, secret) in SAMPLES.items() if secret in written] == []


def test_a_full_log_is_rotated(tmp_path: Path) -> None:
    for number in range(400):
        log_line(tmp_path, f"{number} " + "x" * 5000)
    sizes = {path.name: path.stat().st_size for path in tmp_path.glob("anamnesis*")}
    assert sizes.keys() == {"anamnesis.log", "anamnesis.log.1"}
    assert max(sizes.values()) <= MAX_LOG_BYTES + 4096
