"""Real sessions of other agents set up by `init --agent`: notes are injected, sessions become notes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from client import wait_for
from dialects import ANSWER, Dialects
from machine import PROJECT
from programs import Desk, fetch_program

MakeDesk = Callable[[str], Desk]
ASK = "Please oil the cellar door so that it closes without a sound"


@pytest.fixture
def apis() -> Iterator[Dialects]:
    """The models of all agents."""
    served = Dialects()
    yield served
    served.close()


@pytest.fixture
def desk(tmp_path: Path, apis: Dialects) -> MakeDesk:
    """Make a machine with one agent, and a note about its project."""

    def make(agent: str) -> Desk:
        cache = os.environ.get("ANAMNESIS_E2E_CACHE") or os.path.join(tempfile.gettempdir(), "anamnesis-e2e")
        made = Desk(tmp_path / agent, agent, fetch_program(agent, Path(cache)), apis.url)
        words = ["write", "--type", "semantic", "--title", "Cellar door", "--project", PROJECT]
        made.anamnesis(*words, "--body", "PROJECT-NOTE oil it twice")
        return made

    return make


def turns(apis: Dialects) -> list[str]:
    """The requests that show the model its tools; those for titles and the like do not."""
    return [text for text in apis.requests if ASK in text and len(text) > 10_000]


@pytest.mark.parametrize("agent", ["codex", "gemini", "opencode"])
def test_a_session_starts_with_the_notes_of_its_project_once(
    desk: MakeDesk, apis: Dialects, agent: str
) -> None:
    done = desk(agent).ask(ASK)
    assert done.returncode == 0, done.stderr
    assert ANSWER[:40] in done.stdout
    assert turns(apis)[0].count("PROJECT-NOTE") == 1


@pytest.mark.parametrize("agent", ["codex", "gemini"])
def test_a_session_becomes_a_note_that_names_the_agent_without_the_injected_text(
    desk: MakeDesk, agent: str
) -> None:
    made = desk(agent)
    made.ask(ASK)
    assert wait_for(made.session_notes)
    (note,) = made.session_notes()
    assert note.title == "oil the cellar door so that it closes without a sound"
    assert "a screw that had come loose" in note.body
    assert "PROJECT-NOTE" not in note.body
    assert (note.project, agent in note.tags) == (PROJECT, True)


@pytest.mark.parametrize("agent", ["codex", "gemini"])
def test_a_session_whose_end_was_missed_is_captured_by_the_next(desk: MakeDesk, agent: str) -> None:
    made = desk(agent)
    made.anamnesis("config", "set", "machine_id", "desk")
    name = {"codex": ".codex/hooks.json", "gemini": ".gemini/settings.json"}[agent]
    settings = made.home / name
    wired = settings.read_text()
    settings.write_text(wired.replace("capture --quiet", "status"))
    made.ask(ASK)
    settings.write_text(wired)
    assert made.session_notes() == []
    made.ask("And what about the window in the attic, does it close without a sound too?")
    assert wait_for(lambda: len(made.session_notes()) == 2)


@pytest.mark.parametrize("agent", ["copilot", "gemini", "opencode", "qwen"])
def test_the_memory_tools_are_shown_to_the_model(desk: MakeDesk, apis: Dialects, agent: str) -> None:
    desk(agent).ask(ASK)
    assert any("memory_search" in text and "memory_write" in text for text in turns(apis))


@pytest.mark.parametrize("agent", ["copilot", "qwen"])
def test_an_agent_without_hooks_gets_a_rules_file(desk: MakeDesk, apis: Dialects, agent: str) -> None:
    desk(agent).ask(ASK)
    assert "Before you start on a task, call its tool" in turns(apis)[0]


def test_opencode_does_not_get_the_notes_when_it_names_a_session(desk: MakeDesk, apis: Dialects) -> None:
    desk("opencode").ask(ASK)
    titles = [text for text in apis.requests if "title generator" in text]
    assert titles
    assert not any("PROJECT-NOTE" in text for text in titles)


@pytest.mark.parametrize("agent", ["codex", "copilot", "gemini", "opencode", "qwen"])
def test_after_uninstalling_the_agent_runs_without_our_notes(
    desk: MakeDesk, apis: Dialects, agent: str
) -> None:
    made = desk(agent)
    made.anamnesis("init", "--uninstall", "--agent", agent)
    assert made.ask(ASK).returncode == 0
    assert not any("PROJECT-NOTE" in text or "memory_search" in text for text in apis.requests)
