"""Checks of the wiring to Claude Code: hooks, MCP registration, whether the hooks run, their log."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import time
from pathlib import Path

from anamnesis import onboard
from anamnesis.config import resolve_claude_dir, resolve_client_config
from anamnesis.doctor.finding import Finding, Patient, some
from anamnesis.errors import ConfigError
from anamnesis.hooklog import LOG_NAME
from anamnesis.ledger import last_inject, pending, read_ledger
from anamnesis.notes import epoch
from anamnesis.overview import QUIET_SECONDS

_EVENTS = ("SessionStart", "SessionEnd", "PreCompact")
_INIT = "`anamnesis init`"
_RECENT_SECONDS = 7 * 24 * 3600


def check_hooks(_: Patient) -> Finding:
    """The hooks are in the client's settings, and the command they run exists."""
    path = onboard.settings_path()
    try:
        settings = onboard.read_settings(path)
        hooks = onboard.our_hooks(settings)
    except ConfigError as exc:
        return Finding("hooks", "bad", str(exc), f"mend the file, then {_INIT}")
    if not hooks:
        return Finding("hooks", "warn", f"none in {path}: nothing is injected or captured", _INIT)
    events = {event for event, _ in hooks}
    missing = [event for event in _EVENTS if event not in events]
    if missing:
        return Finding("hooks", "bad", f"none for {', '.join(missing)} in {path}", _INIT)
    dead = sorted({program for _, command in hooks if not shutil.which(program := _program(command))})
    if dead:
        return Finding("hooks", "bad", f"the command they run is not there: {some(dead)}", _INIT)
    if settings.get("disableAllHooks"):
        return Finding("hooks", "bad", f"all hooks are switched off in {path}", "take out `disableAllHooks`")
    return Finding("hooks", "ok", f"{len(hooks)} in {path}")


def _program(command: str) -> str:
    """The program that a command line starts, after the variables before it."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    return next(
        (word for word in words if not word.partition("=")[0].isidentifier() or "=" not in word), command
    )


def check_registration(_: Patient) -> Finding:
    """The MCP server is known to the client, and the command it starts exists."""
    path = resolve_client_config()
    ours = {name: command for name, command in _servers(path).items() if command}
    if not ours:
        return Finding("mcp", "warn", f"not registered in {path}: Claude cannot search or write", _INIT)
    dead = [f"{name} ({command})" for name, command in ours.items() if not shutil.which(command)]
    if dead:
        return Finding("mcp", "bad", f"the command it starts is not there: {some(dead)}", _INIT)
    return Finding("mcp", "ok", f"registered as {', '.join(ours)} in {path}")


def _servers(path: Path) -> dict[str, str]:
    """The command of every registered server, "" for one that is not ours."""
    try:
        entries = json.loads(path.read_bytes())["mcpServers"].items()
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return {name: _command(entry) for name, entry in entries if isinstance(entry, dict)}


def _command(entry: dict[str, object]) -> str:
    args = entry.get("args")
    words = [str(entry.get("command", "")), *(map(str, args) if isinstance(args, list) else ())]
    is_ours = words[-1] == "serve" and any(os.path.basename(word) == "anamnesis" for word in words)
    return words[0] if is_ours else ""


def check_activity(patient: Patient) -> Finding:
    """The hooks have run: no session that ended is without its note."""
    ledger = read_ledger(patient.home)
    injected = last_inject(patient.home) or "never"
    evidence = f"last capture {ledger.last_capture or 'never'}, last inject {injected}"
    lost = pending(ledger, resolve_claude_dir(), quiet_seconds=QUIET_SECONDS)
    if lost:
        cure = "`anamnesis sync` captures them; if it happens again, `anamnesis init`"
        return Finding("activity", "warn", f"{len(lost)} ended sessions have no note; {evidence}", cure)
    return Finding("activity", "ok", evidence)


def check_log(patient: Patient) -> Finding:
    """Nothing went wrong in a hook of late."""
    path = patient.home / LOG_NAME
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    recent = [line for line in lines if epoch(line.partition(" ")[0]) > time.time() - _RECENT_SECONDS]
    if recent:
        evidence = f"{len(recent)} troubles this week, the last: {recent[-1]}"
        return Finding("log", "warn", evidence, f"read {path}; what is over may be removed")
    return Finding("log", "ok", "no hook had trouble this week")


CHECKS = (check_hooks, check_registration, check_activity, check_log)
