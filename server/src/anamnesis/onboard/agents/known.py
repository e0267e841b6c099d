"""The supported agents, each a list of parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from anamnesis.config import environment, resolve_codex_dir
from anamnesis.errors import ConfigError
from anamnesis.onboard.agents import Agent, Setup, changes_to_remove, home_path, server_entry
from anamnesis.onboard.agents.json_parts import Hooks, ServerEntry
from anamnesis.onboard.agents.text_parts import ADVICE, OwnFile, Paragraph, ServerTable
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


def codex() -> Agent:
    """The Codex CLI: hooks.json in Claude Code's format, and the MCP server in config.toml."""
    folder = resolve_codex_dir()
    hooks = partial(_hooks, timeout=15, at_end=3)  # Codex allows 3 seconds at the end of a session
    return Agent(
        name="codex",
        title="Codex CLI",
        folder=folder,
        parts=(Hooks(folder / "hooks.json", hooks), ServerTable(folder / "config.toml")),
        automatic="notes at the start, a note at the end, catch-up, sync",
        remark="Codex skips hooks silently until you trust them: open `codex` and accept them under /hooks",
    )


def gemini() -> Agent:
    """The Gemini CLI: hooks and MCP server in one settings.json."""
    folder = home_path(".gemini")
    path = folder / "settings.json"
    hooks = partial(_hooks, timeout=15_000, at_end=15_000)  # milliseconds
    return Agent(
        name="gemini",
        title="Gemini CLI",
        folder=folder,
        parts=(Hooks(path, hooks), ServerEntry(path, server_entry)),
        automatic="notes at the start, a note at the end, catch-up, sync",
        remark="in a folder that Gemini does not trust, it switches the MCP server off",
    )


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


def qwen() -> Agent:
    """Qwen Code: the MCP server in settings.json, and a paragraph in QWEN.md.

    It has Gemini's hooks, but discards the output of a SessionStart hook.
    """
    folder = home_path(".qwen")
    return Agent(
        name="qwen",
        title="Qwen Code",
        folder=folder,
        parts=(ServerEntry(folder / "settings.json", server_entry), Paragraph(folder / "QWEN.md")),
        automatic="",
    )


def copilot() -> Agent:
    """The Copilot CLI: the MCP server, and a paragraph in the user's instructions."""
    folder = home_path(".copilot")
    return Agent(
        name="copilot",
        title="Copilot CLI",
        folder=folder,
        parts=(
            ServerEntry(
                folder / "mcp-config.json",
                lambda setup: {"type": "local", **server_entry(setup), "tools": ["*"]},
            ),
            Paragraph(folder / "copilot-instructions.md"),
        ),
        automatic="",
    )


def cursor() -> Agent:
    """Cursor: the MCP server for the user, and a rule in the current project."""
    folder = home_path(".cursor")
    return Agent(
        name="cursor",
        title="Cursor",
        folder=folder,
        parts=(
            ServerEntry(folder / "mcp.json", server_entry),
            OwnFile(Path.cwd() / ".cursor" / "rules" / "anamnesis.mdc", _cursor_rule, _CURSOR_MARK),
        ),
        automatic="",
        remark="the rule applies to this folder; for all projects, paste it into the rules in its settings",
    )


def _cursor_rule(setup: Setup) -> str:
    return f"---\n{_CURSOR_MARK}\nalwaysApply: true\n---\n\n{ADVICE.format(name=setup.name)}"


def generic() -> Agent:
    """Any agent that reads .mcp.json and AGENTS.md in the current project."""
    folder = Path.cwd()
    return Agent(
        name="generic",
        title="any agent in this folder",
        folder=None,
        parts=(ServerEntry(folder / ".mcp.json", server_entry), Paragraph(folder / "AGENTS.md")),
        automatic="",
        remark="both files are part of the project: look before you commit them",
    )


def opencode() -> Agent:
    """OpenCode: the MCP server in opencode.json, and a plugin that adds the notes to every request."""
    base = environment("XDG_CONFIG_HOME")
    folder = (Path(base) if base else home_path(".config")) / "opencode"
    return Agent(
        name="opencode",
        title="OpenCode",
        folder=folder,
        # Not opencode.jsonc, which may contain comments: OpenCode reads both files.
        parts=(
            ServerEntry(folder / "opencode.json", _opencode_entry, key="mcp", variables="environment"),
            OwnFile(folder / "plugin" / "anamnesis.js", _opencode_plugin, _OPENCODE_MARK),
        ),
        automatic="notes at the start",
        remark="OpenCode's sessions do not become notes automatically; ask it to write one",
    )


def _opencode_entry(setup: Setup) -> dict[str, object]:
    entry: dict[str, object] = {"type": "local", "command": [*setup.command, "serve"], "enabled": True}
    return {**entry, "environment": dict(setup.env)} if setup.env else entry


def _opencode_plugin(setup: Setup) -> str:
    words = json.dumps(list(setup.command))
    return _OPENCODE_PLUGIN.replace("%COMMAND%", words).replace("%ENV%", json.dumps(dict(setup.env)))


OTHER_AGENTS: dict[str, Callable[[], Agent]] = {
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
    "qwen": qwen,
    "copilot": copilot,
    "cursor": cursor,
    "generic": generic,
}


def installed_agents() -> list[Agent]:
    """The agents that seem to be installed on this machine."""
    return [agent for make in OTHER_AGENTS.values() if (agent := make()).is_installed]


def wired_agents(setup: Setup) -> list[Agent]:
    """The agents that are set up, that is, have our parts in their files; unparsable files count as not."""
    return [agent for make in OTHER_AGENTS.values() if _is_wired(agent := make(), setup)]


def _is_wired(agent: Agent, setup: Setup) -> bool:
    try:
        return any(change.has_effect for change in changes_to_remove(agent.parts, setup))
    except ConfigError:
        return False
