"""Figures from the index equal a count of the notes themselves."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from anamnesis.index import figures
from anamnesis.index.figures import note_counts
from anamnesis.index.query import Filter
from anamnesis.notes.record import Memory
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


def test_only_current_notes_are_counted(store: MemoryStore) -> None:
    fill(store)
    store.write(type="procedural", title="Newer", body="b", project="shop", supersedes="N1 N3")

    def number(since: date) -> int:
        found = store.ask(lambda db: figures.created(db, since=since))
        return sum(count for _, _, count in found)

    assert store.ask(lambda db: note_counts(db, ("type", "project"))).current == {
        "type": {"semantic": 3, "episodic": 1, "procedural": 1},
        "project": {"global": 4, "shop": 1},
    }
    assert number(date(2026, 1, 1)) == 4  # one of the others has no valid time


def test_a_page_is_ordered_by_time_not_by_its_text(store: MemoryStore) -> None:
    moments = (
        "2026-03-01T23:00:00-11:00",  # the newest, on the 2nd in UTC
        "2026-03-02T09:00:00+00:00",
        "2026-03-02T12:00:00+14:00",  # the 1st in UTC
        "2999-01-01T00:00:00+00:00",  # in the future: counts as no date
        "not a time",
    )
    for number, moment in enumerate(moments):
        store.put(Memory(id=f"L{number}", type="semantic", title="t", body="b", updated_at=moment))
    found = store.page(Filter(), limit=4).notes
    assert [note.id for note in found] == ["L0", "L1", "L2", "L4"]


def test_a_projects_figures_are_those_of_its_notes(store: MemoryStore) -> None:
    for number in range(9):
        made = {"id": f"P{number}", "title": "t", "body": "b", "project": ("shop", "farm")[number % 2]}
        moment = f"2026-02-0{number + 1}T00:00:00+00:00"
        store.put(Memory(**made, type="semantic", prov_source="import", updated_at=moment))  # type: ignore[arg-type]  # fields of a test
    store.write(type="semantic", title="Newer", body="b", project="shop", supersedes="P4")
    assert store.page(Filter(unseen=True, superseded=False), limit=0).total == 8
    shop = Filter(project=["shop"])
    counts = store.ask(lambda db: note_counts(db, ("type", "machine_id"), wanted=shop))
    assert (counts.superseded, counts.current) == (1, {"type": {"semantic": 5}, "machine_id": {"unknown": 5}})
    assert store.ask(lambda db: figures.extent(db, shop))["size"] == sum(
        path.stat().st_size for path in files_of(store, "shop")
    )


def files_of(store: MemoryStore, project: str) -> list[Path]:
    paths = [store.path_of(note.id) for note in store.list(project=project, bodies=False)]
    return [path for path in paths if path is not None]
