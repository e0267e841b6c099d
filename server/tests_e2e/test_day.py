"""A day with the real client: two projects, scripted runs, a fork, a bare session, a busy machine."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager

from client import wait_for
from fake_api import FakeApi, Say, Use
from machine import PROJECT, MakeMachine

ATTIC = "github.com/example/attic"
FOUND = "Found it: the attic lamp flickers because the neutral wire is loose at the second junction box."


def test_the_first_note_of_a_new_project_is_injected_in_its_next_session(
    machine: MakeMachine, api: FakeApi
) -> None:
    desk = machine()
    demo, attic = desk.project, desk.check_out(ATTIC)
    note = {"type": "semantic", "title": "Lamp", "body": "ATTIC-NOTE the neutral wire is loose"}
    steps: list[Say | Use] = [Use("memory_write", note), Say(FOUND)]

    desk.project = attic
    desk.ask(f"Why does the lamp flicker? {api.teach('lamp', *steps)}", "--allowedTools", "mcp__anamnesis")
    (written,) = [each for each in desk.notes("semantic") if each.title == "Lamp"]
    assert written.project == ATTIC

    desk.project, since = demo, len(api.requests)
    desk.ask("hello")
    assert "ATTIC-NOTE" not in api.turns(since)[0].context
    assert f"Project `{PROJECT}`" in api.turns(since)[0].context

    desk.project, since = attic, len(api.requests)
    desk.ask("hello again")
    assert "ATTIC-NOTE" in api.turns(since)[0].context
    assert f"Project `{ATTIC}`" in api.turns(since)[0].context


def test_scripted_runs_do_not_appear_in_the_injection(machine: MakeMachine, api: FakeApi) -> None:
    desk = machine(capture="")
    desk.write("Cellar door", "PROJECT-NOTE oil it twice", project=PROJECT)
    target = desk.project / "count.txt"
    for number in range(4):
        write = Use("Write", {"file_path": str(target), "content": f"{number}\n"})
        turn = api.teach(
            f"count-{number}", *([write] if number == 3 else []), Say(f"SCRIPTED-{number} is counted.")
        )
        desk.ask(f"Count the shelves, run {number} {turn}", "--permission-mode", "acceptEdits")
    assert wait_for(lambda: desk.sessions("SCRIPTED-3")), "a run that changed a file is kept"
    assert len(desk.notes("episodic")) == 1
    since = len(api.requests)
    desk.ask("hello")
    context = api.turns(since)[0].context
    assert "PROJECT-NOTE" in context
    assert "SCRIPTED-" not in context
    assert "Count the shelves" not in context


def test_a_bare_session_is_neither_injected_nor_captured(machine: MakeMachine, api: FakeApi) -> None:
    desk = machine()
    desk.write("Cellar door", "PROJECT-NOTE oil it twice", project=PROJECT)
    desk.ask(f"Look at the lamp {api.teach('bare', Say(FOUND))}", "--bare")
    assert "PROJECT-NOTE" not in api.turns()[0].context
    desk.ask(f"Look at the door {api.teach('door', Say(FOUND))}")
    assert wait_for(lambda: desk.sessions("Look at the door"))
    assert desk.sessions("Look at the lamp") == []


def test_a_fork_adds_only_what_is_new(machine: MakeMachine, api: FakeApi) -> None:
    desk = machine()
    first = desk.ask(f"Why does the lamp flicker? {api.teach('lamp', Say(FOUND))}", "--output-format", "json")
    session = json.loads(first.stdout)["session_id"]
    assert wait_for(lambda: desk.sessions("lamp flicker"))
    told = "The window sticks because its frame was painted shut in spring; a knife along the seam frees it."
    desk.ask(
        f"And why does the window stick? {api.teach('window', Say(told))}",
        "--resume",
        session,
        "--fork-session",
    )
    assert wait_for(lambda: desk.sessions("painted shut"))
    (lamp,), (window,) = desk.sessions("neutral wire"), desk.sessions("painted shut")
    assert lamp.prov_session == session
    assert window.prov_session != session
    assert "lamp" not in window.title


def test_the_tools_are_there_in_the_first_request_on_a_busy_machine(
    machine: MakeMachine, api: FakeApi
) -> None:
    desk = machine()
    desk.write("Cellar door", "PROJECT-NOTE oil it twice", project=PROJECT)
    with busy(processes=4):
        desk.ask("hello")
    first = api.turns()[0]
    assert {"mcp__anamnesis__memory_search", "mcp__anamnesis__memory_write"} <= set(first.tools)
    assert "PROJECT-NOTE" in first.context


@contextmanager
def busy(*, processes: int) -> Iterator[None]:
    """Processes that keep the CPU busy during the block, for at most two minutes."""
    workers = [multiprocessing.Process(target=_compute, args=(120.0,), daemon=True) for _ in range(processes)]
    for each in workers:
        each.start()
    try:
        yield
    finally:
        for each in workers:
            each.terminate()
            each.join()


def _compute(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(number * number for number in range(10_000))
