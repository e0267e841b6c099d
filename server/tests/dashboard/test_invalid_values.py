"""Invalid values: each gets an answer that says what is wrong, none makes the server fail."""

from __future__ import annotations

import logging
import socket
from urllib.parse import quote

import pytest

from dashboard_server import Answer, Dashboard

ODD = [
    "--all",
    "--output=x",
    "-1",
    "0" * 40,
    "0" * 5000,
    "HEAD",
    "main..",
    "abcd\nefgh",
    "a\0b",
    "\ud800",
    "é\u202e\U0001f600",
    "1e9",
    "９",
    "../../etc/passwd",
    "' OR 1=1 --",
    '"" NEAR(',
    "*",
    "",
    " ",
]
QUERIES = [
    "/api/history?before={}",
    "/api/history/{}",
    "/api/notes/N1/diff?from={}",
    "/api/notes/N1/diff?to={}",
    "/api/notes/{}",
    "/api/notes/{}/history",
    "/api/notes/{}/diff",
    "/api/notes?limit={}",
    "/api/notes?offset={}",
    "/api/notes?superseded={}",
    "/api/notes?q={}&limit=3",
    *(f"/api/notes?{name}={{}}" for name in ("q", "type", "project", "machine", "tag", "source", "scope")),
    *(f"/api/notes?q=about&{name}={{}}" for name in ("type", "project", "tag", "scope", "offset")),
]
NOTE = {"type": "semantic", "title": "T", "body": "b", "project": "p", "scope": "portable", "tags": ["a"]}
CHANGES = [
    ("POST", "/api/notes", NOTE, ("type", "title", "body", "project", "scope")),
    ("PUT", "/api/notes/N1", {**NOTE, "base": "x"}, ("base", "type")),
    ("DELETE", "/api/notes/N1", {"base": "x"}, ("base",)),
    ("POST", "/api/notes/N1/supersede", NOTE, ("title", "scope")),
    ("POST", "/api/notes/N1/restore", {"commit": "x", "base": "x"}, ("commit", "base")),
    ("POST", "/api/conflicts/N1", {"choice": "mine", "text": None}, ("choice", "text")),
    ("PUT", "/api/settings/remote", {"value": "x"}, ("value",)),
    ("PUT", "/api/settings/sync_timeout", {"value": "x"}, ("value",)),
]


def refused_or_done(answer: Answer) -> bool:
    """Whether the server answered, or returned a client error that says what is wrong."""
    if answer.status < 400:
        return True
    return answer.status < 500 and bool(answer.json["error"].strip()) and bool(answer.json["code"])


@pytest.fixture
def known(dashboard: Dashboard) -> Dashboard:
    """A dashboard with a note in git."""
    dashboard.put("N1", "One")
    dashboard.backend.commit()
    return dashboard


@pytest.mark.parametrize("path", QUERIES)
def test_no_value_in_a_url_makes_the_server_fail(known: Dashboard, path: str) -> None:
    for value in ODD:
        answer = known.ask("GET", path.format(quote(value, safe="", errors="surrogatepass")))
        assert refused_or_done(answer), (value, answer)


@pytest.mark.parametrize("value", [*ODD, 7, None, [], {}, True])
@pytest.mark.parametrize(("method", "path", "body", "names"), CHANGES)
def test_no_value_in_a_body_makes_the_server_fail(
    known: Dashboard, method: str, path: str, body: dict[str, object], names: tuple[str, ...], value: object
) -> None:
    for name in names:
        answer = known.send(method, path, {**body, name: value})
        assert refused_or_done(answer), (name, answer)


@pytest.mark.parametrize(("method", "path"), [("POST", "/api/sync"), *(change[:2] for change in CHANGES)])
def test_a_body_that_is_not_a_json_object_is_refused_everywhere(
    known: Dashboard, method: str, path: str
) -> None:
    bodies: list[object] = [b"{", b"\xff", b"[" * 50_000, [], "x", 7]
    for body in bodies:
        answer = known.send(method, path, body)
        assert (answer.status, answer.json["code"]) == (400, "call")


def test_a_truncated_request_is_not_a_server_error(
    known: Dashboard, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = (
        f"POST /api/reindex HTTP/1.1\r\nHost: localhost:{known.port}\r\nCookie: {known.cookie}\r\n"
        "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"
    )
    faults = logging.getLogger("uvicorn.error")
    monkeypatch.setattr(faults, "handlers", [caplog.handler])
    monkeypatch.setattr(faults, "level", logging.ERROR)
    with socket.create_connection(("127.0.0.1", known.port)) as connection:
        connection.sendall(head.encode())
    known.get("/api/session")  # the server has noticed by then
    assert not caplog.records


@pytest.mark.parametrize("name", ["before=--all", f"before={'0' * 40}", "before=abcd", "before=HEAD"])
def test_an_unknown_commit_is_a_404(known: Dashboard, name: str) -> None:
    answer = known.ask("GET", f"/api/history?{name}")
    assert (answer.status, answer.json["code"]) == (404, "call")
    assert name.partition("=")[2] in answer.json["error"]


def test_a_note_that_is_not_held_is_a_404(known: Dashboard) -> None:
    for note_id in ("N1", "NOBODY", "x/y.md", "--all"):
        for text in (None, "some text"):
            answer = known.send("POST", f"/api/conflicts/{note_id}", {"choice": "mine", "text": text})
            assert answer.status == 404
            assert note_id in answer.json["error"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/api/nothing", 404), ("PATCH", "/api/notes", 405), ("GET", "/api/sync", 405)],
)
def test_an_unknown_api_path_is_a_json_404(known: Dashboard, method: str, path: str, status: int) -> None:
    answer = known.send(method, path, {})
    assert (answer.status, answer.json["code"]) == (status, "call")
    assert path in answer.json["error"]
