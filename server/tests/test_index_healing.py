"""The index heals itself: whatever happens to its file, the next query is answered from the notes."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from anamnesis.index import refresh
from anamnesis.index.database import Database
from anamnesis.index.rows import Loaded, put_new
from anamnesis.operations.notes import NewNote, create_note, similar_notes
from anamnesis.store import MemoryStore
from index_state import assert_index_equals_files, by_hand, candidates, found, put
from processes import running

LOCKED = (
    "import sqlite3, sys\n"
    "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    "for statement in sys.argv[2].split(';'): db.execute(statement)\n"
    "print('held', flush=True)\nsys.stdin.read()\n"
)


def sql(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def garbage(path: Path) -> None:
    path.write_bytes(b"garbage " * 2000)


def truncate(path: Path) -> None:
    sql(path)
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path) -> None:
    sql(path)
    path.write_bytes(b"")


def scribble(path: Path) -> None:
    sql(path)
    with open(path, "r+b") as handle:
        for page in range(1, path.stat().st_size // 4096, 2):
            handle.seek(page * 4096)
            handle.write(os.urandom(4096))


DAMAGE: dict[str, Callable[[Path], None]] = {
    "missing": Path.unlink,
    "garbage": garbage,
    "truncated": truncate,
    "zero bytes": empty,
    "scribbled over": scribble,
    "older": lambda path: sql(path, "PRAGMA user_version = 1"),
    "newer": lambda path: sql(path, "PRAGMA user_version = 99"),
    "notes dropped": lambda path: sql(path, "DROP TABLE memories"),
    "texts dropped": lambda path: sql(path, "DROP TABLE memories_fts"),
    "files dropped": lambda path: sql(path, "DROP TABLE files"),
    "notes emptied": lambda path: sql(path, "DELETE FROM memories"),
    "files emptied": lambda path: sql(path, "DELETE FROM files", "DELETE FROM folders"),
    "all emptied": lambda path: sql(
        path, "DELETE FROM memories", "DELETE FROM memories_fts", "DELETE FROM files", "DELETE FROM folders"
    ),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A store with three notes, closed."""
    with MemoryStore(tmp_path / "store") as store:
        put(store, "one", "walrus", tags=["b", "a"])
        put(store, "two", "walrus", scope="machine-local")
        put(store, "three", "walrus", supersedes="two")
    return tmp_path / "store"


@pytest.mark.parametrize("damage", DAMAGE)
def test_an_unusable_index_is_rebuilt_on_open(root: Path, damage: str) -> None:
    DAMAGE[damage](root / "index.db")
    with MemoryStore(root) as store:
        assert found(store) == ["one", "three"]
        assert [note.id for note in store.list(tags=["a"])] == ["one"]
        assert store.health().ok
        assert_index_equals_files(store)


# Damage that SQLite cannot notice in an open file is repaired on the next open.
WHILE_OPEN = [
    name for name in DAMAGE if "emptied" not in name and name not in ("scribbled over", "truncated")
]


@pytest.mark.parametrize("damage", WHILE_OPEN)
@pytest.mark.parametrize("door", ["search", "write", "rebuild"])
def test_an_index_lost_while_the_store_is_open_is_rebuilt(root: Path, damage: str, door: str) -> None:
    with MemoryStore(root) as store:
        assert found(store) == ["one", "three"]
        DAMAGE[damage](root / "index.db")
        if door == "write":
            put(store, "four", "walrus")
        elif door == "rebuild":
            store.reindex(full=True)
        expected = ["four", "one", "three"] if door == "write" else ["one", "three"]
        assert found(store) == expected
    with MemoryStore(root) as again:
        assert found(again) == expected
        assert_index_equals_files(again)


