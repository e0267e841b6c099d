"""Faults: hundreds of broken files, many processes at once, and kill -9 at any time."""

from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path

import pytest

from anamnesis.notes.record import Memory, deserialize
from anamnesis.store import MemoryStore
from faults import Record
from index_state import assert_index_equals_files, by_hand, found, put, text_of
from machines import run_until_system_call
from processes import running

WRITER = """
import sys
from anamnesis.store import MemoryStore
root, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with MemoryStore(root) as store:
    for turn in range(count):
        print(store.write(type="semantic", title=f"{name} {turn}", body=f"walrus from {name}").id)
"""
REBUILDER = """
import os, sys, time
from anamnesis.store import MemoryStore
with MemoryStore(sys.argv[1]) as store:
    while not os.path.exists(sys.argv[2]):
        store.reindex(full=True)
        time.sleep(0.3)
"""
SEARCHER = """
import os, sys
from anamnesis.store import MemoryStore
with MemoryStore(sys.argv[1]) as store:
    while not os.path.exists(sys.argv[2]):
        hits = store.search("lighthouse walrus", k=20)
        assert "lighthouse" in [note.id for note in hits], hits
        assert len({note.id for note in hits}) == len(hits)
"""
# Works on its own notes until it is killed, and prints which one is next before it touches it.
VICTIM = """
import os, random, sys
from anamnesis.notes.record import Memory
from anamnesis.store import MemoryStore
root, seed = sys.argv[1], int(sys.argv[2])
chance = random.Random(seed)
store = MemoryStore(root)
print("open", flush=True)
turn = 0
while True:
    turn += 1
    name = f"v{chance.randrange(12)}"
    body = f"{name} says {seed}.{turn} " + "x" * chance.randrange(20000) + " end"
    verb = chance.choice(["write", "put", "put", "update", "move", "delete", "rebuild"])
    if verb == "write":
        store.write(type="episodic", title="fresh", body=body)
    elif verb == "put":
        store.put(Memory(name, chance.choice(["semantic", "procedural"]), "T", body, project="p"))
    elif verb == "rebuild":
        store.reindex(full=True)
    elif store.get(name) is None:
        continue
    elif verb == "update":
        store.update(name, body=body)
    elif verb == "move":
        store.update(
            name, type=chance.choice(["semantic", "episodic", "procedural"]),
            scope=chance.choice(["portable", "machine-local"]),
        )
    else:
        store.delete(name)
"""


def run(program: str, *arguments: object) -> AbstractContextManager[subprocess.Popen[str]]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def make_broken(folder: Path, number: int) -> str:
    """Write the broken file of kind `number`, out of twelve; returns its name."""
    name = f"broken{number:03}.md"
    path = folder / name
    contents: list[bytes] = [
        b"",
        b"just prose\n",
        b"---\nid: x\ntype: semantic\n---\n",
        f"---\nid: x{number}\ntype: idea\ntitle: T\n---\n".encode(),
        b"---\nid: ../../x\ntype: semantic\ntitle: T\n---\n",
        b"---\nid: [a\ntype: semantic\ntitle: T\n---\n",
        b"\xff\xfe\x00binary\x00",
        b"<<<<<<< ours\n---\nid: x\n=======\n>>>>>>> theirs\n",
        b"---\nid: x\ntype: semantic\ntitle: " + b"T" * 300_000 + b"\n---\n",
        text_of(f"n{number}").encode(),  # the id of another note
    ]
    kind = number % (len(contents) + 2)
    if kind < len(contents):
        path.write_bytes(contents[kind])
    elif kind == len(contents):
        path.symlink_to(folder / "n1.md")
    else:
        os.mkfifo(path)
    return name


@pytest.mark.slow
def test_two_hundred_broken_files_among_ten_thousand_are_reported_and_the_rest_found(
    tmp_path: Path,
) -> None:
    root = tmp_path / "store"
    folder = root / "memory" / "semantic"
    folder.mkdir(parents=True)
    for number in range(9_800):
        (folder / f"n{number}.md").write_text(text_of(f"n{number}", "badger"))
    broken = {make_broken(folder, number) for number in range(200)}
    with MemoryStore(root) as store:
        health = store.health()
        assert (health.notes, health.files) == (9_800, 10_000)
        assert {problem.path.rpartition("/")[2] for problem in health.problems} == broken
        assert all(problem.reason for problem in health.problems)
        assert len(store.list(bodies=False)) == 9_800
        assert len(store.search("badger", k=1000)) == 1000
        assert store.reindex(full=True) == 9_800
        assert len(store.problems()) == 200


