"""A second backend is one file and one row: every surface works with a shared folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anamnesis import address
from anamnesis.cli import main
from anamnesis.dashboard.app import build_app
from anamnesis.dashboard.guard import Login
from anamnesis.doctor import Context, examine
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


def test_the_doctor_checks_the_folder_and_no_repository(
    store: MemoryStore, backend: SyncBackend, shared: Path
) -> None:
    store.write(type="semantic", title="One", body="b")
    before = {found.name: found for found in examine(Context(store, backend))}
    assert not {"git", "repository"} & before.keys()
    assert before["history"].evidence == "some changes are not in the shared folder yet"
    backend.sync()
    after = {found.name: found for found in examine(Context(store, backend))}
    assert after["shared folder"].evidence == f"1 note in common with {shared}"
    assert after["history"].evidence.startswith("every portable note is in the shared folder, at ")
    assert (after["remote"].state, after["pushed"].state) == ("ok", "ok")
    shared.rename(shared.with_name("unplugged"))
    away = {found.name: found for found in examine(Context(store, backend))}
    assert away["remote"].state == "bad"
    assert "is not there" in away["pushed"].evidence


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
        assert [(card["name"], card["last_note"]) for card in cards["machines"]] == [("desk", None)]
        assert browser.get("/api/activity").json()["events"] == []
