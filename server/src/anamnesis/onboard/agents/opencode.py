"""OpenCode: the MCP server in opencode.json, and a plugin file that puts the notes before every request."""

from __future__ import annotations

import json
from pathlib import Path

from anamnesis.config import environment
from anamnesis.onboard.agents.agent import Agent, Setup, home_path
from anamnesis.onboard.agents.json_parts import ServerEntry
from anamnesis.onboard.agents.text_parts import OwnFile

_MARK = "// Written by `anamnesis init --agent opencode`"
_PLUGIN = (
    _MARK
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


def opencode() -> Agent:
    """The agent on this machine."""
    folder = _folder()
    return Agent(
        name="opencode",
        title="OpenCode",
        program="opencode",
        folder=folder,
        # Beside an opencode.jsonc, which may hold comments: OpenCode reads both.
        parts=(
            ServerEntry(folder / "opencode.json", _entry, key="mcp", variables="environment"),
            OwnFile(folder / "plugin" / "anamnesis.js", _plugin, _MARK),
        ),
        automatic="notes at the start",
        remark="sessions of OpenCode do not become notes by themselves; ask it to write one",
    )


def _folder() -> Path:
    base = environment("XDG_CONFIG_HOME")
    return (Path(base) if base else home_path(".config")) / "opencode"


def _entry(setup: Setup) -> dict[str, object]:
    entry: dict[str, object] = {"type": "local", "command": [*setup.command, "serve"], "enabled": True}
    return {**entry, "environment": dict(setup.env)} if setup.env else entry


def _plugin(setup: Setup) -> str:
    words = json.dumps(list(setup.command))
    return _PLUGIN.replace("%COMMAND%", words).replace("%ENV%", json.dumps(dict(setup.env)))
