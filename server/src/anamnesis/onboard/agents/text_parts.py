"""Parts of text files: a paragraph or a TOML table between two comments, and a file that is all ours.

Everything outside the comments keeps its exact bytes.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from anamnesis.errors import ConfigError
from anamnesis.onboard.agents import Setup, entry_line, server_entry

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
class Paragraph:
    """A paragraph in someone else's markdown file."""

    path: Path

    def put(self, text: str | None, setup: Setup) -> str:
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

    def take(self, text: str | None, setup: Setup) -> str | None:
        """The text without the paragraph."""
        if text is None:
            return None
        self._check(text)
        rest = _BLOCK.sub("", text)
        return rest if rest or not text else None

    def lines(self, text: str | None, setup: Setup) -> list[str]:
        """Nothing: a paragraph runs no command."""
        return []

    def _check(self, text: str) -> None:
        if text.count(_START) != text.count(_END) or text.count(_START) > 1:
            raise ConfigError(f"{self.path}: the comments around our paragraph are damaged; remove them")


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that only we write; a file without our `mark` belongs to someone else."""

    path: Path
    content: Callable[[Setup], str]
    mark: str

    def put(self, text: str | None, setup: Setup) -> str:
        """Our text."""
        if text and self.mark not in text:
            raise ConfigError(f"{self.path} exists and `init` did not write it; move it and run init again")
        return self.content(setup)

    def take(self, text: str | None, setup: Setup) -> str | None:
        """None for our own file; someone else's text unchanged."""
        return text if text and self.mark not in text else None

    def lines(self, text: str | None, setup: Setup) -> list[str]:
        """Nothing: the MCP server's entry runs the same command."""
        return []


@dataclass(frozen=True, slots=True)
class ServerTable:
    """`[mcp_servers.NAME]` in a TOML file."""

    path: Path

    def put(self, text: str | None, setup: Setup) -> str:
        """The text with our table at the end; refuses an entry under this name that is not ours."""
        rest = self.take(text, setup) or ""
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

    def take(self, text: str | None, setup: Setup) -> str | None:
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