@pytest.mark.slow
@pytest.mark.parametrize(("count", "each"), [(4, 500), (24, 80)])
def test_concurrent_writers_a_rebuild_and_searches_lose_nothing(
    tmp_path: Path, record_property: Record, count: int, each: int
) -> None:
    root, stop = tmp_path / "store", tmp_path / "stop"
    with MemoryStore(root) as store:
        put(store, "lighthouse", "lighthouse")
    with ExitStack() as stack:
        others = [stack.enter_context(run(program, root, stop)) for program in (REBUILDER, SEARCHER)]
        writers = [stack.enter_context(run(WRITER, root, f"writer{number}", each)) for number in range(count)]
        outputs = [writer.communicate() for writer in writers]
        stop.touch()
        errors = [error for _, error in outputs] + [other.communicate()[1] for other in others]
    written = {line for output, _ in outputs for line in output.split()}
    record_property("tried", len(written))
    record_property("lost", len(written - {path.stem for path in root.glob("memory/*/*.md")}))
    assert errors == [""] * (count + 2)
    assert len(written) == count * each
    assert {path.stem for path in root.glob("memory/*/*.md")} == written | {"lighthouse"}
    with MemoryStore(root) as store:
        assert {note.id for note in store.list(bodies=False)} == written | {"lighthouse"}
        assert store.health().ok
        assert_index_equals_files(store)


@pytest.mark.slow
def test_two_hundred_random_kills_neither_corrupt_nor_lose_a_note(
    tmp_path: Path, record_property: Record
) -> None:
    record_property("tried", 200)
    root = tmp_path / "store"
    with MemoryStore(root) as store:
        for number in range(300):
            by_hand(store, f"memory/semantic/still{number}.md", f"still{number}", "lighthouse")
    for seed in range(200):
        kill_at_random(root, seed)
        if seed % 20 == 19:
            assert_healthy(root)
    with MemoryStore(root) as store:
        assert_index_equals_files(store)


def kill_at_random(root: Path, seed: int) -> None:
    with run(VICTIM, root, seed) as victim:
        assert victim.stdout is not None
        assert victim.stderr is not None
        assert victim.stdout.readline() == "open\n"
        time.sleep(random.Random(seed).random() * 0.06)  # noqa: S311 - the time of the kill, not a secret
        assert victim.poll() is None, victim.stderr.read()
        victim.send_signal(signal.SIGKILL)


def assert_healthy(root: Path) -> None:
    """Check that every file is a whole note, each id has one file, and the index finds them all."""
    ids = []
    for path in root.glob("*/*/*.md"):
        note = deserialize(path.read_text())
        ids.append(note.id)
        assert note.id.startswith("still") or note.body.endswith(" end"), path
    assert len(ids) == len(set(ids))
    with MemoryStore(root) as store:
        assert len(found(store, "lighthouse")) == 300
        assert sorted(note.id for note in store.list(bodies=False)) == sorted(ids)
        assert store.health().ok


KILLED: dict[str, Callable[[MemoryStore], object]] = {
    "put": lambda store: store.put(Memory("one", "semantic", "T", "new")),
    "update": lambda store: store.update("one", body="new"),
    "move": lambda store: store.update("one", body="new", type="episodic", scope="machine-local"),
}


def _change(verb: str, root: Path) -> None:
    KILLED[verb](MemoryStore(root))


@pytest.mark.parametrize("verb", KILLED)
def test_a_killed_change_leaves_the_old_note_or_the_new_one(
    tmp_path: Path, record_property: Record, verb: str
) -> None:
    for calls in range(200):
        root = tmp_path / f"store{calls}"
        with MemoryStore(root) as store:
            put(store, "one", "old")
        killed = run_until_system_call(calls, partial(_change, verb, root))
        with MemoryStore(root) as store:
            (note,) = store.list()
            assert note.body in ("old", "new")
            assert len(list(root.glob("*/*/*.md"))) == 1
            assert found(store, note.body) == ["one"]
            assert store.health().ok
        if not killed:
            record_property("tried", calls)
            assert note.body == "new"
            return
    pytest.fail("the change never completed")


CHANGES: dict[str, Callable[[MemoryStore], object]] = {
    "edit": lambda store: store.update("one", body="new"),
    "move": lambda store: store.update("one", body="new", type="episodic"),
    "delete": lambda store: store.delete("one"),
    "import": lambda store: store.add_many([(Memory("two", "semantic", "T", "new"), {})]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_power_cut_right_after_a_change_does_not_undo_it(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    put(store, "one", "old")
    put(store, "other", "old", type="episodic")
    store.update("other", body="new")  # from here on every folder of the trees exists
    on_disk = {path.stat().st_ino: _names_in(path) for path in _kept_paths(store)}
    real = os.fsync

    def fsync(descriptor: int) -> None:
        real(descriptor)
        on_disk[os.fstat(descriptor).st_ino] = _names_in(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    CHANGES[name](store)
    found = {path: on_disk.get(path.stat().st_ino) for path in _kept_paths(store)}
    assert found == {path: _names_in(path) for path in _kept_paths(store)}


def _kept_paths(store: MemoryStore) -> list[Path]:
    return [path for tree in ("memory", "local", "undo") for path in (store.root / tree).rglob("*")] + [
        store.root / "undo"
    ]


def _names_in(path: Path | int) -> list[str]:
    """The names in a folder, which the disk must also persist."""
    return sorted(os.listdir(path)) if stat.S_ISDIR(os.stat(path).st_mode) else []
