"""Machines for the sync tests: a folder of note files, a backend, and a bare repository between them."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from anamnesis.git import Git
from anamnesis.notes.record import Memory, deserialize, serialize
from anamnesis.purge import Purge, new_purge
from anamnesis.sync import GitSyncBackend, SyncResult, tree

DAWN = "2026-01-01T00:00:00+00:00"
LATER = "2026-02-01T00:00:00+00:00"


def make_remote(folder: Path) -> Path:
    """A bare repository."""
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder)], check=True)
    return folder


def make_clone(folder: Path, url: str) -> Path:
    """A repository whose origin has this address."""
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    run_git(folder, "remote", "add", "origin", url)
    return folder


@dataclass
class Machine:
    """One machine: its files under `root/memory`, and what it syncs with."""

    root: Path
    remote: Path | str | None
    timeout: float = 600.0  # for a silent remote; the speed of the machine must not matter
    results: list[SyncResult] = field(default_factory=list)

    @property
    def memory(self) -> Path:
        """The folder that is synced."""
        return self.root / "memory"

    @property
    def backend(self) -> GitSyncBackend:
        """A backend as a new process would create it."""
        remote = str(self.remote) if self.remote else None
        return GitSyncBackend(self.memory, remote=remote, machine_id=self.root.name, timeout=self.timeout)

    def sync(self) -> SyncResult:
        """One sync, with its state cached."""
        self.results.append(self.backend.sync())
        return self.results[-1]

    def write(self, note_id: str, body: str, *, at: str = DAWN, **fields: object) -> Path:
        """Write a note file as the store would."""
        return self.save(
            Memory(id=note_id, title="a title", type="semantic", body=body, created_at=DAWN, updated_at=at),
            **fields,
        )

    def save(self, note: Memory, **fields: object) -> Path:
        """Write a changed note to its path and remove its old file."""
        changed = replace(note, **fields)  # type: ignore[arg-type]  # the names are checked by `replace`
        path = self.memory / changed.type / f"{changed.id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(serialize(changed).encode())
        old = self.memory / note.type / f"{note.id}.md"
        if old != path:
            old.unlink(missing_ok=True)
        return path

    def purge(self, *ids: str, texts: Iterable[str] = ()) -> Purge:
        """Purge notes and texts on this machine; the next sync sends the purge to the others."""
        purge = new_purge(ids=ids, texts=texts, machine=self.root.name, at=DAWN)
        self.backend.purge(purge)
        return purge

    def path(self, note_id: str) -> Path | None:
        """The file of a note."""
        found = list(self.memory.glob(f"*/{note_id}.md"))
        assert len(found) < 2, f"{note_id} is in several files: {found}"
        return found[0] if found else None

    def read(self, note_id: str) -> Memory:
        """A note from its file."""
        path = self.path(note_id)
        assert path is not None, f"{note_id} is not on {self.root.name}"
        return deserialize(path.read_bytes().decode())

    def delete(self, note_id: str) -> None:
        """Remove a note's file."""
        path = self.path(note_id)
        assert path is not None
        path.unlink()

    def make_private(self, note_id: str) -> Path:
        """Make a note machine-local, as the store does."""
        note, old = self.read(note_id), self.path(note_id)
        path = self.root / "local" / note.type / f"{note_id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        assert old is not None
        old.rename(path)
        path.write_bytes(serialize(replace(note, scope="machine-local")).encode())
        return path

    def private(self) -> dict[str, str]:
        """The bodies of the machine-local notes, by id."""
        paths = (self.root / "local").glob("*/*.md")
        return {path.stem: deserialize(path.read_bytes().decode()).body for path in paths}

    def share(self, note_id: str) -> None:
        """Move a note back to the synced tree."""
        (path,) = (self.root / "local").glob(f"*/{note_id}.md")
        note = deserialize(path.read_bytes().decode())
        path.unlink()
        self.save(note, scope="portable")

    def files(self) -> dict[str, bytes]:
        """Every file of the tree outside `.git`, by relative path."""
        return {
            str(path.relative_to(self.memory)): path.read_bytes()
            for path in sorted(self.memory.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(self.memory).parts
        }

    def git(self, *args: str) -> str:
        """Run the user's own git in the folder and return its output."""
        return run_git(self.memory, *args)


def run_git(folder: Path, *args: str) -> str:
    """Plain git with the test's own home, as a user would run it."""
    identity = ["-c", "user.name=user", "-c", "user.email=user@example.org"]
    done = subprocess.run(["git", *identity, *args], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode("utf-8", "replace")


def traces(folder: Path, text: str) -> list[str]:
    """Where a text still occurs below a folder: in files, and in every object of every repository.

    Unreachable objects are searched too; reflogs and git's own files are searched as files.
    """
    wanted = text.encode()
    found = [
        str(path) for path in folder.rglob("*") if path.is_file() and wanted in path.read_bytes()
    ]  # including file names
    found += [str(path) for path in folder.rglob("*") if text in path.name]
    with TemporaryDirectory() as empty:  # a repository that was set aside may not be one to git
        subprocess.run(["git", "init", "-q", "--bare", empty], check=True)
        order = ["git", f"--git-dir={empty}", "cat-file", "--batch", "--batch-all-objects"]
        for objects in folder.rglob("objects"):
            if (objects.parent / "HEAD").is_file():
                place = {**os.environ, "GIT_OBJECT_DIRECTORY": str(objects)}
                said = subprocess.run(order, env=place, capture_output=True, check=True).stdout
                found += [f"{objects}: object"] if wanted in said else []
    return found


def assert_gone(text: str, *machines: Machine) -> None:
    """Check that the text is nowhere on the machines, nor at the remote after git gc."""
    for machine in machines:
        assert traces(machine.root, text) == []
    remote = Path(str(machines[0].remote))
    history = run_git(remote, "log", "-p", "--format=%B", "--all")
    assert text not in history
    run_git(remote, "gc", "-q", "--prune=now")
    assert traces(remote, text) == []


def settle(*machines: Machine, rounds: int = 2) -> None:
    """Sync all machines until each has seen the others' last changes."""
    for _ in range(rounds):
        for machine in machines:
            machine.sync()


def run_until(step: int, act: Callable[[], object]) -> bool:
    """Run `act` in a child that is killed before its step-th use of git or a file; whether it was killed."""
    return _dies(lambda: _die_at(step), act)


def run_until_system_call(step: int, act: Callable[[], object]) -> bool:
    """Run `act` in a child that is killed before its step-th call that opens or changes a file."""
    names = ("open", "fsync", "replace", "rename", "unlink", "mkdir", "close")

    def plan() -> None:
        left = [step]
        for name in names:
            setattr(os, name, _counted(getattr(os, name), left))

    return _dies(plan, act)


def run_until_call(owner: object, name: str, at: Callable[..., bool], act: Callable[[], object]) -> bool:
    """Run `act` in a child that is killed before a call of `owner.name` for which `at` is true."""
    return _dies(lambda: _die_before(owner, name, at), act)


def _dies(plan: Callable[[], None], act: Callable[[], object]) -> bool:
    child = os.fork()
    if child == 0:
        try:
            plan()
            act()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _die_before(owner: object, name: str, at: Callable[..., bool]) -> None:
    function = getattr(owner, name)

    def wrapper(*args: object, **kwargs: object) -> object:
        if at(*args, **kwargs):
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **kwargs)

    setattr(owner, name, wrapper)


def every_start(stride: int) -> pytest.MarkDecorator:
    """Run a test at steps `stride` apart; with ANAMNESIS_TEST_EVERY_STEP=1 at every step."""
    starts = range(stride if os.environ.get("ANAMNESIS_TEST_EVERY_STEP") else 1)
    return pytest.mark.parametrize("first", starts)


def _counted(function: Callable[..., object], left: list[int]) -> Callable[..., Any]:
    """A function that kills the process once there are no calls left."""

    def wrapper(*args: object, **kwargs: object) -> object:
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **kwargs)

    return wrapper


def _die_at(step: int) -> None:
    left = [step]
    Git.ask = _counted(Git.ask, left)  # type: ignore[method-assign]  # only in the child
    os.replace = _counted(os.replace, left)
    tree.Tree.remove = _counted(tree.Tree.remove, left)  # type: ignore[method-assign]
