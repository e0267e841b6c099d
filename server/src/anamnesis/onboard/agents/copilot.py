"""The Copilot CLI: the MCP server, and a paragraph in the user's instructions."""

from __future__ import annotations

from anamnesis.onboard.agents.agent import Agent, home_path, server_entry
from anamnesis.onboard.agents.json_parts import ServerEntry
from anamnesis.onboard.agents.part import Setup
from anamnesis.onboard.agents.text_parts import Paragraph


def copilot() -> Agent:
    """The agent on this machine."""
    folder = home_path(".copilot")
    return Agent(
        name="copilot",
        title="Copilot CLI",
        program="copilot",
        folder=folder,
        parts=(
            ServerEntry(folder / "mcp-config.json", _entry),
            Paragraph(folder / "copilot-instructions.md"),
        ),
        automatic="nothing: the model is told to search and write by itself",
    )


def _entry(setup: Setup) -> dict[str, object]:
    return {"type": "local", **server_entry(setup), "tools": ["*"]}
