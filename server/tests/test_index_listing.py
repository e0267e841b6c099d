"""Pages of notes: every note once, newest first, filtered in the index."""

from __future__ import annotations

import pytest

from anamnesis.index.query import Filter
from anamnesis.notes.record import Memory
from anamnesis.store import MemoryStore


def put(store: MemoryStore, number: int, **fields: object) -> None:
    moment = f"2026-01-{number:02}T00:00:00+00:00"
    made = {"id": f"N{number}", "type": "semantic", "title": f"Note {number}", "body": "walrus"}
    made |= {"project": "global", "machine_id": "desk", "created_at": moment, "updated_at": moment}
    store.put(Memory(**{**made, **fields}))  # type: ignore[arg-type]  # fields of a test


def ids(notes: list[Memory]) -> list[str]:
    return [note.id for note in notes]


def test_pages_contain_every_note_once_in_list_order(store: MemoryStore) -> None:
    for number in range(1, 8):
        put(store, number, tags=[f"tag-{number}", "all"])
    pages = [store.page(Filter(), limit=3, offset=offset) for offset in (0, 3, 6, 9)]
    assert [note for page in pages for note in page.notes] == store.list(bodies=False)
    assert {page.total for page in pages} == {7}
    assert pages[0].notes[0].tags == ["tag-7", "all"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Filter(type="procedural"), ["N2"]),
        (Filter(project=["shop", "other"]), ["N3"]),
        (Filter(scope="machine-local"), ["N1"]),
        (Filter(tags=["red", "blue"]), ["N1"]),
        (Filter(machine_id="lap"), ["N4", "N2"]),
        (Filter(prov_source="import"), ["N4", "N3"]),
        (Filter(machine_id="lap", prov_source="import"), ["N4"]),
        (Filter(superseded=True), ["N3"]),
        (Filter(superseded=False), ["N4", "N2", "N1"]),
        (Filter(since="2026-01-03"), ["N4", "N3"]),
        (Filter(machine_id="nobody' OR 1=1 --"), []),
    ],
)
def test_matching_notes_are_found_and_counted(
    store: MemoryStore, wanted: Filter, expected: list[str]
) -> None:
    put(store, 1, tags=["red", "blue"], scope="machine-local")
    put(store, 2, type="procedural", machine_id="lap", tags=["red"])
    put(store, 3, project="shop", prov_source="import")
    put(store, 4, machine_id="lap", prov_source="import", supersedes="N3")
    page = store.page(wanted, limit=10)
    assert (ids(page.notes), page.total) == (expected, len(expected))
    current = [note_id for note_id in expected if note_id != "N3"]  # a search finds no superseded note
    found = [] if wanted.superseded else current
    assert sorted(hit.note.id for hit in store.find("walrus", wanted, k=10)) == sorted(found)


def test_a_page_is_ordered_by_time_not_by_its_text(store: MemoryStore) -> None:
    moments = (
        "2026-03-01T23:00:00-11:00",  # the newest, on the 2nd in UTC
        "2026-03-02T09:00:00+00:00",
        "2026-03-02T12:00:00+14:00",  # the 1st in UTC
        "2999-01-01T00:00:00+00:00",  # in the future: counts as no date
        "not a time",
    )
    for number, moment in enumerate(moments):
        put(store, number, updated_at=moment)
    assert ids(store.page(Filter(), limit=4).notes) == ["N0", "N1", "N2", "N4"]
