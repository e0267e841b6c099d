"""Cursor: the MCP server for the user, and a rule in the project at hand."""

from __future__ import annotations

from pathlib import Path

from anamnesis.onboard.agents.agent import Agent, home_path, server_entry
from anamnesis.onboard.agents.json_parts import ServerEntry
from anamnesis.onboard.agents.part import Setup
from anamnesis.onboard.agents.text_parts import ADVICE, OwnFile

_MARK = "description: Anamnesis memory"


def cursor() -> Agent:
    """The agent on this machine, and the project in the current folder."""
    folder = home_path(".cursor")
    return Agent(
        name="cursor",
        title="Cursor",
        program="cursor",
        folder=folder,
        parts=(
            ServerEntry(folder / "mcp.json", server_entry),
            OwnFile(Path.cwd() / ".cursor" / "rules" / "anamnesis.mdc", _rule, _MARK),
        ),
        automatic="nothing: the model is told to search and write by itself",
        remark="the rule holds for this folder; for all projects, paste it into the rules in its settings",
    )


def _rule(setup: Setup) -> str:
    return f"---\n{_MARK}\nalwaysApply: true\n---\n\n{ADVICE.format(name=setup.name)}"
