"""Commits and records at the remote that no machine of ours would make: every command copes with them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from machines import Machine, run_git

Run = Callable[..., CompletedProcess[str]]
ID = "01J9Z8YPM7Q3X2V4WT6B5N0KGD"
NOTE = f"---\nid: {ID}\ntype: semantic\ntitle: Guest\n---\nIt came with an odd date.\n"


@pytest.fixture
def clone(lap: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plain clone of the remote that this machine and another one sync with."""
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(lap.remote))
    lap.write("N1", "walrus")
    lap.sync()
    run_git(tmp_path, "clone", "-q", str(lap.remote), "plain")
    return tmp_path / "plain"


def push(clone: Path, path: str, text: str, *, date: str = "1760000000 +0000") -> None:
    (clone / path).parent.mkdir(exist_ok=True)
    (clone / path).write_text(text, encoding="utf-8")
    run_git(clone, "add", ".")
    tree, parent = run_git(clone, "write-tree").strip(), run_git(clone, "rev-parse", "HEAD").strip()
    who = f"guest <guest@example.org> {date}"
    commit = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\nodd\n"
    order = ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"]
    made = subprocess.run(order, cwd=clone, input=commit, capture_output=True, text=True, check=True)
    run_git(clone, "push", "-q", "origin", f"{made.stdout.strip()}:refs/heads/main")


@pytest.mark.parametrize(
    "date",
    [
        *("253402300800 +0000", "99999999999999 +0000", "9223372036854775807 +0000", "-315619200 +0000"),
        *("abc +0000", "0 +0000", "4102444800 +9999"),
    ],
)
def test_a_commit_with_any_date_is_synced_and_shown(
    anamnesis: Run, write: Callable[..., str], clone: Path, lap: Machine, date: str
) -> None:
    mine = write("Mine")
    assert anamnesis("sync").returncode == 0
    run_git(clone, "pull", "-q", "origin", "main")
    push(clone, f"semantic/{ID}.md", NOTE, date=date)
    for words in (["sync"], ["news"], ["fleet"], ["history", ID], ["status"], ["inject"]):
        done = anamnesis(*words)
        assert (done.returncode, done.stderr) == (0, ""), words
    assert "Guest" in anamnesis("show", ID).stdout
    lap.sync()
    assert lap.path(mine) is not None


@pytest.mark.parametrize("old", ['["a"]', '{"a": 1}', "null", "7"])
def test_an_alias_that_names_no_project_is_ignored(anamnesis: Run, clone: Path, old: str) -> None:
    push(clone, "aliases/odd.json", f'{{"old": {old}, "new": "b/c"}}')
    assert anamnesis("sync").returncode == 0
    assert anamnesis("project", "set", "a/b").returncode == 0
    for words in (["list"], ["search", "walrus"], ["project", "show"], ["inject"], ["status"]):
        done = anamnesis(*words)
        assert (done.returncode, done.stderr) == (0, ""), words
