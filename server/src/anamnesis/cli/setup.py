"""`init`: set up this machine, or undo that. Prints exactly what it changes, and changes no note.

What it will do is decided first, from the arguments, the settings, and on a terminal the user's answers. An
invalid answer is explained, and the question is asked again.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from anamnesis.address import check_remote, full_remote, has_password, mask, parse_address
from anamnesis.cli.help import how_to_add
from anamnesis.cli.output import ask, can_ask, confirmed, one_line, say, tell
from anamnesis.cli.sessions import capture_all_past
from anamnesis.cli.sync import describe_result, sync_now
from anamnesis.config import (
    read_config,
    resolve_claude_dir,
    resolve_home,
    resolve_machine_id,
    resolve_remote,
)
from anamnesis.errors import AnamnesisError, ConfigError
from anamnesis.files import make_folder
from anamnesis.layout import LOCAL, MEMORY
from anamnesis.onboard import client, hooks
from anamnesis.onboard.agents import AGENTS, CLAUDE, OTHER_AGENTS, configured_agents, installed_agents
from anamnesis.onboard.files import Change, ClientSettings, Part, Setup, apply_change, planned
from anamnesis.session.ledger import past_sessions
from anamnesis.settings import checked, find_setting
from anamnesis.store import MemoryStore
from anamnesis.sync import backend_for
from anamnesis.sync.remote import make_bare
from anamnesis.text import plural

_SERVER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_QUESTION_TRIES = 3
_YES, _NO = ("y", "yes"), ("n", "no")


@dataclass(frozen=True, slots=True)
class Plan:
    """What `init` will do: with the store, with Claude Code, and in the files of agents."""

    home: Path
    machine_id: str
    remote: str | None
    setup: Setup
    agents: tuple[str, ...]
    changes: list[tuple[str, Change]]  # agent and change
    mcp: bool

    @property
    def store_words(self) -> str:
        """The store, this machine's name and the remote, for messages."""
        remote = f"remote {mask(self.remote)}" if self.remote else "no remote"
        return f"{self.home} (machine {self.machine_id}, {remote})"


def cmd_init(args: argparse.Namespace) -> int:
    """Set up this machine, show how, or undo it."""
    if not _SERVER_NAME.fullmatch(args.name):
        raise ConfigError(f"--name {args.name!r} cannot name an MCP server; use letters, digits, '-' and '_'")
    if args.uninstall:
        return _uninstall(args)
    is_asking = not args.yes and not args.print and can_ask()
    plan = _make_plan(args, ask=is_asking)
    if args.print:
        _show(args, plan)
        return 0
    if is_asking and not _confirm_plan(plan):
        say("nothing was changed")
        return 1
    if args.create:
        _create_remote(plan, is_sure=args.yes)
    client.write_store_config(plan.home, machine_id=plan.machine_id, remote=plan.remote)
    make_folder(plan.home / MEMORY)
    make_folder(plan.home / LOCAL)
    say(f"store: {plan.store_words}")
    _say_password(plan)
    _make_changes(plan.changes)
    is_registered = plan.mcp and _register(plan.setup)
    _explain(plan)
    _offer_past(plan, is_wanted=args.capture_past, ask=is_asking)
    trouble = "" if args.no_sync else _first_sync(plan)
    _say_summary(args, plan, trouble, is_registered=is_registered)
    return 1 if trouble else 0


def _make_plan(args: argparse.Namespace, *, ask: bool) -> Plan:
    """The plan from the arguments, the settings, and on a terminal the user's answers."""
    home = Path(_usable_folder(str(args.home or resolve_home())))
    if ask and not args.home:
        home = Path(_ask("store folder", str(home), _usable_folder))
    known = read_config(home) if home != resolve_home() else None
    machine_id = args.machine_id or _known(known, "machine_id") or resolve_machine_id()
    remote = args.remote or _known(known, "remote") or (resolve_remote() if known is None else None)
    if ask and not args.machine_id:
        machine_id = _ask("name of this machine", machine_id, _usable_name)
    machine_id = one_line(_usable_name(machine_id))
    if ask and not args.remote and not args.local_only:
        check = _usable_remote if args.create else partial(_answering_remote, home=home)
        remote = _ask("git remote that your machines share", remote or "", check)
    remote = None if args.local_only else _usable_remote(remote or "") or None
    agents = _choose_agents(args.agent, ask=ask)
    command = client.detect_command(command=args.command, uv_project=args.uv_project)
    # The remote is in the store's config.json.
    setup = Setup(command, client.build_env(machine_id=machine_id, home=home), args.name)
    # Planned before anything is written, so that a file that cannot be parsed stops init.
    changes = [
        (name, change)
        for name in agents
        if name != CLAUDE or not args.no_hooks
        for change in planned(_parts(name), setup)
    ]
    return Plan(home, machine_id, remote, setup, agents, changes, mcp=CLAUDE in agents and not args.no_mcp)


def _parts(agent: str) -> tuple[Part, ...]:
    return (ClientSettings(client.settings_path()),) if agent == CLAUDE else OTHER_AGENTS[agent].parts


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


