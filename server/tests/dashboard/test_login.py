"""The dashboard as a process: the address it prints, the login, and who is refused."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from anamnesis.store import MemoryStore
from processes import interruptible

ADDRESS = re.compile(r"http://localhost:(\d+)(/\?token=([\w-]{43}))")


class Server:
    """A dashboard started as a user starts it."""

    def __init__(self, output: Path, *options: str) -> None:
        self.output = output
        with output.open("wb") as file:
            command = [sys.executable, "-m", "anamnesis", "dashboard", *options]
            self.process = subprocess.Popen(command, stdout=file, stderr=file)
        while (printed := ADDRESS.search(output.read_text())) is None:
            assert self.process.poll() is None, output.read_text()
        self.port, self.path, self.token = int(printed[1]), printed[2], printed[3]

    def get(self, path: str, **headers: str) -> HTTPResponse:
        """The answer to a request with these headers; its body has been read."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path, headers={"Host": f"localhost:{self.port}", **headers})
        answer = connection.getresponse()
        if answer.headers.get_content_type() != "text/event-stream":
            answer.read()
        connection.close()
        return answer

    def follow(self, cookie: str) -> HTTPConnection:
        """The connection of a page that listens for changes, once the server has confirmed it."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=600)
        headers = {"Host": f"localhost:{self.port}", "Cookie": cookie}
        connection.request("GET", "/api/events", headers=headers)
        assert connection.getresponse().readline() == b": following\n"
        return connection

    def log_in(self) -> str:
        """The Cookie header that the printed address gives."""
        answer = self.get(self.path)
        assert (answer.status, answer.headers["location"]) == (303, "/")
        return str(answer.headers["set-cookie"]).partition(";")[0]

    def end(self) -> None:
        """Stop the server as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=30)


@pytest.fixture
def server(store: MemoryStore, tmp_path: Path) -> Iterator[Server]:
    """A dashboard on a free port, over a store with one note."""
    store.write(type="semantic", title="Private", body="walrus")
    started = Server(tmp_path / "output", "--port", "0")
    yield started
    started.end()


def test_the_printed_address_is_exchanged_for_a_cookie_and_a_clean_url(server: Server) -> None:
    answer = server.get(server.path)
    assert (answer.status, answer.headers["location"]) == (303, "/")
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    name, *attributes = str(answer.headers["set-cookie"]).split("; ")
    assert name.startswith(f"anamnesis-{server.port}=")
    assert server.token not in name
    assert {attribute.lower() for attribute in attributes} == {"httponly", "samesite=lax", "path=/"}


@pytest.mark.parametrize("path", ["/", "/api/notes", "/api/status", "/api/events", "/theme.js"])
def test_nothing_is_readable_without_the_cookie_and_everything_with_it(server: Server, path: str) -> None:
    assert server.get(path).status == 401
    assert server.get(f"{path}?token={server.token}x").status == 401
    # Without a build there are no pages: a logged-in browser gets 503.
    assert server.get(path, Cookie=server.log_in()).status in (200, 503)


def test_the_token_is_printed_once_and_is_in_no_file_of_the_store(server: Server, store: MemoryStore) -> None:
    cookie = server.log_in()
    for path in (server.path, "/api/notes", "/missing", f"/api/notes?token={server.token}", "/%zz"):
        server.get(path, Cookie=cookie)
        server.get(path)
    server.end()
    assert server.output.read_text().count(server.token) == 1
    secrets = (server.token.encode(), cookie.partition("=")[2].encode())
    files = [path for path in store.root.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if any(secret in path.read_bytes() for secret in secrets)] == []


def test_a_restarted_server_rejects_the_old_token_and_cookie(server: Server, tmp_path: Path) -> None:
    cookie = server.log_in()
    server.end()
    again = Server(tmp_path / "again", "--port", str(server.port))
    try:
        assert again.token != server.token
        assert again.get("/", Cookie=cookie).status == 401
        assert again.get("/api/notes", Cookie=cookie).status == 401
        assert again.get(server.path).status == 401
        assert again.log_in().partition("=")[0] == cookie.partition("=")[0]
    finally:
        again.end()


def test_one_interrupt_stops_a_dashboard_with_many_open_pages(store: MemoryStore, tmp_path: Path) -> None:
    with interruptible():
        server = Server(tmp_path / "output", "--port", "0")
    cookie = server.log_in()
    before = server.output.read_text()
    listening = [server.follow(cookie) for _ in range(20)]
    try:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(timeout=60) == 130
        assert server.output.read_text() == before
    finally:
        server.process.kill()
        for page in listening:
            page.close()


def test_the_browser_is_started_with_an_address_that_works_once(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o700)
    monkeypatch.setenv("BROWSER", str(browser))
    server = Server(tmp_path / "output", "--port", "0", "--open")
    try:
        while not opened.exists():
            assert server.process.poll() is None
        found = ADDRESS.fullmatch(opened.read_text().strip())
        assert found is not None
        assert found[3] != server.token
        assert [server.get(found[2]).status for _ in range(2)] == [303, 401]
        assert server.get(server.path).status == 303
    finally:
        server.end()
