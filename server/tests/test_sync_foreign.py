"""A remote that is not a memory: a wrong address neither receives notes nor adds files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from anamnesis.errors import SyncError
from anamnesis.store import MemoryStore
from machines import Machine, make_remote


def fill(remote: Path, *names: str) -> str:
    """Commit files to a bare repository as a person would; returns the commit."""
    work = remote.with_suffix(".work")
    subprocess.run(["git", "clone", "-q", str(remote), str(work)], check=True, capture_output=True)
    for name in names:
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name}\n")
    me = ("-c", "user.name=a", "-c", "user.email=a@b")
    for order in (("add", "-A"), (*me, "commit", "-qm", "x"), ("push", "-q", "origin", "HEAD:main")):
        subprocess.run(["git", "-C", str(work), *order], check=True, capture_output=True)
    return tip(remote)


def tip(remote: Path) -> str:
    """The commit of a repository's branch."""
    return subprocess.check_output(["git", "-C", str(remote), "rev-parse", "main"], text=True).strip()


@pytest.fixture
def desk(tmp_path: Path, remote: Path) -> Machine:
    """A machine with one note."""
    machine = Machine(tmp_path / "desk", remote)
    machine.write("a", "one")
    return machine


def test_a_programs_repository_is_refused_and_unchanged(desk: Machine, remote: Path) -> None:
    before = fill(remote, "README.md", "src/main.py", "pyproject.toml")
    with pytest.raises(SyncError, match=r"contains other files \(pyproject.toml, src/main.py\) and no notes"):
        desk.sync()
    assert tip(remote) == before
    assert sorted(desk.files()) == ["semantic/a.md"]
    assert desk.backend.state().failure == "foreign"
    assert desk.git("status", "--porcelain") == ""


def test_the_right_remote_gets_nothing_from_the_wrong_one(
    desk: Machine, remote: Path, tmp_path: Path
) -> None:
    fill(remote, "src/main.py")
    with pytest.raises(SyncError):
        desk.sync()
    right = Machine(desk.root, make_remote(tmp_path / "right.git"))
    assert right.sync().pushed
    assert right.backend.state().failure == ""
    lap = Machine(tmp_path / "lap", right.remote)
    lap.sync()
    assert sorted(lap.files()) == ["semantic/a.md"]


def test_rejoin_overrides_the_refusal_and_names_the_other_files_once(desk: Machine, remote: Path) -> None:
    fill(remote, "src/main.py")
    result = desk.backend.sync(rejoin=True)
    assert result.pushed
    assert "src/main.py stays at the remote only" in result.detail
    assert desk.sync().detail == "synced"
    assert not desk.sync().needs_attention
    assert "semantic/a.md" in desk.git("ls-tree", "-r", "--name-only", "origin/main")


@pytest.mark.parametrize(
    "names",
    [
        ("README.md", "LICENSE", ".gitignore"),
        ("README.md", "Notes/Daily.md"),
        ("semantic/b.md", "picture.png"),
        ("machines/lap.json",),
    ],
)
def test_a_remote_with_a_readme_or_notes_is_joined(
    desk: Machine, remote: Path, names: tuple[str, ...]
) -> None:
    fill(remote, *names)
    assert desk.sync().pushed


def test_the_readme_that_a_host_made_is_no_unreadable_note(desk: Machine, remote: Path) -> None:
    fill(remote, "README.md")
    desk.sync()
    assert "README.md" in desk.files()
    with MemoryStore(desk.root) as store:
        assert store.problems() == []
