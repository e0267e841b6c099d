"""`capture` and `sync`, as hooks and as commands, each in its own process."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anamnesis import state
from anamnesis.notes.record import Memory, deserialize
from anamnesis.session.receipts import add_entry
from git_http import serve_git
from machines import make_remote
from processes import Run
from transcript_lines import SESSION, asked, called, returned, said, write_transcript

OUTCOME = "The crank turns left now, and every test of the engine passes on both machines."


@pytest.fixture
def transcript(home: Path) -> Path:
    """A non-trivial session in the client's folder."""
    return write_transcript(
        home / ".claude" / "projects" / "-work" / f"{SESSION}.jsonl",
        asked("Make the crank turn left"),
        called("c1", "Edit", file_path="/home/ada/work/parser/crank.py"),
        returned("c1"),
        said(OUTCOME),
    )


@pytest.fixture
def local(root: Path) -> Path:
    """A store that is set up, with no remote."""
    (root / "memory").mkdir(parents=True)
    return root


def payload(event: str, transcript: Path | str, **more: object) -> str:
    fields = {
        "hook_event_name": event,
        "session_id": SESSION,
        "transcript_path": str(transcript),
        "cwd": "/work",
    }
    return json.dumps({**fields, **more})


def sessions(root: Path) -> list[Memory]:
    return [deserialize(path.read_text()) for path in sorted(root.glob("memory/episodic/*.md"))]


def commits(root: Path) -> list[str]:
    log = ["git", "-C", str(root / "memory"), "log", "--format=%s", "main"]
    return subprocess.run(log, capture_output=True, text=True, check=False).stdout.splitlines()


def eventually(what: Callable[[], object]) -> bool:
    """Wait until it becomes true; only a failing test waits for the full time."""
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        if what():
            return True
        time.sleep(0.05)
    return False


def test_a_session_that_ends_becomes_one_committed_note(local: Path, script: Run, transcript: Path) -> None:
    script("write", "One note")
    script("sync")
    done = script("capture", "--no-sync", stdin=payload("SessionEnd", transcript))
    (note,) = sessions(local)
    assert done.returncode == 0
    assert done.stdout == f"capture: wrote episodic note {note.id} (Make the crank turn left)\n"
    assert OUTCOME in note.body
    assert "crank.py" in note.body
    assert (note.prov_source, note.prov_session, note.machine_id) == ("session-end", SESSION, "desk")
    assert len(commits(local)) == 2


def test_the_sync_continues_after_the_client_is_gone(
    local: Path, transcript: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (local / "config.json").write_text(json.dumps({"remote": str(remote)}))
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")  # so that the first write meets the full device
    with open("/dev/full", "w") as nowhere:
        done = subprocess.run(
            [sys.executable, "-m", "anamnesis", "capture"],
            input=payload("SessionEnd", transcript),
            stdout=nowhere,
            stderr=subprocess.DEVNULL,
            text=True,
            check=False,
        )
    assert done.returncode == 0
    assert eventually(lambda: pushed(remote))


def test_by_hand_the_sync_happens_before_the_command_ends(
    local: Path, script: Run, transcript: Path, remote: Path
) -> None:
    (local / "config.json").write_text(json.dumps({"remote": str(remote)}))
    done = script("capture", "--transcript", str(transcript))
    assert done.stdout.splitlines()[1].startswith("sync: ")
    assert "episodic/" in pushed(remote)


def test_without_git_the_note_is_kept_and_the_hook_exits_0(
    local: Path, transcript: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "anamnesis", "capture", "--no-sync"],
        input=payload("SessionEnd", transcript),
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": str(tmp_path / "empty")},
    )
    assert done.returncode == 0
    assert len(sessions(local)) == 1
    assert "Traceback" not in done.stderr


def test_the_note_is_kept_while_another_process_locks_the_index(
    local: Path, script: Run, transcript: Path
) -> None:
    script("reindex")
    holder = sqlite3.connect(local / "index.db", isolation_level=None)
    try:
        holder.execute("BEGIN EXCLUSIVE")
        done = script("capture", "--no-sync", stdin=payload("SessionEnd", transcript))
    finally:
        holder.close()
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert len(sessions(local)) == 1
    assert OUTCOME in script("search", "--json", "crank").stdout


