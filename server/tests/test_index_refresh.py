"""Hand edits: files added, changed, moved or removed in the trees are seen by the next query."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import permutations

import pytest

from anamnesis.store import MemoryStore
from index_state import assert_index_equals_files, by_hand, found, put, settle
from processes import running


@pytest.fixture(params=["at once", "settled"])
def later(request: pytest.FixtureRequest, store: MemoryStore) -> bool:
    """Whether time passes between the store's last scan and the hand edit."""
    return bool(request.param == "settled")


def look(store: MemoryStore, *, later: bool) -> None:
    found(store)
    if later:
        settle()
        found(store)


def test_a_file_added_by_hand_is_found(store: MemoryStore, later: bool) -> None:
    put(store, "first", "sea")
    look(store, later=later)
    by_hand(store, "memory/semantic/second.md", "second")
    assert found(store) == ["second"]
    assert_index_equals_files(store)


def test_an_edit_in_place_of_the_same_size_is_found(store: MemoryStore, later: bool) -> None:
    path = store.root / "memory/semantic/one.md"
    put(store, "one", "walrus")
    look(store, later=later)
    path.write_text(path.read_text().replace("walrus", "badger"))
    assert found(store, "badger") == ["one"]
    assert found(store, "walrus") == []
    assert_index_equals_files(store)


