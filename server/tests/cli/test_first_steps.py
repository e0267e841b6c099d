"""A newcomer's session with the installed command, from an empty machine to a restored note."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("anamnesis")


@pytest.fixture
def walk() -> Callable[..., str]:
    """Run the console script, which must succeed; return its output."""
    if not COMMAND.exists():
        pytest.skip("the console script is not installed beside this interpreter")

    def step(*words: str, stdin: str = "") -> str:
        done = subprocess.run(
            [COMMAND, *words], input=stdin, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, f"{words}: {done.stderr}"
        assert "Traceback" not in done.stderr
        return done.stdout

    return step


def test_init_write_search_show_edit_supersede_history_restore_delete_doctor(
    walk: Callable[..., str], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No client on this machine: init must print what to run instead of calling it.
    monkeypatch.setenv("PATH", f"{COMMAND.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    walk("init", "--local-only", "--yes", "--machine-id", "desk")
    note = walk(
        "write", "--type", "procedural", "--title", "Before a push", "--tags", "git", stdin="Run make test.\n"
    ).strip()
    assert [hit["id"] for hit in json.loads(walk("search", "--json", "--", "push"))] == [note]
    assert walk("show", note).endswith("---\nRun make test.\n")

    monkeypatch.setenv("EDITOR", "sed -i s/test/check/")
    walk("edit", note)
    assert walk("show", note).endswith("---\nRun make check.\n")

    newer = walk("supersede", note, "--title", "Before a push", "--body", "Run make check test.").strip()
    assert [hit["id"] for hit in json.loads(walk("search", "--json", "push"))] == [newer]

    versions = json.loads(walk("history", note, "--json"))["versions"]
    assert len(versions) == 2
    walk("history", note, "--restore", versions[-1]["version"])
    assert walk("show", note).endswith("---\nRun make test.\n")

    walk("delete", newer, "--yes")
    assert [hit["id"] for hit in json.loads(walk("search", "--json", "push"))] == [note]
    walk("history", newer, "--restore")
    assert [hit["id"] for hit in json.loads(walk("search", "--json", "push"))] == [newer]

    assert json.loads(walk("doctor", "--fix", "--json"))["healthy"] is True
    assert "notes       1, 1 superseded  procedural 1" in walk("status")
    assert sorted(path.stem for path in (root / "memory").rglob("*.md")) == sorted([note, newer])
