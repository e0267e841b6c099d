"""`init --uninstall`: removes what `init` wrote into the agents' files, and keeps every note."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from anamnesis import onboard
from anamnesis.cli.agents import CLAUDE, plan_removal, show_agents, write_agents
from anamnesis.cli.client_settings import plan_settings_removal, show_settings, write_settings
from anamnesis.cli.terminal import say
from anamnesis.config import resolve_home
from anamnesis.doctor.setup import split_command
from anamnesis.onboard.agents import Setup


def uninstall(args: argparse.Namespace) -> int:
    """Remove hooks, permissions and server, or show what that changes."""
    setup = Setup(("anamnesis",), name=args.name)
    others = plan_removal(args.agent, setup)
    homes = _homes()
    if not args.agent or CLAUDE in args.agent:
        _uninstall_claude(args, setup)
    if args.print:
        show_agents(others)
        return 0
    write_agents(others)
    for home in homes:
        say(f"kept: {home} with every note" if home.is_dir() else f"there is no store in {home}")
    return 0


def _uninstall_claude(args: argparse.Namespace, setup: Setup) -> None:
    change = plan_settings_removal(setup)
    if args.print:
        show_settings(change)
        say(f"would unregister the MCP server {args.name!r}")
        return
    if args.no_hooks:
        say(f"hooks and permissions: left in {change.path}")
    else:
        write_settings(change, is_removal=True)
    if not args.no_mcp:
        is_gone = onboard.unregister(args.name)
        say(
            f"MCP server: {args.name!r} "
            + ("unregistered" if is_gone else f"was not registered: {_reason()}")
        )


def _reason() -> str:
    return onboard.why_not() if not onboard.has_client() else "`claude mcp` does not know it"


def _homes() -> list[Path]:
    """The stores that the hooks use, and the default one of the commands."""
    hooks = onboard.our_hooks(onboard.read_settings(onboard.settings_path()))
    named = (split_command(command)[0].get("ANAMNESIS_HOME", "") for _, command in hooks)
    found = {Path(os.path.abspath(os.path.expanduser(each))): None for each in named if each}
    return list(found) or [resolve_home()]