def test_a_session_that_ends_while_the_ledger_is_locked_gets_its_note_when_it_is_free(
    local: Path, script: Run, transcript: Path
) -> None:
    state.save(local, state.Mark("a", "1"))
    holder = sqlite3.connect(local / "machine.db", isolation_level=None)
    try:
        holder.execute("BEGIN EXCLUSIVE")
        done = script("capture", "--no-sync", stdin=payload("SessionEnd", transcript))
        assert (done.returncode, sessions(local)) == (0, [])
    finally:
        holder.close()
    assert eventually(lambda: len(sessions(local)) == 1)


def test_a_starting_session_captures_one_that_was_killed(local: Path, script: Run, transcript: Path) -> None:
    script("inject", stdin=payload("SessionStart", transcript, source="startup"))
    done = script("sync", stdin=payload("SessionStart", "/x/new.jsonl", session_id="new", source="startup"))
    (note,) = sessions(local)
    assert note.prov_session == SESSION
    assert json.loads(done.stdout)["systemMessage"].startswith(
        "Anamnesis: 1 session captured that had ended without a note"
    )
    again = script("sync", stdin=payload("SessionStart", "/x/new.jsonl", session_id="new", source="startup"))
    assert again.stdout == ""


def test_the_starting_session_is_not_captured(local: Path, script: Run, transcript: Path) -> None:
    script("sync", stdin=payload("SessionStart", transcript, source="resume"))
    assert sessions(local) == []


