"""What every sync backend must do: each test runs with git and with the shared folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from starlette.testclient import TestClient

from anamnesis import address
from anamnesis.cli import main
from anamnesis.dashboard.app import build_app
from anamnesis.dashboard.guard import Login
from anamnesis.doctor import Context, examine
from anamnesis.errors import NotHeld
from anamnesis.purge import new_purge
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend, SyncBackend, backend_for
from folder_backend import PREFIX, FolderBackend
from machines import make_remote

BACKENDS: tuple[type[SyncBackend], ...] = (GitSyncBackend, FolderBackend)  # checked by mypy


class Place(NamedTuple):
    """One machine: its store and its backend, and the folder between the machines."""

    store: MemoryStore
    backend: SyncBackend
    shared: Path

    def body(self, note_id: str) -> str | None:
        """The text of a note; None if it is not here."""
        self.store.reindex()
        note = self.store.get(note_id)
        return note.body if note else None


@pytest.fixture(params=["git", "folder"])
def pair(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Place, Place]]:
    """Two machines that share a remote of the backend under test."""
    monkeypatch.setitem(address.BACKENDS, PREFIX, "folder_backend:FolderBackend")
    shared = tmp_path / "shared"
    if request.param == "git":
        make_remote(shared)
    else:
        shared.mkdir()
    remote = str(shared) if request.param == "git" else f"{PREFIX}{shared}"
    with ExitStack() as stack:
        stores = [stack.enter_context(MemoryStore(tmp_path / name)) for name in ("desk", "lap")]
        desk, lap = (
            Place(store, backend_for(store.memory_dir, remote=remote, machine_id=store.root.name), shared)
            for store in stores
        )
        yield desk, lap


def settle(*places: Place) -> None:
    """Sync all machines until each has seen the others' last changes."""
    for place in (*places, *places):
        place.backend.sync()
        place.store.reindex()


def clash(desk: Place, lap: Place) -> str:
    """A note that both machines changed; lap holds it."""
    note = desk.store.write(type="semantic", title="Port", body="8000")
    settle(desk, lap)
    desk.store.update(note.id, body="8001")
    desk.backend.sync()
    lap.store.update(note.id, body="8002")
    lap.backend.sync()
    return note.id


def test_notes_edits_and_deletions_reach_the_other_machine(pair: tuple[Place, Place]) -> None:
    desk, lap = pair
    one = desk.store.write(type="semantic", title="One", body="first")
    two = lap.store.write(type="procedural", title="Two", body="second")
    settle(desk, lap)
    assert (lap.body(one.id), desk.body(two.id)) == ("first", "second")
    lap.store.update(one.id, body="edited")
    lap.store.delete(two.id)
    settle(lap, desk)
    assert (desk.body(one.id), desk.body(two.id)) == ("edited", None)


def test_a_sync_reports_what_it_did_and_the_state_is_clean_afterwards(pair: tuple[Place, Place]) -> None:
    desk, lap = pair
    desk.backend.init()
    assert desk.backend.state().initialized
    note = desk.store.write(type="semantic", title="One", body="b")
    assert desk.backend.state().dirty
    steps: list[str] = []
    sent = desk.backend.sync(progress=lambda step, _done, _total: steps.append(step))
    assert (sent.pushed, sent.conflicted, sent.failure, bool(sent.head)) == (True, False, "", True)
    assert steps[0] == "commit"
    got = lap.backend.sync()
    assert got.pulled
    assert f"semantic/{note.id}.md" in got.changed
    for place in pair:
        state = place.backend.state()
        assert (state.dirty, state.ahead, state.behind, state.held) == (False, 0, 0, ())
        assert state.last_sync
    assert not desk.backend.sync().pushed


@pytest.mark.parametrize("choice", ["mine", "theirs", "text"])
def test_a_clash_is_held_until_it_is_resolved(pair: tuple[Place, Place], choice: str) -> None:
    desk, lap = pair
    note_id = clash(desk, lap)
    assert lap.backend.state().held == (note_id,)
    (held,) = lap.backend.held()
    assert "8002" in (held.mine or "")
    assert "8001" in (held.theirs or "")
    other = lap.store.write(type="semantic", title="Other", body="syncs meanwhile")
    settle(lap, desk)
    assert desk.body(other.id) == "syncs meanwhile"
    assert (lap.body(note_id), desk.body(note_id)) == ("8002", "8001")
    if choice == "text":
        lap.backend.resolve(note_id, text=(held.mine or "").replace("8002", "8003"))
    else:
        lap.backend.resolve(note_id, choice="mine" if choice == "mine" else "theirs")
    settle(lap, desk)
    wanted = {"mine": "8002", "theirs": "8001", "text": "8003"}[choice]
    assert (lap.body(note_id), desk.body(note_id)) == (wanted, wanted)
    assert lap.backend.state().held == ()
    with pytest.raises(NotHeld):
        lap.backend.resolve(note_id)


