"""Strangers at the door: other sites, other names for this machine, requests without the token."""

from __future__ import annotations

import base64
import hashlib
import socket

import pytest

from dashboard_server import Dashboard

NOTE = {"type": "semantic", "title": "T", "body": "b", "project": "global", "scope": "portable", "tags": []}


@pytest.mark.parametrize("path", ["/", "/api/notes", "/api/session", "/_next/static/a.js"])
@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "localhost", "127.0.0.1:1", "", "[::2]:80"]
)
def test_a_host_that_is_not_ours_gets_nothing(dashboard: Dashboard, path: str, host: str) -> None:
    answer = dashboard.ask("GET", path, headers={"Host": host})
    assert answer.status == 421
    assert dashboard.token not in answer.text


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])
def test_every_loopback_name_with_our_port_is_ours(dashboard: Dashboard, name: str) -> None:
    assert dashboard.ask("GET", "/api/notes", headers={"Host": f"{name}:{dashboard.port}"}).status == 200


def test_two_host_headers_are_refused(dashboard: Dashboard) -> None:
    ours = f"localhost:{dashboard.port}"
    with socket.create_connection(("127.0.0.1", dashboard.port), timeout=10) as line:
        line.sendall(f"GET /api/notes HTTP/1.1\r\nHost: {ours}\r\nHost: evil.example\r\n\r\n".encode())
        assert line.recv(100).split()[1] in (b"400", b"421")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost", "http://localhost:1", "file://"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_origin_gets_nothing(dashboard: Dashboard, method: str, origin: str) -> None:
    answer = dashboard.ask(
        method,
        "/api/notes",
        NOTE if method == "POST" else None,
        headers={
            "Origin": origin,
            "X-Anamnesis-Token": dashboard.token,
            "Content-Type": "application/json",
        },
    )
    assert answer.status == 403
    assert dashboard.store.stats()["total"] == 0


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_browser_that_says_another_site_asks_is_believed(dashboard: Dashboard, site: str) -> None:
    answer = dashboard.ask("GET", "/api/session", headers={"Sec-Fetch-Site": site})
    assert answer.status == 403
    assert dashboard.token not in answer.text


def test_no_answer_invites_other_sites(dashboard: Dashboard) -> None:
    preflight = dashboard.ask(
        "OPTIONS",
        "/api/notes",
        headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"},
    )
    assert preflight.status == 403
    for answer in (preflight, dashboard.ask("GET", "/api/notes")):
        assert not [name for name in answer.headers if name.startswith("access-control")]


WRITES = [
    ("POST", "/api/notes"),
    ("PUT", "/api/notes/A1"),
    ("DELETE", "/api/notes/A1"),
    ("POST", "/api/notes/A1/supersede"),
    ("POST", "/api/notes/A1/keep"),
    ("POST", "/api/notes/A1/restore"),
    ("POST", "/api/conflicts/A1"),
    ("POST", "/api/sync"),
    ("POST", "/api/reindex"),
    ("POST", "/api/reflect"),
    ("POST", "/api/doctor/fix"),
    ("PUT", "/api/settings/remote"),
    ("DELETE", "/api/settings/remote"),
]


@pytest.mark.parametrize(("method", "path"), WRITES)
@pytest.mark.parametrize("token", [None, "", "wrong"])
def test_every_write_needs_the_token(dashboard: Dashboard, method: str, path: str, token: str | None) -> None:
    dashboard.put("A1", "Stays")
    headers = {"Content-Type": "application/json", "Origin": dashboard.origin}
    if token is not None:
        headers["X-Anamnesis-Token"] = token
    answer = dashboard.ask(method, path, {**NOTE, "value": "x"}, headers=headers)
    assert (answer.status, answer.json["code"]) == (403, "token")
    assert dashboard.store.get("A1") is not None


def test_the_table_of_writes_is_complete(dashboard: Dashboard) -> None:
    from anamnesis.dashboard.app import _api_routes

    known = {
        (method, "/api" + route.path)  # type: ignore[attr-defined]  # every route of the API has a path
        for route in _api_routes()
        for method in getattr(route, "methods", None) or ()
    }
    writing = {(method, path) for method, path in known if method not in ("GET", "HEAD")}
    tested = {(method, path.replace("/A1", "/{id}").replace("/remote", "/{name}")) for method, path in WRITES}
    assert {(m, p.replace("{id:path}", "{id}")) for m, p in writing} == tested


def test_a_form_cannot_write_even_with_the_token(dashboard: Dashboard) -> None:
    headers = {"X-Anamnesis-Token": dashboard.token, "Content-Type": "text/plain"}
    assert dashboard.ask("POST", "/api/notes", NOTE, headers=headers).status == 415


def test_our_own_page_may_write(dashboard: Dashboard) -> None:
    assert dashboard.send("POST", "/api/notes", NOTE).status == 201


def test_every_answer_carries_the_headers_that_keep_it_in_its_place(dashboard: Dashboard) -> None:
    for path in ("/", "/api/notes", "/api/nothing", "/_next/static/a.js", "/missing"):
        headers = dashboard.ask("GET", path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]


def test_the_policy_allows_the_pages_own_inline_script_by_its_hash_and_no_other(dashboard: Dashboard) -> None:
    policy = dashboard.ask("GET", "/").headers["content-security-policy"]
    allowed = base64.b64encode(hashlib.sha256(b"start()").digest()).decode()
    assert f"script-src 'self' 'sha256-{allowed}'" in policy
    assert policy.count("sha256-") == 1


def test_answers_of_the_api_are_not_kept_by_the_browser(dashboard: Dashboard) -> None:
    assert dashboard.ask("GET", "/api/notes").headers["cache-control"] == "no-store"
