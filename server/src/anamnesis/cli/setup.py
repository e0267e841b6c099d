"""`init`: set up this machine, or undo that. Prints exactly what it changes, and changes no note.

What it will do is decided first, from the arguments, the settings, and on a terminal the user's answers. An
invalid answer is explained, and the question is asked again.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from anamnesis.address import check_remote, full_remote, has_password, mask, parse_address
from anamnesis.cli import agents
from anamnesis.cli.parser import add_flag
from anamnesis.cli.sessions import capture_all_past
from anamnesis.cli.sync import describe_result, sync_now
from anamnesis.cli.terminal import can_ask, confirmed, one_line, say, tell
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
from anamnesis.onboard import client
from anamnesis.onboard.agents import Agent, installed_agents
from anamnesis.onboard.changes import Change
from anamnesis.onboard.parts import Setup
from anamnesis.session.ledger import past_sessions
from anamnesis.settings import checked, find_setting, resolve, resolve_switch, save
from anamnesis.store import MemoryStore
from anamnesis.sync import backend_for
from anamnesis.sync.remote import make_bare
from anamnesis.text import plural

DEFAULT_NAME = "anamnesis"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_TRIES = 3
_YES, _NO = ("y", "yes"), ("n", "no")


@dataclass(frozen=True, slots=True)
class Plan:
    """What `init` will do."""

    home: Path
    machine_id: str
    remote: str | None
    setup: Setup
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
    parser.add_argument(
        "--name",
        default=DEFAULT_NAME,
        help="name of the MCP server, not of this machine (default %(default)s)",
    )
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
    plan = _make_plan(args)
    # Plan first, so that a file that cannot be parsed stops init before anything is written.
    settings = agents.plan_settings(plan.setup, on_prompt=plan.on_prompt) if plan.hooks else None
    others = agents.plan_agents(plan.agents, plan.setup)
    if args.print:
        _show(plan, settings)
        agents.show_agents(others)
        return 0
    if _is_asking(args) and not _confirm_plan(plan, settings):
        say("nothing was changed")
        return 1
    return _set_up(args, plan, settings, others)


def _set_up(
    args: argparse.Namespace,
    plan: Plan,
    settings: Change | None,
    others: Sequence[tuple[Agent, list[Change]]],
) -> int:
    """Carry out the plan and print each step; returns the exit code."""
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
    is_registered = not plan.mcp or agents.register(plan.setup)
    agents.write_agents(others)
    agents.explain_agents(others)
    if plan.mcp or others:
        agents.warn_missing_extra(plan.setup)
    if plan.hooks or others:
        _offer_past(plan, is_wanted=args.capture_past, ask=_is_asking(args))
    trouble = _first_sync(plan) if plan.sync else ""
    _say_summary(args, plan, trouble, is_registered=is_registered)
    return 1 if trouble else 0


def _is_asking(args: argparse.Namespace) -> bool:
    """Whether to ask questions: on a terminal, without --yes and --print."""
    return not args.yes and not args.print and can_ask()


def _make_plan(args: argparse.Namespace) -> Plan:
    """The plan from the arguments, the settings, and on a terminal the user's answers."""
    ask = _is_asking(args)
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
        check = _usable_remote if args.create else partial(_answering_remote, home=home)
        remote = _ask("git remote that your machines share", remote or "", check)
    remote = None if args.local_only else _usable_remote(remote or "") or None
    chosen = choose_agents(args.agent, ask=ask)
    command = client.detect_command(command=args.command, uv_project=args.uv_project)
    is_claude = agents.CLAUDE in chosen
    machine_id = one_line(machine_id)
    return Plan(
        home=home,
        machine_id=machine_id,
        remote=remote,
        # The remote is in the store's config.json.
        setup=Setup(command, client.build_env(machine_id=machine_id, home=home), args.name),
        hooks=is_claude and not args.no_hooks,
        mcp=is_claude and not args.no_mcp,
        sync=not args.no_sync,
        on_prompt=_wants_prompts(home, ask=ask and is_claude and not args.no_hooks),
        agents=tuple(chosen),
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


def _wants_prompts(home: Path, *, ask: bool) -> bool:
    """Whether to install the hook for each prompt: from the setting, or by asking the user."""
    if ask and resolve("recall_on_prompt", home=home).source == "default":
        return _ask_yes_no("at each prompt, recall notes that are clearly about it", "no")
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
        return [agents.CLAUDE]
    question = f"agents to set up, of {', '.join([agents.CLAUDE, *installed])}"
    words = _ask(question, agents.CLAUDE, _agent_names).split()
    return [name for name in agents.AGENTS if name in words]


def _agent_names(answer: str) -> str:
    words = answer.replace(",", " ").lower().split()
    if unknown := [word for word in words if word not in agents.AGENTS]:
        raise ConfigError(f"{unknown[0][:40]!r} is not an agent; name some of {', '.join(agents.AGENTS)}")
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


def _ask_yes_no(question: str, default: str) -> bool:
    """Ask a question; returns whether the answer is yes. `default` is "yes" or "no"."""
    return _ask(question, default, _yes_or_no) in _YES


def _yes_or_no(answer: str) -> str:
    if answer.lower() not in _YES + _NO:
        raise ConfigError(f"{answer[:40]!r} is neither yes nor no; answer one of them")
    return answer.lower()


def _confirm_plan(plan: Plan, settings: Change | None) -> bool:
    """Print the plan; returns whether the user wants it."""
    tell(f"this sets up the store in {plan.store_words}")
    if settings and settings.has_effect:
        tell(f"and changes {settings.path}; `anamnesis init --print` shows how")
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


def _say_summary(args: argparse.Namespace, plan: Plan, trouble: str, *, is_registered: bool) -> None:
    if _is_elsewhere(plan):
        line = f"export ANAMNESIS_HOME={shlex.quote(str(plan.home))}"
        say(f"for your shell, so that commands find the store: {line}")
    _say_what_is_set_up(args, plan, is_last=not trouble, is_registered=is_registered)
    if trouble:
        say(f"done, but the first sync failed: {trouble}")


def _say_what_is_set_up(args: argparse.Namespace, plan: Plan, *, is_last: bool, is_registered: bool) -> None:
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


def _is_elsewhere(plan: Plan) -> bool:
    """Whether commands without ANAMNESIS_HOME would look for the store elsewhere."""
    return str(plan.home) != os.path.abspath(resolve_home())


def _offer_past(plan: Plan, *, is_wanted: bool, ask: bool) -> None:
    """Print how many earlier sessions are on disk, and capture them on request."""
    count = len(past_sessions(plan.home, resolve_claude_dir()))
    if not count:
        return
    there = f"{plural(count, 'session')} on disk from before"
    if not is_wanted and ask:
        with suppress(ConfigError):  # the rest of init does not depend on the answer
            is_wanted = _ask_yes_no(f"{there}; make notes of them", "no")
    if is_wanted:
        capture_all_past(plan.home, machine_id=plan.machine_id)
    else:
        say(f"{there}: `anamnesis capture --past` makes notes of them")


def _show(plan: Plan, settings: Change | None) -> None:
    say(f"would keep the store in {plan.store_words}")
    _say_password(plan)
    say(f"would run Anamnesis as: {shlex.join(plan.setup.command)}")
    if settings:
        agents.show_settings(settings)
    if plan.mcp:
        agents.show_registration(plan.setup)
    if plan.sync:
        alone = "would commit the notes once; there is no remote to sync with"
        say("would sync once" if plan.remote else alone)


def _say_password(plan: Plan) -> None:
    if plan.remote and has_password(plan.remote):
        say("password of the remote: only in the store's config.json, not in the client's files")


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
