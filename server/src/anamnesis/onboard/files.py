"""Our parts in the files of agents: JSON, TOML and markdown. A change is planned first, so it can be shown.

A changed JSON file is written with an indent of 2 and letters as they are; the text before is kept beside it
as `.bak`. A file that is not plain JSON (comments) is refused, with the lines to paste.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anamnesis.errors import ConfigError
from anamnesis.files import remove, write_atomic
from anamnesis.onboard.hooks import (
    Groups,
    allow_reading,
    build_hooks,
    merge_hooks,
    our_hooks,
    strip_hooks,
    strip_permissions,
)

Json = dict[str, object]
_START, _END = "<!-- anamnesis: start -->", "<!-- anamnesis: end -->"
_BLOCK = re.compile(rf"\n?{re.escape(_START)}.*?{re.escape(_END)}\n?", re.DOTALL)
_TABLES = "mcp_servers"
_TABLE_START, _TABLE_END = "# >>> anamnesis init", "# <<< anamnesis init"
_TABLE = re.compile(rf"\n?^{_TABLE_START}$.*?^{_TABLE_END}$\n?", re.MULTILINE | re.DOTALL)

ADVICE = """\
## Memory

The user keeps a long-term memory with the MCP server `{name}`. Before you start on a task, call its tool
`memory_search` with the subject of the task, and use what it finds. When you learn something that will matter
in a later session (a decision and its reason, how something is done here, a fact that took effort to find),
keep it with `memory_write`; to correct an outdated note, give its id there as `supersedes`.
"""


@dataclass(frozen=True, slots=True)
class Setup:
    """The values for a setup: our command, its variables, and the name of the MCP server."""

    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    name: str = "anamnesis"


@dataclass(frozen=True, slots=True)
class Change:
    """A planned change to one file; None means no file."""

    path: Path
    before: str | None
    after: str | None

    @property
    def has_effect(self) -> bool:
        """Whether the change alters the file."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Part(ABC):
    """One of our parts in a file; the text is None if there is no file."""

    path: Path

    @abstractmethod
    def add(self, text: str | None, setup: Setup) -> str:
        """The text with our part in its current form; ConfigError if the text cannot be parsed."""

    @abstractmethod
    def remove(self, text: str | None, setup: Setup) -> str | None:
        """The text without our part, None if nothing is left; ConfigError if it cannot be parsed."""

    def lines(self, text: str | None, setup: Setup) -> list[str]:
        """Our command lines in the file, each with its variables, for the doctor; most parts have none."""
        return []


def planned(parts: Iterable[Part], setup: Setup, *, remove: bool = False) -> list[Change]:
    """The changes that add, or remove, every part; one for each file."""
    files: dict[Path, list[Part]] = {}
    for part in parts:
        files.setdefault(part.path, []).append(part)
    return [_planned(path, each, setup, remove=remove) for path, each in files.items()]


def _planned(path: Path, parts: Sequence[Part], setup: Setup, *, remove: bool) -> Change:
    real, here = Path(os.path.realpath(path)), Path.cwd()
    if path.is_relative_to(here) and not real.is_relative_to(os.path.realpath(here)):
        # A cloned repository may contain such a link.
        raise ConfigError(f"{path} is a link that leads out of {here}; remove it and run init again")
    before = after = read_text(path)
    for part in parts:
        after = part.remove(after, setup) if remove else part.add(after, setup)
    return Change(path, before, after)


def command_lines(parts: Iterable[Part], setup: Setup) -> list[str]:
    """Our command lines in the files of the parts."""
    return [line for part in parts for line in part.lines(read_text(part.path), setup)]


def read_text(path: Path) -> str | None:
    """The text of a file, None if there is none; ConfigError if it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as exc:
        raise ConfigError(f"{path} is not UTF-8 text ({exc}); fix it and run init again") from exc
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read ({exc.strerror}); check its permissions") from exc


def apply_change(change: Change, *, keep: bool = True) -> Path | None:
    """Write or remove the file; returns the path of the backup, None if there is none.

    With `keep`, the text before is kept as the backup. A symlink stays a symlink: its target is replaced.
    """
    target, backup, mode = Path(os.path.realpath(change.path)), None, 0o600
    if change.before is not None:
        mode = target.stat().st_mode & 0o777
    if change.before is not None and keep:
        backup = change.path.with_name(change.path.name + ".bak")
        write_atomic(backup, change.before.encode(), mode=mode)
    if change.after is None:
        remove(target)
    else:
        write_atomic(target, change.after.encode(), mode=mode)
    return backup


def server_entry(setup: Setup) -> Json:
    """The MCP server's entry in the form that most agents use."""
    entry: Json = {"command": setup.command[0], "args": [*setup.command[1:], "serve"]}
    return {**entry, "env": dict(setup.env)} if setup.env else entry


