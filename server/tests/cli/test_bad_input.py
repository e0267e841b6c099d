"""Every command with bad input: a clear message, the right exit code, nothing changed."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import Result, Run, Write

READING = [
    ("search", "words"),
    ("list",),
    ("show", "01UNKNOWN"),
    *((name,) for name in ("status", "sync", "reindex", "doctor", "resolve", "why")),
    ("history", "01UNKNOWN"),
    ("edit", "01UNKNOWN"),
    ("delete", "01UNKNOWN", "--yes"),
    ("supersede", "01UNKNOWN", "--title", "t", "--body", "b"),
]
UNKNOWN = [words for words in READING if "01UNKNOWN" in words]
UNKNOWN += [("write", "--type", "semantic", "--title", "t", "--body", "b", "--supersedes", "01UNKNOWN")]


def contents(root: Path) -> dict[str, bytes]:
    """Every note and setting, by path."""
    kept = (path for path in root.rglob("*") if path.suffix in (".md", ".json") and ".git" not in path.parts)
    return {str(path): path.read_bytes() for path in kept}


def is_one_clear_line(done: Result) -> bool:
    """Whether an error has the usual form."""
    return not done.stdout and done.stderr.startswith("anamnesis: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", READING, ids=lambda words: words[0])
def test_without_a_store_a_command_says_so_and_creates_none(
    anamnesis: Run, root: Path, words: tuple[str, ...]
) -> None:
    done = anamnesis(*words)
    assert done.returncode == 1
    assert is_one_clear_line(done)
    assert "there is no store here" in done.stderr
    assert not root.exists()


@pytest.mark.parametrize("words", UNKNOWN, ids=lambda words: words[0])
def test_an_unknown_id_is_reported_and_nothing_changes(
    anamnesis: Run, write: Write, root: Path, words: tuple[str, ...]
) -> None:
    write()
    before = contents(root)
    done = anamnesis(*words)
    assert done.returncode == 1
    assert is_one_clear_line(done)
    assert "01UNKNOWN" in done.stderr
    assert contents(root) == before


@pytest.fixture
def read_only(write: Write, root: Path) -> Iterator[str]:
    """The id of a note in a read-only store."""
    note = write()
    paths = [root, *root.rglob("*")]
    for path in paths:
        path.chmod(0o500 if path.is_dir() else 0o400)
    yield note
    for path in paths:
        path.chmod(0o700)


def run_without_privilege(*words: str) -> Result:
    """Run the command as a process that obeys file modes even if the tests run as root."""
    command = [sys.executable, "-m", "anamnesis", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=_give_up_override)


def _give_up_override() -> None:
    drop_from_bounding_set, may_override_modes = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounding_set, may_override_modes, 0, 0, 0)


@pytest.mark.parametrize(
    "words", [("search", "WAL"), ("list",), ("show", "ID"), ("status",)], ids=lambda words: words[0]
)
def test_a_read_only_store_can_be_read(read_only: str, words: tuple[str, ...]) -> None:
    done = run_without_privilege(*(read_only if word == "ID" else word for word in words))
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("write", "--type", "semantic", "--title", "t", "--body", "b"),
        ("supersede", "ID", "--title", "t", "--body", "b"),
        ("delete", "ID", "--yes"),
        ("edit", "ID"),
        ("config", "set", "machine_id", "x"),
    ],
    ids=lambda words: words[0],
)
def test_a_read_only_store_is_not_changed(
    read_only: str, root: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("EDITOR", "sed -i s/busy/changed/")
    before = contents(root)
    done = run_without_privilege(*(read_only if word == "ID" else word for word in words))
    assert done.returncode == 1
    assert done.stderr.startswith(("anamnesis: ", "your text is kept"))
    assert "Traceback" not in done.stderr
    assert words[0] != "write" or "nothing was written" in done.stderr
    assert contents(root) == before


def test_a_store_root_that_is_a_file_is_reported(anamnesis: Run, root: Path) -> None:
    root.write_text("not a folder")
    for words in (("list",), ("write", "--type", "semantic", "--title", "t", "--body", "b")):
        done = anamnesis(*words)
        assert done.returncode == 1
        assert is_one_clear_line(done)
    assert root.read_text() == "not a folder"


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("search", "-k", "0", "x"), "'0' is not a whole number above 0"),
        (("search", "--since", "soon", "x"), "'soon' is not a date"),
        (("list", "--type", "nonsense"), "(choose from 'procedural', 'semantic', 'episodic'); see:"),
        (("write", "--titel", "t"), "unrecognized arguments: --titel; see:"),
        (("show",), "ID"),
        (("dashboard", "--port", "http"), "invalid int value: 'http'"),
        (("import", "--dry-run"), "--dry-run needs a PATH"),
        (("resolve", "--mine"), "--mine needs"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_invalid_arguments_are_reported_in_one_line_and_change_nothing(
    script: Run, root: Path, words: tuple[str, ...], wrong: str
) -> None:
    done = script(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("anamnesis ")
    assert done.stderr.count("\n") == 1
    assert wrong in done.stderr
    assert not root.exists()


def test_a_broken_config_file_does_not_stop_read_commands(anamnesis: Run, write: Write, root: Path) -> None:
    write()
    (root / "config.json").write_text("{broken")
    assert anamnesis("search", "WAL").returncode == 0
    assert anamnesis("status").returncode == 0
