"""`init`: set up this machine, or undo that. Prints exactly what it changes, and changes no note."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from anamnesis.address import has_password, mask, parse_address
from anamnesis.cli import agents
from anamnesis.cli.parser import add_flag
from anamnesis.cli.sessions import capture_all_past
from anamnesis.cli.setup_plan import Plan, agreed, is_asking, make_plan
from anamnesis.cli.sync import describe_result, sync_now
from anamnesis.cli.terminal import confirmed, say, tell
from anamnesis.config import resolve_claude_dir, resolve_home
from anamnesis.errors import AnamnesisError, ConfigError
from anamnesis.files import make_folder
from anamnesis.layout import LOCAL, MEMORY
from anamnesis.onboard import client, hooks
from anamnesis.onboard.changes import Change
from anamnesis.session.ledger import past_sessions
from anamnesis.settings import save
from anamnesis.store import MemoryStore
from anamnesis.sync.remote import make_bare
from anamnesis.text import plural

DEFAULT_NAME = "anamnesis"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def add_init(parser: argparse.ArgumentParser) -> None:
    """Arguments of `init`."""
    parser.add_argument("--home", metavar="DIR", help="where the store is (default: ~/.anamnesis)")
    parser.add_argument("--machine-id", metavar="NAME", help="this machine's name (default: the host name)")
    remote = parser.add_mutually_exclusive_group()
    remote.add_argument("--remote", metavar="URL", help="git remote that your machines share")
    add_flag(remote, "--local-only", help="no remote; run init again to add one")
    add_flag(
        parser, "--create", help="create the remote's repository if it is missing: over ssh, or in a folder"
    )
    parser.add_argument(
        "--agent",
        action="append",
        choices=agents.AGENTS,
        metavar="NAME",
        help=f"set this agent up (may be given several times; default: {agents.CLAUDE});"
        f" one of {', '.join(agents.AGENTS)}",
    )
    command = parser.add_mutually_exclusive_group()
    command.add_argument("--command", metavar="CMD", help="the command that hooks and server run")
    command.add_argument("--uv-project", metavar="DIR", help="run through `uv run --project DIR`")
    parser.add_argument("--name", default=DEFAULT_NAME, help="name of the MCP server (default %(default)s)")
    add_flag(parser, "--no-mcp", help="do not register the MCP server in Claude Code")
    add_flag(parser, "--no-hooks", help="do not touch Claude Code's settings.json")
    add_flag(parser, "--no-sync", help="no first sync")
    add_flag(parser, "--capture-past", help="capture the sessions that are on disk already")
    add_flag(parser, "-y", "--yes", help="ask nothing, take the defaults")
    add_flag(parser, "--print", help="show what would be done and do nothing")
    add_flag(parser, "--uninstall", help="remove hooks, permissions and server again")
    parser.epilog = "Example:\n  anamnesis init --remote you@host:anamnesis-memory.git"


def cmd_init(args: argparse.Namespace) -> int:
    """Set up this machine, show how, or undo it."""
    if not _NAME.fullmatch(args.name):
        raise ConfigError(f"--name {args.name!r} cannot name an MCP server; use letters, digits, '-' and '_'")
    if args.uninstall:
        return agents.uninstall(args)
    plan = make_plan(args)
    # Plan first, so that a file that cannot be parsed stops init before anything is written.
    settings = agents.plan_settings(plan.setup, on_prompt=plan.on_prompt) if plan.hooks else None
    others = agents.plan_agents(plan.agents, plan.setup)
    if args.print:
        _show(plan, settings)
        agents.show_agents(others)
        return 0
    if is_asking(args) and not _is_agreed(plan, settings):
        say("nothing was changed")
        return 1
    if args.create:
        _create_remote(plan, is_sure=args.yes)
    client.write_store_config(plan.home, machine_id=plan.machine_id, remote=plan.remote)
    if plan.on_prompt:
        save("recall_on_prompt", "1", home=plan.home)
    make_folder(plan.home / MEMORY)
    make_folder(plan.home / LOCAL)
    say(f"store: {plan.store_words}")
    _say_password(plan)
    if settings:
        agents.write_settings(settings)
    is_registered = not plan.mcp or _register(plan)
    agents.write_agents(others)
    agents.explain_agents(others)
    if plan.mcp or others:
        _warn_missing_extra(plan)
    if plan.hooks or others:
        _offer_past(plan, is_wanted=args.capture_past, ask=is_asking(args))
    trouble = _first_sync(plan) if plan.sync else ""
    _say_summary(args, plan, trouble, is_registered=is_registered)
    return 1 if trouble else 0


def _is_agreed(plan: Plan, settings: Change | None) -> bool:
    """Print the plan, and ask whether to continue."""
    tell(f"this sets up the store in {plan.store_words}")
    if settings and settings.has_effect:
        tell(f"and changes {settings.path}; `anamnesis init --print` shows how")
    return agreed("go on", "yes")


def _create_remote(plan: Plan, *, is_sure: bool) -> None:
    """Create the remote's bare repository, after asking."""
    address = parse_address(plan.remote or "")
    if not address.path or address.is_web or address.scheme == "git":
        raise ConfigError("--create makes a repository in a folder or over ssh; give such a --remote")
    shown = mask(plan.remote or "")
    if not is_sure and not confirmed(f"create a bare repository at {shown} if there is none?"):
        tell(f"remote: {shown} was not created; --yes creates it without asking")
        return
    made = make_bare(address, folder=Path.home())
    say(f"remote: {shown} {'was created' if made else 'exists already'}")


