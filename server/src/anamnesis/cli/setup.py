"""`init`: set up this machine, or undo that. Prints exactly what it changes, and changes no note.

What it will do is decided first, from the arguments, the settings, and on a terminal the user's answers. An
invalid answer is explained, and the question is asked again.
"""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable
from difflib import unified_diff
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from anamnesis.address import mask, parse_address
from anamnesis.cli.help import how_to_add
from anamnesis.cli.output import ask, can_ask, confirmed, one_line, say, tell
from anamnesis.cli.sessions import capture_all_past
from anamnesis.cli.sync import describe_result, sync_now
from anamnesis.config import resolve_claude_dir, resolve_home
from anamnesis.errors import AnamnesisError, ConfigError
from anamnesis.files import make_folder
from anamnesis.layout import LOCAL, MEMORY
from anamnesis.onboard import client
from anamnesis.onboard.agents import CLAUDE, OTHER_AGENTS, Plan, configured_agents, plan_changes
from anamnesis.onboard.files import Change, Setup, apply_change
from anamnesis.session.agents import past_sessions
from anamnesis.settings import checked, find_setting, resolve
from anamnesis.store import MemoryStore
from anamnesis.sync import backend_for
from anamnesis.sync.remote import make_bare
from anamnesis.text import plural

_usable_name = partial(checked, find_setting("machine_id"))


def cmd_init(args: argparse.Namespace) -> int:
    """Set up this machine, show how, or undo it."""
    if args.uninstall:
        return _uninstall(args)
    is_asking = not args.yes and not args.print and can_ask()
    plan = _make_plan(args, is_asking=is_asking)
    if args.print:
        _preview(args, plan)
        return 0
    if is_asking and not _confirm_plan(plan):
        say("nothing was changed")
        return 1
    if args.create:
        _create_remote(plan, is_sure=args.yes)
    client.write_store_config(plan.home, machine_id=plan.machine_id, remote=plan.remote or None)
    make_folder(plan.home / MEMORY)
    make_folder(plan.home / LOCAL)
    say(f"store: {plan.store_words}")
    _make_changes(plan.changes)
    missing = _missing(args, plan)
    _explain(plan)
    _offer_past(plan, is_wanted=args.capture_past, ask=is_asking)
    trouble = "" if args.no_sync else _first_sync(plan)
    _say_summary(plan, trouble, missing)
    return 1 if trouble else 0


def _make_plan(args: argparse.Namespace, *, is_asking: bool) -> Plan:
    """The plan from the arguments, the settings, and on a terminal the user's answers."""
    choose = partial(_choose, is_asking=is_asking)
    home = Path(choose("store folder", args.home, str(resolve_home()), _usable_folder))
    name = resolve("machine_id", home=home).value
    machine_id = choose("name of this machine", args.machine_id, name, _usable_name)
    known, remote = resolve("remote", home=home).value, ""
    if not args.local_only:
        remote = choose("git remote that your machines share", args.remote, known, _usable_remote)
    if known and remote not in ("", known) and not (args.create or args.no_sync or args.print):
        _check_new_remote(remote, known=known, home=home)
    agents = tuple(dict.fromkeys(args.agent)) or (CLAUDE,)
    command = client.detect_command(command=args.command, uv_project=args.uv_project)
    # The remote is in the store's config.json.
    setup = Setup(command, client.build_env(machine_id=machine_id, home=home))
    # Planned before anything is written, so that a file that cannot be parsed stops init.
    changes = plan_changes([name for name in agents if name != CLAUDE or not args.no_hooks], setup)
    return Plan(home, machine_id, remote, setup, agents, changes)


def _usable_folder(answer: str) -> str:
    folder = os.path.abspath(os.path.expanduser(answer))
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise ConfigError(f"{folder} is not a folder; name one that is, or that does not exist yet")
    return folder


def _usable_remote(answer: str) -> str:
    return answer and checked(find_setting("remote"), answer)


def _check_new_remote(remote: str, *, known: str, home: Path) -> None:
    """Refuse a remote that does not answer in place of the one the store has."""
    found = backend_for(home / MEMORY, remote=remote, machine_id="new").examine_remote()
    if found.state == "bad":
        kept = f"nothing was changed, the remote stays {mask(known)}; --no-sync changes it unseen"
        raise ConfigError(f"{found.evidence}; {found.remedy}; {kept}")


def _choose(
    question: str, given: str | None, default: str, check: Callable[[str], str], *, is_asking: bool
) -> str:
    """What the arguments give, else the user's answer, else the default, as `check` returns it."""
    if given or not is_asking:
        return check(given or default)
    while line := ask(f"{question} [{one_line(mask(default)) or 'none yet'}]:"):
        try:
            return check(line.strip() or default)
        except AnamnesisError as exc:
            tell(str(exc))
    tell("")
    raise ConfigError("the answers ended here; run `anamnesis init` again to set the rest up")


def _confirm_plan(plan: Plan) -> bool:
    """Print the plan; returns whether the user wants it."""
    tell(f"this sets up the store in {plan.store_words}")
    for change in plan.changes:
        if change.has_effect:
            tell(f"and changes {change.path}; `anamnesis init --print` shows how")
    return confirmed("go on?", default="yes")


def _create_remote(plan: Plan, *, is_sure: bool) -> None:
    """Create the remote's bare repository, after asking."""
    address = parse_address(plan.remote)
    if not address.path or address.is_web or address.scheme == "git":
        raise ConfigError("--create makes a repository in a folder or over ssh; give such a --remote")
    shown = mask(plan.remote)
    if not is_sure and not confirmed(f"create a bare repository at {shown} if there is none?"):
        tell(f"remote: {shown} was not created; --yes creates it without asking")
        return
    made = make_bare(address, folder=Path.home())
    say(f"remote: {shown} {'was created' if made else 'exists already'}")


