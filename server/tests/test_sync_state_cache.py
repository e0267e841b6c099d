"""The cached sync state: in a small tree every change is seen at once, in a large one most of them.

In a large tree an edit in place is seen within a minute.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from types import SimpleNamespace

import pytest

from anamnesis.sync import SyncState, state_cache
from anamnesis.sync.state_cache import FORM, NEVER_SYNCED, NOT_INITIALIZED, StateCache
from machines import Machine, cache_state, make_remote
from secret_samples import SAMPLES

MANY = 2_100  # with names this long git's index is as large as that of 5,000 ordinary notes
NAME = "a-name-that-goes-on-" * 10


@pytest.fixture
def desk(tmp_path: Path) -> Machine:
    """A machine with a large tree, committed."""
    machine = Machine(tmp_path / "desk", None)
    folder = machine.memory / "semantic"
    folder.mkdir(parents=True)
    for number in range(MANY):
        (folder / f"{NAME}{number:04}.md").write_text(f"text {number}\n")
    machine.backend.commit()
    return machine


def first(machine: Machine) -> Path:
    return machine.memory / "semantic" / f"{NAME}0000.md"


def test_added_removed_and_replaced_files_show_at_once(desk: Machine) -> None:
    path = first(desk)
    cache_state(desk.backend)
    new = desk.memory / "semantic/sub/new.md"
    new.parent.mkdir()
    assert not desk.backend.state().dirty
    new.write_text("x\n")
    assert desk.backend.state().dirty
    new.unlink()
    assert not desk.backend.state().dirty
    other = path.with_suffix(".tmp")
    other.write_text("replaced\n")
    os.replace(other, path)
    assert desk.backend.state().dirty


def set_uptime(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Change the clock of this module alone: servers in other threads would wait for hours."""
    clock = SimpleNamespace(time=time.time, time_ns=time.time_ns, monotonic=lambda: seconds)
    monkeypatch.setattr(state_cache, "time", clock)


