"""Sessions of other agents become the same kind of note, with the agent named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.capture import catch_up, write_episodic
from anamnesis.session.agents import past_sessions, session_of
from anamnesis.session.receipts import add_entry
from anamnesis.session.transcript import parse_transcript
from anamnesis.store import MemoryStore

FOUND = (
    "Found it: the retry loop in src/queue.py never reset its counter, so every second job was dropped. "
    "It is reset after each success now, and the tests pass."
)


def codex_line(kind: str, payload: dict[str, object], second: int = 0) -> dict[str, object]:
    return {"timestamp": f"2026-05-01T10:00:{second:02}Z", "type": kind, "payload": payload}


def codex_item(kind: str, second: int, **payload: object) -> dict[str, object]:
    return codex_line("response_item", {"type": kind, **payload}, second)


def codex_said(role: str, text: str, second: int) -> dict[str, object]:
    kind = "output_text" if role == "assistant" else "input_text"
    return codex_item("message", second, role=role, content=[{"type": kind, "text": text}])


def codex_rollout(originator: str = "codex_cli_rs") -> list[dict[str, object]]:
    about: dict[str, object] = {"session_id": "s-codex", "cwd": "/work/shop", "originator": originator}
    about["git"] = {"branch": "fix/q"}
    hunks = ["*** Update File: src/queue.py", "@@", "-a", "+b", "*** Add File: docs/queue.md", "+x"]
    patch = "\n".join(["*** Begin Patch", *hunks, "*** End Patch"])
    run = json.dumps({"command": ["bash", "-lc", "pytest -q"]})
    output = json.dumps({"output": "12 passed in 0.3s", "metadata": {"exit_code": 0}})
    return [
        codex_line("session_meta", about),
        codex_line("turn_context", {"model": "a-model"}),
        codex_said("developer", "Notes from memory that must not become the ask", 1),
        codex_said("user", "<environment_context>cwd</environment_context>", 2),
        codex_said("user", "Why does the queue drop every second job?", 3),
        codex_item("custom_tool_call", 4, name="apply_patch", call_id="c1", input=patch),
        codex_item("custom_tool_call_output", 5, call_id="c1", output="Done"),
        codex_item("function_call", 6, name="shell", call_id="c2", arguments=run),
        codex_item("function_call_output", 7, call_id="c2", output=output),
        codex_said("assistant", FOUND, 8),
        codex_line("event_msg", {"type": "task_complete", "last_agent_message": FOUND}, 9),
    ]


def gemini_chat() -> list[dict[str, object]]:
    run = {"args": {"command": "pytest -q"}, "resultDisplay": "12 passed in 0.3s"}
    calls = [
        {"id": "t1", "name": "replace", "args": {"file_path": "src/queue.py"}, "status": "success"},
        {"id": "t2", "name": "run_shell_command", "status": "success", **run},
    ]
    told = {"id": "2", "timestamp": "2026-05-01T10:00:05Z", "type": "gemini", "content": FOUND}
    ask = "Why does the queue drop every second job?"
    return [
        {"sessionId": "s-gemini", "projectHash": "ab", "startTime": "2026-05-01T10:00:00Z", "kind": "main"},
        {"id": "1", "timestamp": "2026-05-01T10:00:01Z", "type": "user", "content": ask},
        {"id": "2", "timestamp": "2026-05-01T10:00:02Z", "type": "gemini", "content": "Let me"},
        {"$set": {"lastUpdated": "2026-05-01T10:00:05Z"}},
        {**told, "toolCalls": calls},
    ]


def write(path: Path, lines: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize("agent", ["codex", "gemini"])
def test_another_agents_session_is_read_like_claude_codes(tmp_path: Path, agent: str) -> None:
    lines = codex_rollout() if agent == "codex" else gemini_chat()
    session = parse_transcript(write(tmp_path / "rollout.jsonl", lines))
    assert session.first_prompt == "Why does the queue drop every second job?"
    assert session.last_outcome == FOUND
    assert session.files_touched[0] == "src/queue.py"
    assert "12 passed" in session.tests
    assert (session.agent, session.session_id) == (agent, f"s-{agent}")
    assert len(session.turns) == 1


@pytest.mark.parametrize("agent", ["codex", "gemini"])
def test_the_note_of_a_session_names_its_agent(store: MemoryStore, tmp_path: Path, agent: str) -> None:
    lines = codex_rollout() if agent == "codex" else gemini_chat()
    session = parse_transcript(write(tmp_path / "rollout.jsonl", lines))
    note = write_episodic(store, session, project="shop", machine_id="desk")
    assert note is not None
    assert agent in note.tags
    assert "never reset its counter" in note.body
    assert "Notes from memory" not in note.body


@pytest.mark.parametrize(("originator", "tagged"), [("codex_exec", True), ("codex_cli_rs", False)])
def test_a_run_without_a_person_is_marked(
    store: MemoryStore, tmp_path: Path, originator: str, tagged: bool
) -> None:
    session = parse_transcript(write(tmp_path / "rollout.jsonl", codex_rollout(originator)))
    note = write_episodic(store, session, project="shop", machine_id="desk")
    assert note is not None
    assert ("scripted" in note.tags) is tagged


def test_hook_output_in_a_gemini_session_is_not_an_ask(tmp_path: Path) -> None:
    lines = gemini_chat()
    told = [{"text": "<hook_context># Notes\n\nfrom memory</hook_context>\n\nWhy does the queue drop jobs?"}]
    lines[1]["content"] = told
    session = parse_transcript(write(tmp_path / "chat.jsonl", lines))
    assert session.first_prompt == "Why does the queue drop jobs?"


def on_disk(home: Path, agent: str, work: Path) -> tuple[Path, str]:
    """A session file in the agent's folder, and the session's id."""
    session = "01a1e500-f30b-7ad3-a0c6-384ef25b7a12"
    if agent == "codex":
        path = home / ".codex/sessions/2026/05/01" / f"rollout-2026-05-01T10-00-00-{session}.jsonl"
        lines = codex_rollout()
        lines[0]["payload"] = {"session_id": session, "cwd": str(work), "originator": "codex_cli_rs"}
    else:
        path = home / ".gemini/tmp/shop/chats/session-2026-05-01T10-00-01a1e500.jsonl"
        lines = gemini_chat()
        lines[0]["sessionId"] = session
        (home / ".gemini/tmp/shop").mkdir(parents=True)
        (home / ".gemini/tmp/shop/.project_root").write_text(str(work))
    path.parent.mkdir(parents=True)
    return write(path, lines), session


@pytest.mark.parametrize("agent", ["codex", "gemini"])
def test_another_agents_session_without_a_note_is_captured_later(
    store: MemoryStore, home: Path, tmp_path: Path, agent: str
) -> None:
    work = tmp_path / "shop"
    work.mkdir()
    path, session = on_disk(home, agent, work)
    assert session_of(path) == session
    claude = home / ".claude"
    assert catch_up(store, claude_dir=claude, machine_id="desk") == []  # without our hooks
    add_entry(str(store.root), session, "told")
    assert catch_up(store, claude_dir=claude, machine_id="desk", current=session) == []
    (outcome,) = catch_up(store, claude_dir=claude, machine_id="desk")
    note = store.get(outcome.note_id)
    assert note is not None
    assert agent in note.tags
    assert note.project.endswith("shop")
    assert catch_up(store, claude_dir=claude, machine_id="desk") == []


def test_sessions_of_all_agents_are_found_on_disk(store: MemoryStore, home: Path, tmp_path: Path) -> None:
    paths = {on_disk(home, agent, tmp_path)[0] for agent in ("codex", "gemini")}
    assert set(past_sessions(store.root, home / ".claude")) == paths