def _make_changes(changes: list[Change], *, is_preview: bool = False, is_removal: bool = False) -> None:
    """Make the changes, or only print them: every line that is added or removed."""
    for change in changes:
        if not change.has_effect:
            say(f"{change.agent}: nothing to change in {change.path}")
            continue
        backup = None if is_preview else apply_change(change, keep=not is_removal)
        kept = f" (backup: {backup})" if backup else ""
        is_gone = change.after is None
        verbs = ("would write", "would remove") if is_preview else ("wrote", "removed")
        say(f"{change.agent}: {verbs[is_gone]} {change.path}{kept}")
        before, after = ((text or "").splitlines() for text in (change.before, change.after))
        for line in list(unified_diff(before, after, lineterm="", n=1))[2:]:
            say(mask(f"  {line}"))


def _missing(args: argparse.Namespace, plan: Plan) -> list[str]:
    """Register the MCP server; returns what Claude Code lacks now."""
    if CLAUDE not in plan.agents:
        return []
    missing = ["without the hooks nothing is injected or captured"] if args.no_hooks else []
    if args.no_mcp or not _register(plan.setup):
        missing.append("Claude cannot search or write: the MCP server is not registered")
    return missing


def _register(setup: Setup) -> bool:
    """Register the MCP server and say so, or how to do it; whether the client has one now."""
    is_done = client.register(setup)
    if is_done:
        say(f"MCP server: {client.SERVER!r} is registered at user scope")
    else:
        say(f"MCP server: not registered: {client.why_not()}; register it with:")
        say("  " + mask(shlex.join(client.registration(setup))))
    if find_spec("fastmcp") is None and client.is_this_installation(setup.command[0]):
        say(f"MCP server: it cannot start yet, the extra `mcp` is missing; {how_to_add('mcp')}")
    return is_done


def _explain(plan: Plan) -> None:
    """Print what is automatic now in other agents, and what is left to do."""
    for agent in OTHER_AGENTS.values():
        if agent.name in plan.agents:
            automatic = agent.automatic or "nothing; the model is told to search and write"
            say(f"{agent.name}: automatic in {agent.title}: {automatic}")
            if agent.remark:
                say(f"{agent.name}: {agent.remark}")


def _offer_past(plan: Plan, *, is_wanted: bool, ask: bool) -> None:
    """Print how many earlier sessions are on disk, and capture them on request."""
    count = len(past_sessions(plan.home, resolve_claude_dir())) if plan.changes else 0
    if not count:
        return
    there = f"{plural(count, 'session')} on disk from before"
    if is_wanted or (ask and confirmed(f"{there}; make notes of them?", default="yes")):
        capture_all_past(plan.home, machine_id=plan.machine_id)
    else:
        say(f"{there}: `anamnesis capture --past` makes notes of them")


def _first_sync(plan: Plan) -> str:
    """Sync once; returns why it failed, "" if it worked. The setup stays either way."""
    try:
        with MemoryStore(plan.home) as store:
            result = sync_now(store, machine_id=plan.machine_id, remote=plan.remote or None)
    except AnamnesisError as exc:
        return str(exc)
    if result.failure:
        return describe_result(result)
    say(f"sync: {describe_result(result)}")
    return ""


def _say_summary(plan: Plan, trouble: str, missing: list[str]) -> None:
    """Print what works now, and what does not."""
    if str(plan.home) != os.path.abspath(resolve_home()):
        line = f"export ANAMNESIS_HOME={shlex.quote(str(plan.home))}"
        say(f"for your shell, so that commands find the store: {line}")
    if trouble:
        say(f"done, but the first sync failed: {trouble}")
    elif missing:
        say(f"done, but {'; '.join(missing)}")
    else:
        started = "the next Claude Code session starts with your notes" if CLAUDE in plan.agents else ""
        say(f"done: {started or ', '.join(plan.agents)}; `anamnesis doctor` checks everything")


def _preview(args: argparse.Namespace, plan: Plan) -> None:
    say(f"would keep the store in {plan.store_words}")
    say(f"would run Anamnesis as: {shlex.join(plan.setup.command)}")
    _make_changes(plan.changes, is_preview=True)
    if CLAUDE in plan.agents and not args.no_mcp:
        say(f"would register the MCP server {client.SERVER!r}, like:")
        say(mask(shlex.join(client.registration(plan.setup))))
    if not args.no_sync:
        say("would sync once" if plan.remote else "would commit the notes once; there is no remote")


def _uninstall(args: argparse.Namespace) -> int:
    """Remove hooks, permissions and server, or show what that changes; every note stays."""
    names = args.agent or [CLAUDE, *configured_agents()]
    touched = [name for name in names if name != CLAUDE or not args.no_hooks]
    changes = plan_changes(touched, Setup(("anamnesis",)), remove=True)
    _make_changes(changes, is_preview=args.print, is_removal=True)
    if CLAUDE in names and not args.no_mcp:
        if args.print:
            say(f"would unregister the MCP server {client.SERVER!r}")
        else:
            is_gone = client.unregister()
            said = "unregistered" if is_gone else f"was not registered: {client.why_not()}"
            say(f"MCP server: {client.SERVER!r} {said}")
    if not args.print:
        say("every note stays where it is")
    return 0
