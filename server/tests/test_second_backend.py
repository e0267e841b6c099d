"""A second backend is one file and one row: every surface works with a shared folder."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anamnesis import address
from anamnesis.cli import main
from anamnesis.dashboard.app import build_app, change_mark
from anamnesis.dashboard.guard import Login
from anamnesis.doctor import Context, examine
from anamnesis.operations.versions import note_history
from anamnesis.settings import resolve
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend, SyncBackend, backend_for
from folder_backend import PREFIX, FolderBackend

BACKENDS: tuple[type[SyncBackend], ...] = (GitSyncBackend, FolderBackend)  # checked by mypy


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that two machines share, registered by one row and set as the remote."""
    monkeypatch.setitem(address.BACKENDS, PREFIX, "folder_backend:FolderBackend")
    folder = tmp_path / "shared"
    folder.mkdir()
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", f"{PREFIX}{folder}")
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "desk")
    return folder


@pytest.fixture
def backend(store: MemoryStore, shared: Path) -> SyncBackend:
    """The backend of this machine."""
    return backend_for(store.memory_dir, remote=f"{PREFIX}{shared}", machine_id="desk")


@pytest.fixture
def lap(tmp_path: Path, shared: Path) -> Iterator[tuple[MemoryStore, SyncBackend]]:
    """The other machine."""
    with MemoryStore(tmp_path / "lap") as store:
        yield store, backend_for(store.memory_dir, remote=f"{PREFIX}{shared}", machine_id="lap")


