"""What was captured, told, searched and used: kept per session, closed by a capture, summed over machines."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from anamnesis.capture import capture_session, catch_up
from anamnesis.notes.record import Memory
from anamnesis.operations.sessions import unused_notes
from anamnesis.session.agents import pending
from anamnesis.session.receipts import (
    MAX_LOG_BYTES,
    add_entry,
    close_receipt,
    count_use,
    find_used,
    log_line,
    project_before_a_move,
    read_counts,
    read_entries,
    read_ledger,
    remember,
)
from anamnesis.session.transcript import ParsedSession, Turn
from anamnesis.store import MemoryStore
from machines import Machine
from secret_samples import SAMPLES
from transcript_lines import SESSION, Line, asked, called, returned, said, write_transcript


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
    assert names(pending(found, claude_dir, started=started, quiet=300)) == ["older"]


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
    session_file(claude_dir, "killed", prompt="A longer question")
    assert [each.status for each in catch_up(store, claude_dir=claude_dir, machine_id="desk")] == ["written"]


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


def test_a_project_with_a_remote_keeps_its_key_when_its_folder_moves(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    remember(str(tmp_path), str(tmp_path / "old"), project="h.org/ada/shop")
    moved = (tmp_path / "old").rename(tmp_path / "new")
    assert project_before_a_move(str(tmp_path), str(moved)) == ""


def test_every_machine_writes_its_own_file(tmp_path: Path) -> None:
    for machine in ("lap.local", "lap-local", "lap_local", "../lap"):
        count_use(str(tmp_path), machine, told=["a"], used=[])
    assert len(list((tmp_path / "memory/use").glob("*.json"))) == 4
    assert read_counts(str(tmp_path), "told") == {"a": 4}


@pytest.mark.parametrize("text", ["", "[]", '{"used": 7}', '{"used": {"a": "x", "b": -1, "c": true}}', "{"])
def test_an_invalid_file_counts_nothing(tmp_path: Path, text: str) -> None:
    count_use(str(tmp_path), "desk", told=[], used=["a"])
    (tmp_path / "memory/use/odd.json").write_text(text)
    assert read_counts(str(tmp_path), "used") == {"a": 1}


def test_counts_sync_without_clashes(desk: Machine, lap: Machine) -> None:
    for machine in (desk, lap):
        count_use(str(machine.root), machine.root.name, told=["a"], used=["a"])
    for machine in (desk, lap, desk):
        assert not machine.sync().conflicted
    assert read_counts(str(desk.root), "used") == read_counts(str(lap.root), "used") == {"a": 2}


class Told:
    """A store with two notes that a session was given in full."""

    def __init__(self, root: Path) -> None:
        self.root = root
        with MemoryStore(root) as store:
            self.lock = store.write(
                type="procedural", title="Lock first", body="`SET lock_timeout = '3s'` before each migration."
            )
            self.party = store.write(type="semantic", title="A party", body="There was cake for everybody.")
        ids = [[note.id, note.updated_at] for note in (self.lock, self.party)]
        add_entry(str(root), SESSION, "told", full=ids)

    def capture(self, *lines: Line) -> None:
        """Capture the session with these lines."""
        path = write_transcript(self.root.parent / f"{SESSION}.jsonl", *lines)
        with MemoryStore(self.root) as store:
            assert capture_session(store, transcript=path, machine_id="desk").status in (
                "written",
                "unchanged",
            )

    @property
    def used(self) -> dict[str, int]:
        """The counts so far."""
        return read_counts(str(self.root), "used")


@pytest.fixture
def told(tmp_path: Path) -> Told:
    """A session that was given two notes."""
    return Told(tmp_path / "store")


LINES = [
    asked("please run the migration of the orders table"),
    called("c1", "Bash", command="psql -c \"SET lock_timeout = '3s'; ALTER TABLE orders ADD note text\""),
    returned("c1", "ALTER TABLE"),
    said("The migration went through; the orders table now has the column `note`."),
]


def test_a_capture_closes_the_receipt_with_the_used_notes(told: Told) -> None:
    told.capture(*LINES)
    assert told.used == {told.lock.id: 1}
    assert read_counts(str(told.root), "told") == {told.lock.id: 1, told.party.id: 1}
    assert read_entries(str(told.root), SESSION)[-1]["ids"] == [told.lock.id]


def test_a_session_that_used_nothing_still_counts_what_it_was_told(told: Told) -> None:
    told.capture(asked("rename `belt` to `band` in drive.py"), said("Renamed `belt` in drive.py, 4 places."))
    assert told.used == {}
    assert read_counts(str(told.root), "told") == {told.lock.id: 1, told.party.id: 1}


def test_the_counts_contain_no_text_of_a_note(told: Told) -> None:
    told.capture(*LINES)
    (path,) = (told.root / "memory/use").glob("*.json")
    assert json.loads(path.read_text()).keys() == {"machine", "told", "used"}
    assert "lock_timeout" not in path.read_text()


def test_notes_told_often_and_never_used_are_listed_for_review(told: Told) -> None:
    for _ in range(12):
        count_use(str(told.root), "desk", told=[told.lock.id, told.party.id, "deleted"], used=[told.lock.id])
    with MemoryStore(told.root) as store:
        assert [(row["id"], row["told"]) for row in unused_notes(store)] == [(told.party.id, 12)]
        assert unused_notes(store, often=13) == []


NOTES = [
    Memory("01HX3F8ALOCK", "procedural", "Lock before a migration", "Run `SET lock_timeout = '3s'` first."),
    Memory(
        "01HX3F8BPOOL", "semantic", "Pool", "PgBouncer listens on port 6432 and pgbouncer.ini is in ops/pool."
    ),
    Memory(
        "01HX3F8CTONE",
        "semantic",
        "Tone of error messages",
        "Apologise briefly, explain plainly, never exaggerate; customers dislike exclamation marks.",
    ),
]


def used(done: str, asked: str = "please go on") -> list[str]:
    return [note_id[-4:] for note_id in find_used(NOTES, done=done, asked=asked)]


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        ("One of the notes 01HX3F8 says it.", []),
        ("As note 01HX3F8BPO says, there is a pool.", ["POOL"]),
        ("I opened memory/semantic/01HX3F8CTONE.md", ["TONE"]),
        ("There is a note 'Lock before a migration'.", ["LOCK"]),
        ("psql -c \"SET lock_timeout = '3s'; ALTER TABLE x\"", ["LOCK"]),
        ("I set the port to 6432 in ops/pool/pgbouncer.ini, see pgbouncer.ini", ["POOL"]),
        ("The pool is fine and the error messages are fine, too; I ran the migration.", []),
        ("", []),
    ],
)
def test_a_note_counts_as_used_if_named_or_if_its_unique_words_appear(done: str, expected: list[str]) -> None:
    assert used(done) == expected


def test_the_users_own_words_do_not_count_as_use() -> None:
    assert used("I set the port to 6432 in pgbouncer.ini.", asked="set port 6432 in pgbouncer.ini") == []
    assert used("SET lock_timeout = '3s' is set.", asked="use SET lock_timeout = '3s' here") == []


def test_a_word_in_several_notes_does_not_count_as_use() -> None:
    twin = Memory("01HX3F8DTWIN", "semantic", "Pool again", "Port 6432, as pgbouncer.ini says.")
    done = "Port 6432 is in pgbouncer.ini."
    assert find_used([NOTES[1], twin], done=done, asked="") == []


def test_a_session_does_not_use_its_own_note(store: MemoryStore) -> None:
    own = store.write(
        type="episodic", title="The mill stops", body="`mill.tick` overflows", prov_session="S1"
    )
    other = store.write(type="semantic", title="Pool", body="`pgbouncer.ini` is in ops")
    told = [[each.id, each.updated_at] for each in (own, other)]
    add_entry(str(store.root), "S1", "told", full=told, cut=[], titles=[])
    said = "I changed `mill.tick` and `pgbouncer.ini`."
    session = ParsedSession(session_id="S1", turns=[Turn("go on", texts=[said])])
    close_receipt(store, session, machine_id="desk")
    assert [entry["ids"] for entry in read_entries(str(store.root), "S1") if entry["kind"] == "used"] == [
        [other.id]
    ]
