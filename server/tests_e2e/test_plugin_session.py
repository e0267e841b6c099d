"""The plugin in the real client: installed from this repository, alone and together with `init`."""

from __future__ import annotations

import json
from pathlib import Path

from client import wait_for
from fake_api import FakeApi, Request, Say
from machine import PROJECT, Machine, MakeMachine

ROOT = Path(__file__).resolve().parents[2]
OUTCOME = "The cellar door was oiled and the hinge replaced, so it closes without a sound now."
TOOLS = {"memory_search", "memory_write", "memory_list", "memory_sync", "memory_status"}
COMMANDS = {"anamnesis:recall", "anamnesis:remember", "anamnesis:memory-status", "anamnesis:forget"}


def install_plugin(desk: Machine) -> None:
    """Install the plugin as its README says."""
    for words in (["marketplace", "add", str(ROOT)], ["install", "anamnesis@anamnesis"]):
        done = desk.client_command("plugin", *words)
        assert done.returncode == 0, done.stdout + done.stderr


def memory_tools(request: Request) -> list[str]:
    return [name for name in request.tools if name.rpartition("__")[2] in TOOLS]


def test_the_plugin_alone_injects_captures_and_provides_tools_and_commands(
    machine: MakeMachine, api: FakeApi
) -> None:
    desk = machine(wired=False)
    desk.write("Cellar door", "PROJECT-NOTE oil it twice", project=PROJECT)
    install_plugin(desk)
    turn = api.teach("door", Say(OUTCOME))
    answer = desk.ask(f"Please oil the cellar door {turn}", "--output-format", "stream-json", "--verbose")
    first = api.turns()[0]
    assert first.context.count("PROJECT-NOTE") == 1
    assert set(memory_tools(first)) == {f"mcp__plugin_anamnesis_anamnesis__{name}" for name in TOOLS}
    lines = [json.loads(line) for line in answer.stdout.splitlines()]
    (head,) = [line for line in lines if line.get("subtype") == "init"]
    assert set(head["slash_commands"]) >= COMMANDS
    assert wait_for(lambda: desk.sessions("cellar door"))
    (note,) = desk.sessions("cellar door")
    assert OUTCOME in note.body


def test_a_command_of_the_plugin_reaches_the_model(machine: MakeMachine, api: FakeApi) -> None:
    desk = machine(wired=False)
    install_plugin(desk)
    desk.ask("/anamnesis:remember brass hinges last longest")
    text = api.turns()[0].context
    assert "Remember this: brass hinges last longest" in text
    assert "First search for a note that already says it" in text
