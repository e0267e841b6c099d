"""The agents that we support, as a table: where their files are, our parts in them, what is automatic."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from anamnesis.address import mask
from anamnesis.config import environment, resolve_claude_dir, resolve_codex_dir
from anamnesis.errors import ConfigError
from anamnesis.onboard import client
from anamnesis.onboard.client import Groups, command_line, server_entry, without_empty
from anamnesis.onboard.files import (
    Block,
    Change,
    Json,
    JsonPart,
    OwnFile,
    Part,
    Setup,
    checked,
    parsed,
    planned,
    read_text,
)

ADVICE = """\
## Memory

The user keeps a long-term memory with the MCP server `{name}`. Before you start on a task, call its tool
`memory_search` with the subject of the task, and use what it finds. When you learn something that will matter
in a later session (a decision and its reason, how something is done here, a fact that took effort to find),
keep it with `memory_write`; to correct an outdated note, give its id there as `supersedes`.
"""

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


def _server(key: str = "mcpServers", entry: Callable[[Setup], Json] = server_entry) -> JsonPart:
    """The MCP server's entry under a key and the server's name; other keys in our entry stay."""

    def _add(settings: Json, setup: Setup) -> Json:
        servers = checked(settings.get(key, {}), dict, key)
        known = checked(servers.get(setup.name, {}), dict, setup.name)
        return {**settings, key: {**servers, setup.name: {**known, **entry(setup)}}}

    def _remove(settings: Json, setup: Setup) -> Json:
        servers = checked(settings.get(key, {}), dict, key)
        rest = {name: each for name, each in servers.items() if name != setup.name}
        return without_empty(settings, key, rest)

    return JsonPart(_add, _remove)


def _hooks(*, timeout: int, at_end: int) -> JsonPart:
    """Our hooks, for clients with hooks like Claude Code's."""

    def _build(setup: Setup) -> dict[str, Groups]:
        # Gemini shows plain output only to the user, not to the model. Codex asks for trust again when a
        # command line changes.
        def _group(words: str, timeout: int) -> dict[str, object]:
            line = command_line([*setup.command, *words.split()], setup.env)
            return {"hooks": [{"type": "command", "command": line, "timeout": timeout}]}

        start = [_group("inject --format json", timeout), _group("sync --detach", timeout)]
        return {"SessionStart": start, "SessionEnd": [_group("capture --quiet", at_end)]}

    return JsonPart(
        lambda settings, setup: client.merge_hooks(settings, _build(setup)),
        lambda settings, _setup: client.strip_hooks(settings),
    )


def _add_claude(settings: Json, setup: Setup) -> Json:
    hooks = client.build_hooks(setup.command, setup.env)
    return client.allow_reading(client.merge_hooks(settings, hooks), name=setup.name)


def _remove_claude(settings: Json, setup: Setup) -> Json:
    return client.strip_permissions(client.strip_hooks(settings), name=setup.name)


def _advice(setup: Setup) -> str:
    return ADVICE.format(name=setup.name)


def _cursor_rule(setup: Setup) -> str:
    return f"---\n{_CURSOR_MARK}\nalwaysApply: true\n---\n\n{_advice(setup)}"


def _codex_table(setup: Setup) -> str:
    # A string or a list of strings in JSON is the same in TOML.
    literal = partial(json.dumps, ensure_ascii=False)
    env = ", ".join(f"{literal(key)} = {literal(value)}" for key, value in setup.env.items())
    command, args = literal(setup.command[0]), literal([*setup.command[1:], "serve"])
    head = f"[mcp_servers.{literal(setup.name)}]\n"
    return f"{head}command = {command}\nargs = {args}\nenv = {{ {env} }}\n"


def _copilot_entry(setup: Setup) -> Json:
    return {"type": "local", **server_entry(setup), "tools": ["*"]}


def _opencode_entry(setup: Setup) -> Json:
    entry: Json = {"type": "local", "command": [*setup.command, "serve"], "enabled": True}
    return {**entry, "environment": dict(setup.env)} if setup.env else entry


def _opencode_plugin(setup: Setup) -> str:
    words = json.dumps(list(setup.command))
    return _OPENCODE_PLUGIN.replace("%COMMAND%", words).replace("%ENV%", json.dumps(dict(setup.env)))


def _opencode_folder() -> Path:
    base = environment("XDG_CONFIG_HOME")
    return (Path(base) if base else _in_home(".config")) / "opencode"


