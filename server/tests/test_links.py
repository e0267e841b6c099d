"""Links between notes: by id, by title, in both directions."""

from __future__ import annotations

from anamnesis.operations.notes import links_of
from anamnesis.store import MemoryStore


def write(store: MemoryStore, title: str, body: str) -> str:
    return store.write(type="semantic", title=title, body=body).id


def test_a_note_lists_its_links_and_its_backlinks(store: MemoryStore) -> None:
    target = write(store, "Restores stream, they never stage", "Straight to the target.")
    by_title = write(store, "Chunks", "See [[restores stream, THEY never stage]].")
    by_id = write(store, "Prune", f"Compare {target}, and [[Nobody]].")
    write(store, "Only the words", "Restores stream, they never stage, says a note.")
    assert {note.id for note in links_of(store, target).backlinks} == {by_title, by_id}
    assert links_of(store, target).mentions == {}
    assert [note.id for note in links_of(store, by_title).mentions.values()] == [target]
    assert {text: note.id for text, note in links_of(store, by_id).mentions.items()} == {target: target}


def test_a_link_by_a_shared_title_means_the_newest_note(store: MemoryStore) -> None:
    write(store, "Deploy", "old")
    newer = write(store, "Deploy", "new")
    asking = write(store, "Asks", "[[Deploy]]")
    assert links_of(store, asking).mentions["Deploy"].id == newer
