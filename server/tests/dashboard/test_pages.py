"""The built pages: served as files, never from outside their folder, with a message if they are missing."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

from anamnesis.dashboard.pages import content_policy, is_built, missing_build
from dashboard_server import Dashboard


@pytest.mark.parametrize(
    "path",
    [
        "/../conftest.py",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/_next/../../store/config.json",
        "//etc/passwd",
        "/_next/static/..%5c..%5cindex.html",
        "/%00",
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


def test_hashed_files_are_cached_and_pages_are_not(dashboard: Dashboard) -> None:
    assert "immutable" in dashboard.ask("GET", "/_next/static/a.js").headers["cache-control"]
    assert dashboard.ask("GET", "/").headers["cache-control"] == "no-cache"


def test_an_unknown_page_gets_the_not_found_page(dashboard: Dashboard) -> None:
    answer = dashboard.ask("GET", "/missing/")
    assert (answer.status, answer.text[:18]) == (404, "<html>nothing here")


@pytest.mark.parametrize("path", ["/missing/", "/missing", "/docs/guide.md", "/404.html"])
def test_the_not_found_page_may_run_its_own_scripts(dashboard: Dashboard, path: str) -> None:
    answer = dashboard.ask("GET", path)
    allowed = base64.b64encode(hashlib.sha256(b"begin()").digest()).decode()
    assert f"script-src 'self' 'sha256-{allowed}'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-cache"


def test_a_page_that_has_not_changed_keeps_its_policy(dashboard: Dashboard) -> None:
    first = dashboard.ask("GET", "/")
    again = dashboard.ask("GET", "/", headers={"If-None-Match": first.headers["etag"]})
    assert again.status == 304
    assert again.headers["content-security-policy"] == first.headers["content-security-policy"]


def test_a_missing_build_says_how_to_build_it(tmp_path: Path) -> None:
    assert not is_built(tmp_path)
    page, json = missing_build(wants_page=True), missing_build(wants_page=False)
    assert page.status_code == json.status_code == 503
    assert b"make dashboard" in bytes(page.body)
    assert b"make dashboard" in bytes(json.body)


def test_a_script_with_a_src_needs_no_hash() -> None:
    assert "sha256" not in content_policy(
        b'<script async src="/x.js"></script><script id="a" src="/y.js"></script>'
    )
    assert content_policy(b"<script>a</script><SCRIPT id='x'>b\n</SCRIPT>").count("sha256") == 2
