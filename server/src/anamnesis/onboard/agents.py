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
from anamnesis.onboard.files import (
    ADVICE,
    Hooks,
    OwnFile,
    Paragraph,
    Part,
    ServerEntry,
    ServerTable,
    Setup,
    planned,
    server_entry,
)
from anamnesis.onboard.hooks import Groups, command_line

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
    """An agent for `init --agent NAME`: where its files are, our parts in them, what is automatic then."""

    name: str
    title: str
    folder: Callable[[], Path]
    make_parts: Callable[[Path], tuple[Part, ...]]
    automatic: str = ""  # "": the model is only told to use the tools
    remark: str = ""  # what the user has to do or know

    @property
    def parts(self) -> tuple[Part, ...]:
        """Our parts in the agent's files, for this user and the current folder."""
        return self.make_parts(self.folder())

    @property
    def is_installed(self) -> bool:
        """Whether the agent's own folder, or a program of its name, is on this machine."""
        has_own_folder = self.folder != Path.cwd
        return has_own_folder and (self.folder().is_dir() or shutil.which(self.name) is not None)


def _home(name: str) -> Callable[[], Path]:
    return lambda: Path(os.path.expanduser("~"), name)


def _opencode_folder() -> Path:
    base = environment("XDG_CONFIG_HOME")
    return (Path(base) if base else _home(".config")()) / "opencode"


def _hooks(setup: Setup, *, timeout: int, at_end: int) -> dict[str, Groups]:
    # Gemini shows plain output only to the user, not to the model. Codex asks for trust again when a command
    # line changes.
    def _group(words: str, timeout: int) -> dict[str, object]:
        line = command_line([*setup.command, *words.split()], setup.env)
        return {"hooks": [{"type": "command", "command": line, "timeout": timeout}]}

    return {
        "SessionStart": [_group("inject --format json", timeout), _group("sync --detach", timeout)],
        "SessionEnd": [_group("capture --quiet", at_end)],
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


_BY_HOOKS = "notes at the start, a note at the end, catch-up, sync"
_AGENTS = (
    Agent(
        "codex",
        "Codex CLI",
        resolve_codex_dir,
        # Codex allows 3 seconds at the end of a session.
        lambda at: (
            Hooks(at / "hooks.json", partial(_hooks, timeout=15, at_end=3)),
            ServerTable(at / "config.toml"),
        ),
        _BY_HOOKS,
        "Codex skips hooks silently until you trust them: open `codex` and accept them under /hooks",
    ),
    Agent(
        "gemini",
        "Gemini CLI",
        _home(".gemini"),
        lambda at: (
            Hooks(at / "settings.json", partial(_hooks, timeout=15_000, at_end=15_000)),  # milliseconds
            ServerEntry(at / "settings.json"),
        ),
        _BY_HOOKS,
        "in a folder that Gemini does not trust, it switches the MCP server off",
    ),
    Agent(
        "opencode",
        "OpenCode",
        _opencode_folder,
        # Not opencode.jsonc, which may contain comments: OpenCode reads both files.
        lambda at: (
            ServerEntry(at / "opencode.json", _opencode_entry, key="mcp"),
            OwnFile(at / "plugin" / "anamnesis.js", _opencode_plugin, _OPENCODE_MARK),
        ),
        "notes at the start",
        "OpenCode's sessions do not become notes automatically; ask it to write one",
    ),
    Agent(
        "qwen",
        "Qwen Code",
        _home(".qwen"),
        # It has Gemini's hooks, but discards the output of a SessionStart hook.
        lambda at: (ServerEntry(at / "settings.json"), Paragraph(at / "QWEN.md")),
    ),
    Agent(
        "copilot",
        "Copilot CLI",
        _home(".copilot"),
        lambda at: (
            ServerEntry(at / "mcp-config.json", _copilot_entry),
            Paragraph(at / "copilot-instructions.md"),
        ),
    ),
    Agent(
        "cursor",
        "Cursor",
        _home(".cursor"),
        lambda at: (
            ServerEntry(at / "mcp.json"),
            OwnFile(Path.cwd() / ".cursor" / "rules" / "anamnesis.mdc", _cursor_rule, _CURSOR_MARK),
        ),
        remark="the rule applies to this folder; for all projects, paste it into the rules in its settings",
    ),
    Agent(
        "generic",
        "any agent in this folder",
        Path.cwd,
        lambda at: (ServerEntry(at / ".mcp.json"), Paragraph(at / "AGENTS.md")),
        remark="both files are part of the project: look before you commit them",
    ),
)
CLAUDE = "claude"
OTHER_AGENTS = {agent.name: agent for agent in _AGENTS}
AGENTS = (CLAUDE, *OTHER_AGENTS)


def installed_agents() -> list[Agent]:
    """The agents that seem to be installed on this machine."""
    return [agent for agent in _AGENTS if agent.is_installed]


def configured_agents(setup: Setup) -> list[Agent]:
    """The agents with our parts in their files; files that cannot be parsed have none."""
    return [agent for agent in _AGENTS if _is_configured(agent, setup)]


def _is_configured(agent: Agent, setup: Setup) -> bool:
    try:
        return any(change.has_effect for change in planned(agent.parts, setup, remove=True))
    except ConfigError:
        return False
