"""`project`, and what a session is told about its project's name."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from anamnesis.store import MemoryStore
from machines import make_clone, run_git
from processes import Run


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone whose marker asks for another project's memory."""
    folder = make_clone(tmp_path / "engine", "https://h.org/ada/engine")
    (folder / ".anamnesis").mkdir()
    (folder / ".anamnesis/project").write_text("h.org/bob/secrets\n")
    with MemoryStore(tmp_path / "store") as store:
        store.write(type="semantic", title="Bob", body="SECRET", project="h.org/bob/secrets")
        store.write(type="semantic", title="Ada", body="OWN", project="h.org/ada/engine")
    monkeypatch.chdir(folder)
    return folder


def test_a_folder_that_is_not_a_project_says_where_its_notes_go(
    anamnesis: Run, clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "not a project" not in anamnesis("project", "show").stderr
    (tmp_path / "downloads").mkdir()
    monkeypatch.chdir(tmp_path / "downloads")
    done = anamnesis("project", "show")
    assert done.stdout == "downloads\n"
    assert "this folder is not a project" in done.stderr
    anamnesis("project", "set", "downloads")
    assert anamnesis("project", "show").stderr == ""


def test_a_session_in_a_clone_gets_its_own_notes_and_a_line_about_the_marker(
    anamnesis: Run, clone: Path
) -> None:
    out = anamnesis("inject").stdout
    assert "OWN" in out
    assert "SECRET" not in out
    assert "asks for the memory of `h.org/bob/secrets`" in out
    assert anamnesis("project", "show").stdout.startswith("h.org/ada/engine\nThe marker")
    assert anamnesis("project", "trust").stdout == "h.org/bob/secrets\n"
    assert "SECRET" in anamnesis("inject").stdout


def test_a_renamed_project_is_noticed_and_one_command_moves_its_notes(anamnesis: Run, clone: Path) -> None:
    (clone / ".anamnesis/project").unlink()
    run_git(clone, "remote", "set-url", "origin", "https://h.org/new-home/engine")
    out = anamnesis("inject").stdout
    command = "anamnesis migrate h.org/ada/engine h.org/new-home/engine --apply"
    assert "There is 1 note for `h.org/ada/engine`, which may be this project under an earlier name: " in out
    assert f"`{command}` moves it here." in out
    before = json.loads(anamnesis("list", "--project", "h.org/ada/engine", "--json").stdout)
    assert anamnesis(*command.split()[1:]).returncode == 0
    assert "OWN" in anamnesis("inject").stdout
    after = json.loads(anamnesis("list", "--project", "h.org/new-home/engine", "--json").stdout)
    assert [note["updated_at"] for note in after] == [note["updated_at"] for note in before]
    run_git(clone, "remote", "set-url", "origin", "https://h.org/ada/engine")
    assert "earlier name" not in anamnesis("inject", "--project", "mistyped/engine").stdout
    assert "OWN" in anamnesis("inject").stdout, "the machine with the old address finds them too"


@pytest.mark.parametrize("how", ["write", "session"])
@pytest.mark.parametrize("is_repository", [True, False])
def test_a_folder_without_a_remote_that_was_renamed_is_noticed(
    anamnesis: Run,
    script: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
    is_repository: bool,
) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    if is_repository:
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
    monkeypatch.chdir(folder)
    words = ("write", "--type", "semantic", "--title", "t", "--body", "WOMBAT", "--project", "shop")
    monkeypatch.chdir(folder if how == "write" else tmp_path)
    assert anamnesis(*words).returncode == 0
    monkeypatch.chdir(folder)
    if how == "session":
        assert "WOMBAT" in script("inject", stdin=json.dumps({"session_id": "s1", "cwd": str(folder)})).stdout
    moved = folder.rename(tmp_path / "store-front")
    monkeypatch.chdir(moved)
    for session in ("s2", "s3"):
        said = script("inject", stdin=json.dumps({"session_id": session, "cwd": str(moved)})).stdout
        assert "`anamnesis migrate shop store-front --apply` moves it here" in said
    (tmp_path / "shop").mkdir()
    said = script("inject", stdin=json.dumps({"session_id": "s4", "cwd": str(moved)})).stdout
    assert "migrate" not in said, "a copy is another folder"
