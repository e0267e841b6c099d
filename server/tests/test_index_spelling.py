"""A word with one typo finds the notes of the correct word."""

from __future__ import annotations

import pytest

from anamnesis.store import MemoryStore


def write(store: MemoryStore, title: str, body: str = "") -> str:
    return store.write(type="semantic", title=title, body=body).id


def found(store: MemoryStore, query: str) -> list[str]:
    return [note.id for note in store.search(query)]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("the kubernetes deployment", "kuberntes"),
        ("the kubernetes deployment", "deplyoment"),
        ("postgres connection settings", "conection"),
        ("call parseTranscript first", "parseTrnscript"),
        ("set busy_timeout early", "busy_tiemout"),
        ("使用Terraform部署", "terrafrom"),
        ("Die Konfiguration der Größe", "konfigurtion"),
        ("Проверка подключения к базе", "подклчения"),
    ],
)
def test_every_kind_of_misspelling_finds_its_note(store: MemoryStore, text: str, query: str) -> None:
    for _ in range(3):
        write(store, "Unrelated", "apples, pears and plums")
    note = write(store, "Title", text)
    assert found(store, query) == [note]
    store.reindex(full=True)
    assert found(store, query) == [note]


def test_a_word_that_occurs_in_notes_is_not_corrected(store: MemoryStore) -> None:
    write(store, "The table is green")
    note = write(store, "The cable is red")
    assert found(store, "cable") == [note]


def test_a_short_unknown_word_in_a_sentence_is_not_corrected(store: MemoryStore) -> None:
    write(store, "The paint is dry")
    note = write(store, "Which colour the kitchen wall has today")
    assert found(store, "which colour does the point of the kitchen wall have") == [note]
