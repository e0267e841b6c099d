"""Unauthorised requests: from other sites, other host names and other users of the machine."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

from anamnesis.dashboard.routes import api_routes
from dashboard_server import Dashboard

NOTE = {"type": "semantic", "title": "T", "body": "b", "project": "global", "scope": "portable", "tags": []}


@pytest.mark.parametrize("path", ["/", "/api/notes", "/api/session", "/_next/static/a.js"])
@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "localhost", "127.0.0.1:1", "", "[::2]:80"]
)
def test_a_host_that_is_not_ours_gets_nothing(dashboard: Dashboard, path: str, host: str) -> None:
    answer = dashboard.ask("GET", path, headers={"Host": host})
    assert answer.status == 421
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost", "http://localhost:1", "file://"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_origin_gets_nothing(dashboard: Dashboard, method: str, origin: str) -> None:
    answer = dashboard.ask(
        method,
        "/api/notes",
        NOTE if method == "POST" else None,
        headers={"Origin": origin, "Content-Type": "application/json"},
    )
    assert answer.status == 403
    assert dashboard.store.stats()["total"] == 0


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_cross_site_fetch_header_is_refused(dashboard: Dashboard, site: str) -> None:
    answer = dashboard.ask("GET", "/api/session", headers={"Sec-Fetch-Site": site})
    assert answer.status == 403
    assert "root" not in answer.json


WRITES = [
    (method, "/api" + re.sub(r"\{.*?\}", "A1", route.path))
    for route in api_routes()
    for method in sorted((route.methods or set()) - {"GET", "HEAD"})
]


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_every_write_needs_the_cookie(dashboard: Dashboard, method: str, path: str) -> None:
    dashboard.put("A1", "Stays")
    headers = {"Content-Type": "application/json", "Origin": dashboard.origin}
    answer = dashboard.ask_as_stranger(method, path, {**NOTE, "value": "x"}, headers=headers)
    assert (answer.status, "locked" in answer.json["error"]) == (401, True)
    assert [note.id for note in dashboard.store.list()] == ["A1"]


@pytest.mark.parametrize(
    "path", ["/", "/browse/", "/_next/static/a.js", "/missing", "/?token=", "/?token=wrong", "/note/?token=x"]
)
def test_without_the_cookie_every_page_or_file_is_the_login_page(dashboard: Dashboard, path: str) -> None:
    answer = dashboard.ask_as_stranger("GET", path)
    assert (answer.status, answer.headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert "<code>anamnesis dashboard</code> printed" in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert "set-cookie" not in answer.headers


def test_every_api_request_without_the_cookie_is_refused_as_json(dashboard: Dashboard) -> None:
    dashboard.put("A1", "Private")
    paths = {route.path for route in api_routes()}
    for path in [*(re.sub(r"\{.*?\}", "A1", path) for path in paths), ""]:
        answer = dashboard.ask_as_stranger("GET", f"/api{path}")
        assert (answer.status, "locked" in answer.json["error"]) == (401, True), path
        assert "Private" not in answer.text


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_a_form_cannot_write_even_with_the_cookie(dashboard: Dashboard, kind: str) -> None:
    assert dashboard.ask("POST", "/api/notes", NOTE, headers={"Content-Type": kind}).status == 415
    assert dashboard.store.stats()["total"] == 0


def test_every_response_has_the_security_headers(dashboard: Dashboard) -> None:
    paths = ("/", "/api/notes", "/api/nothing", "/_next/static/a.js", "/missing", "/?token=x")
    answers = [ask("GET", path) for path in paths for ask in (dashboard.ask, dashboard.ask_as_stranger)]
    for headers in (answer.headers for answer in answers):
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]


def test_the_policy_allows_the_pages_own_inline_script_by_its_hash_and_no_other(dashboard: Dashboard) -> None:
    policy = dashboard.ask("GET", "/").headers["content-security-policy"]
    allowed = base64.b64encode(hashlib.sha256(b"start()").digest()).decode()
    scripts = policy.partition("script-src ")[2].split()
    assert f"'sha256-{allowed}'" in scripts
    assert len(scripts) == 3  # 'self', and one script each of the two pages


@pytest.mark.parametrize(
    "path",
    [
        "/../conftest.py",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/_next/../../store/config.json",
        "/_next/static/..%5c..%5cindex.html",
    ],
)
def test_no_path_leaves_the_folder(dashboard: Dashboard, path: str) -> None:
    (dashboard.store.root / "config.json").write_text('{"secret": "never shown"}')
    answer = dashboard.ask("GET", path)
    assert answer.status in (400, 404)
    assert "root:" not in answer.text
    assert "never shown" not in answer.text


def test_a_symlink_out_of_the_folder_is_not_followed(dashboard: Dashboard, static: Path) -> None:
    (static / "out.txt").symlink_to(dashboard.store.root / "config.json")
    (dashboard.store.root / "config.json").write_text('{"secret": "never shown"}')
    assert dashboard.ask("GET", "/out.txt").status == 404
