"""Which of the injected notes a session used: by name, by content, and not by chance."""

from __future__ import annotations

import pytest

from anamnesis.notes.record import Memory
from anamnesis.session.receipts import add_entry, close_receipt, find_used, read_entries
from anamnesis.session.transcript import ParsedSession, Turn
from anamnesis.store import MemoryStore

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