def test_a_purged_note_is_gone_from_every_machine(pair: tuple[Place, Place]) -> None:
    desk, lap = pair
    note = desk.store.write(type="semantic", title="One", body="b")
    settle(desk, lap)
    purge = new_purge(ids=[note.id], machine="desk", at="")
    desk.backend.purge(purge)
    settle(desk, lap)
    assert desk.backend.count_left(purge) == lap.backend.count_left(purge) == 0
    assert lap.body(note.id) is None


def test_an_unreachable_remote_is_a_result_and_the_state_says_so(pair: tuple[Place, Place]) -> None:
    desk, _ = pair
    desk.backend.sync()
    desk.store.write(type="semantic", title="One", body="b")
    desk.shared.rename(desk.shared.with_name("away"))
    result = desk.backend.sync()
    assert (result.reached, result.failure) == (False, "away")
    state = desk.backend.state()
    assert (state.ahead, state.failure) == (1, "away")
    assert state.failure_text in state.detail
    assert desk.backend.examine_remote().state == "bad"
    desk.shared.with_name("away").rename(desk.shared)
    assert desk.backend.sync().pushed
    assert desk.backend.state().failure == ""


def test_the_small_questions_have_answers(pair: tuple[Place, Place]) -> None:
    desk, _ = pair
    note = desk.store.write(type="semantic", title="One", body="b")
    assert desk.backend.commit("a message")
    assert not desk.backend.commit()
    desk.store.update(note.id, body="c")
    assert desk.backend.commit()
    assert not desk.backend.allow_secret("nothing waits")
    assert desk.backend.examine_tools().state == desk.backend.examine_storage().state == "ok"
    before = [path.stat().st_mtime_ns for path in desk.backend.watched() if path.exists()]
    assert desk.backend.sync().pushed
    assert before != [path.stat().st_mtime_ns for path in desk.backend.watched() if path.exists()]
    assert next(iter(desk.backend.machines())).here
    texts = [each.note.body for each in desk.store.undo.of_note(note.id)]
    assert texts == ["b"]
    assert desk.backend.history(desk.store.undo).of_note(note.id)


def test_every_surface_works_with_the_shared_folder_and_never_runs_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise AssertionError("git was run")

    def said(*words: str) -> Any:
        capsys.readouterr()
        main([*words, "--json"])
        return json.loads(capsys.readouterr().out)

    (tmp_path / "shared").mkdir()
    monkeypatch.setitem(address.BACKENDS, PREFIX, "folder_backend:FolderBackend")
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", f"{PREFIX}{tmp_path}/shared")
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "desk")
    monkeypatch.setattr("anamnesis.git.run_command", refuse)
    login = Login(8000)
    with MemoryStore(tmp_path / "store") as store:
        backend = backend_for(store.memory_dir, remote=f"{PREFIX}{tmp_path}/shared", machine_id="desk")
        (store.memory_dir / ".git").mkdir()
        store.write(type="semantic", title="One", body="b")
        browser = TestClient(build_app(store, login=login), base_url="http://localhost:8000")
        browser.headers["Cookie"] = login.answer().headers["set-cookie"].partition(";")[0]
        assert said("status")["sync"]["dirty"]
        assert browser.get("/api/machines").json()["sync"]["initialized"] is False
        assert main(["sync"]) == main(["news"]) == 0
        assert said("fleet")["agree"] == ["desk"]
        findings = {each.name: each.state for each in examine(Context(store, backend))}
        assert not {"git", "repository"} & findings.keys()
        assert [findings[name] for name in ("shared folder", "history", "remote", "pushed")] == ["ok"] * 4
        assert [card["name"] for card in browser.get("/api/machines").json()["machines"]] == ["desk"]
        (tmp_path / "shared").rename(tmp_path / "unplugged")
        store.write(type="semantic", title="Two", body="b")
        main(["sync"])
        assert (said("status")["ahead"], "mount it" in said("status")["failure"]) == (1, True)
