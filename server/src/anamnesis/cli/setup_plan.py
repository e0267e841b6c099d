"""Decides what `init` will do, from the arguments, the settings, and on a terminal the user's answers.

An invalid answer is explained, and the question is asked again.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from anamnesis.address import check_remote, full_remote, mask
from anamnesis.cli.agents import AGENTS, CLAUDE
from anamnesis.cli.terminal import can_ask, one_line, tell
from anamnesis.config import read_config, resolve_home, resolve_machine_id, resolve_remote
from anamnesis.errors import AnamnesisError, ConfigError
from anamnesis.onboard import client
from anamnesis.onboard.agents import installed_agents
from anamnesis.onboard.parts import Setup
from anamnesis.settings import checked, find_setting, resolve, resolve_switch

_TRIES = 3
_YES, _NO = ("y", "yes"), ("n", "no")


@dataclass(frozen=True, slots=True)
class Plan:
    """What `init` will do."""

    home: Path
    machine_id: str
    remote: str | None
    command: list[str]
    name: str
    hooks: bool
    mcp: bool
    sync: bool
    on_prompt: bool
    agents: tuple[str, ...]

    @property
    def store_words(self) -> str:
        """The store, this machine's name and the remote, for messages."""
        remote = f"remote {mask(self.remote)}" if self.remote else "no remote"
        return f"{self.home} (machine {self.machine_id}, {remote})"

    @property
    def env(self) -> dict[str, str]:
        """The variables for hooks and server; the remote is in the store's config.json."""
        return client.build_env(machine_id=self.machine_id, home=self.home)

    @property
    def setup(self) -> Setup:
        """The values for setting up other agents."""
        return Setup(self.command, self.env, self.name)


def is_asking(args: argparse.Namespace) -> bool:
    """Whether to ask questions: on a terminal, without --yes and --print."""
    return not args.yes and not args.print and can_ask()


def make_plan(args: argparse.Namespace) -> Plan:
    """The plan from the arguments, the settings, and on a terminal the user's answers."""
    ask = is_asking(args)
    home = Path(_usable_folder(str(args.home or resolve_home())))
    if ask and not args.home:
        home = Path(_ask("store folder", str(home), _usable_folder))
    known = read_config(home) if home != resolve_home() else None
    machine_id = args.machine_id or _known(known, "machine_id") or resolve_machine_id()
    remote = args.remote or _known(known, "remote") or (resolve_remote() if known is None else None)
    if ask and not args.machine_id:
        machine_id = _ask("name of this machine", machine_id, _usable_name)
    machine_id = _usable_name(machine_id)
    if ask and not args.remote and not args.local_only:
        remote = _ask("git remote that your machines share", remote or "", _usable_remote)
    remote = None if args.local_only else _usable_remote(remote or "") or None
    agents = choose_agents(args.agent, ask=ask)
    return Plan(
        home=home,
        machine_id=one_line(machine_id),
        remote=remote,
        command=client.detect_command(command=args.command, uv_project=args.uv_project),
        name=args.name,
        hooks=CLAUDE in agents and not args.no_hooks,
        mcp=CLAUDE in agents and not args.no_mcp,
        sync=not args.no_sync,
        on_prompt=_wants_prompts(home, ask=ask and CLAUDE in agents and not args.no_hooks),
        agents=tuple(agents),
    )


def _usable_folder(answer: str) -> str:
    folder = os.path.abspath(os.path.expanduser(answer))
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise ConfigError(f"{folder} is not a folder; name one that is, or that does not exist yet")
    return folder


def _usable_name(answer: str) -> str:
    return checked(find_setting("machine_id"), answer)


def _usable_remote(answer: str) -> str:
    if not answer:
        return ""
    check_remote(answer)
    return full_remote(answer)


def _wants_prompts(home: Path, *, ask: bool) -> bool:
    """Whether to install the hook for each prompt: from the setting, or by asking the user."""
    if ask and resolve("recall_on_prompt", home=home).source == "default":
        return agreed("at each prompt, recall notes that are clearly about it", "no")
    return resolve_switch("recall_on_prompt", home=home)


def _known(config: dict[str, object] | None, key: str) -> str:
    value = (config or {}).get(key)
    return value if isinstance(value, str) else ""


def choose_agents(given: Sequence[str] | None, *, ask: bool) -> list[str]:
    """The agents to set up: those given, those the user picks among the installed ones, or Claude."""
    if given:
        return list(dict.fromkeys(given))
    installed = [agent.name for agent in installed_agents()] if ask else []
    if not installed:
        return [CLAUDE]
    words = _ask(f"agents to set up, of {', '.join([CLAUDE, *installed])}", CLAUDE, _agent_names).split()
    return [name for name in AGENTS if name in words]


def _agent_names(answer: str) -> str:
    words = answer.replace(",", " ").lower().split()
    if unknown := [word for word in words if word not in AGENTS]:
        raise ConfigError(f"{unknown[0][:40]!r} is not an agent; name some of {', '.join(AGENTS)}")
    return " ".join(words)


def _ask(question: str, default: str, check: Callable[[str], str]) -> str:
    """Ask a question; returns the answer as `check` returns it, the default for an empty line.

    ConfigError if the input ends, or after a few invalid answers.
    """
    for _ in range(_TRIES):
        sys.stderr.write(f"{question} [{one_line(mask(default)) or 'none yet'}]: ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            sys.stderr.write("\n")
            raise ConfigError("the answers ended here; run `anamnesis init` again to set the rest up")
        try:
            return check(line.strip() or default)
        except AnamnesisError as exc:
            tell(str(exc))
    raise ConfigError(f"{question}: no usable answer; run `anamnesis init` again")


def agreed(question: str, default: str) -> bool:
    """Whether the answer to a question is yes; `default` is "yes" or "no"."""
    return _ask(question, default, _yes_or_no) in _YES


def _yes_or_no(answer: str) -> str:
    if answer.lower() not in _YES + _NO:
        raise ConfigError(f"{answer[:40]!r} is neither yes nor no; answer one of them")
    return answer.lower()
