"""The Codex CLI: hooks.json in the form of Claude Code, and the MCP server in config.toml."""

from __future__ import annotations

from anamnesis.config import resolve_codex_dir
from anamnesis.onboard.agents.agent import Agent, hook_group, server_entry
from anamnesis.onboard.agents.json_parts import Hooks
from anamnesis.onboard.agents.part import Setup
from anamnesis.onboard.agents.toml_part import ServerTable
from anamnesis.onboard.hooks import Groups


def codex() -> Agent:
    """The agent on this machine."""
    folder = resolve_codex_dir()
    return Agent(
        name="codex",
        title="Codex CLI",
        program="codex",
        folder=folder,
        parts=(Hooks(folder / "hooks.json", _hooks), ServerTable(folder / "config.toml", server_entry)),
        automatic="notes at the start, a note at the end, catch-up, sync",
        remark="Codex skips hooks silently until you trust them: open `codex` and accept them under /hooks",
    )


def _hooks(setup: Setup) -> dict[str, Groups]:
    # Codex asks for trust again when a command line changes, and cuts a session's end at 3 seconds.
    return {
        "SessionStart": [
            hook_group(setup, "inject", "--format", "json", timeout=15),
            hook_group(setup, "sync", "--detach", timeout=15),
        ],
        "SessionEnd": [hook_group(setup, "capture", "--quiet", timeout=3)],
    }
