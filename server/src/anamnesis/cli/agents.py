"""`init --agent`: which agents are set up, what that changes in their files, and what is printed about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import unified_diff

from anamnesis.address import mask
from anamnesis.cli.asking import asked
from anamnesis.cli.terminal import say
from anamnesis.errors import ConfigError
from anamnesis.onboard.agents import (
    OTHER_AGENTS,
    Agent,
    Change,
    Setup,
    agent_named,
    carry_out,
    installed_agents,
    put_in,
    take_out,
    wired_agents,
)

CLAUDE = "claude"
AGENTS = (CLAUDE, *OTHER_AGENTS)


def choose_agents(given: Sequence[str] | None, *, ask: bool) -> list[str]:
    """The agents to set up: those given, else those the user picks among the installed ones, else Claude."""
    if given:
        return list(dict.fromkeys(given))
    found = [agent.name for agent in installed_agents()] if ask else []
    if not found:
        return [CLAUDE]
    words = asked(f"agents to set up, of {', '.join([CLAUDE, *found])}", CLAUDE, _agent_names).split()
    return [name for name in AGENTS if name in words]


def _agent_names(answer: str) -> str:
    words = answer.replace(",", " ").lower().split()
    if unknown := [word for word in words if word not in AGENTS]:
        raise ConfigError(f"{unknown[0][:40]!r} is not one of {', '.join(AGENTS)}")
    return " ".join(words)


def plan_agents(names: Iterable[str], setup: Setup) -> list[tuple[Agent, list[Change]]]:
    """What setting up the agents changes; ConfigError, before anything is written, for a damaged file."""
    agents = [agent_named(name) for name in names if name != CLAUDE]
    return [(agent, put_in(agent.parts, setup)) for agent in agents]


def plan_removal(given: Sequence[str] | None, setup: Setup) -> list[tuple[Agent, list[Change]]]:
    """What removing the agents' set-up changes; without a choice, all agents that have our set-up."""
    agents = [agent_named(name) for name in given if name != CLAUDE] if given else wired_agents(setup)
    return [(agent, take_out(agent.parts, setup)) for agent in agents]


def show_agents(planned: Iterable[tuple[Agent, list[Change]]]) -> None:
    """Print what would change, as diffs."""
    for agent, changes in planned:
        for change in changes:
            say(f"{agent.name}: would {_verb(change)} {change.path}")
            for line in _difference(change):
                say(mask(line))


def write_agents(planned: Iterable[tuple[Agent, list[Change]]]) -> None:
    """Make the changes and print them."""
    for agent, changes in planned:
        for change in changes:
            if not change.is_one:
                say(f"{agent.name}: nothing to change in {change.path}")
                continue
            backup = carry_out(change)
            say(f"{agent.name}: {_past(change)} {change.path}" + (f" (backup: {backup})" if backup else ""))


def explain_agents(planned: Iterable[tuple[Agent, list[Change]]]) -> None:
    """Print what is automatic now, and what the user has to do."""
    for agent, _ in planned:
        if agent.automatic:
            say(f"{agent.name}: automatic in {agent.title}: {agent.automatic}")
        else:
            say(f"{agent.name}: nothing is automatic in {agent.title}; the model is told to search and write")
        if agent.remark:
            say(f"{agent.name}: {agent.remark}")


def _verb(change: Change) -> str:
    if not change.is_one:
        return "change nothing in"
    return "remove" if change.after is None else "write" if change.before is None else "change"


def _past(change: Change) -> str:
    return "removed" if change.after is None else "wrote" if change.before is None else "changed"


def _difference(change: Change) -> Iterable[str]:
    before, after = ((text or "").splitlines() for text in (change.before, change.after))
    return (f"  {line}" for line in list(unified_diff(before, after, lineterm="", n=2))[2:])