@contextmanager
def holding(path: Path, statements: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that locks the index until the block ends."""
    command = [sys.executable, "-c", LOCKED, str(path), statements]
    with running(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process


HOLDS = {
    "exclusive transaction": "BEGIN EXCLUSIVE",
    "exclusive mode": "PRAGMA locking_mode=EXCLUSIVE;BEGIN EXCLUSIVE;DELETE FROM folders",
}


@pytest.mark.parametrize("hold", HOLDS)
def test_a_note_is_kept_and_found_while_another_process_locks_the_index(root: Path, hold: str) -> None:
    with holding(root / "index.db", HOLDS[hold]), MemoryStore(root, patience=0.2) as store:
        put(store, "four", "walrus")
        assert set(found(store)) >= {"one", "three"}
    with MemoryStore(root) as again:
        assert found(again) == ["four", "one", "three"]
        assert_index_equals_files(again)


def test_an_open_store_keeps_working_while_another_process_locks_the_index(root: Path) -> None:
    with MemoryStore(root, patience=0.2) as store:
        assert found(store) == ["one", "three"]
        with holding(root / "index.db", "BEGIN EXCLUSIVE"):
            put(store, "four", "walrus")
            store.update("one", body="badger")
            assert (store.root / "memory/semantic/four.md").is_file()
            assert "three" in found(store)
            note = create_note(store, NewNote("five", "heron"))
            assert note not in similar_notes(store, note)
        assert found(store) == ["four", "three"]
        assert found(store, "badger") == ["one"]


@pytest.mark.parametrize("hold", HOLDS)
def test_the_hook_gets_the_whole_answer_while_the_index_is_locked(root: Path, hold: str) -> None:
    with MemoryStore(root) as store:
        store.reindex()
    time.sleep(0.05)
    with MemoryStore(root) as store:
        store.reindex()
    with holding(root / "index.db", HOLDS[hold]):
        found = candidates(root, "global")
    assert sorted(note.id for note in found.notes) == ["one", "three"]


def test_searches_during_a_rebuild_always_find_a_known_note(root: Path) -> None:
    with MemoryStore(root) as store:
        for number in range(300):
            by_hand(store, f"memory/semantic/n{number}.md", f"n{number}", "badger")
        stop = threading.Event()
        misses: list[list[str]] = []

        def search() -> None:
            with MemoryStore(root) as other:
                while not stop.is_set():
                    if (ids := found(other)) != ["one", "three"]:
                        misses.append(ids)

        searching = threading.Thread(target=search)
        searching.start()
        for _ in range(5):
            assert store.reindex(full=True) == 303
        stop.set()
        searching.join()
        assert misses == []


def test_a_note_written_during_a_rebuild_is_found_after_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MemoryStore(root) as store, MemoryStore(root, patience=0.0) as other:
        during: list[list[str]] = []

        def write_meanwhile(db: Database, items: Sequence[Loaded]) -> None:
            if not during:
                during.append([])
                put(other, "during", "walrus")
                during[0] = found(other)
            put_new(db, items)

        monkeypatch.setattr(refresh, "put_new", write_meanwhile)
        store.reindex(full=True)
        assert during == [["one", "three"]]
        assert found(store) == found(other) == ["during", "one", "three"]
        assert_index_equals_files(store)


def test_an_interrupted_rebuild_leaves_the_old_index_unchanged(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(db: Database, items: Sequence[Loaded]) -> None:
        raise KeyboardInterrupt

    with MemoryStore(root) as store:
        with monkeypatch.context() as patch:
            patch.setattr(refresh, "put_new", interrupt)
            with pytest.raises(KeyboardInterrupt):
                store.reindex(full=True)
        assert found(store) == ["one", "three"]
        assert_index_equals_files(store)


_WRITE = """
import sys
from anamnesis.store import MemoryStore
with MemoryStore(sys.argv[1]) as store:
    store.write(type="semantic", title=sys.argv[2], body="walrus")
"""


def write_elsewhere(root: Path, title: str) -> None:
    subprocess.run([sys.executable, "-c", _WRITE, str(root), title], check=True)


def test_a_second_connection_does_not_release_the_locks_of_the_first(store: MemoryStore) -> None:
    store.write(type="semantic", title="One", body="walrus")
    log = store.db_path.with_name(f"{store.db_path.name}-wal")
    with MemoryStore(store.root) as second:
        write_elsewhere(store.root, "Two")
        assert log.exists()  # the other process was not the last, and must not believe so
        store.write(type="semantic", title="Three", body="walrus")
        write_elsewhere(store.root, "Four")
        titles = ["Four", "One", "Three", "Two"]
        assert sorted(note.title for note in second.list()) == titles
        assert sorted(note.title for note in store.search("walrus")) == titles
    write_elsewhere(store.root, "Five")
    assert log.exists()
    assert len(store.list()) == 5


def test_the_index_file_is_private_from_the_start(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Database(tmp_path / "index.db").close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "index.db").stat().st_mode) == 0o600
