"""Agents other than Claude Code: what we add to their files.

An agent is a list of parts, and a part knows how it is put into the text of a file and taken out again. So
setting up is idempotent and reversible, foreign content stays, and all can be shown before it is done.
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
    """The agent of this name."""
    return OTHER_AGENTS[name]()


def installed_agents() -> list[Agent]:
    """The agents that seem to be on this machine."""
    return [agent for make in OTHER_AGENTS.values() if (agent := make()).is_installed]


def wired_agents(setup: Setup) -> list[Agent]:
    """The agents that have our parts in their files; one whose file cannot be parsed is left out."""
    return [agent for make in OTHER_AGENTS.values() if _is_wired(agent := make(), setup)]


def _is_wired(agent: Agent, setup: Setup) -> bool:
    try:
        return any(change.is_one for change in take_out(agent.parts, setup))
    except ConfigError:
        return False
