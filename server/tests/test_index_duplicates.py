"""Two files with one id: one is the note, the other is reported, whatever the order."""

from __future__ import annotations

from itertools import permutations

import pytest

from anamnesis.store import MemoryStore
from index_state import assert_index_equals_files, by_hand, found, put, settle

PLACES = ("memory/semantic/one.md", "memory/semantic/copy.md", "local/semantic/one.md")


@pytest.mark.parametrize("settled", [False, True])
@pytest.mark.parametrize("order", list(permutations(PLACES)))
def test_the_file_named_after_the_id_in_the_synced_tree_is_the_note(
    store: MemoryStore, order: tuple[str, ...], settled: bool
) -> None:
    for place in order:
        by_hand(store, place, "one", f"walrus {place.count('l')}")
        assert found(store) == ["one"]
        if settled:  # earlier files are not read again
            settle()
            store.reindex()
    assert store.path_of("one") == store.root / PLACES[0]
    problems = {problem.path: problem.reason for problem in store.problems()}
    assert problems.keys() == set(PLACES[1:])
    assert all("same id as memory/semantic/one.md" in reason for reason in problems.values())
    assert_index_equals_files(store)


@pytest.mark.parametrize("door", ["delete", "by hand"])
def test_when_the_note_is_deleted_its_copy_takes_its_place(store: MemoryStore, door: str) -> None:
    put(store, "one", "walrus")
    by_hand(store, "memory/semantic/copy.md", "one", "badger")
    settle()
    assert len(store.health().problems) == 1
    if door == "delete":
        store.delete("one")
    else:
        (store.root / PLACES[0]).unlink()
    assert found(store, "badger") == ["one"]
    assert store.problems() == []
    assert_index_equals_files(store)


@pytest.mark.parametrize("change", [{"type": "episodic"}, {"scope": "machine-local"}])
def test_moving_a_note_that_has_a_copy_loses_neither(store: MemoryStore, change: dict[str, str]) -> None:
    put(store, "one", "walrus")
    copy = by_hand(store, "memory/semantic/copy.md", "one", "badger")
    settle()
    assert len(store.problems()) == 1
    store.update("one", **change)
    assert copy.is_file()
    assert len(list(store.root.glob("*/*/*.md"))) == 2
    assert len(store.problems()) == 1
    assert_index_equals_files(store)
