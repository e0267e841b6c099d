"""The vector file: appended, replaced, torn, from another model."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.semantic.vectors import Entry, VectorFile


def entry(name: str, *, seen: bytes = b"s" * 16, windows: int = 1) -> Entry:
    """A note's vectors, in two dimensions."""
    return Entry(name, seen, windows, 2, b"two rows" * windows)


@pytest.fixture
def vectors(tmp_path: Path) -> VectorFile:
    """A file of vectors by a model called m."""
    return VectorFile(tmp_path, "m")


def add(vectors: VectorFile, *entries: Entry) -> None:
    """Append as a builder does."""
    with vectors.making() as mine:
        assert mine
        vectors.entries()
        vectors.append(entries)


def test_appended_vectors_are_read_back(vectors: VectorFile) -> None:
    add(vectors, entry("a"), entry("ü-2", windows=3))
    add(vectors, entry("c", windows=0))
    found = vectors.entries()
    assert list(found) == ["a", "ü-2", "c"]
    assert (found["ü-2"].windows, found["ü-2"].data) == (3, b"two rows" * 3)


def test_vectors_of_another_model_are_ignored_and_replaced(vectors: VectorFile, tmp_path: Path) -> None:
    add(vectors, entry("a"))
    other = VectorFile(tmp_path, "another")
    assert other.entries() == {}
    add(other, entry("b"))
    assert list(other.entries()) == ["b"]
    assert vectors.entries() == {}


@pytest.mark.parametrize("lost", [1, 7, 30])
def test_a_torn_record_is_dropped_and_overwritten(vectors: VectorFile, lost: int) -> None:
    add(vectors, entry("a"), entry("b"))
    vectors.path.write_bytes(vectors.path.read_bytes()[:-lost])
    assert list(vectors.entries()) == ["a"]
    add(vectors, entry("c"))
    assert list(vectors.entries()) == ["a", "c"]


def test_only_one_process_builds_vectors_at_a_time(vectors: VectorFile, tmp_path: Path) -> None:
    with vectors.making() as mine, VectorFile(tmp_path, "m").making() as theirs:
        assert (mine, theirs) == (True, False)


def test_the_file_keeps_only_the_vectors_of_living_notes(vectors: VectorFile) -> None:
    add(vectors, *(entry(f"n{number}") for number in range(100)))
    with vectors.making():
        assert list(vectors.keep_only(["n7", "other"])) == ["n7"]
        vectors.append([entry("new")])
    assert list(vectors.entries()) == ["n7", "new"]


def test_only_the_owner_can_read_the_file(vectors: VectorFile) -> None:
    add(vectors, entry("a"))
    assert vectors.path.stat().st_mode & 0o077 == 0
