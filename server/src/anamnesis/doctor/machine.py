"""Checks of this machine: settings, remote, model; hooks, MCP server, other agents, log.

The variables that `init` writes before a hook's command override config.json, so a setting that changed since
then has no effect in sessions. A password does not belong there: it is in config.json.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

from anamnesis import state
from anamnesis.address import mask
from anamnesis.config import resolve_client_config
from anamnesis.doctor.store import Context
from anamnesis.errors import AnamnesisError, ConfigError
from anamnesis.files import read_object, read_regular
from anamnesis.inject.start import Start, about_project
from anamnesis.layout import CONFIG_NAME, MEMORY
from anamnesis.model import ModelClient, resolve_endpoint
from anamnesis.onboard import client
from anamnesis.onboard.agents import OTHER_AGENTS, agent_commands, configured_agents
from anamnesis.onboard.files import parsed, read_text
from anamnesis.operations.reading import captures
from anamnesis.session.receipts import LOG_NAME
from anamnesis.settings import checked, is_model_provider, resolve, resolve_all
from anamnesis.sync import backend_for
from anamnesis.sync.results import Finding
from anamnesis.text import epoch, first_few, local_time, plural

_EVENTS = ("SessionStart", "SessionEnd", "PreCompact")
_INIT = "`anamnesis init`"
_RENEW = "`anamnesis init` sets it up again, with what `anamnesis config list` shows"
_LOGGED_SECONDS = 7 * 24 * 3600  # of the log that are looked at


def examine_settings(home: Path) -> list[Finding]:
    """Test the settings, the remote and the model, which is asked one short question."""
    return [check_settings(home), check_remote(home), check_model(home, ask=True)]


def check_settings(home: Path) -> Finding:
    """Every setting has a usable value."""
    path = home / CONFIG_NAME
    try:
        if path.exists():
            parsed(read_text(path))
    except ConfigError as exc:
        return Finding("settings", "bad", f"{path}: {exc}", f"fix or remove `{path}`")
    chosen = [found for found in resolve_all(home=home) if found.source != "default"]
    for found in chosen:
        try:
            checked(found.setting, found.value)
        except ConfigError as exc:
            evidence = f"{found.variable or CONFIG_NAME}: {exc}"
            return Finding("settings", "bad", evidence, f"`anamnesis config set {found.setting.name} VALUE`")
    return Finding("settings", "ok", f"{len(chosen)} set, the rest default")


def check_remote(home: Path) -> Finding:
    """The remote answers."""
    remote, machine_id = (resolve(name, home=home).value for name in ("remote", "machine_id"))
    return backend_for(home / MEMORY, remote=remote or None, machine_id=machine_id).examine_remote()


def check_model(home: Path, *, ask: bool = False) -> Finding:
    """The model, if there is one, is completely configured; nothing is sent to it, unless with `ask`."""
    provider = resolve("reflection.provider", home=home).value.lower()
    if not is_model_provider(provider):
        return Finding("model", "ok", "none set: sessions are summarised without one")
    try:
        endpoint = resolve_endpoint(home=home)
        if ask:
            ModelClient(endpoint, root=home).ask(system="Answer with one word.", user="Are you there?")
    except AnamnesisError as exc:
        return Finding("model", "bad", str(exc), "`anamnesis config list` shows what is set")
    state = "answers" if ask else "set; `anamnesis config test` asks it"
    return Finding("model", "ok", f"{endpoint.label} {state}")


def check_hooks(context: Context) -> Finding:
    """The hooks are in the client's settings, run a command that exists, and use this store."""
    path = client.settings_path()
    try:
        settings = client.read_settings(path)
        ours = client.our_hooks(settings)
    except ConfigError as exc:
        return Finding("hooks", "bad", str(exc), f"fix `{path}`, then {_INIT}")
    plugin = client.enabled_plugin(settings)
    if plugin and ours:
        remedy = f"`anamnesis init --uninstall`, or `claude plugin uninstall {plugin}`"
        evidence = f"in {path} and in the plugin {plugin}: everything is told and captured twice"
        return Finding("hooks", "bad", evidence, remedy)
    if plugin:
        return Finding("hooks", "ok", f"those of the plugin {plugin}")
    if not ours:
        return _absent("hooks", f"none in {path}: nothing is injected or captured")
    missing = [event for event in _EVENTS if event not in dict(ours)]
    if missing:
        return Finding("hooks", "bad", f"none for {', '.join(missing)} in {path}", _INIT)
    if settings.get("disableAllHooks"):
        return Finding("hooks", "bad", "all are switched off", f"remove `disableAllHooks` from `{path}`")
    if fault := _fault([line for _, line in ours], home=context.home):
        return Finding("hooks", "bad", f"in {path}: {fault}", _RENEW)
    return Finding("hooks", "ok", f"{len(ours)} in {path}")


