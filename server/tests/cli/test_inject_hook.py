"""`inject` as the SessionStart hook runs it: a process with a payload on stdin, under any conditions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.cli import inject, main
from anamnesis.notes.record import Memory
from anamnesis.store import MemoryStore

Run = Callable[..., subprocess.CompletedProcess[bytes]]
PROJECT = "github.com/ada/engine"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A checkout of the project."""
    git = tmp_path / "work" / "engine" / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text(f'[remote "origin"]\n\turl = https://{PROJECT}.git\n')
    return git.parent


@pytest.fixture
def notes(store: MemoryStore) -> MemoryStore:
    """A global note, one of the project, one of another."""
    store.write(type="semantic", title="House style", body="GLOBAL tabs")
    store.write(type="semantic", title="Crank", body="OWN turn left", project=PROJECT)
    store.write(type="semantic", title="Loom", body="OTHER", project="github.com/ada/loom")
    return store


@pytest.fixture
def hook(work: Path) -> Run:
    """Run `inject` as the client does."""

    def run(
        stdin: bytes | None = b"", *words: str, cwd: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "anamnesis", "inject", *words]
        return subprocess.run(
            command, input=stdin, capture_output=True, timeout=60, cwd=cwd or work, env={**os.environ, **env}
        )

    return run


def payload(**fields: object) -> bytes:
    return json.dumps({"hook_event_name": "SessionStart", "session_id": "s1", **fields}).encode()


def assert_ok(done: subprocess.CompletedProcess[bytes]) -> str:
    """Check for exit code 0 and no traceback; return what was printed."""
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    return done.stdout.decode()


def test_nothing_is_injected_in_a_folder_that_is_switched_off(
    notes: MemoryStore, hook: Run, work: Path
) -> None:
    below = work / "src"
    below.mkdir()
    (work / ".anamnesis").mkdir()
    (work / ".anamnesis" / "off").touch()
    for folder in (work, below):
        assert assert_ok(hook(payload(source="startup", cwd=str(folder)), cwd=folder)) == ""
    assert "OWN" in assert_ok(hook(b"", "--project", PROJECT))


@pytest.mark.parametrize("errors", ["/dev/full", os.devnull])
def test_a_full_disk_behind_stdout_does_not_fail_the_session(
    notes: MemoryStore, work: Path, errors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(
        "PYTHONUNBUFFERED", raising=False
    )  # the text is still in the buffer when the hook ends
    command = [sys.executable, "-m", "anamnesis", "inject"]
    with open("/dev/full", "wb") as full, open(errors, "wb") as said:
        done = subprocess.run(
            command, input=payload(cwd=str(work)), stdout=full, stderr=said, cwd=work, check=False
        )
    assert done.returncode == 0


@pytest.mark.parametrize("source", ["startup", "clear", "compact"])
def test_a_starting_session_gets_the_global_notes_and_its_projects(
    notes: MemoryStore, hook: Run, work: Path, tmp_path: Path, source: str
) -> None:
    out = assert_ok(hook(payload(source=source, cwd=str(work)), cwd=tmp_path))
    assert out.startswith(
        f"# Anamnesis memory (auto-injected)\n\nProject `{PROJECT}`: 1 note, 1 shown in full; "
    )
    assert "### House style\n" in out
    assert "GLOBAL" in out
    assert "OWN" in out
    assert "OTHER" not in out


@pytest.mark.parametrize(
    "stdin",
    [
        b"",
        b"not json",
        b"[1, 2]",
        b"\xff\xfe\x00",
        b"[" * 200_000,
        b'{"cwd": {"a": 1}, "source": 7}',
        b'{"cwd": "/a\\u0000b"}',
        b'{"cwd": "' + b"x" * 5_000 + b'"}',
        b'{"cwd": "\\ud800"}',
        b'{"filler": "' + b"x" * 20_000_000 + b'"}',
    ],
    ids=lambda value: repr(value[:20]),
)
def test_the_global_notes_are_printed_for_any_payload(notes: MemoryStore, hook: Run, stdin: bytes) -> None:
    assert "GLOBAL" in assert_ok(hook(stdin))


def test_a_resumed_session_gets_nothing_when_nothing_is_new(
    notes: MemoryStore, hook: Run, work: Path
) -> None:
    for seconds in (-10, "x", None, True, float("nan")):
        stdin = payload(
            source="fork" if seconds == -10 else "resume", cwd=str(work), seconds_since_last_response=seconds
        )
        assert assert_ok(hook(stdin)) == ""
    assert assert_ok(hook(payload(source="resume", cwd=str(work)))) == ""


def test_a_resumed_session_gets_what_is_newer_than_its_last_answer(
    notes: MemoryStore, hook: Run, work: Path
) -> None:
    moment = "2020-01-01T00:00:00+00:00"
    old = Memory("old", "semantic", "Old", "OLD", project=PROJECT, created_at=moment, updated_at=moment)
    notes.put(old)
    out = assert_ok(hook(payload(source="resume", cwd=str(work), seconds_since_last_response=3600)))
    assert "OWN" in out
    assert "OLD" not in out


def test_a_resumed_session_is_not_told_a_note_again_that_it_was_just_told(
    notes: MemoryStore, hook: Run, work: Path
) -> None:
    assert "OWN" in assert_ok(hook(payload(source="startup", cwd=str(work))))
    # By its date alone the note would be new.
    out = assert_ok(hook(payload(source="resume", cwd=str(work), seconds_since_last_response=3600)))
    assert "OWN" not in out


def test_a_pipe_that_is_never_closed_does_not_delay_the_session(notes: MemoryStore, work: Path) -> None:
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "anamnesis", "inject"],
            stdin=reading,
            capture_output=True,
            timeout=60,
            cwd=work,
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert "OWN" in assert_ok(done)


