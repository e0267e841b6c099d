"""The vector file: read back, of another model, made by one process, of living notes, private."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anamnesis.files import lock
from anamnesis.semantic.installed import FOLDER, vector_file
from anamnesis.semantic.vectors import Entry, read_vectors, write_vectors
from anamnesis.store import MemoryStore
from fake_encoder import INSTALLED, fake_meaning


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
