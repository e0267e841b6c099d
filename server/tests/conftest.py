"""Fixtures for every test: its own home, a store, a clock, a remote, two machines."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from anamnesis.cli import main
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from machines import Machine, make_remote
from ssh_server import SshServer, serve_ssh

# A shared machine may pause anywhere, so the time of one example says nothing.
settings.register_profile("house", deadline=None, database=None)
# `make fuzz`: the same tests with many more examples; the database would only repeat earlier findings.
settings.register_profile("fuzz", deadline=None, database=None, max_examples=500)
settings.load_profile(os.environ.get("ANAMNESIS_TEST_PROFILE", "house"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests an hour: the limit is meant for hangs, not for a busy machine."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(3600))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder: no test sees the user's own store, client or git configuration."""
    for variable in list(os.environ):
        if variable.startswith(("ANAMNESIS_", "GIT_", "CLAUDE_", "CODEX_", "XDG_")):
            monkeypatch.delenv(variable)
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    # A remote that is a folder always answers, but may be slow on a busy machine.
    monkeypatch.setenv("ANAMNESIS_SYNC_TIMEOUT", "600")
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "store"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder / ".claude"))
    return folder


def _clock_in(zone: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local time nine hours ahead of UTC."""
    yield from _clock_in("Asia/Tokyo", monkeypatch)


@pytest.fixture
def in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local time in UTC."""
    yield from _clock_in("UTC", monkeypatch)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    """An empty store at the path in the environment."""
    with MemoryStore(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def anamnesis(capsys: pytest.CaptureFixture[str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command in this process."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        capsys.readouterr()
        code = main(list(words))
        out, err = capsys.readouterr()
        return subprocess.CompletedProcess(list(words), code, out, err)

    return run


class Clock:
    """The time that new notes get; it changes only when a test sets it."""

    def __init__(self) -> None:
        self.moment = "2026-01-01T00:00:00+00:00"

    def __call__(self) -> str:
        return self.moment

    def set(self, moment: str) -> None:
        """Set the time."""
        self.moment = moment


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A fake clock for everything that the store timestamps."""
    hands = Clock()
    monkeypatch.setattr("anamnesis.store.utcnow", hands)
    return hands


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """A bare repository that machines sync through."""
    return make_remote(tmp_path / "remote.git")


@pytest.fixture
def desk(tmp_path: Path, remote: Path) -> Machine:
    """One machine."""
    return Machine(tmp_path / "desk", remote)


@pytest.fixture
def lap(tmp_path: Path, remote: Path) -> Machine:
    """Another machine with the same remote."""
    return Machine(tmp_path / "lap", remote)


@pytest.fixture
def backend(store: MemoryStore) -> GitSyncBackend:
    """The store's backend, without a remote; nothing is committed yet."""
    return GitSyncBackend(store.memory_dir, remote=None, machine_id="desk")


@pytest.fixture
def ssh_host(tmp_path: Path, home: Path) -> Iterator[SshServer]:
    """An ssh server that accepts this user's key, and an ssh client that knows it."""
    with serve_ssh(tmp_path / "ssh", home) as running:
        yield running
