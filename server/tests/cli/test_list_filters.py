"""Notes are chosen by date, machine and tag, and named by words of their title or the start of their id."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.index.query import successors
from anamnesis.notes.record import Memory
from anamnesis.store import MemoryStore
from processes import Run, Write


def put(root: Path, note_id: str, at: str = "2026-03-01T00:00:00+00:00", **fields: object) -> None:
    """Put a note as if another machine had written it."""
    known: dict[str, object] = {"type": "semantic", "title": f"Title {note_id}", "body": "b", **fields}
    with MemoryStore(root) as store:
        store.put(Memory(id=note_id, created_at=at, updated_at=at, **known))  # type: ignore[arg-type]


def listed(anamnesis: Run, *words: str) -> list[str]:
    """The ids that `list` returns."""
    done = anamnesis("list", "--json", *words)
    assert done.returncode == 0, done.stderr
    return [note["id"] for note in json.loads(done.stdout)]


def test_list_filters_by_machine_and_tags_and_limits_the_count(anamnesis: Run, root: Path) -> None:
    put(root, "a", machine_id="laptop", tags=["ops", "db"], at="2026-03-03T00:00:00+00:00")
    put(root, "b", machine_id="laptop", tags=["ops"], at="2026-03-02T00:00:00+00:00")
    put(root, "c", machine_id="desk", tags=["ops", "db"])
    assert listed(anamnesis, "--machine", "lap") == ["a", "b"]
    assert listed(anamnesis, "--tags", "db,ops") == ["a", "c"]
    assert listed(anamnesis, "--limit", "2") == ["a", "b"]
    assert listed(anamnesis, "--machine", "desk", "--tags", "nothing") == []
    assert [anamnesis("list", "--limit", wrong).returncode for wrong in ("0", "-1", "many")] == [2, 2, 2]


@pytest.mark.usefixtures("in_tokyo")
def test_a_day_starts_at_local_midnight(anamnesis: Run, root: Path) -> None:
    put(root, "before", at="2026-02-28T14:59:59+00:00")
    put(root, "after", at="2026-02-28T15:00:00+00:00")
    assert listed(anamnesis, "--since", "2026-03-01") == ["after"]
    assert listed(anamnesis, "--since", "2026-02-28T14:59:59+00:00") == ["after", "before"]
    found = json.loads(anamnesis("search", "--json", "--since", "2026-03-01", "title").stdout)
    assert [note["id"] for note in found] == ["after"]


@pytest.fixture
def notes(write: Write) -> dict[str, str]:
    """Three notes by their titles."""
    return {title: write(title) for title in ("Stripe webhooks arrive twice", "Stripe keys", "Deploy")}


@pytest.mark.parametrize("command", ["show", "history"])
@pytest.mark.parametrize("words", [["webhooks"], ["STRIPE", "twice"], ["webhooks stripe"]])
def test_words_of_only_one_title_identify_the_note(
    anamnesis: Run, notes: dict[str, str], command: str, words: list[str]
) -> None:
    done = anamnesis(command, *words, "--json")
    assert json.loads(done.stdout)["id"] == notes["Stripe webhooks arrive twice"]


def test_words_of_several_titles_list_the_notes(anamnesis: Run, notes: dict[str, str]) -> None:
    done = anamnesis("show", "stripe")
    assert done.returncode == 1
    assert "'stripe' is in the titles of several notes; give more of it, or the id:" in done.stderr
    assert f"{notes['Stripe keys']}  Stripe keys" in done.stderr


def test_words_of_a_superseded_note_find_the_one_that_replaced_it(
    anamnesis: Run, notes: dict[str, str]
) -> None:
    new = anamnesis("supersede", "deploy", "--title", "Deploy on Monday", "--body", "b").stdout.strip()
    assert json.loads(anamnesis("show", "deploy", "--json").stdout)["id"] == new


def test_a_whole_title_identifies_its_note_even_if_longer_titles_contain_it(
    anamnesis: Run, write: Write
) -> None:
    note_id = write("Deploy the shop")
    for number in range(7):
        write(f"How to deploy the shop, part {number}")
    assert json.loads(anamnesis("show", "deploy the shop", "--json").stdout)["id"] == note_id
    assert anamnesis("history", "Deploy the shop").returncode == 0
    assert json.loads(anamnesis("search", "--json", "Deploy the shop").stdout)[0]["id"] == note_id
    assert anamnesis("show", "the shop").returncode == 1
    write("Deploy the shop", "again")
    assert anamnesis("show", "Deploy the shop").stderr.count("\n") == 3  # only the two are listed
    anamnesis("sync")
    anamnesis("delete", note_id, "--yes")
    assert anamnesis("history", "Deploy the shop").returncode == 0


APPLE = "01J9AAAAAAAAAAAAAAAAAAAAA1"
PEAR = "01J9BBBBBBBBBBBBBBBBBBBBB1"


@pytest.fixture
def fruit(root: Path) -> Path:
    """Two notes whose ids have the same start."""
    with MemoryStore(root) as store:
        for note_id, title in ((APPLE, "Apple"), (PEAR, "Pear")):
            store.put(Memory(note_id, "semantic", title, title))
    return root


def titles(root: Path) -> list[str]:
    """The titles of all notes."""
    with MemoryStore(root) as store:
        return sorted(note.title for note in store.list())


@pytest.mark.parametrize("text", [APPLE, APPLE.lower(), APPLE[:5], APPLE[:5].lower(), APPLE[:25]])
def test_a_note_is_found_by_the_start_of_its_id_in_any_case(anamnesis: Run, fruit: Path, text: str) -> None:
    done = anamnesis("show", text, "--json")
    assert json.loads(done.stdout)["id"] == APPLE


@pytest.mark.parametrize(
    "words",
    [
        ("show", "01J9"),
        ("delete", "01J9", "--yes"),
        ("supersede", "01J9", "--title", "t", "--body", "b"),
        ("write", "--type", "semantic", "--title", "t", "--body", "b", "--supersedes", "01J9"),
    ],
    ids=lambda words: words[0],
)
def test_an_ambiguous_start_is_refused_and_lists_the_notes(
    anamnesis: Run, fruit: Path, words: tuple[str, ...]
) -> None:
    done = anamnesis(*words)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[1:] == [f"  {APPLE}  Apple", f"  {PEAR}  Pear"]
    assert titles(fruit) == ["Apple", "Pear"]


def test_a_note_can_be_edited_and_superseded_by_the_start_of_its_id(
    anamnesis: Run, fruit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "sed -i s/Apple/Plum/")
    assert anamnesis("edit", "01j9a").stdout.endswith(f" ({APPLE})\n")
    new = anamnesis("supersede", "01J9B", "--title", "Quince", "--body", "q").stdout.strip()
    newer = anamnesis(
        "write", "--type", "semantic", "--title", "Fig", "--body", "f", "--supersedes", f"01J9A {new[:20]}"
    ).stdout.strip()
    with MemoryStore(fruit) as store:
        assert store.ask(successors) == {APPLE: [newer], PEAR: [new], new: [newer]}
        assert (note := store.get(APPLE)) is not None
        assert note.title == "Plum"


@pytest.mark.parametrize("more", [(), ("--yes",), ("--yes", "--json")])
def test_a_script_cannot_delete_by_less_than_the_id(
    anamnesis: Run, fruit: Path, more: tuple[str, ...]
) -> None:
    for text in ("01J9A", "apple"):
        done = anamnesis("delete", text, *more)
        assert (done.returncode, done.stdout, APPLE in done.stderr) == (1, "", True)
    assert titles(fruit) == ["Apple", "Pear"]
    assert anamnesis("delete", APPLE, *more).returncode == 0
    assert titles(fruit) == ["Pear"]
