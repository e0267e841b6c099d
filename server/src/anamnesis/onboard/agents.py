"""The agents other than Claude Code that we support, each a list of parts in its files."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from anamnesis.config import environment, resolve_codex_dir
from anamnesis.errors import ConfigError
from anamnesis.onboard.changes import changes_to_remove
from anamnesis.onboard.hooks import Groups, command_line
from anamnesis.onboard.parts import (
    ADVICE,
    Hooks,
    OwnFile,
    Paragraph,
    Part,
    ServerEntry,
    ServerTable,
    Setup,
    server_entry,
)

_CURSOR_MARK = "description: Anamnesis memory"
_OPENCODE_MARK = "// Written by `anamnesis init --agent opencode`"
_OPENCODE_PLUGIN = (
    _OPENCODE_MARK
    + """; `anamnesis init --uninstall --agent opencode` removes it.
// Asks `anamnesis inject` once per session, and puts its answer before every request of that session.
import { spawn } from "node:child_process"

const command = %COMMAND%
const env = { ...process.env, ...%ENV% }

function inject(session, folder) {
  const payload = { hook_event_name: "SessionStart", source: "startup", session_id: session, cwd: folder }
  return new Promise((done) => {
    let text = ""
    const child = spawn(command[0], [...command.slice(1), "inject"], {
      env, cwd: folder, stdio: ["pipe", "pipe", "ignore"], timeout: 15000,
    })
    child.stdout.on("data", (data) => (text += data))
    child.on("error", () => done(""))
    child.on("close", () => done(text))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload))
  })
}

export const Anamnesis = async ({ directory }) => {
  const told = new Map()
  return {
    "experimental.chat.system.transform": async (input, output) => {
      const session = input?.sessionID
      if (!session || output.system[0]?.startsWith("You are a title generator")) return
      if (!told.has(session)) told.set(session, inject(session, directory))
      const text = await told.get(session)
      if (text) output.system.push(text)
    },
  }
}
"""
)


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent for `init --agent NAME`: where its files are, and our parts in them."""

    name: str
    title: str
    find_folder: Callable[[], Path]
    make_parts: Callable[[Path], tuple[Part, ...]]
    automatic: str = ""  # what is automatic then; "" if the model is only told to use the tools
    remark: str = ""  # what the user has to do or know

    @property
    def parts(self) -> tuple[Part, ...]:
        """Our parts in the agent's files, for this user and the current folder."""
        return self.make_parts(self.find_folder())

    @property
    def is_installed(self) -> bool:
        """Whether the agent's own folder, or a program of its name, is on this machine."""
        has_own_folder = self.find_folder != Path.cwd
        return has_own_folder and (self.find_folder().is_dir() or shutil.which(self.name) is not None)


def _home(name: str) -> Callable[[], Path]:
    return lambda: Path(os.path.expanduser("~"), name)


def _opencode_folder() -> Path:
    base = environment("XDG_CONFIG_HOME")
    return (Path(base) if base else _home(".config")()) / "opencode"


def _hooks(setup: Setup, *, timeout: int, at_end: int) -> dict[str, Groups]:
    # Gemini shows plain output only to the user, not to the model. Codex asks for trust again when a command
    # line changes.
    def _group(*words: str, timeout: int) -> dict[str, object]:
        line = command_line([*setup.command, *words], setup.env)
        return {"hooks": [{"type": "command", "command": line, "timeout": timeout}]}

    return {
        "SessionStart": [
            _group("inject", "--format", "json", timeout=timeout),
            _group("sync", "--detach", timeout=timeout),
        ],
        "SessionEnd": [_group("capture", "--quiet", timeout=at_end)],
    }


def _copilot_entry(setup: Setup) -> dict[str, object]:
    return {"type": "local", **server_entry(setup), "tools": ["*"]}


def _cursor_rule(setup: Setup) -> str:
    return f"---\n{_CURSOR_MARK}\nalwaysApply: true\n---\n\n{ADVICE.format(name=setup.name)}"


