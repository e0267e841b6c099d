"""Which of the injected notes a session used, and how often notes were: counted per machine, and summed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.capture import capture_session
from anamnesis.notes.record import Memory
from anamnesis.operations.sessions import unused_notes
from anamnesis.session.receipts import (
    add_entry,
    close_receipt,
    count_use,
    find_used,
    read_counts,
    read_entries,
)
from anamnesis.session.transcript import ParsedSession, Turn
from anamnesis.store import MemoryStore
from machines import Machine
from transcript_lines import SESSION, Line, asked, called, returned, said, write_transcript


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


def test_counts_sync_without_clashes(two_machines: tuple[Machine, Machine]) -> None:
    desk, laptop = two_machines
    for machine in (desk, laptop):
        count_use(str(machine.root), machine.root.name, told=["a"], used=["a"])
    for machine in (desk, laptop, desk):
        assert not machine.sync().conflicted
    assert read_counts(str(desk.root), "used") == read_counts(str(laptop.root), "used") == {"a": 2}


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
