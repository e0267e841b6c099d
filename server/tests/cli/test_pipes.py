"""A pipe or an endless device in place of one of the store's own files: no command waits for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from machines import Machine

pytestmark = pytest.mark.timeout(40)  # reading one of these would never end

Run = Callable[..., CompletedProcess[str]]

OF_THE_STORE = (
    *("config.json", "machine.db", "sync.json", "anamnesis.log"),
    *("index.db-journal", "index.look", "clean.bin", "memory/.gitattributes"),
)
OF_SYNC = ("state.json", "runs.json", "store-mark", "held.json")
OF_GIT = (
    *("HEAD", "index", "config", "packed-refs", "commondir", "shallow", "MERGE_HEAD", "refs/heads/main"),
    *("info/exclude", "info/attributes", "objects/info/alternates"),
)
PLACES = (
    *OF_THE_STORE,
    *(f"memory/.git/anamnesis/{name}" for name in OF_SYNC),
    *(f"memory/.git/{name}" for name in OF_GIT),
)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


CASES = [(place, _pipe) for place in PLACES]
CASES += [(place, _endless) for place in ("config.json", "machine.db", "memory/.git/refs/heads/main")]


@pytest.mark.parametrize(("place", "make"), CASES, ids=[f"{make.__name__}:{place}" for place, make in CASES])
def test_no_command_waits_and_the_next_sync_sends_the_notes(
    place: str,
    make: Callable[[Path], None],
    root: Path,
    anamnesis: Run,
    write: Callable[..., str],
    lap: Machine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(lap.remote))
    write("First")
    assert anamnesis("sync").returncode == 0
    second = write("Second")
    path = root / place
    path.unlink(missing_ok=True)
    make(path)
    for words in (["inject"], ["status"], ["search", "Second"], ["doctor"]):
        done = anamnesis(*words)
        assert "Traceback" not in done.stderr
    anamnesis("sync")
    anamnesis("sync")
    lap.sync()
    assert lap.path(second) is not None
