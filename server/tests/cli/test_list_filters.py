"""Filters of `list` and `search`: by date, machine, tag and words of a title; times as people read them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.notes.record import Memory
from anamnesis.store import MemoryStore

Run = Callable[..., subprocess.CompletedProcess[str]]
Write = Callable[..., str]


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


def test_an_unknown_machine_is_an_error_that_lists_the_known_ones(anamnesis: Run, root: Path) -> None:
    put(root, "a", machine_id="laptop")
    done = anamnesis("list", "--machine", "phone")
    assert (done.returncode, done.stdout) == (1, "")
    assert "machine 'phone' has written no notes; known machines: laptop" in done.stderr


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
