"""What this machine remembers: it is bounded, private, survives damage, and no note depends on it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from anamnesis import state
from anamnesis.capture import CaptureOutcome, capture_session
from anamnesis.errors import StoreUnavailable
from anamnesis.session.receipts import add_entry, read_entries
from anamnesis.state import Captured, Entry, Mark, News, Trust
from anamnesis.store import MemoryStore
from faults import fill, on_small_disk
from processes import running
from transcript_lines import asked, said, write_transcript

DAWN = "2026-03-04T09:00:00+00:00"


def news(name: str, title: str = "") -> News:
    """News of one note."""
    return News(name, title, "p", "semantic", "wrote", "lap", DAWN, DAWN)


def test_rows_come_back_by_their_key_the_latest_last(tmp_path: Path) -> None:
    state.save(tmp_path, Trust("r1", "a"), Trust("r1", "b"), news("N1"))
    state.save(tmp_path, news("N2"), drop=[Trust("r1", "a")])
    state.save(tmp_path, news("N1", "again"))
    assert state.read(tmp_path, Trust) == [Trust("r1", "b")]
    assert [row.title for row in state.read(tmp_path, News)] == ["", "again"]
    assert (state.mark(tmp_path, "x"), state.latest(tmp_path, News)) == ("", news("N1", "again"))
    assert (tmp_path / "machine.db").stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(tmp_path)) == ["machine.db"]


def test_each_kind_keeps_only_its_newest_rows(tmp_path: Path) -> None:
    state.save(tmp_path, *(news(f"N{number}") for number in range(310)))
    assert [row.id for row in state.read(tmp_path, News)] == [f"N{number}" for number in range(10, 310)]


def test_a_receipt_keeps_its_entries_in_order_and_sessions_the_latest_first(tmp_path: Path) -> None:
    home = str(tmp_path)
    add_entry(home, "s-1", "told", characters=12)
    add_entry(home, "../s 2", "told")
    add_entry(home, "s-1", "searched", ids=["a"])
    for odd in ("", "x" * 300, "half \ud800"):
        add_entry(home, odd, "told")
    first, second = read_entries(home, "s-1")
    assert (first["kind"], first["characters"], second["ids"]) == ("told", 12, ["a"])
    assert state.sessions(home) == ["s-1", "../s 2"]


def _damage(path: Path, how: str) -> None:
    if how == "version":
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA user_version=99")
    else:
        data = path.read_bytes()
        damaged = {"empty": b"", "noise": os.urandom(9000), "half": data[: len(data) // 2]}
        damaged["page"] = data[:4096] + b"\xff" * (len(data) - 4096)
        path.write_bytes(damaged[how])


@pytest.mark.parametrize("how", ["empty", "noise", "half", "page", "version"])
def test_a_damaged_file_is_set_aside_until_a_purge_and_started_again(tmp_path: Path, how: str) -> None:
    state.save(tmp_path, *(news(f"N{number}", "x" * 200) for number in range(99)), Trust("r", "k"))
    _damage(tmp_path / "machine.db", how)
    state.read(tmp_path, News)  # does not fail
    state.try_save(tmp_path, Trust("r2", "k"))
    state.save(tmp_path, news("fresh"))
    assert state.read(tmp_path, Trust)[-1] == Trust("r2", "k")
    assert state.read(tmp_path, News)[-1] == news("fresh")
    assert (tmp_path / "machine.db.damaged").exists() is (how != "empty")
    _damage(tmp_path / "machine.db", how)
    state.rewrite(tmp_path, change=lambda row: row, scrub=str)
    assert not (tmp_path / "machine.db.damaged").exists()


def test_a_file_that_another_process_has_just_replaced_is_not_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "machine.db").write_bytes(b"x" * 9000)
    connect = sqlite3.connect

    def late(*args: Any, **kwargs: Any) -> object:
        monkeypatch.setattr(sqlite3, "connect", connect)
        db = connect(*args, **kwargs)
        state.save(tmp_path, Mark("a", "1"))
        return db

    monkeypatch.setattr(sqlite3, "connect", late)
    state.save(tmp_path, Mark("b", "2"))
    assert state.read(tmp_path, Mark) == [Mark("a", "1"), Mark("b", "2")]


def test_a_hook_gives_up_on_a_locked_file_and_a_command_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state.save(tmp_path, Mark("a", "1"))
    monkeypatch.setattr(state, "_PATIENCE", 0.1)
    with closing(sqlite3.connect(tmp_path / "machine.db", isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        state.try_save(tmp_path, Mark("b", "2"))
        assert state.read(tmp_path, Mark) == []
        with pytest.raises(StoreUnavailable, match="locked"):
            state.save(tmp_path, Mark("b", "2"))
        with pytest.raises(StoreUnavailable, match="cannot be used"):
            state.read(tmp_path, Captured)  # or an edited note would count as never captured
    assert state.read(tmp_path, Mark) == [Mark("a", "1")]


def test_on_a_full_disk_what_is_there_is_read_and_hooks_shrug(tmp_path: Path) -> None:
    home = tmp_path / "disk"

    def live() -> dict[str, int]:
        state.save(home, *(news(f"N{number}", "x" * 200) for number in range(50)))
        ballast = fill(home, leave=0)
        for _ in range(50):
            state.try_save(home, Entry("s", "told", DAWN, "x" * 9000))
        kept = len(state.read(home, News))
        ballast.unlink()
        state.save(home, Mark("a", "1"))
        aside = len(list(home.glob("*.damaged")))
        return {"kept": kept, "after": len(state.read(home, News)), "aside": aside}

    assert on_small_disk(home, live, size="4m") == {"kept": 50, "after": 50, "aside": 0}


def test_processes_killed_while_they_write_leave_a_file_that_works(tmp_path: Path) -> None:
    program = (
        "import sys; from anamnesis import state\n"
        "for n in range(10**6):\n"
        "    rows = [state.Entry(sys.argv[2], 'told', str(n), 'x' * 9000) for _ in range(9)]\n"
        "    state.try_save(sys.argv[1], *rows)\n"
        "    print(n, flush=True)"
    )
    for name in "abcdef":
        with running([sys.executable, "-c", program, str(tmp_path), name], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            seen = [process.stdout.readline() for _ in range(5)]
            process.kill()
            process.wait()
            assert len(seen) == 5
        counts = Counter(row.at for row in state.read(tmp_path, Entry, session=name))
        assert len(counts) >= 5
        assert set(counts.values()) == {9}  # all of a call or nothing
    assert not (tmp_path / "machine.db.damaged").exists()


def test_processes_write_at_the_same_time_without_loss(tmp_path: Path) -> None:
    program = (
        "import sys; from anamnesis import state\n"
        "state._PATIENCE = 600\n"  # the time limit is not the subject here
        "for n in range(10): state.save(sys.argv[1], state.Trust(sys.argv[2], str(n)))"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    with ExitStack() as stack:
        started = [stack.enter_context(running([*command, name])) for name in "abcd"]
        assert [process.wait() for process in started] == [0] * 4
    assert len(state.read(tmp_path, Trust)) == 40


def test_rewritten_rows_leave_nothing_of_their_text_in_the_file(tmp_path: Path) -> None:
    state.save(tmp_path, *(news(f"N{number}", "kestrel " * 50) for number in range(40)))
    state.save(tmp_path, Entry("s", "searched", DAWN, '{"query":"kestrel"}'), news("KEEP", "a heron"))
    (tmp_path / "machine.db.damaged").write_text("kestrel")
    state.rewrite(
        tmp_path,
        change=lambda row: None if isinstance(row, News) and row.id == "N7" else row,
        scrub=lambda text: text.replace("kestrel", "x"),
    )
    assert [path.name for path in tmp_path.iterdir()] == ["machine.db"]
    assert b"kestrel" not in (tmp_path / "machine.db").read_bytes()
    assert {row.id for row in state.read(tmp_path, News)} == {f"N{n}" for n in range(40) if n != 7} | {"KEEP"}
    assert state.latest(tmp_path, Entry) == Entry("s", "searched", DAWN, '{"query":"x"}')


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """A session that is worth a note."""
    path = tmp_path / "s.jsonl"
    write_transcript(
        path, asked("Why does the build fail?", sessionId="s"), said("A linker flag.", sessionId="s")
    )
    return path


def capture(store: MemoryStore, path: Path) -> CaptureOutcome:
    """Capture a transcript."""
    return capture_session(store, transcript=path, machine_id="desk")


def test_losing_the_file_neither_revives_a_deleted_session_nor_overwrites_an_edited_one(
    store: MemoryStore, transcript: Path
) -> None:
    note = capture(store, transcript).note_id
    store.update(note, body="my own words")
    (store.root / "machine.db").unlink()
    for answer in ("It was `-lm`.", "It was `-lm`."):
        write_transcript(
            transcript, asked("Why does the build fail?", sessionId="s"), said(answer, sessionId="s")
        )
        capture(store, transcript)
        assert [each.body for each in store.list()] == ["my own words"]
    store.delete(note)
    (store.root / "machine.db").unlink()
    assert capture(store, transcript).status == "deleted"
    assert capture(store, transcript).status == "deleted"
    assert store.list() == []