def _in_home(name: str) -> Path:
    return Path(os.path.expanduser("~"), name)


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent for `init --agent NAME`; a file is in its folder, or with "./" in the current one."""

    name: str
    title: str
    folder: Callable[[], Path] | None
    files: Mapping[str, tuple[Part, ...]]
    automatic: str = ""  # "": the model is only told to use the tools
    remark: str = ""  # what the user has to do or know

    @property
    def parts(self) -> dict[Path, tuple[Part, ...]]:
        """Our parts by file, for this user and the current folder."""
        base = self.folder() if self.folder else Path.cwd()
        return {
            (Path.cwd() if name.startswith("./") else base) / name: parts
            for name, parts in self.files.items()
        }


_BY_HOOKS = "notes at the start, a note at the end, catch-up, sync"
_PARAGRAPH = Block("<!-- anamnesis: start -->", "<!-- anamnesis: end -->", _advice)
_TABLE = Block("# >>> anamnesis init", "# <<< anamnesis init", _codex_table, is_toml=True)
_AGENTS = (
    Agent(
        "claude",
        "Claude Code",
        resolve_claude_dir,
        {"settings.json": (JsonPart(_add_claude, _remove_claude),)},
        _BY_HOOKS,
    ),
    Agent(
        "codex",
        "Codex CLI",
        resolve_codex_dir,
        # Codex allows 3 seconds at the end of a session.
        {"hooks.json": (_hooks(timeout=15, at_end=3),), "config.toml": (_TABLE,)},
        _BY_HOOKS,
        "Codex skips hooks silently until you trust them: open `codex` and accept them under /hooks",
    ),
    Agent(
        "gemini",
        "Gemini CLI",
        partial(_in_home, ".gemini"),
        {"settings.json": (_hooks(timeout=15_000, at_end=15_000), _server())},  # milliseconds
        _BY_HOOKS,
        "in a folder that Gemini does not trust, it switches the MCP server off",
    ),
    Agent(
        "opencode",
        "OpenCode",
        _opencode_folder,
        # Not opencode.jsonc, which may contain comments: OpenCode reads both files.
        {
            "opencode.json": (_server("mcp", _opencode_entry),),
            "plugin/anamnesis.js": (OwnFile(_OPENCODE_MARK, _opencode_plugin),),
        },
        "notes at the start",
        "OpenCode's sessions do not become notes automatically; ask it to write one",
    ),
    Agent(
        "qwen",
        "Qwen Code",
        partial(_in_home, ".qwen"),
        # It has Gemini's hooks, but discards the output of a SessionStart hook.
        {"settings.json": (_server(),), "QWEN.md": (_PARAGRAPH,)},
    ),
    Agent(
        "copilot",
        "Copilot CLI",
        partial(_in_home, ".copilot"),
        {
            "mcp-config.json": (_server(entry=_copilot_entry),),
            "copilot-instructions.md": (_PARAGRAPH,),
        },
    ),
    Agent(
        "cursor",
        "Cursor",
        partial(_in_home, ".cursor"),
        {"mcp.json": (_server(),), "./.cursor/rules/anamnesis.mdc": (OwnFile(_CURSOR_MARK, _cursor_rule),)},
        remark="the rule applies to this folder; for all projects, paste it into the rules in its settings",
    ),
    Agent(
        "generic",
        "any agent in this folder",
        None,
        {".mcp.json": (_server(),), "AGENTS.md": (_PARAGRAPH,)},
        remark="both files are part of the project: look before you commit them",
    ),
)
CLAUDE = "claude"
AGENTS = {agent.name: agent for agent in _AGENTS}
OTHER_AGENTS = {name: agent for name, agent in AGENTS.items() if name != CLAUDE}


def plan_changes(names: Iterable[str], setup: Setup, *, remove: bool = False) -> list[Change]:
    """The changes to the agents' files that add, or remove, our parts; ConfigError if one is damaged."""
    files = [(name, path, parts) for name in names for path, parts in AGENTS[name].parts.items()]
    return [planned(name, path, parts, setup, remove=remove) for name, path, parts in files]


def configured_agents() -> list[str]:
    """The agents other than Claude Code that are set up; a file that cannot be parsed counts as not ours."""
    return [name for name in OTHER_AGENTS if _is_configured(name)]


def _is_configured(name: str) -> bool:
    try:
        return any(change.has_effect for change in plan_changes([name], Setup(("anamnesis",)), remove=True))
    except ConfigError:
        return False


def agent_commands(name: str) -> list[str]:
    """Our command lines in an agent's settings files."""
    readers: dict[str, Callable[[str], Json]] = {".json": parsed, ".toml": tomllib.loads}
    paths = [path for path in AGENTS[name].parts if path.suffix in readers]
    return client.our_commands([readers[path.suffix](read_text(path) or "") for path in paths])


@dataclass(frozen=True, slots=True)
class Plan:
    """What `init` will do: with the store, with Claude Code, and in the files of agents."""

    home: Path
    machine_id: str
    remote: str
    setup: Setup
    agents: tuple[str, ...]
    changes: list[Change]

    @property
    def store_words(self) -> str:
        """The store, this machine's name and the remote, for messages."""
        remote = f"remote {mask(self.remote)}" if self.remote else "no remote"
        return f"{self.home} (machine {self.machine_id}, {remote})"
