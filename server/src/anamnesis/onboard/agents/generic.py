"""Any agent that reads .mcp.json and AGENTS.md of the project at hand."""

from __future__ import annotations

from pathlib import Path

from anamnesis.onboard.agents.agent import Agent, server_entry
from anamnesis.onboard.agents.json_parts import ServerEntry
from anamnesis.onboard.agents.text_parts import Paragraph


def generic() -> Agent:
    """An agent that works in the current folder."""
    folder = Path.cwd()
    return Agent(
        name="generic",
        title="any agent in this folder",
        program="",
        folder=None,
        parts=(ServerEntry(folder / ".mcp.json", server_entry), Paragraph(folder / "AGENTS.md")),
        automatic="nothing: the model is told to search and write by itself",
        remark="both files are part of the project: look before you commit them",
    )