def test_sync_imports_the_clients_own_memory_unless_disabled(
    local: Path, script: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / ".claude" / "projects" / "-work" / "memory"
    folder.mkdir(parents=True)
    (folder / "tabs.md").write_text("---\nname: tabs\ndescription: d\ntype: feedback\n---\nUse tabs.\n")
    monkeypatch.setenv("ANAMNESIS_IMPORT_NATIVE", "0")
    script("sync")
    assert not list(local.glob("memory/procedural/*.md"))
    monkeypatch.delenv("ANAMNESIS_IMPORT_NATIVE")
    script("sync")
    assert len(list(local.glob("memory/procedural/*.md"))) == 1


def test_an_emptied_remote_is_refused_told_to_the_session_and_filled_by_rejoin(
    local: Path, script: Run, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(remote))
    script("write", "--type", "semantic", "--title", "Crank", "--body", "turns left")
    assert script("sync").returncode == 0
    shutil.rmtree(remote)
    make_remote(remote)
    refused = script("sync")
    assert (refused.returncode, "--rejoin" in refused.stderr) == (1, True)
    hook = script("sync", stdin=payload("SessionStart", "/x/new.jsonl", session_id="n", source="startup"))
    assert "`anamnesis sync --rejoin` fills it again" in json.loads(hook.stdout)["systemMessage"]
    assert "SyncError" not in hook.stderr + script("doctor").stdout
    asked = script("sync", "--rejoin")
    assert (asked.returncode, "the remote is empty" in asked.stderr) == (1, True)
    assert script("sync", "--rejoin", "--yes").returncode == 0
    assert "semantic/" in pushed(remote)


def test_an_invalid_remote_is_an_error_by_hand_but_not_for_a_session(
    local: Path, script: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", "ext::sh -c evil")
    by_hand = script("sync")
    assert by_hand.returncode == 1
    assert by_hand.stderr.count("\n") == 1
    as_hook = script("sync", stdin=payload("SessionStart", "/x/new.jsonl", source="startup"))
    assert as_hook.returncode == 0
    assert "sync" in (local / "anamnesis.log").read_text()


@pytest.fixture
def slow_remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A remote whose hook blocks until a file `go` exists."""
    folder = make_remote(tmp_path / "slow.git")
    hook = folder / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho $$ >> asked\nuntil test -e go; do sleep 0.05; done\n")
    hook.chmod(0o700)
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(folder))
    monkeypatch.setenv("ANAMNESIS_SYNC_TIMEOUT", "1.5")
    yield folder
    (folder / "go").touch()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def let_through(remote: Path) -> None:
    """Wait until a push blocks at the hook, keep it longer than a command would wait, then release it."""

    def waits() -> bool:
        asked = remote / "asked"
        return any(is_alive(int(pid)) for pid in asked.read_text().split()) if asked.exists() else False

    assert eventually(waits)
    time.sleep(2)
    assert pushed(remote) == ""
    (remote / "go").touch()


def pushed(remote: Path) -> str:
    files = ["git", "-C", str(remote), "ls-tree", "-r", "--name-only", "main"]
    return subprocess.run(files, capture_output=True, text=True, check=False).stdout


def test_a_command_gives_up_on_a_slow_remote_and_the_background_sync_does_not(
    local: Path, script: Run, slow_remote: Path
) -> None:
    script("write", "--type", "semantic", "--title", "Crank", "--body", "turns left")
    done = script("sync")
    assert done.returncode == 0
    assert "the remote is slow" in done.stdout
    assert "`anamnesis sync --timeout 120`" in done.stdout
    assert "a background process keeps waiting" in done.stdout
    let_through(slow_remote)
    assert eventually(lambda: "semantic/" in pushed(slow_remote))
    assert eventually(lambda: json.loads(script("status", "--json").stdout)["sync"]["detail"] == "ok")


@pytest.mark.parametrize("event", ["SessionStart", "SessionEnd"])
def test_a_slow_remote_does_not_delay_a_session_and_gets_the_notes_later(
    local: Path, script: Run, slow_remote: Path, transcript: Path, event: str
) -> None:
    if event == "SessionEnd":
        done = script("capture", stdin=payload(event, transcript))
    else:
        script("inject", stdin=payload(event, transcript, source="startup"))
        done = script("sync", stdin=payload(event, "/x/new.jsonl", session_id="new", source="startup"))
    assert done.returncode == 0
    let_through(slow_remote)
    assert eventually(lambda: "episodic/" in pushed(slow_remote))


def test_a_wrong_password_exits_1_with_a_plain_message_and_is_never_shown(
    local: Path, script: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script("write", "--type", "semantic", "--title", "Crank", "--body", "turns left")
    make_remote(tmp_path / "served" / "x.git")
    with serve_git(tmp_path / "served", ("jo", "right")) as server:
        monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", f"http://jo:hunter2@{server.host}/x.git")
        done = script("sync")
        hook = script("sync", stdin=payload("SessionStart", "/x/new.jsonl", session_id="n", source="startup"))
    assert done.returncode == 1
    assert done.stderr.startswith("sync: authentication failed: ")
    assert "authentication failed" in json.loads(hook.stdout)["systemMessage"]
    status = script("status")
    assert "authentication failed" in status.stdout
    assert "hunter2" not in "".join(each.stdout + each.stderr for each in (done, hook, status))


def test_a_detached_sync_prints_nothing_and_still_catches_up_and_pushes(
    local: Path, script: Run, transcript: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_entry(str(local), SESSION, "told")
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(remote))
    done = script("sync", "--detach", stdin=payload("SessionStart", transcript, session_id="another"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert eventually(lambda: "episodic/" in pushed(remote))


@pytest.mark.parametrize("words", [("--quiet",), ("--source", "precompact")])
def test_a_quiet_capture_and_one_before_compaction_write_the_note_and_print_nothing(
    local: Path, script: Run, transcript: Path, words: tuple[str, ...]
) -> None:
    done = script("capture", "--no-sync", *words, stdin=payload("PreCompact", transcript))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(sessions(local)) == 1


@pytest.mark.usefixtures("transcript")
def test_a_session_without_our_hooks_is_captured_only_on_request(local: Path, script: Run) -> None:
    script("sync", stdin=json.dumps({"session_id": "new"}))
    assert sessions(local) == []
    assert json.loads(script("status", "--json").stdout)["uncaptured"] == 0
    past = ("capture", "--past", "--no-sync")
    assert script(*past).stdout == "capture: 1 note from 1 session\n"
    assert len(sessions(local)) == 1
    assert script(*past).stdout == "capture: 0 notes from 0 sessions\n"
    refused = script(*past, "--project", "shop")
    assert "every session was captured or skipped before" in refused.stderr


@pytest.mark.usefixtures("transcript")
def test_past_sessions_are_captured_by_date_and_by_project(local: Path, script: Run) -> None:
    past = ("capture", "--past", "--no-sync")
    day = time.strftime("%Y-%m-%d", time.localtime(time.time() + 2 * 86400))
    assert "0 notes from 0 sessions" in script(*past, "--since", day).stdout
    refused = script(*past, "--project", "shop")
    assert (refused.returncode, "there are: parser" in refused.stderr) == (1, True)
    assert sessions(local) == []
    assert "1 note" in script(*past, "--project", "parser", "--since", "yesterday").stdout
