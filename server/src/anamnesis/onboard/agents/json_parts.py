"""Parts of JSON files: the MCP server's entry, and hooks in Claude Code's format.

Members of the file that do not change keep their exact bytes.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from anamnesis.errors import ConfigError
from anamnesis.onboard.agents import Setup, entry_line
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


@dataclass(frozen=True, slots=True)
class _JsonPart(ABC):
    """A part of a JSON object; each kind adds itself to the object and removes itself."""

    path: Path

    def put(self, text: str | None, setup: Setup) -> str:
        """The text with our part, replacing an earlier one."""
        return _text(self._with(parsed(text, self.path), setup), text)

    def take(self, text: str | None, setup: Setup) -> str | None:
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
