"""Figures counted in the index are those that counting the notes themselves gives."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime

from anamnesis.index import figures
from anamnesis.index.query import Filter
from anamnesis.notes.record import Memory, epoch
from anamnesis.store import MemoryStore

MOMENTS = (
    "2026-01-04T23:30:00+00:00",
    "2026-01-04T23:30:00-05:00",  # the 5th in UTC
    "2026-01-05T00:30:00+02:00",  # the 4th in UTC
    "2026-01-06T12:00:00Z",
    "2026-01-07",
    "not a time",
)


def fill(store: MemoryStore) -> list[Memory]:
    for number, moment in enumerate(MOMENTS):
        made = {"id": f"N{number}", "title": f"Note {number}", "body": "b", "created_at": moment}
        made |= {"type": ("semantic", "episodic")[number % 2], "machine_id": ("desk", "lap")[number % 2]}
        store.put(Memory(**made, updated_at=f"2026-02-0{number + 1}T00:00:00+00:00"))  # type: ignore[arg-type]  # fields of a test
    return store.list(bodies=False)


def test_days_are_counted_in_utc_whatever_zone_a_note_was_written_in(store: MemoryStore) -> None:
    notes = fill(store)
    since = date(2026, 1, 5)
    expected = Counter(
        (moment.date(), note.type)
        for note in notes
        if epoch(note.created_at)
        and (moment := datetime.fromtimestamp(epoch(note.created_at), UTC)).date() >= since
    )
    found = store.ask(lambda db: figures.created(db, since=since, fresh=datetime(2026, 1, 1, tzinfo=UTC)))
    assert {(each.day, each.type): each.number for each in found} == expected
    assert len(found) == 3


def test_what_is_fresh_is_counted_to_the_second(store: MemoryStore) -> None:
    fill(store)
    moment = datetime(2026, 1, 6, 12, tzinfo=UTC)

    def fresh(moment: datetime) -> int:
        found = store.ask(lambda db: figures.created(db, since=date(2026, 1, 1), fresh=moment))
        return sum(each.fresh for each in found)

    assert (fresh(moment), fresh(moment.replace(second=1))) == (2, 1)


def test_only_notes_that_nothing_replaces_are_counted(store: MemoryStore) -> None:
    fill(store)
    store.write(type="procedural", title="Newer", body="b", project="shop", supersedes="N1 N3")

    def number(since: date) -> int:
        found = store.ask(lambda db: figures.created(db, since=since, fresh=datetime(2026, 1, 1, tzinfo=UTC)))
        return sum(each.number for each in found)

    assert store.ask(lambda db: figures.current_by(db, "type")) == {
        "semantic": 3,
        "episodic": 1,
        "procedural": 1,
    }
    assert store.ask(lambda db: figures.current_by(db, "project")) == {"global": 4, "shop": 1}
    assert number(date(2026, 1, 1)) == 4  # one of the others has no time that can be read


def test_what_is_superseded_is_counted_once_and_is_not_among_the_latest(store: MemoryStore) -> None:
    fill(store)
    for _ in range(2):
        store.write(type="semantic", title="Newer", body="b", supersedes="N5 GONE")
    assert store.ask(figures.count_superseded) == 1
    assert "N5" not in [note.id for note in store.ask(lambda db: figures.latest(db, limit=10))]
    assert store.ask(lambda db: figures.count_wanted(db, Filter(superseded=True))) == 1
