"""The Gemini CLI: hooks and MCP server in one settings.json."""

from __future__ import annotations

from anamnesis.onboard.agents.agent import Agent, home_path, hook_group, server_entry
from anamnesis.onboard.agents.json_parts import Hooks, ServerEntry
from anamnesis.onboard.agents.part import Setup
from anamnesis.onboard.hooks import Groups


def gemini() -> Agent:
    """The agent on this machine."""
    folder = home_path(".gemini")
    path = folder / "settings.json"
    return Agent(
        name="gemini",
        title="Gemini CLI",
        program="gemini",
        folder=folder,
        parts=(Hooks(path, _hooks), ServerEntry(path, server_entry)),
        automatic="notes at the start, a note at the end, catch-up, sync",
        remark="in a folder that Gemini does not trust, it switches the MCP server off",
    )


def _hooks(setup: Setup) -> dict[str, Groups]:
    # Milliseconds. Plain output would be shown to the user and not to the model.
    return {
        "SessionStart": [
            hook_group(setup, "inject", "--format", "json", timeout=15_000),
            hook_group(setup, "sync", "--detach", timeout=15_000),
        ],
        "SessionEnd": [hook_group(setup, "capture", "--quiet", timeout=15_000)],
    }
