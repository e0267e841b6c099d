"""Agents other than Claude Code: what we add to their files.

    agent        an agent and its parts; planning and making changes to its files
    json_parts   parts of JSON files: the MCP entry, hooks
    text_parts   parts of text files: a paragraph, a TOML table, a whole file
    known        the supported agents

A part can add itself to the text of a file and remove itself again. So setup is idempotent and reversible,
preserves foreign content, and can be previewed.
"""

from __future__ import annotations

from collections.abc import Callable

from anamnesis.errors import ConfigError
from anamnesis.onboard.agents.agent import Agent, Change, Setup, carry_out, command_lines, put_in, take_out
from anamnesis.onboard.agents.known import codex, copilot, cursor, gemini, generic, opencode, qwen

__all__ = [
    "OTHER_AGENTS",
    "Agent",
    "Change",
    "Setup",
    "agent_named",
    "carry_out",
    "command_lines",
    "installed_agents",
    "put_in",
    "take_out",
    "wired_agents",
]

OTHER_AGENTS: dict[str, Callable[[], Agent]] = {
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
    "qwen": qwen,
    "copilot": copilot,
    "cursor": cursor,
    "generic": generic,
}


def agent_named(name: str) -> Agent:
    """The agent with this name."""
    return OTHER_AGENTS[name]()


def installed_agents() -> list[Agent]:
    """The agents that seem to be installed on this machine."""
    return [agent for make in OTHER_AGENTS.values() if (agent := make()).is_installed]


def wired_agents(setup: Setup) -> list[Agent]:
    """The agents that are set up, that is, have our parts in their files; unparsable files count as not."""
    return [agent for make in OTHER_AGENTS.values() if _is_wired(agent := make(), setup)]


def _is_wired(agent: Agent, setup: Setup) -> bool:
    try:
        return any(change.is_one for change in take_out(agent.parts, setup))
    except ConfigError:
        return False
