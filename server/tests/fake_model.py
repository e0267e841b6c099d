"""A chat server on loopback that answers as scripted: correctly, badly, late, or not at all.

    with FakeModel([answer('{"notes": []}'), status(500)]) as server: ...

Each request uses the next scripted answer; the last one is repeated. `server.requests` records the requests,
`server.connections` counts the connections. With a certificate and its key in one file it uses TLS.
"""

from __future__ import annotations

import json
import socket
import socketserver
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest


@dataclass
class Request:
    """One request as the server saw it."""

    path: str
    headers: dict[str, str]
    body: dict[str, object]

    @property
    def texts(self) -> list[str]:
        """The contents of the messages, in order."""
        messages = self.body["messages"]
        assert isinstance(messages, list)
        return [str(message["content"]) for message in messages]


Act = Callable[[BaseHTTPRequestHandler, Request], None]


@dataclass
class FakeModel:
    """The server; runs inside `with`."""

    acts: list[Act]
    requests: list[Request] = field(default_factory=list)
    certificate: Path | None = None

    @property
    def url(self) -> str:
        """The base address for ANAMNESIS_REFLECTION_BASE_URL."""
        scheme = "https" if self.certificate else "http"
        return f"{scheme}://127.0.0.1:{self._server.server_address[1]}/v1"

    def configure(self, patch: pytest.MonkeyPatch) -> None:
        """Make it the configured model."""
        for name, value in (("PROVIDER", "local"), ("MODEL", "tiny"), ("BASE_URL", self.url)):
            patch.setenv(f"ANAMNESIS_REFLECTION_{name}", value)

    @property
    def connections(self) -> int:
        """How many connections were opened."""
        return self._server.connections

    def __enter__(self) -> Self:
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        if self.certificate:
            self._server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._server.tls.load_cert_chain(self.certificate)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    connections = 0
    tls: ssl.SSLContext | None = None

    def get_request(self) -> tuple[socket.socket, object]:
        """The next connection; its handshake is left to the thread that serves it."""
        connection, address = super().get_request()
        self.connections += 1
        if self.tls is None:
            return connection, address
        return self.tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that gave up; tests provoke that."""


def _handler(model: FakeModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            request = Request(self.path, dict(self.headers), json.loads(data))
            model.requests.append(request)
            act = model.acts[min(len(model.requests), len(model.acts)) - 1]
            act(self, request)
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    return Handler


def reply(
    code: int, body: str, *, kind: str = "application/json", headers: dict[str, str] | None = None
) -> Act:
    """Any answer at all."""

    def act(handler: BaseHTTPRequestHandler, request: Request) -> None:
        data = body.encode()
        handler.send_response(code)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(data)),
            **(headers or {}),
        }.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    return act


def chat(text: str, *, finish: str = "stop") -> str:
    """The body of a well-formed answer that says `text`."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
    return json.dumps({"id": "x", "object": "chat.completion", "choices": [choice]})


def answer(text: str, *, finish: str = "stop") -> Act:
    """A well-formed answer that says `text`."""
    return reply(200, chat(text, finish=finish))


def answer_with(compose: Callable[[Request], str]) -> Act:
    """A well-formed answer that depends on what was asked."""

    def act(handler: BaseHTTPRequestHandler, request: Request) -> None:
        answer(compose(request))(handler, request)

    return act


def status(code: int, *, message: str = "no", **headers: str) -> Act:
    """An error answer; `Retry_After="1"` becomes the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return reply(code, json.dumps({"error": {"message": message}}), headers=named)


def silent() -> Act:
    """Accepts the request and sends nothing until the client disconnects."""

    def act(handler: BaseHTTPRequestHandler, request: Request) -> None:
        handler.rfile.read(1)

    return act


def dripping(gap: float) -> Act:
    """Sends the bytes of a body one at a time, each within the socket timeout, without end."""

    def act(handler: BaseHTTPRequestHandler, request: Request) -> None:
        handler.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n")
        while True:
            handler.wfile.write(b"a")
            handler.wfile.flush()
            time.sleep(gap)

    return act


def cut_off(text: str) -> Act:
    """Announces a whole answer and closes the connection half-way."""

    def act(handler: BaseHTTPRequestHandler, request: Request) -> None:
        data = chat(text).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data[: len(data) // 2])

    return act


def hang_up(handler: BaseHTTPRequestHandler, request: Request) -> None:
    """Closes the connection without an answer."""