def status(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """The output of `anamnesis status --json`."""
    capsys.readouterr()
    main(["status", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def test_the_address_prefix_chooses_the_backend(backend: SyncBackend, store: MemoryStore) -> None:
    assert isinstance(backend, FolderBackend)
    assert not isinstance(backend_for(store.memory_dir, remote=None, machine_id="desk"), FolderBackend)


def test_notes_sync_through_the_folder_without_git(
    store: MemoryStore, lap: tuple[MemoryStore, SyncBackend], capsys: pytest.CaptureFixture[str]
) -> None:
    note = store.write(type="semantic", title="Use WAL mode", body="always")
    assert main(["sync"]) == 0
    other, backend = lap
    assert backend.sync().pulled == 1
    assert other.get(note.id) == note
    assert not (store.memory_dir / ".git").exists()
    assert not (other.memory_dir / ".git").exists()


def test_status_counts_unsynced_notes_and_says_when_the_folder_is_missing(
    store: MemoryStore, backend: SyncBackend, shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    backend.sync()
    store.write(type="semantic", title="One", body="b")
    sync = status(capsys)["sync"]
    assert isinstance(sync, dict)
    assert (sync["remote"], sync["dirty"], sync["detail"]) == (f"{PREFIX}{shared}", True, "ok")
    shared.rename(shared.with_name("unplugged"))
    main(["sync"])
    report = status(capsys)
    assert report["ahead"] == 1
    assert "is not there; mount it" in str(report["failure"])


def test_status_and_resolve_handle_a_note_changed_on_both_machines(
    store: MemoryStore,
    backend: SyncBackend,
    lap: tuple[MemoryStore, SyncBackend],
    capsys: pytest.CaptureFixture[str],
) -> None:
    note = store.write(type="semantic", title="Port", body="8000")
    backend.sync()
    other, remote_backend = lap
    remote_backend.sync()
    other.update(note.id, body="8001")
    remote_backend.sync()
    store.update(note.id, body="8002")
    assert backend.sync().conflicted
    assert status(capsys)["held"] == [note.id]
    assert main(["status"]) == 1
    assert main(["resolve", note.id, "--theirs"]) == 0
    backend.sync()
    assert status(capsys)["held"] == []
    with MemoryStore(store.root) as fresh:
        found = fresh.get(note.id)
        assert found is not None
        assert found.body == "8001"


def test_fleet_news_and_the_doctor_ask_the_backend_and_never_git(
    store: MemoryStore,
    backend: SyncBackend,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise AssertionError("git was run")

    monkeypatch.setattr("anamnesis.git.run_command", refuse)
    (store.memory_dir / ".git").mkdir()
    store.write(type="semantic", title="One", body="b")
    assert main(["sync"]) == 0
    assert main(["news"]) == 0
    capsys.readouterr()
    assert main(["fleet", "--json"]) == 0
    fleet = json.loads(capsys.readouterr().out)
    assert ([each["name"] for each in fleet["machines"]], fleet["agree"]) == (["desk"], ["desk"])
    findings = {each.name: each for each in examine(Context(store, backend))}
    assert (findings["machine name"].state, findings["machine name"].evidence) == ("ok", "desk")
    assert findings["old secrets"].state == "ok"


def test_a_purged_note_is_gone_from_every_machine(
    store: MemoryStore,
    backend: SyncBackend,
    shared: Path,
    lap: tuple[MemoryStore, SyncBackend],
    capsys: pytest.CaptureFixture[str],
) -> None:
    note = store.write(type="semantic", title="One", body="b")
    backend.sync()
    other, remote_backend = lap
    remote_backend.sync()
    assert main(["purge", note.id, "--yes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left"] == 0
    remote_backend.sync()
    assert not [*shared.rglob("*.md"), *other.memory_dir.rglob("*.md")]


def test_the_doctor_checks_the_folder_and_no_repository(
    store: MemoryStore, backend: SyncBackend, shared: Path
) -> None:
    store.write(type="semantic", title="One", body="b")
    before = {found.name: found for found in examine(Context(store, backend))}
    assert not {"git", "repository"} & before.keys()
    assert before["history"].evidence == "there is nothing in the shared folder yet"
    backend.sync()
    after = {found.name: found for found in examine(Context(store, backend))}
    assert after["shared folder"].evidence == f"1 note in common with {shared}"
    assert after["history"].evidence.startswith("every portable note is in the shared folder, at ")
    assert (after["remote"].state, after["pushed"].state) == ("ok", "ok")
    shared.rename(shared.with_name("unplugged"))
    away = {found.name: found for found in examine(Context(store, backend))}
    assert away["remote"].state == "bad"
    assert "is not there" in away["pushed"].evidence


def test_a_notes_history_is_what_this_machine_saved(store: MemoryStore, backend: SyncBackend) -> None:
    note = store.write(type="semantic", title="One", body="first")
    backend.sync()
    store.update(note.id, body="second")
    versions = note_history(store, note.id, backend=backend)
    assert [version.action for version in versions] == ["replaced"]
    assert "first" in backend.history(store.undo).text(versions[0])


def test_the_remote_can_be_set_and_tested_like_any_other(
    store: MemoryStore, shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ANAMNESIS_GIT_REMOTE")
    assert main(["config", "set", "remote", f"{PREFIX}{shared}"]) == 0
    assert resolve("remote", home=store.root).value == f"{PREFIX}{shared}"
    main(["config", "test"])
    assert f"{PREFIX}{shared} is there" in capsys.readouterr().out


def test_the_dashboard_shows_the_folder_and_notices_a_sync(
    store: MemoryStore, backend: SyncBackend, shared: Path
) -> None:
    store.write(type="semantic", title="One", body="b")
    app = build_app(store, login=(login := Login(8000)))
    cookie = login.answer().headers["set-cookie"].partition(";")[0]
    with TestClient(app, base_url="http://localhost:8000") as browser:
        browser.headers["Cookie"] = cookie
        assert browser.get("/api/machines").json()["sync"]["initialized"] is False
        backend.sync()
        cards = browser.get("/api/machines").json()
        sync = cards["sync"]
        assert (sync["remote"], sync["ahead"], sync["failure"]) == (f"{PREFIX}{shared}", 0, "")
        assert [(card["machine_id"], card["last_note"]) for card in cards["machines"]] == [("desk", None)]
        assert browser.get("/api/activity").json()["events"] == []


def test_an_open_page_notices_a_sync_by_another_process(store: MemoryStore, backend: SyncBackend) -> None:
    backend.sync()
    before = change_mark(store, backend)
    while change_mark(store, backend) != before:  # the index settles
        before = change_mark(store, backend)
    time.sleep(0.01)  # the record's time must differ
    backend.sync()
    assert change_mark(store, backend) != before
