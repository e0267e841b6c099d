"""A dashboard over a store with a remote: one real server for all tests, an application for each."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from anamnesis.dashboard.app import build_app, open_loopback
from anamnesis.dashboard.guard import Login
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from dashboard_server import Dashboard


@dataclass
class Stage:
    """The application that the server currently passes requests to."""

    port: int
    app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        assert self.app is not None
        await self.app(scope, receive, send)


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    """A server on a free loopback port for the whole run: starting one takes longer than most tests."""
    sockets = open_loopback(0)
    stage = Stage(sockets[0].getsockname()[1])
    config = uvicorn.Config(stage, log_level="critical", timeout_graceful_shutdown=1, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=(sockets,), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    yield stage
    server.should_exit = True
    thread.join()
    for opened in sockets:
        opened.close()


@pytest.fixture(autouse=True)
def only_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset what the home fixture sets: the page shows all settings."""
    monkeypatch.delenv("ANAMNESIS_SYNC_TIMEOUT")


@pytest.fixture
def static(tmp_path: Path) -> Path:
    """A front end of one page, with an inline script and a script file."""
    folder = tmp_path / "static"
    (folder / "_next" / "static").mkdir(parents=True)
    (folder / "_next" / "static" / "a.js").write_text("void 0")
    page = '<html><script src="/_next/static/a.js"></script><script>start()</script></html>'
    (folder / "index.html").write_text(page)
    (folder / "404.html").write_text("<html>nothing here<script>begin()</script></html>")
    return folder


@pytest.fixture
def dashboard(
    stage: Stage, store: MemoryStore, remote: Path, static: Path, monkeypatch: pytest.MonkeyPatch
) -> Dashboard:
    """The dashboard of the machine `desk`."""
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "desk")
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(remote))
    backend = GitSyncBackend(store.memory_dir, remote=str(remote), machine_id="desk", timeout=600)
    login = Login(stage.port)
    stage.app = build_app(store, login=login, static=static)
    return Dashboard(store, backend, login)


@pytest.fixture
def clashing(dashboard: Dashboard, tmp_path: Path, remote: Path) -> Dashboard:
    """A dashboard that holds the note N1: `mine` here, `theirs` on the machine lap."""
    dashboard.put("N1", "Clash", body="base")
    dashboard.backend.sync()
    with MemoryStore(tmp_path / "laptop") as store:
        lap = GitSyncBackend(store.memory_dir, remote=str(remote), machine_id="lap", timeout=600)
        lap.sync()
        store.reindex()
        store.update("N1", body="theirs")
        lap.sync()
    dashboard.store.update("N1", body="mine")
    dashboard.backend.sync()
    dashboard.store.reindex()
    return dashboard
