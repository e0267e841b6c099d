"""The built pages: served as files, never from outside their folder, with a message if they are missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anamnesis.dashboard.app import build_app
from anamnesis.dashboard.guard import Login
from anamnesis.store import MemoryStore
from dashboard_server import Dashboard


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


def test_hashed_files_are_cached_and_pages_are_not(dashboard: Dashboard) -> None:
    assert "immutable" in dashboard.ask("GET", "/_next/static/a.js").headers["cache-control"]
    assert dashboard.ask("GET", "/").headers["cache-control"] == "no-cache"


def test_an_unknown_page_gets_the_not_found_page(dashboard: Dashboard) -> None:
    answer = dashboard.ask("GET", "/missing/")
    assert (answer.status, answer.text[:18]) == (404, "<html>nothing here")


def test_a_missing_build_says_how_to_build_it(store: MemoryStore, tmp_path: Path) -> None:
    login = Login(8000)
    cookie = login.answer().headers["set-cookie"].partition(";")[0]
    with TestClient(
        build_app(store, login=login, static=tmp_path), base_url="http://localhost:8000"
    ) as client:
        answer = client.get("/notes/", headers={"Cookie": cookie})
    assert (answer.status_code, "make dashboard" in answer.text) == (503, True)