def _is_elsewhere(plan: Plan) -> bool:
    """Whether commands without ANAMNESIS_HOME would look for the store elsewhere."""
    return str(plan.home) != os.path.abspath(resolve_home())


def _say_summary(args: argparse.Namespace, plan: Plan, trouble: str, *, is_registered: bool) -> None:
    if _is_elsewhere(plan):
        line = f"export ANAMNESIS_HOME={shlex.quote(str(plan.home))}"
        say(f"for your shell, so that commands find the store: {line}")
    _say_wiring(args, plan, is_last=not trouble, is_registered=is_registered)
    if trouble:
        say(f"done, but the first sync failed: {trouble}")


def _say_wiring(args: argparse.Namespace, plan: Plan, *, is_last: bool, is_registered: bool) -> None:
    """Print what is set up now, and the command that sets up what is not."""
    if agents.CLAUDE not in plan.agents:
        if is_last:
            say(f"done: {', '.join(plan.agents)}; `anamnesis doctor` checks everything")
        return
    missing = [
        *([] if plan.hooks else ["the hooks (nothing is injected or captured)"]),
        *([] if plan.mcp else ["the MCP server (Claude cannot search or write)"]),
    ]
    if not missing and is_last:
        started = "the next Claude Code session starts with your notes"
        lacking = "" if is_registered else ", but cannot search or write: the MCP server is not registered"
        say(f"done: {started}{lacking}; `anamnesis doctor` checks everything")
    if not missing:
        return
    given = [
        ("--home", str(plan.home) if _is_elsewhere(plan) else ""),
        ("--command", args.command),
        ("--uv-project", args.uv_project),
    ]
    given += [("--name", args.name)] if args.name != DEFAULT_NAME else []
    again = ["anamnesis", "init", *(word for flag, value in given if value for word in (flag, value))]
    say(f"done, but not set up: {' and '.join(missing)}; this does it: {shlex.join(again)}")


def _offer_past(plan: Plan, *, is_wanted: bool, ask: bool) -> None:
    """Print how many earlier sessions are on disk, and capture them on request."""
    count = len(past_sessions(plan.home, resolve_claude_dir()))
    if not count:
        return
    there = f"{plural(count, 'session')} on disk from before"
    if not is_wanted and ask:
        with suppress(ConfigError):  # the rest of init does not depend on the answer
            is_wanted = agreed(f"{there}; make notes of them", "no")
    if is_wanted:
        capture_all_past(plan.home, machine_id=plan.machine_id)
    else:
        say(f"{there}: `anamnesis capture --past` makes notes of them")


def _show(plan: Plan, settings: Change | None) -> None:
    say(f"would keep the store in {plan.store_words}")
    _say_password(plan)
    say(f"would run Anamnesis as: {shlex.join(plan.command)}")
    if settings:
        agents.show_settings(settings)
    if plan.mcp and (plugin := hooks.enabled_plugin(client.read_settings(client.settings_path()))):
        say(f"would add no hooks and no MCP server: the plugin {plugin} is switched on and brings them")
    elif plan.mcp:
        say(f"would register the MCP server {plan.name!r}, like:")
        say(mask(client.registration_line(plan.name, plan.command, plan.env)))
    if plan.sync:
        alone = "would commit the notes once; there is no remote to sync with"
        say("would sync once" if plan.remote else alone)


def _say_password(plan: Plan) -> None:
    if plan.remote and has_password(plan.remote):
        say("password of the remote: only in the store's config.json, not in the client's files")


def _register(plan: Plan) -> bool:
    """Register the MCP server and say so, or how to do it; whether the client has one now."""
    if plugin := hooks.enabled_plugin(client.read_settings(client.settings_path())):
        client.unregister(plan.name)
        say(f"plugin: {plugin} is switched on and brings hooks and the MCP server; none were added")
        return True
    if client.register(plan.name, plan.command, plan.env):
        say(f"MCP server: {plan.name!r} is registered at user scope")
        return True
    say(f"MCP server: not registered: {client.why_not()}; register it with:")
    say("  " + mask(client.registration_line(plan.name, plan.command, plan.env)))
    return False


def _warn_missing_extra(plan: Plan) -> None:
    """Print a hint if the server that was just set up cannot start, because the extra is missing."""
    if find_spec("fastmcp") is None and client.is_this_installation(plan.command[0]):
        from anamnesis.cli.upgrade import extra_command  # only needed for an incomplete installation

        say(f"MCP server: it cannot start yet, the extra `mcp` is missing; to add it: {extra_command('mcp')}")


def _first_sync(plan: Plan) -> str:
    """Sync once; returns why it failed, "" if it worked. The setup stays either way."""
    try:
        with MemoryStore(plan.home) as store:
            result = sync_now(store, machine_id=plan.machine_id, remote=plan.remote)
    except AnamnesisError as exc:
        if plan.remote:
            return str(exc)
        tell(f"anamnesis: first sync: {exc}")
        return ""
    if result.failure:
        return describe_result(result)
    say(f"sync: {describe_result(result)}")
    return ""
