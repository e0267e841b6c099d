"""A word with one typo finds the notes of the correct word."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator

import pytest

import misspelt
from anamnesis.recall import STOP_WORDS
from anamnesis.store import MemoryStore


def write(store: MemoryStore, title: str, body: str = "") -> str:
    return store.write(type="semantic", title=title, body=body).id


def found(store: MemoryStore, query: str) -> list[str]:
    return [note.id for note in store.search(query)]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[MemoryStore, dict[str, str]]]:
    """A store, and the id of the note for each of the fifty words."""
    rng = random.Random(1)  # noqa: S311 - for a test, not for secrets
    with MemoryStore(tmp_path_factory.mktemp("misspelt")) as store:
        for number, text in enumerate(misspelt.others(rng, 300)):
            write(store, f"Diary {number}", text)
        sentences = misspelt.sentences()
        yield store, {word: write(store, "Good to know", text) for word, text in sentences.items()}


def _queries(word: str, typo: str, sentence: str, rng: random.Random) -> list[str]:
    """The misspelt word alone, and with one and two other words of the note."""
    words = [each for each in re.findall(r"\w{3,}", sentence.lower()) if each != word]
    one, two = rng.sample([each for each in words if each not in STOP_WORDS], 2)
    return [typo, f"{typo} {one}", f"{one} {typo} {two}"]


def test_one_typo_hides_a_note_in_few_cases(
    filled: tuple[MemoryStore, dict[str, str]],
) -> None:
    store, notes = filled
    rng = random.Random(2)  # noqa: S311 - for a test, not for secrets
    hits: dict[str, list[bool]] = defaultdict(list)
    for word, sentence in misspelt.sentences().items():
        for kind, typo in (each for _ in range(2) for each in misspelt.slips(word, rng).items()):
            for others, query in enumerate(_queries(word, typo, sentence, rng)):
                hits[f"{kind}, {others} other words"].append(notes[word] in found(store, query))
    rates = {kind: sum(seen) / len(seen) for kind, seen in hits.items()}
    assert min(rates.values()) >= 0.85, rates


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
