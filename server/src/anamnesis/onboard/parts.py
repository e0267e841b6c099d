"""Our parts in agents' files: an MCP server's entry, hooks, a paragraph, a TOML table, a whole file.

A part adds itself to the text of a file and removes itself again, so setup is idempotent and reversible.
Everything that is not ours keeps its exact bytes: in JSON, each unchanged member of the object; in other
files, all text outside our two comments.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anamnesis.errors import ConfigError
from anamnesis.onboard.hooks import (
    PLUGIN_SERVER,
    Groups,
    allow_reading,
    build_hooks,
    enabled_plugin,
    merge_hooks,
    our_hooks,
    strip_hooks,
    strip_permissions,
)

Json = dict[str, object]
_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\r?\n([ \t]+)$")
_DECODER = json.JSONDecoder()
_START, _END = "<!-- anamnesis: start -->", "<!-- anamnesis: end -->"
_BLOCK = re.compile(rf"\n?{re.escape(_START)}.*?{re.escape(_END)}\n?", re.DOTALL)

ADVICE = """\
## Memory

The user keeps a long-term memory with the MCP server `{name}`. Before you start on a task, call its tool
`memory_search` with the subject of the task, and use what it finds. When you learn something that will matter
in a later session (a decision and its reason, how something is done here, a fact that took effort to find),
keep it with `memory_write`; to correct an outdated note, give its id there as `supersedes`.
"""
_TABLES = "mcp_servers"
_TABLE_START, _TABLE_END = "# >>> anamnesis init", "# <<< anamnesis init"
_TABLE = re.compile(rf"\n?^{_TABLE_START}$.*?^{_TABLE_END}$\n?", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Setup:
    """The values for a setup: our command, its variables, and the name of the MCP server."""

    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    name: str = "anamnesis"


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


def server_entry(setup: Setup) -> dict[str, object]:
    """The MCP server's entry in the form that most agents use."""
    entry: dict[str, object] = {"command": setup.command[0], "args": [*setup.command[1:], "serve"]}
    return {**entry, "env": dict(setup.env)} if setup.env else entry


def entry_line(entry: object, *, variables: str = "env") -> list[str]:
    """The command line in an MCP server's entry; empty if it cannot be parsed."""
    if not isinstance(entry, dict):
        return []
    command, args, env = entry.get("command"), entry.get("args", []), entry.get(variables, {})
    words = [
        *(command if isinstance(command, list) else [command]),
        *(args if isinstance(args, list) else []),
    ]
    pairs = [f"{key}={value}" for key, value in env.items()] if isinstance(env, dict) else []
    return [shlex.join([*pairs, *map(str, words)])]


@dataclass(frozen=True, slots=True)
class _JsonPart(Part):
    """A part of a JSON object; each kind adds itself to the object and removes itself."""

    def add(self, text: str | None, setup: Setup) -> str:
        """The text with our part, replacing an earlier one."""
        return _text(self._with(parsed(text, self.path), setup), text)

    def remove(self, text: str | None, setup: Setup) -> str | None:
        """The text without our part."""
        settings = parsed(text, self.path)
        rest = self._without(settings, setup)
        if rest == settings:
            return text
        return _text(rest, text) if rest else None

    def lines(self, text: str | None, setup: Setup) -> list[str]:
        """The command lines of our hooks."""
        return [line for _, line in our_hooks(parsed(text, self.path))]

    @abstractmethod
    def _with(self, settings: Json, setup: Setup) -> Json: ...

    @abstractmethod
    def _without(self, settings: Json, setup: Setup) -> Json: ...


