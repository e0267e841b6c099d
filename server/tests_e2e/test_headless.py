"""Sessions of the real client without a terminal: inject, search, write, capture, resume, two machines."""

from __future__ import annotations

import json
from pathlib import Path

from client import wait_for
from fake_api import FakeApi, Say, Use
from machine import PROJECT, MakeMachine

OUTCOME = "The cellar door was oiled and the hinge replaced, so it closes without a sound now."


def test_a_session_starts_with_the_notes_of_its_project_and_the_global_ones(
    machine: MakeMachine, api: FakeApi
) -> None:
    desk = machine()
    desk.write("House style", "GLOBAL-NOTE tabs, never blanks")
    desk.write("Cellar door", "PROJECT-NOTE oil it twice", project=PROJECT)
    desk.write("Attic", "OTHER-NOTE elsewhere", project="github.com/example/attic")
    assert desk.ask("hello").returncode == 0
    context = api.turns()[0].context
    assert "GLOBAL-NOTE" in context
    assert "PROJECT-NOTE" in context
    assert "OTHER-NOTE" not in context


def test_memory_tools_are_ready_in_the_first_request_with_instructions(
    machine: MakeMachine, api: FakeApi
) -> None:
    desk = machine()
    desk.ask("hello")
    first = api.turns()[0]
    assert {"mcp__anamnesis__memory_search", "mcp__anamnesis__memory_write"} <= set(first.tools)
    assert "Long-term memory that the user keeps" in first.context
    assert "still connecting" not in first.context


def test_reading_needs_no_permission_and_writing_does(machine: MakeMachine, api: FakeApi) -> None:
    desk = machine()
    desk.write("Cellar door", "PROJECT-NOTE oil it twice", project=PROJECT)
    note = {"type": "semantic", "title": "Hinge", "body": "WRITTEN-NOTE brass"}
    steps: list[Say | Use] = [
        Use("memory_search", {"query": "cellar"}),
        Use("memory_write", note),
        Say(OUTCOME),
    ]
    desk.ask(f"look it up {api.teach('read', *steps)}")
    found, refused = api.turns()[-1].results[-2:]
    assert "PROJECT-NOTE" in found
    assert "WRITTEN-NOTE" not in refused
    assert not [mem for mem in desk.notes("semantic") if mem.title == "Hinge"]
    desk.ask("look it up (turn read)", "--allowedTools", "mcp__anamnesis")
    (written,) = [mem for mem in desk.notes("semantic") if mem.title == "Hinge"]
    assert written.machine_id == "desk"


def test_a_session_becomes_one_note_with_ask_outcome_files_and_branch(
    machine: MakeMachine, api: FakeApi
) -> None:
    desk = machine()
    target = desk.project / "door.txt"
    turn = api.teach("door", Use("Write", {"file_path": str(target), "content": "oil\n"}), Say(OUTCOME))
    desk.ask(f"Please oil the cellar door {turn}", "--permission-mode", "acceptEdits")
    assert wait_for(lambda: desk.sessions("cellar door"))
    (note,) = desk.sessions("cellar door")
    assert note.title.startswith("Please oil the cellar door")
    assert OUTCOME in note.body
    assert "door.txt" in note.body
    assert "trunk" in note.body
    assert note.project == PROJECT
    assert note.tags == ["session", "session-end", "scripted"]


def test_a_resumed_session_is_not_told_twice_and_keeps_its_one_note(
    machine: MakeMachine, api: FakeApi
) -> None:
    desk = machine()
    desk.write("Cellar door", "PROJECT-NOTE oil it twice", project=PROJECT)
    answer = desk.ask(f"Oil the cellar door {api.teach('one', Say(OUTCOME))}", "--output-format", "json")
    session = json.loads(answer.stdout)["session_id"]
    since = len(api.requests)
    desk.ask(f"And the window {api.teach('two', Say(OUTCOME))}", "--resume", session)
    assert api.turns(since)[0].context.count("PROJECT-NOTE") == 1
    assert len([note for note in desk.notes("episodic") if note.prov_session == session]) == 1


def test_a_resumed_session_is_told_notes_written_meanwhile(machine: MakeMachine, api: FakeApi) -> None:
    desk = machine()
    answer = desk.ask(f"Oil the cellar door {api.teach('one', Say(OUTCOME))}", "--output-format", "json")
    session = json.loads(answer.stdout)["session_id"]
    assert wait_for(lambda: desk.sessions("cellar door"))
    desk.write("Hinge", "NEW-NOTE brass", project=PROJECT)
    since = len(api.requests)
    desk.ask("And the window", "--resume", session)
    assert "NEW-NOTE" in api.turns(since)[0].context


def test_a_note_from_one_machine_reaches_the_other(machine: MakeMachine, api: FakeApi, remote: Path) -> None:
    desk, laptop = machine("desk", remote=remote), machine("laptop", remote=remote)
    note = {"type": "semantic", "title": "Hinge", "body": "FROM-THE-DESK brass", "project": PROJECT}
    steps: list[Say | Use] = [Use("memory_write", note), Say(OUTCOME)]
    desk.ask(f"keep this {api.teach('keep', *steps)}", "--allowedTools", "mcp__anamnesis")
    assert "FROM-THE-DESK" in api.turns()[-1].results[-1]
    assert wait_for(lambda: desk.sessions("keep this"))
    # An ending session leaves its sync to a background process, so the note syncs a moment later.
    assert wait_for(lambda: laptop.anamnesis("sync").returncode == 0 and len(laptop.notes()) == 2)
    since = len(api.requests)
    laptop.ask("hello")
    assert "FROM-THE-DESK" in api.turns(since)[0].context


def test_asking_the_client_about_its_servers_leaves_no_note(machine: MakeMachine) -> None:
    desk = machine()
    listed = desk._run([str(desk.client), "mcp", "list"])
    assert "Connected" in listed.stdout
    assert desk.notes("episodic") == []


def test_a_session_is_told_with_a_later_request_what_its_own_sync_brings(
    machine: MakeMachine, api: FakeApi, remote: Path
) -> None:
    desk, lap = machine("desk", remote=remote), machine("lap", remote=remote)
    desk.anamnesis("sync")
    lap.anamnesis("sync")
    desk.write("Cellar door", "LATE-NOTE oil it twice", project=PROJECT)
    desk.anamnesis("sync")
    steps: list[Say | Use] = [Use("Bash", {"command": "sleep 20"}), Say(OUTCOME)]
    lap.ask(f"wait a little {api.teach('wait', *steps)}", "--allowedTools", "Bash")
    first, last = api.turns()[0], api.turns()[-1]
    assert "LATE-NOTE" not in first.context
    assert "LATE-NOTE" in last.context
