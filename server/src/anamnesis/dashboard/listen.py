"""Runs the server: a loopback socket, the application on it, and a clean stop."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import closing

import uvicorn

from anamnesis.config import resolve_home, resolve_machine_id, resolve_remote
from anamnesis.dashboard.app import build_app
from anamnesis.dashboard.login import Login
from anamnesis.errors import StoreUnavailable
from anamnesis.meaning import Keeper
from anamnesis.store import MemoryStore
from anamnesis.sync import backend_for


def serve(*, port: int, origins: Sequence[str], ready: Callable[[Login], None]) -> None:
    """Serve the user's store on this machine until interrupted; `ready` is called when it can be opened."""
    sockets = open_loopback(port)
    # With the address of a development server, open its pages.
    login = Login(sockets[0].getsockname()[1], home=origins[0] if origins else "/")
    machine_id = resolve_machine_id()
    with MemoryStore(resolve_home()) as store, Keeper(store):
        backend = backend_for(store.memory_dir, remote=resolve_remote(), machine_id=machine_id)
        app = build_app(store, backend, machine_id=machine_id, login=login, origins=origins)
        # No access log: it would hold the token.
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=1
        )
        ready(login)
        with closing(app.state.desk.workspace().watcher):
            Server(config, ending=app.state.ending).run(sockets=sockets)


class Server(uvicorn.Server):
    """A server that ends open streams when it stops, so that none has to be cancelled."""

    def __init__(self, config: uvicorn.Config, *, ending: threading.Event) -> None:
        super().__init__(config)
        self._ending = ending

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then everything else."""
        self._ending.set()
        await super().shutdown(sockets)


def open_loopback(port: int) -> list[socket.socket]:
    """Sockets on 127.0.0.1 and, where there is IPv6, on ::1: `localhost` may mean either."""
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
