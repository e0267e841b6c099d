"""Check of the agents other than Claude Code that were set up here."""

from __future__ import annotations

import shutil

from anamnesis.doctor.finding import Finding, Patient, some
from anamnesis.doctor.wiring import differences, split_command
from anamnesis.errors import ConfigError
from anamnesis.onboard.agents import Agent, Setup, command_lines, wired_agents

_SETUP = Setup(("anamnesis",))


def others_set_up() -> list[str]:
    """The names of the other agents that have something of ours."""
    return [agent.name for agent in wired_agents(_SETUP)]


def check_agents(patient: Patient) -> Finding:
    """What other agents run exists, and serves this store."""
    wired = wired_agents(_SETUP)
    if not wired:
        return Finding("agents", "ok", "no other agent is set up; `anamnesis init --agent` does that")
    wrong = {agent.name: said for agent in wired if (said := _fault(agent, patient))}
    if wrong:
        evidence = some([f"{name}: {said}" for name, said in wrong.items()])
        return Finding("agents", "bad", evidence, f"`anamnesis init {_flags(wrong)}`")
    return Finding("agents", "ok", f"set up: {', '.join(agent.name for agent in wired)}")


def _fault(agent: Agent, patient: Patient) -> str:
    """What is wrong with an agent's command lines; "" when nothing is."""
    try:
        starts = [split_command(line) for line in command_lines(agent.parts, _SETUP)]
    except ConfigError as exc:
        return str(exc)
    dead = sorted({program for _, program in starts if not shutil.which(program)})
    if dead:
        return f"the command it runs does not exist: {some(dead)}"
    astray = [line for variables, _ in starts for line in differences(variables, home=patient.home)]
    return f"it uses {some(list(dict.fromkeys(astray)))}" if astray else ""


def _flags(names: dict[str, str]) -> str:
    return " ".join(f"--agent {name}" for name in names)


CHECKS = (check_agents,)
