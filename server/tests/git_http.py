"""A git server over HTTP on loopback, with a login, that records the process list while git waits."""

from __future__ import annotations

import base64
import os
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass
class GitServer:
    """Serves the repositories under `root` to clients with the login; None accepts everyone."""

    root: Path
    login: tuple[str, str] | None = None
    status: int = 0  # if set, the answer to everything
    host: str = ""
    logins: list[str] = field(default_factory=list)  # what came in, decoded
    processes: list[str] = field(default_factory=list)  # the process list at each request

    def is_welcome(self, header: str | None) -> bool:
        """Whether a request is authorised; records its credentials."""
        given = base64.b64decode(header.removeprefix("Basic ")).decode() if header else ""
        self.logins += [given] if given else []
        return self.login is None or given == ":".join(self.login)


@contextmanager
def serve_git(
    root: Path, login: tuple[str, str] | None = None, *, certificate: Path | None = None
) -> Iterator[GitServer]:
    """A server for the block; `host` is its address. With a certificate and its key it uses TLS."""
    server = GitServer(root, login)
    listener = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    if certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate)
        listener.socket = tls.wrap_socket(listener.socket, server_side=True, do_handshake_on_connect=False)
    server.host = f"127.0.0.1:{listener.server_port}"
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown()
        thread.join()
        listener.server_close()


def _handler(server: GitServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            listed = ["ps", "-eww", "-o", "args"]
            server.processes.append(subprocess.run(listed, capture_output=True, text=True, check=True).stdout)
            if server.status:
                self._answer(server.status, {}, b"")
            elif server.is_welcome(self.headers.get("Authorization")):
                self._answer(*self._ask_git(body))
            else:
                self._answer(401, {"WWW-Authenticate": 'Basic realm="notes"'}, b"")

        do_POST = do_GET  # noqa: N815  # the name is the library's

        def _ask_git(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
            path, _, query = self.path.partition("?")
            asked = {
                "GIT_PROJECT_ROOT": str(server.root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "REMOTE_USER": server.login[0] if server.login else "anyone",  # a push needs a user
            }
            done = subprocess.run(
                ["git", "http-backend"], input=body, env=os.environ | asked, capture_output=True, check=False
            )
            head, _, data = done.stdout.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            return int(headers.pop("Status", "200").split()[0]), headers, data

        def _answer(self, status: int, headers: dict[str, str], data: bytes) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    return Handler
