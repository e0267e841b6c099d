"""The dashboard's application: API and pages behind the guard, and the server on loopback sockets."""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from anamnesis.config import resolve_home, resolve_machine_id, resolve_remote
from anamnesis.dashboard import pages
from anamnesis.dashboard.guard import Guard, Login, own_hosts, own_origins
from anamnesis.dashboard.routes import api_routes
from anamnesis.dashboard.workspace import CurrentWorkspace, Workspace
from anamnesis.errors import StoreUnavailable
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, backend_for


def build_app(
    store: MemoryStore,
    backend: SyncBackend,
    *,
    machine_id: str,
    login: Login,
    origins: Sequence[str] = (),
    static: Path = pages.STATIC,
) -> Starlette:
    """The application behind a login; `origins` are other addresses whose pages may send requests."""
    port = login.port
    guard = Middleware(Guard, hosts=own_hosts(port), origins=[*own_origins(port), *origins], login=login)
    app = Starlette(
        routes=[Mount("/api", routes=api_routes()), *_page_routes(static)],
        middleware=[guard],
        exception_handlers={HTTPException: _not_routed},
    )
    app.state.ending = threading.Event()  # set when the server stops, to end open streams
    app.state.current = CurrentWorkspace(Workspace(store, backend, machine_id))
    return app


async def _not_routed(request: Request, exc: Exception) -> Response:
    """The answer for an unknown path or method, in the same form as other errors."""
    assert isinstance(exc, HTTPException)  # noqa: S101  # registered only for HTTPException
    text = (
        f"{request.method} {request.url.path[:80]!r}: {exc.detail.lower()}; docs/dashboard.md lists the API"
    )
    return JSONResponse({"error": text, "code": "call"}, exc.status_code, headers=exc.headers)


def _page_routes(static: Path) -> list[BaseRoute]:
    if pages.is_built(static):
        return [Mount("/", pages.Pages(static))]

    async def _missing(request: Request) -> Response:
        return pages.missing_build(wants_page="text/html" in request.headers.get("accept", ""))

    return [Route("/{rest:path}", _missing)]


def serve(*, port: int, origins: Sequence[str], ready: Callable[[Login], None]) -> None:
    """Serve the user's store until interrupted; `ready` is called once pages can be opened."""
    sockets = open_loopback(port)
    # If a development server's address is given, open its pages instead.
    login = Login(sockets[0].getsockname()[1], home=origins[0] if origins else "/")
    machine_id = resolve_machine_id()
    with MemoryStore(resolve_home()) as store:
        backend = backend_for(store.memory_dir, remote=resolve_remote(), machine_id=machine_id)
        app = build_app(store, backend, machine_id=machine_id, login=login, origins=origins)
        # No access log: it would contain the token.
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=1
        )
        server = Server(config, ending=app.state.ending, ready=partial(ready, login))
        server.run(sockets=sockets)


class Server(uvicorn.Server):
    """A server that reports when it is ready, and ends open streams before it stops."""

    def __init__(self, config: uvicorn.Config, *, ending: threading.Event, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ending = ending
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and report it only then: asyncio may lose an interrupt that comes earlier."""
        await super().startup(sockets)
        await asyncio.to_thread(self._ready)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then everything else."""
        self._ending.set()
        await super().shutdown(sockets)


def open_loopback(port: int) -> list[socket.socket]:
    """Sockets on 127.0.0.1 and, with IPv6, on ::1, because `localhost` may mean either."""
    first = _bind(socket.AF_INET, "127.0.0.1", port)
    try:
        second = _bind(socket.AF_INET6, "::1", first.getsockname()[1])
    except OSError:
        return [first]
    return [first, second]


def _bind(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((address, port))
    except OSError as exc:
        opened.close()
        if family == socket.AF_INET and exc.errno in (errno.EADDRINUSE, errno.EACCES):
            why = "is in use" if exc.errno == errno.EADDRINUSE else "may not be used by this account"
            raise StoreUnavailable(f"port {port} {why}; choose another with --port") from exc
        raise
    opened.listen()
    return opened
