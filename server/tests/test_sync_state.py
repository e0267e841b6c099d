"""The sync state: never "ok" while something waits too long or after a failed sync."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from anamnesis.doctor import Context, examine
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncState
from anamnesis.sync.state import State, identify_store
from anamnesis.text import local_time
from machines import Machine

DAY = 86_400.0


@pytest.fixture
def desk(desk: Machine) -> Machine:
    """A machine with one synced note."""
    desk.write("N1", "body")
    desk.sync()
    return desk


def set_age(path: Path, seconds: float) -> None:
    moment = time.time() - seconds
    os.utime(path, (moment, moment))


def let_pass(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """The state at a later time."""
    later = time.time() + seconds
    monkeypatch.setattr("time.time", lambda: later)


def judged(desk: Machine) -> dict[str, str]:
    """The states of the doctor's sync checks."""
    with MemoryStore(desk.root) as store:
        return {found.name: found.state for found in examine(Context(store, desk.backend))}


def test_a_recent_uncommitted_change_is_ok_and_one_from_yesterday_is_not(desk: Machine) -> None:
    path = desk.write("N2", "new")
    set_age(path, 3600)
    state = desk.backend.state()
    assert (state.dirty, state.late_commit, state.detail) == (True, False, "ok")
    assert judged(desk)["history"] == "warn"
    set_age(path, 2 * DAY)
    state = desk.backend.state()
    assert state.late_commit
    since = local_time(state.uncommitted_since or "")
    assert state.detail == f"changes not committed since {since}: `anamnesis sync` commits them"
    assert judged(desk)["history"] == "bad"
    desk.sync()
    assert desk.backend.state() == clean(desk)


def clean(desk: Machine) -> SyncState:
    """A state with nothing to report."""
    state = desk.backend.state()
    return SyncState(
        initialized=True, remote=str(desk.remote), head=state.head, detail="ok", last_sync=state.last_sync
    )


def test_a_change_dated_in_the_future_has_an_unknown_age(desk: Machine) -> None:
    set_age(desk.write("N2", "new"), -2 * DAY)
    state = desk.backend.state()
    assert (state.late_commit, state.uncommitted_since) == (True, None)
    assert "not committed since an unknown time" in state.detail


def test_commits_unpushed_for_a_week_are_late(
    desk: Machine, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote.rename(remote.with_name("away"))
    desk.write("N2", "new")
    desk.sync()
    assert not desk.backend.state().late_push
    let_pass(monkeypatch, 6 * DAY)
    assert not desk.backend.state().late_push
    let_pass(monkeypatch, 8 * DAY)
    assert "more than a week ago" in desk.backend.state().detail
    assert judged(desk)["pushed"] == "bad"


def test_a_failure_is_reported_until_a_sync_succeeds(desk: Machine, remote: Path) -> None:
    remote.rename(remote.with_name("away"))
    desk.sync()
    state = desk.backend.state()
    assert (state.failure, state.is_stuck, state.ahead) == ("away", True, 0)
    assert state.detail == state.failure_text
    assert str(remote) in state.failure_text
    remote.with_name("away").rename(remote)
    desk.sync()
    assert desk.backend.state() == clean(desk)


@pytest.mark.parametrize("has_remote", [True, False])
def test_a_damaged_repository_is_reported_until_the_next_sync_rebuilds_it(
    tmp_path: Path, remote: Path, has_remote: bool
) -> None:
    desk = Machine(tmp_path / "desk", remote if has_remote else None)
    desk.write("N1", "one")
    desk.sync()
    tree = desk.git("rev-parse", "HEAD^{tree}").strip()
    path = desk.memory / ".git/objects" / tree[:2] / tree[2:]
    path.chmod(0o600)
    path.write_bytes(b"garbage")
    desk.write("N2", "two")
    assert "`anamnesis sync` rebuilds it" in desk.backend.state().detail
    assert "it was set aside as " in desk.sync().detail
    assert desk.backend.state().detail == "ok"
    assert len(desk.files()) == 2
    assert len([*desk.root.glob("git.damaged-*")]) == 1


def test_a_store_whose_device_number_changes_at_every_start_remembers_its_last_ids(desk: Machine) -> None:
    state = State(stores=[str(number) for number in range(50)])
    identify_store(state, desk.memory)
    assert state.stores[:-1] == [str(number) for number in range(31, 50)]
