"""Qwen Code: the MCP server in settings.json, and a paragraph in QWEN.md.

It has hooks by the names that Gemini gave them, but drops what a SessionStart hook answers.
"""

from __future__ import annotations

from anamnesis.onboard.agents.agent import Agent, home_path, server_entry
from anamnesis.onboard.agents.json_parts import ServerEntry
from anamnesis.onboard.agents.text_parts import Paragraph


def qwen() -> Agent:
    """The agent on this machine."""
    folder = home_path(".qwen")
    return Agent(
        name="qwen",
        title="Qwen Code",
        program="qwen",
        folder=folder,
        parts=(ServerEntry(folder / "settings.json", server_entry), Paragraph(folder / "QWEN.md")),
        automatic="nothing: the model is told to search and write by itself",
    )