def test_an_edit_in_place_shows_at_the_next_scan(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    cache_state(desk.backend)
    with first(desk).open("a") as handle:
        handle.write("more\n")
    assert not desk.backend.state().dirty
    later = time.monotonic() + 10  # for an index of this size
    set_uptime(monkeypatch, later)
    assert desk.backend.state().dirty


def test_a_large_tree_is_not_listed_and_a_new_folder_is_noticed(
    desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = desk.memory / "semantic/deep/er"
    deep.mkdir(parents=True)
    (deep / "x.md").write_text("x")
    desk.sync()
    cache_state(desk.backend)
    listed: list[str] = []
    monkeypatch.setattr("anamnesis.sync.state_cache.entries_in", _noting(listed))
    before = desk.backend.state()
    assert not before.dirty
    assert [path for path in listed if ".git" not in path] == []
    (deep / "new").mkdir()
    (deep / "new" / "y.md").write_text("y")
    assert desk.backend.state().dirty


def _noting(listed: list[str]) -> Callable[[str], list[os.DirEntry[str]]]:
    def entries(folder: str) -> list[os.DirEntry[str]]:
        listed.append(folder)
        with os.scandir(folder) as found:
            return list(found)

    return entries


def test_a_sync_pushes_an_edit_in_place_despite_the_cached_state(desk: Machine) -> None:
    cache_state(desk.backend)
    with first(desk).open("a") as handle:
        handle.write("more\n")
    desk.sync()
    assert "more" in desk.git("show", f"main:semantic/{first(desk).name}")
    assert not desk.backend.state().dirty


def test_a_state_cached_before_a_reboot_is_ignored(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    cache_state(desk.backend)
    with first(desk).open("a") as handle:
        handle.write("more\n")
    set_uptime(monkeypatch, 1.0)
    assert desk.backend.state().dirty


def test_a_damaged_list_of_folders_is_ignored(desk: Machine) -> None:
    path = desk.memory / ".git/anamnesis/remembered.json"
    cache_state(desk.backend)
    kept = json.loads(path.read_text())
    damaged: list[object] = [None, {}, [1, None], [str(desk.root)]]
    for folders in damaged:
        path.write_text(json.dumps({**kept, "folders": folders}))
        assert StateCache(str(desk.memory), None).facts() is None
    assert not desk.backend.state().dirty


def test_a_manual_commit_is_noticed(desk: Machine) -> None:
    cache_state(desk.backend)
    first(desk).write_text("by hand\n")
    desk.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "by hand")
    first(desk).write_text("and again\n")
    assert desk.backend.state().dirty


@pytest.fixture
def small(tmp_path: Path) -> Machine:
    """A machine with two notes, synced."""
    machine = Machine(tmp_path / "small", make_remote(tmp_path / "remote.git"))
    machine.write("a", "one")
    machine.write("b", "two")
    machine.sync()
    cache_state(machine.backend)
    return machine


def in_place(machine: Machine) -> None:
    """Change a letter of a note without changing its size, and restore its time."""
    path = machine.memory / "semantic/a.md"
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"one", b"owe"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, Callable[[Machine], object]] = {
    "an edit in place that keeps size and time": in_place,
    "a new note": lambda machine: machine.write("c", "three"),
    "a deleted note": lambda machine: (machine.memory / "semantic/b.md").unlink(),
    "another file": lambda machine: (machine.memory / "semantic/x.txt").write_text("x"),
    "an unpushed commit": lambda machine: (machine.write("c", "three"), machine.backend.commit()),
    "a lost mark of the remote": lambda machine: machine.git("update-ref", "-d", "refs/remotes/origin/main"),
    "a detached branch": lambda machine: machine.git("checkout", "-q", "--detach"),
    "a failure": lambda machine: (Path(str(machine.remote)).rename(machine.root / "away"), machine.sync()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_invalidates_the_cached_state(small: Machine, change: str) -> None:
    before = small.backend.state()
    CHANGES[change](small)
    assert small.backend.state() != before


def test_the_cached_state_is_the_one_that_git_reports(small: Machine) -> None:
    known = small.backend.state()
    (small.memory / ".git/anamnesis/remembered.json").unlink()
    assert small.backend.state() == known


def test_the_state_cached_for_one_remote_is_not_used_for_another(small: Machine, tmp_path: Path) -> None:
    other = Machine(small.root, make_remote(tmp_path / "other.git"))
    assert other.backend.state().ahead == 1


def test_the_remotes_address_is_not_stored(small: Machine) -> None:
    url = "https://me:open-sesame@127.0.0.1:1/x"
    other = Machine(small.root, url)
    other.backend.state()
    kept = (small.memory / ".git/anamnesis/remembered.json").read_text()
    assert "open-sesame" not in kept
    assert json.loads(kept)["facts"]


def test_a_state_cached_with_a_clock_ahead_is_ignored(
    small: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = time.time() - 3600
    monkeypatch.setattr("time.time", lambda: earlier)
    assert StateCache(str(small.memory), str(small.remote)).facts() is None


def test_a_damaged_cached_state_is_ignored(small: Machine) -> None:
    path = small.memory / ".git/anamnesis/remembered.json"
    kept = json.loads(path.read_text())
    odd = [{**kept, name: "odd"} for name in ("facts", "since", "until", "follows_from")]
    for text in ("", "[]", *map(json.dumps, odd)):
        path.write_text(text)
        assert StateCache(str(small.memory), str(small.remote)).facts() is None
        assert not small.backend.state().dirty


def test_a_change_of_the_state_fields_needs_a_new_file_version() -> None:
    names = (
        "initialized remote head dirty detail ahead behind unpushed_since uncommitted_since late_push"
        " late_commit failure failure_text held held_names last_sync left_out waiting"
    )
    assert (FORM, [field.name for field in fields(SyncState)]) == (1, names.split())


def test_a_store_that_was_never_synced_has_the_default_state() -> None:
    assert asdict(SyncState(detail=NOT_INITIALIZED)) == NEVER_SYNCED


def test_a_state_is_not_cached_right_after_a_change(small: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = small.memory / ".git/anamnesis/remembered.json"
    (small.memory / "semantic/a.md").touch()
    changed = (small.memory / "semantic/a.md").stat().st_ctime_ns
    kept.unlink()
    monkeypatch.setattr("time.time_ns", lambda: changed + 50_000_000)
    assert not small.backend.state().dirty
    assert not kept.exists()
    monkeypatch.setattr("time.time_ns", lambda: changed + 60_000_000_000)
    small.backend.state()
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_cached_state_expires_at_its_deadline(small: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = StateCache(str(small.memory), str(small.remote))
    cache.start()
    soon = time.time() + 100
    cache.end({"detail": "ok"}, until=soon)
    assert cache.facts() == {"detail": "ok"}
    monkeypatch.setattr("time.time", lambda: soon)
    assert cache.facts() is None


def test_a_revoked_permission_invalidates_the_cached_state(small: Machine) -> None:
    small.write("a", f"key: {SAMPLES['anthropic'][0]}")
    small.git("commit", "-qam", "by hand")
    small.backend.allow_secret("a")
    cache_state(small.backend)
    assert small.backend.state().waiting == ()
    (small.root / "allowed.json").unlink()
    assert [each.id for each in small.backend.state().waiting] == ["a"]


def test_a_change_made_while_the_clock_was_behind_is_noticed(
    small: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = time.time() + 3600
    os.utime(small.memory / "semantic/b.md", (later, later))
    monkeypatch.setattr("time.time", lambda: later + 60)
    monkeypatch.setattr("time.time_ns", lambda: int((later + 60) * 1e9))
    cache = fill_cache(small)
    assert cache.facts() == {"detail": "ok"}
    small.write("a", "the time of this file is an hour before that of the other")
    assert cache.facts() is None


def test_the_target_of_a_link_is_not_checked(small: Machine) -> None:
    outside = small.root / "outside"
    outside.mkdir()
    (small.memory / "semantic/link").symlink_to(outside)
    time.sleep(0.2)  # a state is not cached right after a change
    cache = fill_cache(small)
    assert cache.facts() == {"detail": "ok"}
    (outside / "new.md").write_text("x")
    assert cache.facts() == {"detail": "ok"}


def fill_cache(machine: Machine) -> StateCache:
    """Cache a state of a machine as if git had reported it."""
    cache = StateCache(str(machine.memory), str(machine.remote))
    cache.start()
    cache.end({"detail": "ok"}, until=time.time() + 100)
    return cache


def test_a_link_in_place_of_the_state_file_is_not_followed(small: Machine) -> None:
    kept, other = small.memory / ".git/anamnesis/remembered.json", small.root / "other"
    other.write_text("another file")
    kept.unlink()
    kept.symlink_to(other)
    fill_cache(small)
    assert other.read_text() == "another file"
    assert not small.backend.state().dirty


def test_a_repository_without_an_index_has_a_state(small: Machine) -> None:
    (small.memory / ".git/index").unlink()
    assert StateCache(str(small.memory), str(small.remote)).facts() is None
    assert small.backend.state().initialized


def test_a_repository_that_sync_has_never_seen_has_a_state(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "new", None)
    machine.write("a", "one")
    machine.git("init", "-q", "-b", "main")
    assert StateCache(str(machine.memory), None).facts() is None
    assert machine.backend.state().dirty
