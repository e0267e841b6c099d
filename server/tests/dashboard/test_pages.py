"""The built pages: served as files, never from outside their folder, with a message if they are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

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
