"""The start of an id in place of the whole id."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.notes.record import Memory
from anamnesis.store import MemoryStore

Run = Callable[..., subprocess.CompletedProcess[str]]

APPLE = "01J9AAAAAAAAAAAAAAAAAAAAA1"
PEAR = "01J9BBBBBBBBBBBBBBBBBBBBB1"


@pytest.fixture(autouse=True)
def notes(root: Path) -> None:
    """Two notes whose ids have the same start."""
    with MemoryStore(root) as store:
        for note_id, title in ((APPLE, "Apple"), (PEAR, "Pear")):
            store.put(Memory(note_id, "semantic", title, title))


def titles(root: Path) -> list[str]:
    """The titles of all notes."""
    with MemoryStore(root) as store:
        return sorted(note.title for note in store.list())


@pytest.mark.parametrize("text", [APPLE, APPLE.lower(), APPLE[:5], APPLE[:5].lower(), APPLE[:25]])
def test_a_note_is_found_by_the_start_of_its_id_in_any_case(anamnesis: Run, text: str) -> None:
    done = anamnesis("show", text, "--json")
    assert json.loads(done.stdout)["id"] == APPLE


@pytest.mark.parametrize(
    "words",
    [
        ("show", "01J9"),
        ("edit", "01j9"),
        ("delete", "01J9"),
        ("delete", "01J9", "--yes"),
        ("supersede", "01J9", "--title", "t", "--body", "b"),
        ("history", "01J9"),
        ("write", "--type", "semantic", "--title", "t", "--body", "b", "--supersedes", "01J9"),
    ],
    ids=lambda words: words[0],
)
def test_an_ambiguous_start_is_refused_and_lists_the_notes(
    anamnesis: Run, root: Path, words: tuple[str, ...]
) -> None:
    done = anamnesis(*words)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[1:] == [f"  {APPLE}  Apple", f"  {PEAR}  Pear"]
    assert titles(root) == ["Apple", "Pear"]


def test_a_note_can_be_edited_and_superseded_by_the_start_of_its_id(
    anamnesis: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "sed -i s/Apple/Plum/")
    assert anamnesis("edit", "01j9a").stdout.endswith(f" ({APPLE})\n")
    new = anamnesis("supersede", "01J9B", "--title", "Quince", "--body", "q").stdout.strip()
    newer = anamnesis(
        "write", "--type", "semantic", "--title", "Fig", "--body", "f", "--supersedes", f"01J9A {new[:20]}"
    ).stdout.strip()
    with MemoryStore(root) as store:
        assert store.successors() == {APPLE: [newer], PEAR: [new], new: [newer]}
        assert (note := store.get(APPLE)) is not None
        assert note.title == "Plum"


@pytest.mark.parametrize("more", [(), ("--yes",), ("--yes", "--json")])
def test_a_script_cannot_delete_by_less_than_the_id(
    anamnesis: Run, root: Path, more: tuple[str, ...]
) -> None:
    for text in ("01J9A", "apple"):
        done = anamnesis("delete", text, *more)
        assert (done.returncode, done.stdout, APPLE in done.stderr) == (1, "", True)
    assert titles(root) == ["Apple", "Pear"]
    assert anamnesis("delete", APPLE, *more).returncode == 0
    assert titles(root) == ["Pear"]
