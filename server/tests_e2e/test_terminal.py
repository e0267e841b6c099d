"""The real client on a terminal: compact, clear, leaving, and being killed while leaving."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from client import Terminal
from fake_api import FakeApi, Say, Use
from machine import PROJECT, Machine, MakeMachine

OUTCOME = "The cellar door was oiled and the hinge replaced, so it closes without a sound now."


@pytest.fixture
def desk(machine: MakeMachine) -> Machine:
    """A machine with one note of the project."""
    made = machine()
    made.write("Cellar door", "PROJECT-NOTE oil it twice", project=PROJECT)
    return made


@contextmanager
def seated(desk: Machine) -> Iterator[Terminal]:
    """A session on a terminal, ready for input."""
    before = desk.injections()
    terminal = desk.sit_down("--permission-mode", "acceptEdits")
    try:
        assert terminal.until(lambda: desk.injections() > before), terminal.screen[-2000:]
        terminal.watch(3)
        yield terminal
    finally:
        terminal.close()


def take_a_turn(terminal: Terminal, api: FakeApi, prompt: str) -> None:
    """Type a prompt and wait until the model has answered it."""
    before = len(api.turns())
    terminal.type(prompt)
    assert terminal.until(lambda: len(api.turns()) > before), terminal.screen[-2000:]
    terminal.watch(2)


def test_compaction_keeps_one_note_stays_silent_and_injects_the_memory_again(
    desk: Machine, api: FakeApi
) -> None:
    with seated(desk) as terminal:
        take_a_turn(terminal, api, f"Oil the cellar door {api.teach('oil', Say(OUTCOME))}")
        before = desk.injections()
        terminal.type("/compact")
        assert terminal.until(lambda: desk.injections() > before), terminal.screen[-2000:]
        (note,) = desk.sessions("cellar door")
        assert "precompact" in note.tags
        asked = [request for request in api.requests if request.kind == "compaction"]
        assert asked
        assert "Additional Instructions" not in asked[-1].context
        assert "capture:" not in asked[-1].context
        take_a_turn(terminal, api, f"And now {api.teach('now', Say(OUTCOME))}")
        assert "PROJECT-NOTE" in api.turns()[-1].context
        terminal.type("/exit")
        assert terminal.until(terminal.has_ended), terminal.screen[-2000:]
    assert len(desk.sessions("cellar door")) == 1


def test_clear_ends_one_session_and_injects_the_memory_into_the_next(desk: Machine, api: FakeApi) -> None:
    with seated(desk) as terminal:
        take_a_turn(terminal, api, f"Oil the cellar door {api.teach('oil', Say(OUTCOME))}")
        before = desk.injections()
        terminal.type("/clear")
        assert terminal.until(lambda: desk.injections() > before), terminal.screen[-2000:]
        assert terminal.until(lambda: desk.sessions("cellar door"))
        terminal.watch(2)
        take_a_turn(terminal, api, f"What about the window {api.teach('window', Say(OUTCOME))}")
        assert "PROJECT-NOTE" in api.turns()[-1].context
        terminal.type("/exit")
        assert terminal.until(terminal.has_ended), terminal.screen[-2000:]
    (door,), (window,) = desk.sessions("Oil the cellar door"), desk.sessions("What about the window")
    assert door.prov_session != window.prov_session
    assert window.title.startswith("What about the window")


def test_a_session_that_is_killed_is_captured_when_the_next_one_starts(desk: Machine, api: FakeApi) -> None:
    target = desk.project / "door.txt"
    steps: list[Say | Use] = [Use("Write", {"file_path": str(target), "content": "oil\n"}), Say(OUTCOME)]
    with seated(desk) as terminal:
        take_a_turn(terminal, api, f"Oil the cellar door {api.teach('oil', *steps)}")
        assert terminal.until(lambda: desk.transcript_of(OUTCOME))
        terminal.kill()
    assert desk.sessions("cellar door") == []
    with seated(desk) as terminal:
        assert terminal.until(lambda: desk.sessions("cellar door")), "the next start did not catch up"
        (note,) = desk.sessions("cellar door")
        assert "door.txt" in note.body


def test_a_client_that_dies_while_exiting_still_has_its_session_saved(desk: Machine, api: FakeApi) -> None:
    with seated(desk) as terminal:
        take_a_turn(terminal, api, f"Oil the cellar door {api.teach('oil', Say(OUTCOME))}")
        terminal.process.send_signal(signal.SIGTERM)
        terminal.watch(0.7)
        terminal.kill()
    with seated(desk) as terminal:
        assert terminal.until(lambda: desk.sessions("cellar door"))
        assert len(desk.sessions("cellar door")) == 1


def test_no_hook_reports_an_error_in_any_transcript(desk: Machine, api: FakeApi) -> None:
    with seated(desk) as terminal:
        take_a_turn(terminal, api, f"Oil the cellar door {api.teach('oil', Say(OUTCOME))}")
        terminal.type("/exit")
        assert terminal.until(terminal.has_ended), terminal.screen[-2000:]
    transcript = desk.transcript_of("cellar door")
    assert transcript is not None
    lines = [json.loads(line) for line in transcript.read_text().splitlines()]
    hooks = [
        line["attachment"] for line in lines if "hook" in str((line.get("attachment") or {}).get("type"))
    ]
    assert [hook for hook in hooks if hook.get("hookEvent") == "SessionStart"]
    assert [hook for hook in hooks if "error" in str(hook.get("type"))] == []