def _opencode_entry(setup: Setup) -> dict[str, object]:
    entry: dict[str, object] = {"type": "local", "command": [*setup.command, "serve"], "enabled": True}
    return {**entry, "environment": dict(setup.env)} if setup.env else entry


def _opencode_plugin(setup: Setup) -> str:
    words = json.dumps(list(setup.command))
    return _OPENCODE_PLUGIN.replace("%COMMAND%", words).replace("%ENV%", json.dumps(dict(setup.env)))


_AGENTS = (
    Agent(
        "codex",
        "Codex CLI",
        resolve_codex_dir,
        lambda folder: (
            # Codex allows 3 seconds at the end of a session.
            Hooks(folder / "hooks.json", partial(_hooks, timeout=15, at_end=3)),
            ServerTable(folder / "config.toml"),
        ),
        automatic="notes at the start, a note at the end, catch-up, sync",
        remark="Codex skips hooks silently until you trust them: open `codex` and accept them under /hooks",
    ),
    Agent(
        "gemini",
        "Gemini CLI",
        _home(".gemini"),
        lambda folder: (
            Hooks(folder / "settings.json", partial(_hooks, timeout=15_000, at_end=15_000)),  # milliseconds
            ServerEntry(folder / "settings.json", server_entry),
        ),
        automatic="notes at the start, a note at the end, catch-up, sync",
        remark="in a folder that Gemini does not trust, it switches the MCP server off",
    ),
    Agent(
        "opencode",
        "OpenCode",
        _opencode_folder,
        # Not opencode.jsonc, which may contain comments: OpenCode reads both files.
        lambda folder: (
            ServerEntry(folder / "opencode.json", _opencode_entry, key="mcp", variables="environment"),
            OwnFile(folder / "plugin" / "anamnesis.js", _opencode_plugin, _OPENCODE_MARK),
        ),
        automatic="notes at the start",
        remark="OpenCode's sessions do not become notes automatically; ask it to write one",
    ),
    Agent(
        "qwen",
        "Qwen Code",
        _home(".qwen"),
        # It has Gemini's hooks, but discards the output of a SessionStart hook.
        lambda folder: (
            ServerEntry(folder / "settings.json", server_entry),
            Paragraph(folder / "QWEN.md"),
        ),
    ),
    Agent(
        "copilot",
        "Copilot CLI",
        _home(".copilot"),
        lambda folder: (
            ServerEntry(folder / "mcp-config.json", _copilot_entry),
            Paragraph(folder / "copilot-instructions.md"),
        ),
    ),
    Agent(
        "cursor",
        "Cursor",
        _home(".cursor"),
        lambda folder: (
            ServerEntry(folder / "mcp.json", server_entry),
            OwnFile(Path.cwd() / ".cursor" / "rules" / "anamnesis.mdc", _cursor_rule, _CURSOR_MARK),
        ),
        remark="the rule applies to this folder; for all projects, paste it into the rules in its settings",
    ),
    Agent(
        "generic",
        "any agent in this folder",
        Path.cwd,
        lambda folder: (ServerEntry(folder / ".mcp.json", server_entry), Paragraph(folder / "AGENTS.md")),
        remark="both files are part of the project: look before you commit them",
    ),
)
OTHER_AGENTS = {agent.name: agent for agent in _AGENTS}


def installed_agents() -> list[Agent]:
    """The agents that seem to be installed on this machine."""
    return [agent for agent in _AGENTS if agent.is_installed]


def configured_agents(setup: Setup) -> list[Agent]:
    """The agents with our parts in their files; files that cannot be parsed have none."""
    return [agent for agent in _AGENTS if _is_configured(agent, setup)]


def _is_configured(agent: Agent, setup: Setup) -> bool:
    try:
        return any(change.has_effect for change in changes_to_remove(agent.parts, setup))
    except ConfigError:
        return False
