"""Recall by identifiers: a compound name is found by its parts, and its parts by the name."""

from __future__ import annotations

import pytest

from anamnesis.store import MemoryStore

WORDS_OF = {
    "parseTranscript": "how we parse what a transcript holds",
    "CONN_RESET": "after a reset the pump waits",
    "XMLReader": "a reader for feeds",
    "busy_timeout": "the timeout is too short",
    "sha256sum": "the sum at the end of the page",
}


def write(store: MemoryStore, body: str) -> str:
    """A note with this body."""
    return store.write(type="semantic", title="a note", body=body).id


@pytest.mark.parametrize(("name", "words"), WORDS_OF.items())
def test_a_compound_name_finds_a_note_with_its_parts_as_words(
    store: MemoryStore, name: str, words: str
) -> None:
    note = write(store, words)
    write(store, "nothing of the kind")
    assert [hit.id for hit in store.search(name)] == [note]


def test_the_number_in_a_name_counts_in_a_question_and_not_in_a_pasted_trace(store: MemoryStore) -> None:
    note = write(store, "line 25 of the form")
    assert [hit.id for hit in store.search("field_25")] == [note]
    assert store.search("frame_25 called\n" * 100) == []