@dataclass(frozen=True, slots=True)
class ServerEntry(_JsonPart):
    """The MCP server's entry in a file, under `key` and the server's name; other keys in our entry stay."""

    entry: Callable[[Setup], Json]
    key: str = "mcpServers"
    variables: str = "env"

    def lines(self, text: str | None, setup: Setup) -> list[str]:
        """The command that starts the server."""
        entry = self._servers(parsed(text, self.path)).get(setup.name)
        return entry_line(entry, variables=self.variables)

    def _with(self, settings: Json, setup: Setup) -> Json:
        servers = self._servers(settings)
        known = servers.get(setup.name)
        entry = {**(known if isinstance(known, dict) else {}), **self.entry(setup)}
        return {**settings, self.key: {**servers, setup.name: entry}}

    def _without(self, settings: Json, setup: Setup) -> Json:
        servers = {name: each for name, each in self._servers(settings).items() if name != setup.name}
        if servers or settings.get(self.key) == {}:
            return {**settings, self.key: servers}
        return {key: value for key, value in settings.items() if key != self.key}

    def _servers(self, settings: Json) -> Json:
        servers = settings.get(self.key, {})
        if not isinstance(servers, dict):
            raise ConfigError(f"{self.path}: `{self.key}` is not an object; fix it and run init again")
        return servers


@dataclass(frozen=True, slots=True)
class Hooks(_JsonPart):
    """Our hooks in a file that may have other tools' hooks."""

    hooks: Callable[[Setup], dict[str, Groups]]

    def _with(self, settings: Json, setup: Setup) -> Json:
        return merge_hooks(settings, self.hooks(setup))

    def _without(self, settings: Json, setup: Setup) -> Json:
        return strip_hooks(settings)


@dataclass(frozen=True, slots=True)
class ClientSettings(_JsonPart):
    """Our hooks in Claude Code's settings, and the permission to use the read-only tools."""

    on_prompt: bool = False

    def _with(self, settings: Json, setup: Setup) -> Json:
        if enabled_plugin(settings):
            # The plugin has its own hooks and server; a second set would inject everything twice.
            return allow_reading(self._without(settings, setup), name=PLUGIN_SERVER)
        hooks = build_hooks(setup.command, setup.env, on_prompt=self.on_prompt)
        return allow_reading(merge_hooks(settings, hooks), name=setup.name)

    def _without(self, settings: Json, setup: Setup) -> Json:
        return strip_permissions(strip_hooks(settings), name=setup.name)


@dataclass(frozen=True, slots=True)
class Paragraph(Part):
    """A paragraph in someone else's markdown file."""

    def add(self, text: str | None, setup: Setup) -> str:
        """The text with the paragraph, where it was before or at the end."""
        block = f"{_START}\n{ADVICE.format(name=setup.name)}{_END}\n"
        if text is None or not text:
            return block
        self._check(text)
        if _BLOCK.search(text):
            return _BLOCK.sub(
                lambda found: ("\n" if found[0].startswith("\n") else "") + block, text, count=1
            )
        gap = "" if text.endswith("\n") else "\n"
        return f"{text}{gap}\n{block}"

    def remove(self, text: str | None, setup: Setup) -> str | None:
        """The text without the paragraph."""
        if text is None:
            return None
        self._check(text)
        rest = _BLOCK.sub("", text)
        return rest if rest or not text else None

    def _check(self, text: str) -> None:
        if text.count(_START) != text.count(_END) or text.count(_START) > 1:
            raise ConfigError(f"{self.path}: the comments around our paragraph are damaged; remove them")


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
        gap = "" if not rest or rest.endswith("\n") else "\n"
        new = f"{rest}{gap}\n{self._block(setup)}" if rest else self._block(setup)
        self._parsed(new)
        return new

    def remove(self, text: str | None, setup: Setup) -> str | None:
        """The text without our table."""
        if text is None:
            return None
        self._parsed(text)
        rest = _TABLE.sub("", text)
        return rest if rest or not text else None

    def lines(self, text: str | None, setup: Setup) -> list[str]:
        """The command that starts the server."""
        servers = self._parsed(text or "").get(_TABLES)
        return entry_line(servers.get(setup.name)) if isinstance(servers, dict) else []

    def _block(self, setup: Setup) -> str:
        head = f"[{_TABLES}.{json.dumps(setup.name)}]"
        lines = [f"{key} = {_toml_value(value)}" for key, value in server_entry(setup).items()]
        return "\n".join([_TABLE_START, head, *lines, _TABLE_END, ""])

    def _parsed(self, text: str) -> dict[str, object]:
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


