"""`why` and `inject --explain` show which notes a session was given."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.session.receipts import add_entry
from anamnesis.store import MemoryStore
from machines import Machine, make_remote
from processes import Run

SESSION = "4c2f7a10-1111-4222-8333-944444444444"


@pytest.fixture
def start(script: Run) -> Callable[..., str]:
    """Start a session as the client does; returns what it is told."""

    def begin(work: Path, session: str = SESSION) -> str:
        payload = {"session_id": session, "cwd": str(work), "source": "startup"}
        return script("inject", stdin=json.dumps({"hook_event_name": "SessionStart", **payload})).stdout

    return begin


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder with three notes: two shown in full, one left out."""
    folder = tmp_path / "app"
    folder.mkdir()
    with MemoryStore(tmp_path / "store") as store:
        store.write(
            type="procedural",
            title="Run the tests",
            body="`make test`; never skip it.\n" * 100,
            project="app",
        )
        for day in range(20):
            store.write(
                type="semantic", title=f"Visitor {day}", body="They came and went home.", project="app"
            )
        store.write(
            type="semantic", title="feat/vouchers: half done", body="The form is missing.", project="app"
        )
    monkeypatch.chdir(folder)
    return folder


def test_why_says_what_the_last_session_here_was_told(
    anamnesis: Run, start: Callable[..., str], work: Path
) -> None:
    text = start(work)
    done = anamnesis("why")
    assert done.returncode == 0
    assert f"Session {SESSION}" in done.stdout
    assert f"told {len(text)} characters about app (startup)" in done.stdout
    assert "in full" in done.stdout
    assert "Run the tests" in done.stdout
    assert "left out   1 not useful enough, 0 did not fit\n" in done.stdout