def check_registration(context: Context) -> Finding:
    """The MCP server is registered in the client, can be started, and uses this store."""
    path = resolve_client_config()
    ours = client.our_servers(path)
    if not ours and (plugin := client.enabled_plugin(read_object(client.settings_path()))):
        return Finding("mcp", "ok", f"brought by the plugin {plugin}")
    if not ours:
        return _absent("mcp", f"not registered in {path}: Claude cannot search or write")
    if fault := _fault(ours.values(), home=context.home):
        return Finding("mcp", "bad", f"in {path}: {fault}", _RENEW)
    programs = [client.split_command(line)[1] for line in ours.values()]
    if any(map(client.is_this_installation, programs)) and find_spec("fastmcp") is None:
        remedy = "install the extra anamnesis-memory[mcp]: `anamnesis serve` prints the command"
        return Finding("mcp", "bad", "it cannot start: the package fastmcp is not installed", remedy)
    return Finding("mcp", "ok", f"registered as {', '.join(ours)} in {path}")


def _absent(name: str, evidence: str) -> Finding:
    """The finding for hooks or a server that Claude Code does not have; fine if another agent has them."""
    if others := configured_agents():
        return Finding(name, "ok", f"not for Claude Code; other agents are set up: {', '.join(others)}")
    has_client = shutil.which("claude") is not None
    return Finding(name, "warn", evidence, _INIT if has_client else f"install Claude Code, then {_INIT}")


def _fault(lines: Iterable[str], *, home: Path) -> str:
    """What is wrong with our command lines in a client's files; "" if nothing is."""
    starts = [client.split_command(line) for line in lines]
    dead = sorted({program for _, program in starts if not shutil.which(program)})
    if dead:
        return f"the command does not exist: {first_few(dead)}"
    found = [each for variables, _ in starts for each in _differences(variables, home=home)]
    return f"it uses {first_few(list(dict.fromkeys(found)))}" if found else ""


def check_activity(context: Context) -> Finding:
    """The hooks run: every session that ended has a note."""
    last_capture, lost = captures(context.store)
    injected = local_time(state.last_inject(context.home) or "never")
    evidence = f"last capture {local_time(last_capture or 'never')}, last inject {injected}"
    if lost:
        ended = f"{plural(lost, 'ended session')} {'has' if lost == 1 else 'have'} no note"
        remedy = "`anamnesis sync` captures them; if it happens again, `anamnesis init`"
        return Finding("activity", "warn", f"{ended}; {evidence}", remedy)
    return Finding("activity", "ok", evidence)


def check_project(context: Context) -> Finding:
    """The project of this folder is the one whose notes it should get."""
    start = Start(home=str(context.home))
    if trouble := about_project(start):
        return Finding("project", "warn", trouble, "run the command that it names, if it is right")
    return Finding("project", "ok", f"this folder is {start.project}")


def check_log(context: Context) -> Finding:
    """No hook failed recently."""
    path = context.home / LOG_NAME
    try:
        lines = read_regular(path).decode("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    recent = [line for line in lines if epoch(line.partition(" ")[0]) > time.time() - _LOGGED_SECONDS]
    if recent:
        at, space, what = recent[-1].partition(" ")
        evidence = f"{plural(len(recent), 'problem')} this week, the last: {local_time(at)}{space}{what}"
        return Finding("log", "warn", evidence, f"read `{path}`; remove lines that are dealt with")
    return Finding("log", "ok", "no hook failed this week")


def check_agents(context: Context) -> Finding:
    """The commands set up for other agents exist, and use this store."""
    if not (names := configured_agents()):
        first, *others = OTHER_AGENTS
        how = f"`anamnesis init --agent {first}` does that; others: {', '.join(others)}"
        return Finding("agents", "ok", f"no other agent is set up; {how}")
    if wrong := {name: said for name in names if (said := _fault(agent_commands(name), home=context.home))}:
        evidence = first_few([f"{name}: {said}" for name, said in wrong.items()])
        flags = " ".join(f"--agent {name}" for name in wrong)
        return Finding("agents", "bad", evidence, f"`anamnesis init {flags}`")
    return Finding("agents", "ok", f"set up: {', '.join(names)}")


def _differences(variables: Mapping[str, str], *, home: Path) -> list[str]:
    """How the variables differ from the settings of the store at `home`; unset variables do not count."""
    found = []
    given = variables.get("ANAMNESIS_HOME", "")
    if given and os.path.realpath(os.path.expanduser(given)) != os.path.realpath(home):
        found.append(f"home {given} instead of {home}")
    for name in ("remote", "machine_id"):
        setting = resolve(name, home=home)
        given = variables.get(setting.setting.variable, "")
        if given and given != setting.value:
            found.append(f"{name} {mask(given)} instead of {mask(setting.value) or 'none'}")
    return found
