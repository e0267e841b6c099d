"""The store's promises to writers: a size limit at every door, and only one writes at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from anamnesis import files
from anamnesis.errors import InvalidNote, StoreUnavailable
from anamnesis.notes.vocabulary import MAX_BODY
from anamnesis.store import MemoryStore


def test_a_body_of_more_than_a_megabyte_is_refused_at_every_door(store: MemoryStore) -> None:
    note = store.write(type="semantic", title="t", body="x" * MAX_BODY)
    longer = replace(note, id="NEW", body=note.body + "x")
    doors: list[Callable[[], object]] = [
        lambda: store.write(type="semantic", title="t", body=longer.body),
        lambda: store.put(longer),
        lambda: store.update(note.id, body=longer.body),
    ]
    for write in doors:
        with pytest.raises(InvalidNote, match=r"1,000,001 bytes long; the limit is 1,000,000; split it"):
            write()
    assert "split it" in store.add_many([(longer, {})])["NEW"]
    assert store.list() == [note]


def test_nothing_is_written_or_deleted_while_another_process_keeps_writing(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamnesis.store._WRITE_LOCK_SECONDS", 0)
    note = store.write(type="semantic", title="a title", body="before")
    with files.lock(store.root / "write.lock", timeout=0) as mine:
        assert mine
        changes: list[Callable[[], object]] = [
            lambda: store.write(type="semantic", title="another", body="text"),
            lambda: store.put(note),
            lambda: store.update(note.id, body="after"),
            lambda: store.delete(note.id),
        ]
        for change in changes:
            with pytest.raises(StoreUnavailable, match="another process keeps writing"):
                change()
    assert [each.body for each in store.list()] == ["before"]
