"""The agents that we support, which agents.toml lists, and the changes to their files."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from string import Template

from anamnesis.address import mask
from anamnesis.config import environment
from anamnesis.errors import ConfigError
from anamnesis.onboard import client
from anamnesis.onboard.client import SERVER, Groups, command_line, server_entry, without_empty
from anamnesis.onboard.files import (
    Change,
    Json,
    Setup,
    change_between,
    checked,
    json_text,
    own_file,
    parsed,
    read_text,
    with_block,
)

CLAUDE = "claude"


@dataclass(frozen=True, slots=True)
class Part:
    """Our part in one file; agents.toml says what each field means."""

    hooks: str | Sequence[int] = ()
    server: str = ""
    entry: str = ""
    block: str = ""
    table: str = ""
    own: str = ""
    mark: str = ""

    def changed(self, text: str | None, setup: Setup, *, remove: bool) -> str | None:
        """The file's text with our part, or without it; None means no file."""
        if self.own:
            return own_file(text, None if remove else _filled(self.own, setup), mark=self.mark)
        if lines := self.block or self.table:
            added = None if remove else _filled(lines, setup)
            return with_block(text, added, is_toml=bool(self.table))
        try:
            settings = parsed(text)
        except ConfigError as exc:
            lines = json_text(self._added({}, setup))
            raise exc if remove else ConfigError(f"{exc}; or add this to it yourself:\n{lines}") from exc
        new = self._removed(settings) if remove else self._added(settings, setup)
        if text is not None and new == settings:
            return text
        return json_text(new) if new else None

    def _added(self, settings: Json, setup: Setup) -> Json:
        if self.hooks == CLAUDE:
            settings = client.merge_hooks(settings, client.build_hooks(setup.command, setup.env))
            settings = client.allow_reading(settings)
        elif self.hooks:
            settings = client.merge_hooks(settings, _hooks(setup, *map(int, self.hooks)))
        if self.server:
            servers = checked(settings.get(self.server, {}), dict, self.server)
            known = checked(servers.get(SERVER, {}), dict, SERVER)  # other keys in our entry stay
            entry = json.loads(_filled(self.entry, setup)) if self.entry else server_entry(setup)
            settings = {**settings, self.server: {**servers, SERVER: {**known, **entry}}}
        return settings

    def _removed(self, settings: Json) -> Json:
        if self.hooks:
            settings = client.strip_hooks(settings)
        if self.hooks == CLAUDE:
            settings = client.strip_permissions(settings)
        if self.server:
            servers = checked(settings.get(self.server, {}), dict, self.server)
            rest = {name: each for name, each in servers.items() if name != SERVER}
            settings = without_empty(settings, self.server, rest)
        return settings


def _hooks(setup: Setup, at_start: int, at_end: int) -> dict[str, Groups]:
    """Our hooks for clients with hooks like Claude Code's, with their time limits."""

    # Gemini shows plain output only to the user, not to the model. Codex asks for trust again when a command
    # line changes.
    def _group(words: str, timeout: int) -> dict[str, object]:
        line = command_line([*setup.command, *words.split()], setup.env)
        return {"hooks": [{"type": "command", "command": line, "timeout": timeout}]}

    start = [_group("inject --format json", at_start), _group("sync --detach", at_start)]
    return {"SessionStart": start, "SessionEnd": [_group("capture --quiet", at_end)]}


def _filled(template: str, setup: Setup) -> str:
    """A text of the table with this setup's values as JSON."""
    # A string or a list of strings in JSON is the same in TOML.
    literal = partial(json.dumps, ensure_ascii=False)
    values = {
        "program": literal(setup.command[0]),
        "args": literal([*setup.command[1:], "serve"]),
        "command": literal(list(setup.command)),
        "serve": literal([*setup.command, "serve"]),
        "env": literal(dict(setup.env)),
        "toml_env": ", ".join(f"{literal(key)} = {literal(value)}" for key, value in setup.env.items()),
    }
    return Template(template).safe_substitute(values, advice=_ADVICE)


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent for `init --agent NAME`, as agents.toml has it."""

    name: str
    title: str
    folder: str
    files: Mapping[str, Part]
    variable: str = ""
    automatic: str = ""
    remark: str = ""

    @property
    def parts(self) -> dict[Path, Part]:
        """Our parts by file, for this user and the current folder."""
        here = Path.cwd()
        base = here / os.path.expanduser(environment(self.variable) or self.folder)
        return {(here if name.startswith("./") else base) / name: part for name, part in self.files.items()}


_TABLE = tomllib.loads(Path(__file__).with_name("agents.toml").read_text(encoding="utf-8"))
_ADVICE: str = _TABLE.pop("advice").lstrip()
AGENTS = {
    name: Agent(name, **{**row, "files": {file: Part(**part) for file, part in row["files"].items()}})
    for name, row in _TABLE.items()
}
OTHER_AGENTS = {name: agent for name, agent in AGENTS.items() if name != CLAUDE}


def plan_changes(names: Iterable[str], setup: Setup, *, remove: bool = False) -> list[Change]:
    """The changes to the agents' files that add, or remove, our parts; ConfigError if one is damaged."""
    return [
        change_between(name, path, partial(part.changed, setup=setup, remove=remove))
        for name in names
        for path, part in AGENTS[name].parts.items()
    ]


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