def entry_line(entry: object) -> list[str]:
    """The command line in an MCP server's entry; empty if it cannot be parsed."""
    if not isinstance(entry, dict):
        return []
    command, args, env = entry.get("command"), entry.get("args"), entry.get("env") or entry.get("environment")
    words = [
        *(command if isinstance(command, list) else [command]),
        *(args if isinstance(args, list) else []),
    ]
    pairs = [f"{key}={value}" for key, value in env.items()] if isinstance(env, dict) else []
    return [shlex.join([*pairs, *map(str, words)])]


def parsed(text: str | None, path: Path) -> Json:
    """The JSON object in a text, {} if it is blank; ConfigError if there is something else."""
    if text is None or not text.strip():
        return {}
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as exc:
        raise ConfigError(f"{path} is not plain JSON ({exc}); fix it and run init again") from exc
    if not isinstance(value, dict):
        raise ConfigError(f"{path} is not a JSON object; fix it and run init again")
    return value


def json_text(value: object) -> str:
    """A value as the text of a JSON file; letters as they are, unless one cannot be encoded."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    has_lone_surrogate = any("\ud800" <= char <= "\udfff" for char in text)
    return (json.dumps(value, indent=2) if has_lone_surrogate else text) + "\n"


@dataclass(frozen=True, slots=True)
class _JsonPart(Part):
    """A part of a JSON object; each kind adds itself to the object and removes itself."""

    def add(self, text: str | None, setup: Setup) -> str:
        """The text with our part, replacing an earlier one."""
        try:
            settings = parsed(text, self.path)
        except ConfigError as exc:
            lines = json_text(self.changed({}, setup))
            raise ConfigError(f"{exc}; or add this to it yourself:\n{lines}") from exc
        new = self.changed(settings, setup)
        return text if text is not None and new == settings else json_text(new)

    def remove(self, text: str | None, setup: Setup) -> str | None:
        """The text without our part."""
        settings = parsed(text, self.path)
        rest = self.changed(settings, setup, remove=True)
        return text if rest == settings else json_text(rest) if rest else None

    def lines(self, text: str | None, setup: Setup) -> list[str]:
        """The command lines of our hooks."""
        return [line for _, line in our_hooks(parsed(text, self.path))]

    @abstractmethod
    def changed(self, settings: Json, setup: Setup, *, remove: bool = False) -> Json:
        """The settings with our part, or without it."""


@dataclass(frozen=True, slots=True)
class ServerEntry(_JsonPart):
    """The MCP server's entry in a file, under `key` and the server's name; other keys in our entry stay."""

    entry: Callable[[Setup], Json] = server_entry
    key: str = "mcpServers"

    def lines(self, text: str | None, setup: Setup) -> list[str]:
        """The command that starts the server."""
        return entry_line(self._servers(parsed(text, self.path)).get(setup.name))

    def changed(self, settings: Json, setup: Setup, *, remove: bool = False) -> Json:
        """The settings with the entry, or without it."""
        servers = self._servers(settings)
        if remove and setup.name not in servers:
            return settings
        if not remove:
            known = servers.get(setup.name)
            entry = {**(known if isinstance(known, dict) else {}), **self.entry(setup)}
            return {**settings, self.key: {**servers, setup.name: entry}}
        rest = {name: each for name, each in servers.items() if name != setup.name}
        others = {key: value for key, value in settings.items() if key != self.key}
        return {**settings, self.key: rest} if rest else others

    def _servers(self, settings: Json) -> Json:
        servers = settings.get(self.key, {})
        if not isinstance(servers, dict):
            raise ConfigError(f"{self.path}: `{self.key}` is not an object; fix it and run init again")
        return servers


@dataclass(frozen=True, slots=True)
class Hooks(_JsonPart):
    """Our hooks in a file that may have other tools' hooks."""

    hooks: Callable[[Setup], dict[str, Groups]]

    def changed(self, settings: Json, setup: Setup, *, remove: bool = False) -> Json:
        """The settings with our hooks, or without them."""
        return strip_hooks(settings) if remove else merge_hooks(settings, self.hooks(setup))


