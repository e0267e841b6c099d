"""The encoder against a reference, vectors that follow the notes, and searches that use them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from anamnesis.errors import SemanticError
from anamnesis.files import lock
from anamnesis.index import query, rows
from anamnesis.index.query import Filter
from anamnesis.notes.record import Memory
from anamnesis.operations.reading import meaning_report
from anamnesis.semantic.encoder import FolderEncoder
from anamnesis.semantic.installed import FOLDER, vector_file
from anamnesis.semantic.meaning import Meaning
from anamnesis.semantic.vectors import Entry, read_vectors, write_vectors
from anamnesis.store import MemoryStore
from anamnesis.text import StepProgress, silent
from fake_encoder import INSTALLED, FakeEncoder, fake_meaning
from semantic_reference import SENTENCES, recorded
from tiny_model import make_tiny_model


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


def test_words_find_notes_until_a_usable_model_is_there(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = write(store, "The automobile")
    assert meaning_report(store) is None
    assert store.find("automobile", Filter(), k=8)[0].meaning is None
    fake_meaning(store.root)  # its folder does not exist
    assert [note.id for note in store.search("automobile")] == [wanted.id]
    monkeypatch.setattr("anamnesis.semantic.meaning.FolderEncoder", lambda folder: FakeEncoder())
    store.search("automobile")
    assert store.meaning is not None


def test_the_nearest_notes_of_a_note_are_found(store: MemoryStore, meaning: Meaning) -> None:
    fill(store)
    one, other = write(store, "The automobile"), write(store, "A vehicle")
    catch_up(store, meaning)
    near = meaning.near_note(one.id)
    assert [hit.note.id for hit in store.find("zzz", Filter(), k=2, near=near)] == [other.id]


def test_vectors_are_read_back_by_their_model_alone(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    entries = {
        name: Entry("d" * 32, np.full((windows, 2), windows, np.float32))
        for name, windows in (("a", 1), ("ü-2", 3), ("empty", 0))
    }
    write_vectors(tmp_path, "m", entries)
    found = read_vectors(tmp_path, "m")
    assert {name: entry.rows.tolist() for name, entry in found.items()} == {
        name: entry.rows.tolist() for name, entry in entries.items()
    }
    assert read_vectors(tmp_path, "another") == {}
    assert vector_file(tmp_path).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("ids", [["n7"], []])
def test_the_file_keeps_only_the_vectors_of_living_notes(store: MemoryStore, ids: list[str]) -> None:
    meaning = fake_meaning(store.root)
    texts = [(f"n{number}", b"seen", "A title", "") for number in range(30)]
    assert meaning.make_vectors({f"n{number}": b"seen" for number in range(30)}, lambda _: texts)
    assert meaning.make_vectors(dict.fromkeys(ids, b"seen"), lambda _: [])
    assert list(read_vectors(store.root, INSTALLED.fingerprint)) == ids


def test_only_one_process_makes_vectors_at_a_time(store: MemoryStore) -> None:
    meaning = fake_meaning(store.root)
    (store.root / FOLDER).mkdir(exist_ok=True)
    with lock(store.root / FOLDER / "vectors.lock", timeout=0.0):
        assert not meaning.make_vectors({"a": b"seen"}, lambda _: [("a", b"seen", "A title", "")])


REAL_MODEL = os.environ.get("SEMANTIC_MODEL_FOLDER", "")
CLOSE = 1e-3


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_the_encoder_agrees_with_the_reference_on_twenty_sentences(tmp_path: Path, pooling: str) -> None:
    encoder = FolderEncoder(make_tiny_model(tmp_path / "tiny", pooling=pooling))
    assert np.abs(encoder.encode(SENTENCES) - recorded(f"tiny_{pooling}")).max() < CLOSE


@pytest.mark.skipif(not REAL_MODEL, reason="SEMANTIC_MODEL_FOLDER names no folder with all-MiniLM-L6-v2")
def test_all_minilm_agrees_with_the_reference_on_twenty_sentences() -> None:
    vectors = FolderEncoder(Path(REAL_MODEL)).encode(SENTENCES)
    assert np.abs(vectors - recorded("all_minilm_l6_v2")).max() < CLOSE


def test_a_text_has_the_same_vector_alone_and_among_longer_ones(tmp_path: Path) -> None:
    encoder = FolderEncoder(make_tiny_model(tmp_path / "tiny"))
    together = encoder.encode(SENTENCES)
    alone = np.concatenate([encoder.encode([text]) for text in SENTENCES])
    assert np.abs(together - alone).max() < CLOSE


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "config.json").unlink(), "no config.json"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "tokenizer.json is missing"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"no weights"), "cannot be read"),
        (lambda folder: (folder / "config.json").write_text('{"model_type": "t5"}'), "'t5'"),
    ],
)
def test_an_unusable_model_folder_says_what_is_wrong(tmp_path: Path, spoil: object, said: str) -> None:
    folder = make_tiny_model(tmp_path / "tiny")
    assert callable(spoil)
    spoil(folder)
    with pytest.raises(SemanticError, match=said):
        FolderEncoder(folder)
