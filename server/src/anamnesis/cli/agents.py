"""What `init` sets up in the agents and removes again: Claude Code's settings and MCP server, other agents.

Every change is planned first, then shown or made. Uninstalling keeps every note.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Sequence
from difflib import unified_diff
from importlib.util import find_spec
from pathlib import Path

from anamnesis.address import mask
from anamnesis.cli.terminal import say
from anamnesis.config import resolve_home
from anamnesis.onboard import client, hooks
from anamnesis.onboard.agents import OTHER_AGENTS, Agent, configured_agents
from anamnesis.onboard.changes import Change, apply_change, changes_to_add, changes_to_remove
from anamnesis.onboard.parts import ClientSettings, Setup

CLAUDE = "claude"
AGENTS = (CLAUDE, *OTHER_AGENTS)
_PAST = {"remove": "removed", "write": "wrote", "change": "changed"}


def plan_settings(setup: Setup, *, on_prompt: bool) -> Change:
    """Plan to add our hooks and permissions; ConfigError for a damaged file, before anything is written."""
    (change,) = changes_to_add([ClientSettings(client.settings_path(), on_prompt)], setup)
    return change


def show_settings(change: Change) -> None:
    """Print the planned file."""
    if not change.has_effect or change.after is None:
        say(f"would {_verb(change)} {change.path}")
        return
    say(f"would write {change.path}:")
    say(mask(change.after.rstrip("\n")))


def write_settings(change: Change, *, is_removal: bool = False) -> None:
    """Write or remove the file, and print every hook and permission that was added or removed."""
    if not change.has_effect:
        if is_removal:
            say(f"hooks and permissions: none of ours in {change.path}, nothing changed")
        else:
            say(f"hooks: already in {change.path}, nothing changed")
        return
    backup = apply_change(change)
    action = "removed from" if is_removal else "written to"
    backup_hint = f" (backup: {backup})" if backup else ""
    deleted = ", which was deleted because it held nothing else" if change.after is None else ""
    say(f"hooks and permissions: {action} {change.path}{backup_hint}{deleted}")
    old, new = _setting_lines(change.before), _setting_lines(change.after)
    for sign, lines, others in (("-", old, new), ("+", new, old)):
        for line in lines:
            if line not in others:
                say(mask(f"  {sign} {line}"))


def _setting_lines(text: str | None) -> list[str]:
    return hooks.described(json.loads((text or "").removeprefix("\ufeff") or "{}"))


def show_registration(setup: Setup) -> None:
    """Print how the MCP server would be registered."""
    if plugin := _plugin():
        say(f"would add no hooks and no MCP server: the plugin {plugin} is switched on and brings them")
        return
    say(f"would register the MCP server {setup.name!r}, like:")
    say(mask(client.registration_line(setup.name, setup.command, setup.env)))


def register(setup: Setup) -> bool:
    """Register the MCP server and say so, or how to do it; whether the client has one now."""
    if plugin := _plugin():
        client.unregister(setup.name)
        say(f"plugin: {plugin} is switched on and brings hooks and the MCP server; none were added")
        return True
    if client.register(setup.name, setup.command, setup.env):
        say(f"MCP server: {setup.name!r} is registered at user scope")
        return True
    say(f"MCP server: not registered: {client.why_not()}; register it with:")
    say("  " + mask(client.registration_line(setup.name, setup.command, setup.env)))
    return False


def _plugin() -> str:
    """The name of our plugin if the client has it switched on; "" otherwise."""
    return hooks.enabled_plugin(client.read_settings(client.settings_path()))


def warn_missing_extra(setup: Setup) -> None:
    """Print a hint if the server that was just set up cannot start, because the extra is missing."""
    if find_spec("fastmcp") is None and client.is_this_installation(setup.command[0]):
        from anamnesis.cli.upgrade import extra_command  # only needed for an incomplete installation

        say(f"MCP server: it cannot start yet, the extra `mcp` is missing; to add it: {extra_command('mcp')}")


def plan_agents(names: Iterable[str], setup: Setup) -> list[tuple[Agent, list[Change]]]:
    """Plan to set up the agents; ConfigError for a damaged file, before anything is written."""
    agents = [OTHER_AGENTS[name] for name in names if name != CLAUDE]
    return [(agent, changes_to_add(agent.parts, setup)) for agent in agents]


def plan_removal(names: Sequence[str] | None, setup: Setup) -> list[tuple[Agent, list[Change]]]:
    """Plan to remove the setup of these agents; by default, of all agents that are set up."""
    agents = [OTHER_AGENTS[name] for name in names if name != CLAUDE] if names else configured_agents(setup)
    return [(agent, changes_to_remove(agent.parts, setup)) for agent in agents]


def show_agents(planned: Iterable[tuple[Agent, list[Change]]]) -> None:
    """Print the planned changes as diffs."""
    for agent, changes in planned:
        for change in changes:
            say(f"{agent.name}: would {_verb(change)} {change.path}")
            for line in _difference(change):
                say(mask(line))


def write_agents(planned: Iterable[tuple[Agent, list[Change]]]) -> None:
    """Make the changes and print them."""
    for agent, changes in planned:
        for change in changes:
            if not change.has_effect:
                say(f"{agent.name}: nothing to change in {change.path}")
                continue
            backup = apply_change(change)
            say(
                f"{agent.name}: {_PAST[_verb(change)]} {change.path}"
                + (f" (backup: {backup})" if backup else "")
            )


def explain_agents(planned: Iterable[tuple[Agent, list[Change]]]) -> None:
    """Print what is automatic now, and what the user still has to do."""
    for agent, _ in planned:
        if agent.automatic:
            say(f"{agent.name}: automatic in {agent.title}: {agent.automatic}")
        else:
            say(f"{agent.name}: nothing is automatic in {agent.title}; the model is told to search and write")
        if agent.remark:
            say(f"{agent.name}: {agent.remark}")


def _verb(change: Change) -> str:
    if not change.has_effect:
        return "change nothing in"
    return "remove" if change.after is None else "write" if change.before is None else "change"


def _difference(change: Change) -> Iterable[str]:
    before, after = ((text or "").splitlines() for text in (change.before, change.after))
    return (f"  {line}" for line in list(unified_diff(before, after, lineterm="", n=2))[2:])


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
    (change,) = changes_to_remove([ClientSettings(client.settings_path())], setup)
    if args.print:
        show_settings(change)
        say(f"would unregister the MCP server {args.name!r}")
        return
    if args.no_hooks:
        say(f"hooks and permissions: left in {change.path}")
    else:
        write_settings(change, is_removal=True)
    if not args.no_mcp:
        reason = "`claude mcp` does not know it" if client.has_client() else client.why_not()
        is_gone = client.unregister(args.name)
        say(f"MCP server: {args.name!r} {'unregistered' if is_gone else f'was not registered: {reason}'}")


def _homes() -> list[Path]:
    """The stores that the hooks use, and the commands' default store."""
    ours = hooks.our_hooks(client.read_settings(client.settings_path()))
    variables = (hooks.split_command(command)[0].get("ANAMNESIS_HOME", "") for _, command in ours)
    homes = [Path(os.path.abspath(os.path.expanduser(home))) for home in variables if home]
    return list(dict.fromkeys(homes)) or [resolve_home()]