def _answering_remote(answer: str, *, home: Path) -> str:
    """A usable remote that answers now, or that the user wants all the same."""
    remote = _usable_remote(answer)
    backend = backend_for(home / MEMORY, remote=remote or None, machine_id=resolve_machine_id())
    found = backend.examine_remote()
    if found.state == "bad":
        tell(f"{found.evidence}; {found.remedy}")
        if not _ask_yes_no("use this remote anyway", "no"):
            raise ConfigError("name another one; an empty line means the one in brackets")
    return remote


def _known(config: dict[str, object] | None, key: str) -> str:
    value = (config or {}).get(key)
    return value if isinstance(value, str) else ""


def _choose_agents(given: list[str], *, ask: bool) -> tuple[str, ...]:
    """The agents to set up: those given, those the user picks among the installed ones, or Claude."""
    installed = [agent.name for agent in installed_agents()] if ask and not given else []
    if not installed:
        return tuple(dict.fromkeys(given)) or (CLAUDE,)
    question = f"agents to set up, of {', '.join([CLAUDE, *installed])}"
    words = _ask(question, CLAUDE, _agent_names).split()
    return tuple(name for name in AGENTS if name in words)


def _agent_names(answer: str) -> str:
    words = answer.replace(",", " ").lower().split()
    if unknown := [word for word in words if word not in AGENTS]:
        raise ConfigError(f"{unknown[0][:40]!r} is not an agent; name some of {', '.join(AGENTS)}")
    return " ".join(words)


def _ask(question: str, default: str, check: Callable[[str], str]) -> str:
    """Ask a question; returns the answer as `check` returns it, the default for an empty line.

    ConfigError if the input ends, or after a few invalid answers.
    """
    for _ in range(_QUESTION_TRIES):
        line = ask(f"{question} [{one_line(mask(default)) or 'none yet'}]:")
        if not line:
            tell("")
            raise ConfigError("the answers ended here; run `anamnesis init` again to set the rest up")
        try:
            return check(line.strip() or default)
        except AnamnesisError as exc:
            tell(str(exc))
    raise ConfigError(f"{question}: no usable answer; run `anamnesis init` again")


def _ask_yes_no(question: str, default: str) -> bool:
    """Ask a question; returns whether the answer is yes. `default` is "yes" or "no"."""
    return _ask(question, default, _yes_or_no) in _YES


def _yes_or_no(answer: str) -> str:
    if answer.lower() not in _YES + _NO:
        raise ConfigError(f"{answer[:40]!r} is neither yes nor no; answer one of them")
    return answer.lower()


def _confirm_plan(plan: Plan) -> bool:
    """Print the plan; returns whether the user wants it."""
    tell(f"this sets up the store in {plan.store_words}")
    for change in (change for _, change in plan.changes if change.has_effect):
        tell(f"and changes {change.path}; `anamnesis init --print` shows how")
    return _ask_yes_no("go on", "yes")


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


def _make_changes(changes: list[tuple[str, Change]], *, is_removal: bool = False) -> None:
    """Make the changes, and print every line that was added or removed."""
    for agent, change in changes:
        if not change.has_effect:
            say(f"{agent}: nothing to change in {change.path}")
            continue
        backup = apply_change(change, keep=not is_removal)
        kept = f" (backup: {backup})" if backup else ""
        say(f"{agent}: {'removed' if change.after is None else 'wrote'} {change.path}{kept}")
        for line in _difference(change):
            say(mask(line))


def _difference(change: Change) -> Iterator[str]:
    """What a change adds and removes, for people: hooks and permissions as one line each."""
    if change.path == client.settings_path():
        with suppress(ConfigError):
            old, new = (hooks.described(client.settings_in(text)) for text in (change.before, change.after))
            yield from (f"  - {line}" for line in old if line not in new)
            yield from (f"  + {line}" for line in new if line not in old)
        return
    before, after = ((text or "").splitlines() for text in (change.before, change.after))
    yield from (f"  {line}" for line in list(unified_diff(before, after, lineterm="", n=1))[2:])


def _register(setup: Setup) -> bool:
    """Register the MCP server and say so, or how to do it; whether the client has one now."""
    is_done = client.register(setup.name, setup.command, setup.env)
    if is_done:
        say(f"MCP server: {setup.name!r} is registered at user scope")
    else:
        say(f"MCP server: not registered: {client.why_not()}; register it with:")
        say("  " + mask(client.registration_line(setup.name, setup.command, setup.env)))
    if find_spec("fastmcp") is None and client.is_this_installation(setup.command[0]):
        say(f"MCP server: it cannot start yet, the extra `mcp` is missing; {how_to_add('mcp')}")
    return is_done


def _explain(plan: Plan) -> None:
    """Print what is automatic now in other agents, and what the user still has to do."""
    for name in (name for name in plan.agents if name != CLAUDE):
        agent = OTHER_AGENTS[name]
        none = f"nothing is automatic in {agent.title}; the model is told to search and write"
        say(f"{name}: {f'automatic in {agent.title}: {agent.automatic}' if agent.automatic else none}")
        if agent.remark:
            say(f"{name}: {agent.remark}")


