"""Vectors that follow the notes, and searches that use them."""

from __future__ import annotations

import pytest

from anamnesis.index import query, rows
from anamnesis.index.query import Filter
from anamnesis.notes.record import Memory
from anamnesis.semantic.meaning import Meaning
from anamnesis.store import MemoryStore, meaning_report
from anamnesis.text import StepProgress, silent
from fake_encoder import FakeEncoder, fake_meaning


@pytest.fixture
def encoder() -> FakeEncoder:
    """The model that computes the vectors."""
    return FakeEncoder()


@pytest.fixture
def meaning(store: MemoryStore, encoder: FakeEncoder) -> Meaning:
    """The fake model, in use by the store; nothing is encoded yet."""
    made = fake_meaning(store.root, encoder)
    store.meaning = made
    return made


def write(store: MemoryStore, title: str, body: str = "", **more: str) -> Memory:
    """A note."""
    return store.write(type="semantic", title=title, body=body, **more)  # type: ignore[arg-type]  # texts


def fill(store: MemoryStore) -> None:
    """Write notes about nothing in particular."""
    for number in range(20):
        write(store, f"Remark {number}", f"nothing of note {number * 37}")


def catch_up(store: MemoryStore, meaning: Meaning, progress: StepProgress = silent) -> bool:
    """Make the missing vectors."""
    return meaning.make_vectors(
        store.ask(query.digests), lambda ids: store.ask(lambda db: rows.texts(db, ids)), progress=progress
    )


def test_a_paraphrase_without_a_shared_word_is_found(store: MemoryStore, meaning: Meaning) -> None:
    fill(store)
    wanted = write(store, "The automobile", "is parked behind the house")
    assert store.search("vehicle for driving") == []
    catch_up(store, meaning)
    assert store.search("vehicle for driving")[0].id == wanted.id


def test_a_superseded_note_is_found_by_words_and_meaning_on_request(
    store: MemoryStore, meaning: Meaning
) -> None:
    fill(store)
    by_words = write(store, "Vehicle XK42")
    by_meaning = write(store, "Automobile")
    write(store, "Unrelated", supersedes=f"{by_words.id} {by_meaning.id}")
    catch_up(store, meaning)
    assert store.find("vehicle XK42", Filter(), k=5) == []
    found = store.find("vehicle XK42", Filter(finds_superseded=True), k=5)
    assert [hit.note.id for hit in found] == [by_words.id, by_meaning.id]


def test_the_preferred_project_comes_first_among_notes_of_similar_meaning(
    store: MemoryStore, meaning: Meaning
) -> None:
    fill(store)
    ids = {name: write(store, "The automobile", project=name).id for name in ("one", "two")}
    catch_up(store, meaning)
    for name, wanted in ids.items():
        assert store.search("vehicle", prefer_project=name)[0].id == wanted


def test_a_hit_by_meaning_has_its_cosine_and_the_start_of_its_text(
    store: MemoryStore, meaning: Meaning
) -> None:
    fill(store)
    write(store, "The automobile", "is parked behind the house")
    catch_up(store, meaning)
    hit = store.find("vehicle", Filter(), k=8)[0]
    assert hit.meaning is not None
    assert hit.meaning > 0.8
    assert hit.terms == []
    assert "parked behind" in hit.snippet


def test_a_note_without_vectors_is_found_by_its_words_beside_those_with_vectors(
    store: MemoryStore, meaning: Meaning
) -> None:
    fill(store)
    near = write(store, "The automobile")
    catch_up(store, meaning)
    new = write(store, "A vehicle without vectors")
    assert {note.id for note in store.search("vehicle")} == {near.id, new.id}


def test_only_changed_notes_are_encoded_again(
    store: MemoryStore, meaning: Meaning, encoder: FakeEncoder
) -> None:
    notes = [write(store, f"Note {number}") for number in range(5)]
    catch_up(store, meaning)
    encoder.texts.clear()
    store.update(notes[2].id, body="about a ship")
    catch_up(store, meaning)
    assert encoder.texts == ["Note 2\nabout a ship"]
    catch_up(store, meaning)
    assert len(encoder.texts) == 1


def test_an_interrupted_build_of_vectors_continues(
    store: MemoryStore, meaning: Meaning, encoder: FakeEncoder
) -> None:
    for number in range(40):
        write(store, f"Note {number}")

    def interrupt(step: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        catch_up(store, meaning, progress=interrupt)
    half = len(encoder.texts)
    assert 0 < half < 40
    catch_up(store, meaning)
    assert len(encoder.texts) == 40


def test_a_long_note_is_found_by_the_meaning_of_its_end(store: MemoryStore, meaning: Meaning) -> None:
    fill(store)
    wanted = write(store, "Diary", "nothing happened today " * 200 + "the bakery made a loaf of bread")
    catch_up(store, meaning)
    assert store.search("dough")[0].id == wanted.id


def test_the_report_counts_notes_without_vectors(store: MemoryStore, meaning: Meaning) -> None:
    fill(store)
    found = meaning_report(store)
    assert found is not None
    assert (found.notes, found.pending) == (20, 20)
    assert "model's files are gone" in found.problem
    catch_up(store, meaning)
    found = meaning_report(store)
    assert found is not None
    assert found.pending == 0


def test_without_a_usable_model_words_find_notes_and_no_meaning_is_told(store: MemoryStore) -> None:
    wanted = write(store, "The automobile")
    assert meaning_report(store) is None
    assert store.find("automobile", Filter(), k=8)[0].meaning is None
    fake_meaning(store.root)  # its folder does not exist
    assert [note.id for note in store.search("automobile")] == [wanted.id]


def test_the_nearest_notes_of_a_note_are_found(store: MemoryStore, meaning: Meaning) -> None:
    fill(store)
    one, other = write(store, "The automobile"), write(store, "A vehicle")
    catch_up(store, meaning)
    near = meaning.near_note(one.id)
    assert [hit.note.id for hit in store.find("zzz", Filter(), k=2, near=near)] == [other.id]
