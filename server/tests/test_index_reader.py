"""The hook's reader: the same notes as the store, or no answer at all when only the store can tell."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from anamnesis.index.reader import Row, read_working_set
from anamnesis.store import MemoryStore
from index_state import by_hand, put, settle


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A store at rest: two projects, both trees, something superseded and something reflected."""
    folder = tmp_path / "store # 100%?"
    with MemoryStore(folder) as store:
        put(store, "g1", "walrus", tags=["b", "a"], confidence=0.5, prov_model="m")
        put(store, "g2", "walrus", scope="machine-local", supersedes="old")
        put(store, "old", "walrus")
        put(store, "p1", "badger", project="p")
        put(store, "p2", "badger", project="p", type="procedural")
        put(store, "e1", "badger", project="p", type="episodic")
        put(store, "e2", "badger", project="p", type="episodic", tags=["reflected"])
        put(store, "q1", "other", project="q")
    rest(folder)
    return folder


def rest(folder: Path) -> None:
    settle()
    with MemoryStore(folder) as store:
        store.reindex()


def ids(rows: list[Row] | None) -> list[str] | None:
    return None if rows is None else sorted(row.id for row in rows)


def test_it_gives_the_notes_of_the_projects_that_are_in_force(root: Path) -> None:
    assert ids(read_working_set(str(root), ["global"])) == ["g1", "g2"]
    assert ids(read_working_set(str(root), ["global", "p"])) == ["e1", "g1", "g2", "p1", "p2"]
    assert ids(read_working_set(str(root), ["global", "p", "q"])) == ["e1", "g1", "g2", "p1", "p2", "q1"]
    assert ids(read_working_set(str(root), ["global", "p"], k=1)) == ["e1", "g1", "g2", "p2"]


def test_its_rows_say_what_the_notes_say(root: Path) -> None:
    rows = read_working_set(str(root), ["global", "p"])
    assert rows is not None
    with MemoryStore(root) as store:
        for row in rows:
            note = store.get(row.id)
            assert note is not None
            assert {name: getattr(row, name) for name in row.__slots__} == vars(note)


@pytest.mark.parametrize("edit", ["add", "edit", "delete", "move", "rename", "new folder"])
def test_after_an_edit_by_hand_only_the_store_can_tell(root: Path, edit: str) -> None:
    path = root / "memory/semantic/g1.md"
    if edit == "add":
        (root / "memory/semantic/new.md").write_text(path.read_text().replace("id: g1", "id: new"))
    elif edit == "edit":
        path.write_text(path.read_text().replace("walrus", "badger"))
    elif edit == "delete":
        path.unlink()
    elif edit == "move":
        path.rename(root / "local/semantic/g1.md")
    elif edit == "rename":
        path.rename(path.with_name("renamed.md"))
    else:
        (root / "memory/inbox").mkdir()
    assert read_working_set(str(root), ["global"]) is None
    rest(root)
    assert read_working_set(str(root), ["global"]) is not None


def test_after_a_write_of_ours_it_answers_at_once(root: Path) -> None:
    with MemoryStore(root) as store:
        put(store, "g3", "walrus")
        store.update("g1", body="changed")
        store.delete("g2")
    rows = read_working_set(str(root), ["global"])
    assert ids(rows) == ["g1", "g3", "old"]
    assert rows is not None
    assert {row.id: row.body for row in rows}["g1"] == "changed"


@pytest.mark.parametrize("damage", ["missing", "garbage", "empty", "version", "table"])
def test_an_index_of_no_use_gives_no_answer(root: Path, damage: str) -> None:
    path = root / "index.db"
    if damage == "missing":
        path.unlink()
    elif damage == "garbage":
        path.write_bytes(b"garbage" * 1000)
    elif damage == "empty":
        path.write_bytes(b"")
    else:
        statement = "PRAGMA user_version = 99" if damage == "version" else "DROP TABLE memory_tags"
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute(statement)
    assert read_working_set(str(root), ["global"]) is None


def test_it_makes_no_store_where_there_is_none(tmp_path: Path) -> None:
    assert read_working_set(str(tmp_path / "nothing"), ["global"]) is None
    assert not (tmp_path / "nothing").exists()


def test_a_note_dated_in_the_future_takes_no_place_from_others(root: Path) -> None:
    with MemoryStore(root) as store:
        put(store, "p9", "badger", project="p", updated_at="2999-01-01T00:00:00+00:00")
    assert ids(read_working_set(str(root), ["global", "p"], k=2)) == ["e1", "g1", "g2", "p1", "p2"]


def test_a_broken_file_beside_the_notes_does_not_matter(root: Path) -> None:
    (root / "memory/semantic/bad.md").write_text("no note")
    rest(root)
    assert ids(read_working_set(str(root), ["global"])) == ["g1", "g2"]
    with MemoryStore(root) as store:
        by_hand(store, "memory/semantic/good.md", "good")
    assert read_working_set(str(root), ["global"]) is None
