"""The dashboard's application: API and pages behind the guard, and the server on loopback sockets."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Mount, Route

from anamnesis.config import resolve_home
from anamnesis.dashboard.guard import Guard, Login
from anamnesis.dashboard.pages import STATIC, content_policy, page_routes
from anamnesis.dashboard.routes import api_routes
from anamnesis.errors import StoreUnavailable
from anamnesis.layout import CONFIG_NAME
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, open_backend

_CHECK_SECONDS = 1.0  # how often an open page's stream looks for changes


def build_app(
    store: MemoryStore,
    *,
    login: Login,
    origins: Sequence[str] = (),
    static: Path = STATIC,
) -> Starlette:
    """The application behind a login; `origins` are other addresses whose pages may send requests."""
    app = Starlette(
        routes=[
            Mount("/api", routes=[Route("/events", _changes), *api_routes()]),
            *page_routes(static),
        ],
        middleware=[Middleware(Guard, login=login, origins=origins, policy=content_policy(static))],
    )
    app.state.store, app.state.undo_of = store, {}
    app.state.is_ending = lambda: False
    return app


async def _changes(request: Request) -> StreamingResponse:
    """A stream of `change` events, one whenever the store has changed."""
    return StreamingResponse(_follow(request.app), media_type="text/event-stream")


async def _follow(app: Starlette) -> AsyncIterator[str]:
    store: MemoryStore = app.state.store
    known = await run_in_threadpool(change_mark, store, open_backend(store.memory_dir))
    yield ": following\n\n"
    # A stream that the server had to cancel at its end would print a traceback.
    while not app.state.is_ending():
        await asyncio.sleep(_CHECK_SECONDS)
        mark = await run_in_threadpool(change_mark, store, open_backend(store.memory_dir))
        if mark != known:
            known = mark
            yield "event: change\ndata: null\n\n"


def change_mark(store: MemoryStore, backend: SyncBackend) -> str:
    """A string that differs after every change to the notes, the settings or the sync state."""
    files = [store.root / CONFIG_NAME, *backend.watched()]
    times = [file.stat().st_mtime_ns if file.exists() else 0 for file in files]
    return f"{store.ask(lambda db: db.changes())} {times}"


def serve(*, port: int, origins: Sequence[str], ready: Callable[[Login], None]) -> None:
    """Serve the user's store until interrupted; `ready` is called once pages can be opened."""
    sockets = open_loopback(port)
    # If a development server's address is given, open its pages instead.
    login = Login(sockets[0].getsockname()[1], home=origins[0] if origins else "/")
    with MemoryStore(resolve_home()) as store:
        app = build_app(store, login=login, origins=origins)
        # No access log: it would contain the token.
        server = uvicorn.Server(
            uvicorn.Config(
                app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2
            )
        )
        app.state.is_ending = lambda: server.should_exit
        ready(login)  # the sockets listen already, so the first page waits at most until the server runs
        server.run(sockets=sockets)


def open_loopback(port: int) -> list[socket.socket]:
    """Sockets on 127.0.0.1 and, with IPv6, on ::1, because `localhost` may mean either."""
    try:
        first = socket.create_server(("127.0.0.1", port))
    except (OSError, OverflowError) as exc:
        reason = getattr(exc, "strerror", exc)
        raise StoreUnavailable(f"port {port} cannot be used: {reason}; choose another with --port") from exc
    try:
        return [first, socket.create_server(("::1", first.getsockname()[1]), family=socket.AF_INET6)]
    except OSError:
        return [first]
