"""The doctor on a damaged repository: it reports it, and the repair loses neither notes nor history."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.doctor import Context, Finding, check_up, examine
from anamnesis.git import Git
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from machines import make_remote

Damage = Callable[[Path], object]


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The remote that the store is synced with."""
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "desk")
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(tmp_path / "remote.git"))
    return make_remote(tmp_path / "remote.git")


@pytest.fixture
def context(store: MemoryStore, remote: Path) -> Context:
    """A store that was synced twice."""
    backend = GitSyncBackend(store.memory_dir, remote=str(remote), machine_id="desk")
    for title in ("Use WAL mode", "Ports begin at 8000"):
        store.write(type="semantic", title=title, body=f"{title}, always")
        backend.sync()
    return Context(store, backend)


def repository(context: Context) -> Finding:
    """The doctor's finding about the repository."""
    return next(found for found in examine(context) if found.name == "repository")


def loose(folder: Path, name: str) -> Path:
    """The file of the object that `name` stands for."""
    oid = Git(folder).line("rev-parse", name)
    path = folder / ".git" / "objects" / oid[:2] / oid[2:]
    path.chmod(0o600)
    return path


def blob(folder: Path) -> Path:
    """The file of the text of a note in the history."""
    (name, *_) = Git(folder).line("ls-tree", "-r", "--name-only", "HEAD").splitlines()
    return loose(folder, f"HEAD:{name}")


def unpack(folder: Path) -> None:
    """Unpack every object into its own file, as in a new store."""
    git = Git(folder)
    for pack in (folder / ".git" / "objects" / "pack").glob("*.pack"):
        data = pack.read_bytes()
        for part in pack.parent.glob(f"{pack.stem}.*"):
            part.unlink()
        git.run("unpack-objects", "-q", stdin=data)


DAMAGES: dict[str, Damage] = {
    "the commit is empty": lambda folder: loose(folder, "HEAD").write_bytes(b""),
    "the branch names nothing": lambda folder: (folder / ".git/refs/heads/main").write_text("1" * 40 + "\n"),
    "the objects are gone": lambda folder: shutil.rmtree(folder / ".git" / "objects"),
    "packed-refs is garbage": lambda folder: (folder / ".git/packed-refs").write_bytes(b"\1\2 garb\n"),
    "a text is gone": lambda folder: blob(folder).unlink(),
    "a text is empty": lambda folder: blob(folder).write_bytes(b""),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_repository_is_bad_and_repair_brings_everything_back_from_the_remote(
    context: Context, remote: Path, damage: Damage
) -> None:
    folder, notes = context.store.memory_dir, context.store.list()
    before = Git(remote).line("--git-dir=.", "rev-parse", "main")
    unpack(folder)
    assert repository(context).state == "ok"
    damage(folder)
    found = repository(context)
    assert (found.state, "\n" in found.evidence) == ("bad", False)
    assert found.evidence.startswith("damaged: ")
    assert "comes back from the remote" in found.remedy

    repaired = check_up(context, fix=True)
    assert repaired.failed == []
    (aside,) = context.home.glob("git.damaged-*")
    assert str(aside) in repaired.fixed[0]
    assert (aside / "HEAD").is_file()

    fresh = GitSyncBackend(folder, remote=str(remote), machine_id="desk")
    assert fresh.sync().detail == "synced"
    assert Git(folder).line("rev-parse", "main") == before
    assert context.store.list() == notes
    assert repository(context).state == "ok"


def test_a_damaged_repository_without_a_remote_gets_a_new_history_with_every_note(
    store: MemoryStore,
) -> None:
    store.write(type="semantic", title="Use WAL mode", body="always")
    context = Context(store, GitSyncBackend(store.memory_dir, remote=None, machine_id="desk"))
    context.backend.commit()
    unpack(store.memory_dir)
    loose(store.memory_dir, "HEAD").write_bytes(b"")
    assert "the notes are untouched" in repository(context).remedy
    check_up(context, fix=True)
    context.backend.sync()
    assert repository(context).state == "ok"
    assert len(Git(store.memory_dir).line("ls-tree", "-r", "--name-only", "main").splitlines()) == 1


def test_without_git_every_check_that_needs_it_refers_to_the_git_check(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = {each.name: each for each in examine(context)}
    assert found["git"].evidence == "git was not found on the PATH"
    assert [found[name].remedy for name in ("repository", "remote")] == ["see `git`", "see `git`"]