def test_why_below_the_folder_of_a_session_shows_the_last_of_this_project(
    anamnesis: Run, start: Callable[..., str], work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    for folder, session in ((work, SESSION), (other, "later")):
        (folder / "src").mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        start(folder, session)
    for folder, session in ((work, SESSION), (other, "later")):
        monkeypatch.chdir(folder / "src")
        assert f"Session {session}" in anamnesis("why").stdout


def test_a_receipt_contains_ids_and_versions_but_no_text(
    anamnesis: Run, start: Callable[..., str], work: Path, tmp_path: Path
) -> None:
    start(work)
    (entry,) = json.loads(anamnesis("why", SESSION[:8], "--json").stdout)
    with MemoryStore(tmp_path / "store") as store:
        notes = {note.title: note for note in store.list()}
    tests = notes["Run the tests"]
    assert [tests.id, tests.updated_at] in entry["full"]
    assert entry["left_out"] == {notes["feat/vouchers: half done"].id: "worth"}
    assert "make test" not in (tmp_path / "store/machine.db").read_text("latin-1")


def test_a_run_by_hand_leaves_no_receipt(anamnesis: Run, work: Path, tmp_path: Path) -> None:
    assert anamnesis("inject").returncode == 0
    assert anamnesis("inject", "--explain").returncode == 0
    assert not (tmp_path / "store/machine.db").exists()
    done = anamnesis("why")
    assert done.returncode == 1
    assert "no session has been told anything yet" in done.stderr


def test_explain_says_how_each_note_would_be_shown_and_why(anamnesis: Run, work: Path) -> None:
    out = anamnesis("inject", "--explain").stdout
    assert "in full" in out
    assert "basic +1.6" in out
    assert "left out: not useful enough" in out
    assert "make test" not in out


@pytest.fixture
def lap(script: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Another machine; this one has already synced its first note."""
    remote = make_remote(tmp_path / "between.git")
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(remote))
    other = Machine(tmp_path / "laptop", remote)
    other.write("N1", "one")
    other.sync()
    script("sync")
    return other


def test_the_user_is_told_what_came_in(script: Run, lap: Machine) -> None:
    lap.write("N2", "two")
    lap.sync()
    done = script("sync", stdin=json.dumps({"session_id": SESSION}))
    assert json.loads(done.stdout)["systemMessage"] == "Anamnesis: 1 note came in from laptop"


def test_a_session_is_told_the_notes_that_its_own_sync_brings(
    root: Path, script: Run, lap: Machine, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    payload = json.dumps({"session_id": SESSION, "cwd": str(work), "hook_event_name": "SessionStart"})
    script("inject", stdin=payload)
    with MemoryStore(lap.root) as store:
        store.write(type="semantic", title="Mill", body="It stops at noon.", project=work.name)
        store.write(type="semantic", title="Elsewhere", body="Not for this session.", project="another")
    lap.sync()
    answer = json.loads(script("sync", stdin=payload).stdout)
    told = answer["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart"
    assert "It stops at noon." in told["additionalContext"]
    assert "Not for this session." not in told["additionalContext"]
    assert answer["systemMessage"].endswith("2 notes came in from laptop; Claude is told 1 of them now")
    assert script("sync", stdin=payload).stdout == ""
    assert "Mill" in script("why").stdout
    assert "While you were away" not in script("inject", stdin=payload.replace(SESSION, "next")).stdout


def test_a_session_in_a_silenced_folder_is_not_told_what_a_sync_brings(
    script: Run, lap: Machine, tmp_path: Path
) -> None:
    (tmp_path / "work" / ".anamnesis").mkdir(parents=True)
    (tmp_path / "work" / ".anamnesis" / "off").touch()
    lap.write("N2", "two")
    lap.sync()
    answer = script("sync", stdin=json.dumps({"session_id": SESSION, "cwd": str(tmp_path / "work")})).stdout
    assert "hookSpecificOutput" not in json.loads(answer)


def test_a_note_that_the_briefing_had_is_not_told_again_by_the_sync(
    root: Path, script: Run, lap: Machine, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    lap.write("N2", "two")
    lap.sync()
    version = lap.read("N2").updated_at
    add_entry(str(root), SESSION, "told", full=[["N2", version]], cut=[], titles=[])
    payload = json.dumps({"session_id": SESSION, "cwd": str(tmp_path / "work")})
    answer = json.loads(script("sync", stdin=payload).stdout)
    assert "1 note came in from laptop" in answer["systemMessage"]
    assert "hookSpecificOutput" not in answer


def test_a_detached_sync_does_not_count_its_notes_as_told(script: Run, lap: Machine, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    lap.write("N2", "two")
    lap.sync()
    payload = json.dumps({"session_id": SESSION, "cwd": str(tmp_path / "work")})
    script("sync", "--detach", stdin=payload)
    deadline = time.monotonic() + 60
    while '"N2"' not in script("list", "--json").stdout and time.monotonic() < deadline:
        time.sleep(0.2)
    script("sync")  # waits for the detached one
    assert "While you were away" in script("inject", stdin=payload).stdout


def test_the_rules_of_a_project_are_listed_with_their_origin_and_dropped(anamnesis: Run, work: Path) -> None:
    with MemoryStore(work.parent / "store") as store:
        store.write(type="semantic", title="Sign", body="Always sign `x`.", tags=["rule"], project="app")
        rule = store.write(type="semantic", title="Sign", body="Always sign.", tags=["rule"], project="app")
    listed = anamnesis("why", "--rules").stdout
    assert "Always sign." in listed
    assert rule.id in listed
    assert anamnesis("why", "--drop", "sign", "nonsense").returncode == 1
    assert "Always sign." in anamnesis("why", "--rules", "--project", "app").stdout
    dropped = anamnesis("why", "--drop", "sign", "always").stdout
    assert "dropped: Always sign." in dropped
    assert "told again in its place: Always sign `x`." in dropped
    anamnesis("why", "--drop", "sign")
    assert "no rules for app" in anamnesis("why", "--rules").stdout
    assert "--project" in anamnesis("why", "--drop", "always sign").stderr