def test_the_notes_are_printed_without_home_and_without_git(
    notes: MemoryStore, work: Path, tmp_path: Path
) -> None:
    env = {"ANAMNESIS_HOME": str(notes.root), "PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "anamnesis", "inject"], input=b"", capture_output=True, cwd=work, env=env
    )
    assert "OWN" in assert_ok(done)


def test_the_global_notes_are_printed_in_a_deleted_folder(notes: MemoryStore, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    command = ["sh", "-c", 'rmdir "$PWD" && exec "$0" -m anamnesis inject', sys.executable]
    done = subprocess.run(command, input=payload(), capture_output=True, cwd=tmp_path / "gone")
    assert "GLOBAL" in assert_ok(done)


def test_control_characters_in_a_note_never_reach_the_session(store: MemoryStore, hook: Run) -> None:
    store.write(type="semantic", title="red \x1b[31m\x07 alert", body="a\x00b\x9bc\u202ed\ttab\nline")
    out = assert_ok(hook())
    assert not set(out) & set("\x00\x07\x1b\x9b\u202e")
    assert "d\ttab\nline" in out


def test_without_a_store_nothing_is_printed_and_nothing_is_created(hook: Run, tmp_path: Path) -> None:
    assert assert_ok(hook()) == ""
    assert not (tmp_path / "store").exists()


def test_notes_are_injected_without_a_usable_index(notes: MemoryStore, hook: Run) -> None:
    notes.close()
    (notes.root / "index.db").write_bytes(b"this is not a database" * 1000)
    assert "OWN" in assert_ok(hook())
    for file in notes.root.glob("index.db*"):
        file.unlink()
    assert "OWN" in assert_ok(hook())


@pytest.mark.parametrize("index", ["kept", "lost"])
def test_a_read_only_store_is_still_read(notes: MemoryStore, work: Path, index: str) -> None:
    notes.list()
    notes.close()
    if index == "lost":
        for file in notes.root.glob("index.*"):
            file.unlink()
    for path in (notes.root, *notes.root.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    command = [sys.executable, "-m", "anamnesis", "inject"]
    if os.geteuid() == 0:
        # Root may write anywhere unless it drops that right first.
        rights = "-dac_override,-dac_read_search"
        command = ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}", *command]
    try:
        done = subprocess.run(command, input=b"", capture_output=True, cwd=work)
    finally:
        for path in (notes.root, *notes.root.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert "OWN" in assert_ok(done)
    assert not (notes.root / "machine.db").exists()


def test_a_failure_is_one_line_on_stderr_and_one_in_the_log(
    notes: MemoryStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "sk-ant-api03-" + "a1B2" * 24

    def break_down(*_: object) -> None:
        raise RuntimeError(f"no\nluck with {key}")

    monkeypatch.setattr(inject, "_inject", break_down)
    assert main(["inject"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("anamnesis: inject: RuntimeError: no luck with ")
    assert err.count("\n") == 1
    assert key not in err
    log = (notes.root / "anamnesis.log").read_text()
    assert "RuntimeError" in log
    assert key not in log


def test_options_set_the_project_the_count_and_the_budget(notes: MemoryStore, hook: Run) -> None:
    assert "OTHER" in assert_ok(hook(b"", "--project", "github.com/ada/loom"))
    assert "OWN" not in assert_ok(hook(b"", "--k", "0"))
    short = assert_ok(hook(b"", "--budget", "600"))
    assert 0 < len(short) <= 600


def test_a_flag_is_injected_as_it_is_and_other_hidden_letters_are_not(notes: MemoryStore, hook: Run) -> None:
    flag = "\U0001f3f4" + "".join(chr(0xE0000 + ord(char)) for char in "gbeng\x7f")
    notes.write(type="semantic", title=f"Kiosk {flag}", body="b\U000e0041c", project="global")
    told = assert_ok(hook(b"", "--project", "github.com/ada/loom"))
    assert f"Kiosk {flag}" in told
    assert "\U000e0041" not in told


@pytest.mark.parametrize("words", [("--format", "json"), ("--format=json", "--budget", "9000")])
def test_inject_json_prints_a_hook_answer(notes: MemoryStore, hook: Run, words: tuple[str, ...]) -> None:
    answer = json.loads(assert_ok(hook(payload(source="startup"), *words)))
    assert set(answer) == {"hookSpecificOutput"}
    assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "OWN" in answer["hookSpecificOutput"]["additionalContext"]
