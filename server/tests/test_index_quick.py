"""The quick index answers like the store, or not at all."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from anamnesis.index.finder import Finder, Hit
from anamnesis.index.query import Filter
from anamnesis.index.quick import open_quick
from anamnesis.operations.reading import search_memories
from anamnesis.store import MemoryStore


def _filled(home: Path) -> MemoryStore:
    store = MemoryStore(home)
    for number in range(12):
        store.write(
            type="semantic" if number % 2 else "procedural",
            title=f"Deploy step {number}",
            body=f"Restart the parseTranscript worker {number} after the nightly backup.",
            project="app" if number % 3 else "global",
            tags=["ops", f"step-{number}"],
        )
    old = store.write(type="semantic", title="Backup runs at one", body="nightly backup", project="app")
    store.write(type="semantic", title="Backup runs at three", body="nightly backup", supersedes=old.id)
    store.reindex()
    return store


def test_the_quick_index_gives_the_same_answers_as_the_store(home: Path) -> None:
    questions: list[dict[str, object]] = [
        {"query": "nightly backup"},
        {"query": "parse transcript worker", "k": 3},
        {"query": "nihgtly bakup", "project": "app"},
        {"query": "restart", "type": "procedural", "tags": ["ops"]},
        {"query": "backup", "since": "2020-01-01", "scope": "portable"},
        {"query": "nightly backup", "prefer_project": "app"},
        {"query": "nothing like this"},
        {"query": ""},
    ]
    with _filled(home) as store:
        quick = open_quick(home)
        assert quick is not None
        with quick:
            for question in questions:
                for explain in (False, True):
                    asked = {**question, "explain": explain}
                    assert search_memories(quick, **asked) == search_memories(store, **asked)  # type: ignore[arg-type]  # a table of arguments


def test_a_note_that_is_deleted_during_a_search_is_still_in_its_answer(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _filled(home) as store:
        quick = open_quick(home)
        assert quick is not None
        find = Finder.find

        def find_and_lose(self: Finder, *asked: object, **options: object) -> list[Hit]:
            hits = find(self, *asked, **options)  # type: ignore[arg-type]  # passed on as they came
            store.delete(hits[0].id)
            return hits

        monkeypatch.setattr(Finder, "find", find_and_lose)
        with quick:
            titles = [hit.note.title for hit in quick.find("Deploy step 3", Filter(), k=2)]
        assert titles[0] == "Deploy step 3"


def test_there_is_no_quick_answer_when_a_file_changed(home: Path) -> None:
    with _filled(home) as store:
        path = store.path_of(store.list()[0].id)
        assert path is not None
    quick = open_quick(home)
    assert quick is not None
    with quick:
        assert quick.find("backup", Filter(), k=8)
    path.write_text(path.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
    assert open_quick(home) is None


def test_there_is_no_quick_answer_from_an_index_that_is_missing_foreign_or_broken(home: Path) -> None:
    assert open_quick(home) is None
    _filled(home).close()
    with sqlite3.connect(home / "index.db") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    assert open_quick(home) is None
    (home / "index.db").write_bytes(b"no database" * 1000)
    assert open_quick(home) is None
