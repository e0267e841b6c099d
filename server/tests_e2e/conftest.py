"""The client, a fake API, and machines to run it on."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from client import fetch_client
from fake_api import FakeApi
from machine import Machine, MakeMachine


@pytest.fixture(scope="session")
def client_binary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real client, in its own folder under the name that `init` looks for."""
    cache = os.environ.get("ANAMNESIS_E2E_CACHE") or os.path.join(tempfile.gettempdir(), "anamnesis-e2e")
    link = tmp_path_factory.mktemp("bin") / "claude"
    link.symlink_to(fetch_client(Path(cache)))
    return link


@pytest.fixture
def api() -> Iterator[FakeApi]:
    """The fake API, which answers as scripted."""
    served = FakeApi()
    yield served
    served.close()


@pytest.fixture
def machine(tmp_path: Path, client_binary: Path, api: FakeApi) -> MakeMachine:
    """Make a machine by name; those with a `remote` share it."""

    def make(
        name: str = "desk", *, remote: Path | None = None, capture: str = "all", wired: bool = True
    ) -> Machine:
        return Machine(tmp_path / name, name, client_binary, api.url, remote, capture, wired)

    return make


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """An empty bare repository."""
    folder = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder)], check=True)
    return folder
