"""The MCP server's table in a TOML file, between two comments of ours. The rest keeps its bytes."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from anamnesis.errors import ConfigError
from anamnesis.onboard.agents.part import Setup, entry_line

_START, _END = "# >>> anamnesis init", "# <<< anamnesis init"
_BLOCK = re.compile(rf"\n?^{_START}$.*?^{_END}$\n?", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class ServerTable:
    """`[mcp_servers.NAME]` in a TOML file."""

    path: Path
    entry: Callable[[Setup], dict[str, object]]
    key: str = "mcp_servers"

    def put(self, text: str | None, setup: Setup) -> str:
        """The text with our table at its end; an entry under this name that is not ours is refused."""
        rest = self.take(text, setup) or ""
        servers = self._parsed(rest).get(self.key, {})
        if not isinstance(servers, dict) or setup.name in servers:
            raise ConfigError(
                f"{self.path} has an entry `{self.key}.{setup.name}` that `init` did not write;"
                " remove it, or choose another name with --name, and run init again"
            )
        gap = "" if not rest or rest.endswith("\n") else "\n"
        new = f"{rest}{gap}\n{self._block(setup)}" if rest else self._block(setup)
        self._parsed(new)
        return new

    def take(self, text: str | None, setup: Setup) -> str | None:
        """The text without our table."""
        if text is None:
            return None
        self._parsed(text)
        rest = _BLOCK.sub("", text)
        return rest if rest or not text else None

    def lines(self, text: str | None, setup: Setup) -> list[str]:
        """The command that starts the server."""
        servers = self._parsed(text or "").get(self.key)
        return entry_line(servers.get(setup.name)) if isinstance(servers, dict) else []

    def _block(self, setup: Setup) -> str:
        head = f"[{self.key}.{json.dumps(setup.name)}]"
        return "\n".join([_START, head, *_lines(self.entry(setup)), _END, ""])

    def _parsed(self, text: str) -> dict[str, object]:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as exc:
            raise ConfigError(f"{self.path} is not valid TOML ({exc}); fix it and run init again") from exc


def _lines(entry: dict[str, object]) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in entry.items()]


def _value(value: object) -> str:
    """A value as TOML; a JSON string is a TOML string, but for DEL, which must be escaped."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{json.dumps(key)} = {_value(each)}" for key, each in value.items())
        return f"{{ {pairs} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