def test_an_edit_within_one_clock_tick_is_found(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    # A coarse clock: edits within ten seconds may have the same time.
    monkeypatch.setattr("anamnesis.index.rows.SETTLED_NS", 10_000_000_000)
    path = by_hand(store, "memory/semantic/one.md", "one")
    assert found(store) == ["one"]
    was = path.stat()
    path.write_text(path.read_text().replace("walrus", "badger"))
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert found(store, "badger") == ["one"]


def test_a_file_deleted_by_hand_leaves_the_index(store: MemoryStore, later: bool) -> None:
    put(store, "one", "walrus")
    put(store, "two", "walrus")
    look(store, later=later)
    (store.root / "memory/semantic/one.md").unlink()
    assert found(store) == ["two"]
    assert store.get("one") is None
    assert_index_equals_files(store)


@pytest.mark.parametrize(
    ("place", "scope"),
    [
        ("local/semantic/one.md", "machine-local"),
        ("memory/episodic/one.md", "portable"),
        ("memory/semantic/renamed.md", "portable"),
        ("memory/deep/er/still/one.md", "portable"),
        ("local/folder.md/one.md", "machine-local"),
    ],
)
def test_a_file_moved_by_hand_is_the_same_note_with_the_scope_of_its_new_tree(
    store: MemoryStore, later: bool, place: str, scope: str
) -> None:
    put(store, "one", "walrus")
    look(store, later=later)
    (store.root / place).parent.mkdir(parents=True, exist_ok=True)
    (store.root / "memory/semantic/one.md").rename(store.root / place)
    assert found(store, scope=scope) == ["one"]
    note = store.get("one")
    assert note is not None
    assert (note.scope, store.path_of("one")) == (scope, store.root / place)
    assert store.problems() == []
    assert_index_equals_files(store)


def test_an_id_changed_by_hand_is_another_note(store: MemoryStore, later: bool) -> None:
    path = store.root / "memory/semantic/one.md"
    put(store, "one", "walrus")
    look(store, later=later)
    path.write_text(path.read_text().replace("id: one", "id: two"))
    assert found(store) == ["two"]
    assert store.get("one") is None
    assert_index_equals_files(store)


def test_a_note_broken_by_hand_is_reported_and_found_again_once_fixed(
    store: MemoryStore, later: bool
) -> None:
    path = store.root / "memory/semantic/one.md"
    put(store, "one", "walrus")
    whole = path.read_text()
    look(store, later=later)
    path.write_text(whole.replace("type: semantic", "type: nonsense"))
    assert found(store) == []
    (problem,) = store.problems()
    assert problem.path == "memory/semantic/one.md"
    assert "nonsense" in problem.reason
    settle()
    path.write_text(whole)
    assert found(store) == ["one"]
    assert store.health().ok


def test_hidden_files_and_other_file_types_are_ignored(store: MemoryStore) -> None:
    for place in (
        "memory/semantic/.hidden.md",
        "memory/.git/x.md",
        "memory/semantic/.anamnesis-tmp-1",
        "memory/semantic/note.txt",
        "memory/README",
        "elsewhere/note.md",
        "note.md",
    ):
        by_hand(store, place, "x")
    assert found(store) == []
    assert store.problems() == []


def test_the_notes_of_a_removed_folder_leave_the_index(store: MemoryStore) -> None:
    for number in range(5):
        by_hand(store, f"memory/deep/{number}/n.md", f"n{number}")
    assert len(found(store)) == 5
    for number in range(5):
        (store.memory_dir / f"deep/{number}/n.md").unlink()
        (store.memory_dir / f"deep/{number}").rmdir()
    (store.memory_dir / "deep").rmdir()
    assert found(store) == []
    assert_index_equals_files(store)


def test_changes_by_another_process_are_seen_at_once(store: MemoryStore) -> None:
    program = (
        "import sys; from anamnesis.store import MemoryStore\n"
        "store = MemoryStore(sys.argv[1])\n"
        "for line in sys.stdin:\n"
        "    verb, word = line.split()\n"
        "    if verb == 'write': print(store.write(type='semantic', title=word, body='').id, flush=True)\n"
        "    else: print(len(store.search(word)), flush=True)\n"
    )
    command = [sys.executable, "-c", program, str(store.root)]
    with running(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        for word in ("aardvark", "badger", "capybara", "dugong", "echidna"):
            print("write", word, file=other.stdin, flush=True)
            written = other.stdout.readline().strip()
            assert found(store, word) == [written]
            put(store, f"mine-{word}", f"our {word}")
            print("search", word, file=other.stdin, flush=True)
            assert other.stdout.readline() == "2\n"
        other.stdin.close()
    assert_index_equals_files(store)


PLACES = ("memory/semantic/one.md", "memory/semantic/copy.md", "local/semantic/one.md")


@pytest.mark.parametrize("settled", [False, True])
@pytest.mark.parametrize("order", list(permutations(PLACES)))
def test_the_file_named_after_the_id_in_the_synced_tree_is_the_note(
    store: MemoryStore, order: tuple[str, ...], settled: bool
) -> None:
    for place in order:
        by_hand(store, place, "one", f"walrus {place.count('l')}")
        assert found(store) == ["one"]
        if settled:  # earlier files are not read again
            settle()
            store.reindex()
    assert store.path_of("one") == store.root / PLACES[0]
    problems = {problem.path: problem.reason for problem in store.problems()}
    assert problems.keys() == set(PLACES[1:])
    assert all("same id as memory/semantic/one.md" in reason for reason in problems.values())
    assert_index_equals_files(store)


@pytest.mark.parametrize("door", ["delete", "by hand"])
def test_when_the_note_is_deleted_its_copy_takes_its_place(store: MemoryStore, door: str) -> None:
    put(store, "one", "walrus")
    by_hand(store, "memory/semantic/copy.md", "one", "badger")
    settle()
    assert len(store.health().problems) == 1
    if door == "delete":
        store.delete("one")
    else:
        (store.root / PLACES[0]).unlink()
    assert found(store, "badger") == ["one"]
    assert store.problems() == []
    assert_index_equals_files(store)


@pytest.mark.parametrize("change", [{"type": "episodic"}, {"scope": "machine-local"}])
def test_moving_a_note_that_has_a_copy_loses_neither(store: MemoryStore, change: dict[str, str]) -> None:
    put(store, "one", "walrus")
    copy = by_hand(store, "memory/semantic/copy.md", "one", "badger")
    settle()
    assert len(store.problems()) == 1
    store.update("one", **change)
    assert copy.is_file()
    assert len(list(store.root.glob("*/*/*.md"))) == 2
    assert len(store.problems()) == 1
    assert_index_equals_files(store)