def _offer_past(plan: Plan, *, is_wanted: bool, ask: bool) -> None:
    """Print how many earlier sessions are on disk, and capture them on request."""
    count = len(past_sessions(plan.home, resolve_claude_dir())) if plan.changes else 0
    if not count:
        return
    there = f"{plural(count, 'session')} on disk from before"
    if not is_wanted and ask:
        with suppress(ConfigError):  # the rest of init does not depend on the answer
            is_wanted = _ask_yes_no(f"{there}; make notes of them", "yes")
    if is_wanted:
        capture_all_past(plan.home, machine_id=plan.machine_id)
    else:
        say(f"{there}: `anamnesis capture --past` makes notes of them")


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


def _say_summary(args: argparse.Namespace, plan: Plan, trouble: str, *, is_registered: bool) -> None:
    """Print what is set up now, and the command that sets up what is not."""
    is_elsewhere = str(plan.home) != os.path.abspath(resolve_home())
    if is_elsewhere:
        line = f"export ANAMNESIS_HOME={shlex.quote(str(plan.home))}"
        say(f"for your shell, so that commands find the store: {line}")
    missing = []
    if CLAUDE in plan.agents:
        missing += ["the hooks (nothing is injected or captured)"] if args.no_hooks else []
        missing += ["the MCP server (Claude cannot search or write)"] if args.no_mcp else []
    if missing:
        given = [("--home", str(plan.home) if is_elsewhere else ""), ("--command", args.command)]
        given += [
            ("--uv-project", args.uv_project),
            ("--name", args.name if args.name != "anamnesis" else ""),
        ]
        again = ["anamnesis", "init", *(word for flag, value in given if value for word in (flag, value))]
        say(f"done, but not set up: {' and '.join(missing)}; this does it: {shlex.join(again)}")
    if trouble:
        say(f"done, but the first sync failed: {trouble}")
    elif not missing:
        started = "the next Claude Code session starts with your notes" if CLAUDE in plan.agents else ""
        lacking = ", but cannot search or write: the MCP server is not registered"
        started += lacking if plan.mcp and not is_registered else ""
        say(f"done: {started or ', '.join(plan.agents)}; `anamnesis doctor` checks everything")


def _show(args: argparse.Namespace, plan: Plan) -> None:
    say(f"would keep the store in {plan.store_words}")
    _say_password(plan)
    say(f"would run Anamnesis as: {shlex.join(plan.setup.command)}")
    _show_changes(plan.changes)
    if plan.mcp:
        say(f"would register the MCP server {plan.setup.name!r}, like:")
        say(mask(client.registration_line(plan.setup.name, plan.setup.command, plan.setup.env)))
    if not args.no_sync:
        alone = "would commit the notes once; there is no remote to sync with"
        say("would sync once" if plan.remote else alone)


def _show_changes(changes: list[tuple[str, Change]]) -> None:
    for agent, change in changes:
        if not change.has_effect:
            say(f"{agent}: would change nothing in {change.path}")
        elif change.after is None or agent != CLAUDE:
            say(f"{agent}: would {'remove' if change.after is None else 'write'} {change.path}")
            for line in _difference(change):
                say(mask(line))
        else:
            say(f"{agent}: would write {change.path}:\n{mask(change.after.rstrip())}")


def _say_password(plan: Plan) -> None:
    if plan.remote and has_password(plan.remote):
        say("password of the remote: only in the store's config.json, not in the client's files")


def _uninstall(args: argparse.Namespace) -> int:
    """Remove hooks, permissions and server, or show what that changes; every note stays."""
    setup = Setup(("anamnesis",), name=args.name)
    names = args.agent or [CLAUDE, *(agent.name for agent in configured_agents(setup))]
    changes = [
        (name, change)
        for name in names
        if name != CLAUDE or not args.no_hooks
        for change in planned(_parts(name), setup, remove=True)
    ]
    homes = _homes()
    if args.print:
        _show_changes(changes)
    else:
        _make_changes(changes, is_removal=True)
    if CLAUDE in names and not args.no_mcp:
        if args.print:
            say(f"would unregister the MCP server {args.name!r}")
        else:
            reason = "`claude mcp` does not know it" if client.has_client() else client.why_not()
            is_gone = client.unregister(args.name)
            said = "unregistered" if is_gone else f"was not registered: {reason}"
            say(f"MCP server: {args.name!r} {said}")
    for home in homes if not args.print else ():
        say(f"kept: {home} with every note" if home.is_dir() else f"there is no store in {home}")
    return 0


def _homes() -> list[Path]:
    """The stores that the hooks use, and the commands' default store."""
    ours = hooks.our_hooks(client.read_settings(client.settings_path()))
    variables = (hooks.split_command(command)[0].get("ANAMNESIS_HOME", "") for _, command in ours)
    homes = [Path(os.path.abspath(os.path.expanduser(home))) for home in variables if home]
    return list(dict.fromkeys(homes)) or [resolve_home()]