def parsed(text: str | None, path: Path) -> Json:
    """The JSON object in a text, {} if it is blank; ConfigError if there is something else."""
    if text is None or not text.strip():
        return {}
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as exc:
        why = f"{path} is not plain JSON ({exc})"
        raise ConfigError(f"{why}; fix it, or remove the comments, and run init again") from exc
    if not isinstance(value, dict):
        raise ConfigError(f"{path} is not a JSON object; fix it and run init again")
    return value


def _text(settings: Json, before: str | None) -> str:
    """The settings as text; unchanged members keep their bytes."""
    if before is not None and before.strip() and (text := edited(before, settings)) is not None:
        return text
    return json_text(settings, indent=2) + "\n"


def json_text(value: object, *, indent: int | str | None) -> str:
    """A value as JSON; non-ASCII letters are escaped only if there is a lone surrogate."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    has_lone_surrogate = any("\ud800" <= char <= "\udfff" for char in text)
    return json.dumps(value, indent=indent) if has_lone_surrogate else text


@dataclass(frozen=True, slots=True)
class _Member:
    """One member of the object: its text, and the whitespace before and after it."""

    key: str
    lead: str
    text: str
    gap: str


def edited(text: str, settings: dict[str, object]) -> str | None:
    """`text`, a JSON object, changed to equal `settings`; None if that cannot be done member by member."""
    try:
        start = _after_space(text, int(text.startswith("\ufeff")))
        members, end = _members(text, start + 1)
        known = json.loads(text[start:end])
    except (ValueError, IndexError, RecursionError):
        return None
    if len(known) != len(members):
        return None  # a duplicate key
    lead = members[-1].lead if members else "\n  "
    indent = margin[1] if (margin := _INDENT.search(lead)) else None
    kept = {each.key: each for each in members}
    parts = [
        kept[key]
        if key in kept and known[key] == value
        else _Member(key, kept[key].lead if key in kept else lead, _dumped(key, value, indent, lead), "")
        for key, value in settings.items()
    ]
    tail = members[-1].gap if members else "\n"
    # Keep the whitespace before the closing brace if another member becomes the last one.
    closing = members[-1] if members else None
    inner = ",".join(each.lead + each.text + ("" if each is closing else each.gap) for each in parts[:-1])
    last = (("," if inner else "") + parts[-1].lead + parts[-1].text + tail) if parts else ""
    result = f"{text[: start + 1]}{inner}{last}}}{text[end:]}"
    return result if _equals(result[start:], settings) else None


def _members(text: str, at: int) -> tuple[list[_Member], int]:
    """The members of the object whose opening brace is before `at`, and where the object ends."""
    members: list[_Member] = []
    while True:
        start = _after_space(text, at)
        if text[start] == "}" and not members:
            return members, start + 1
        key, colon = _DECODER.raw_decode(text, start)
        if not isinstance(key, str) or text[colon := _after_space(text, colon)] != ":":
            raise ValueError(start)
        _, end = _DECODER.raw_decode(text, _after_space(text, colon + 1))
        after = _after_space(text, end)
        members.append(_Member(key, text[at:start], text[start:end], text[end:after]))
        if text[after] == "}":
            return members, after + 1
        if text[after] != ",":
            raise ValueError(after)
        at = after + 1


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _dumped(key: str, value: object, indent: str | None, lead: str) -> str:
    """A member as text, with the file's indentation."""
    lines = json_text(value, indent=indent).split("\n")
    return f"{json.dumps(key)}: " + (("\r\n" if "\r" in lead else "\n") + (indent or "")).join(lines)


def _equals(text: str, settings: dict[str, object]) -> bool:
    try:
        return bool(json.loads(text.removeprefix("\ufeff")) == settings)
    except ValueError:
        return False