@dataclass(frozen=True, slots=True)
class ClientSettings(_JsonPart):
    """Our hooks in Claude Code's settings, and the permission to use the read-only tools."""

    def changed(self, settings: Json, setup: Setup, *, remove: bool = False) -> Json:
        """The settings with hooks and permissions, or without them."""
        if remove:
            return strip_permissions(strip_hooks(settings), name=setup.name)
        hooks = build_hooks(setup.command, setup.env)
        return allow_reading(merge_hooks(settings, hooks), name=setup.name)


@dataclass(frozen=True, slots=True)
class Paragraph(Part):
    """A paragraph in someone else's markdown file."""

    def add(self, text: str | None, setup: Setup) -> str:
        """The text with the paragraph at its end."""
        rest = self.remove(text, setup) or ""
        gap = "" if not rest else "\n" if rest.endswith("\n") else "\n\n"
        return f"{rest}{gap}{_START}\n{ADVICE.format(name=setup.name)}{_END}\n"

    def remove(self, text: str | None, setup: Setup) -> str | None:
        """The text without the paragraph."""
        if text is None:
            return None
        if text.count(_START) != text.count(_END) or text.count(_START) > 1:
            raise ConfigError(f"{self.path}: the comments around our paragraph are damaged; remove them")
        return _BLOCK.sub("", text) or (None if text else "")


@dataclass(frozen=True, slots=True)
class OwnFile(Part):
    """A file that only we write; a file without our `mark` belongs to someone else."""

    content: Callable[[Setup], str]
    mark: str

    def add(self, text: str | None, setup: Setup) -> str:
        """Our text."""
        if text and self.mark not in text:
            raise ConfigError(f"{self.path} exists and `init` did not write it; move it and run init again")
        return self.content(setup)

    def remove(self, text: str | None, setup: Setup) -> str | None:
        """None for our own file; someone else's text unchanged."""
        return text if text and self.mark not in text else None


@dataclass(frozen=True, slots=True)
class ServerTable(Part):
    """`[mcp_servers.NAME]` in a TOML file."""

    def add(self, text: str | None, setup: Setup) -> str:
        """The text with our table at the end; refuses an entry under this name that is not ours."""
        rest = self.remove(text, setup) or ""
        servers = self._parsed(rest).get(_TABLES, {})
        if not isinstance(servers, dict) or setup.name in servers:
            raise ConfigError(
                f"{self.path} has an entry `{_TABLES}.{setup.name}` that `init` did not write;"
                " remove it, or choose another name with --name, and run init again"
            )
        gap = "" if not rest else "\n" if rest.endswith("\n") else "\n\n"
        head = f"[{_TABLES}.{json.dumps(setup.name)}]"
        lines = [f"{key} = {_toml_value(value)}" for key, value in server_entry(setup).items()]
        new = rest + gap + "\n".join([_TABLE_START, head, *lines, _TABLE_END, ""])
        self._parsed(new)
        return new

    def remove(self, text: str | None, setup: Setup) -> str | None:
        """The text without our table."""
        if text is None:
            return None
        self._parsed(text)
        return _TABLE.sub("", text) or (None if text else "")

    def lines(self, text: str | None, setup: Setup) -> list[str]:
        """The command that starts the server."""
        servers = self._parsed(text or "").get(_TABLES)
        return entry_line(servers.get(setup.name)) if isinstance(servers, dict) else []

    def _parsed(self, text: str) -> Json:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as exc:
            raise ConfigError(f"{self.path} is not valid TOML ({exc}); fix it and run init again") from exc


def _toml_value(value: object) -> str:
    """A value as TOML; a JSON string is a TOML string, except for DEL, which must be escaped."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{json.dumps(key)} = {_toml_value(each)}" for key, each in value.items())
        return f"{{ {pairs} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
