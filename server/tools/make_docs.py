"""Write the generated parts of the docs; with --check, fail if a page differs from the code.

python tools/make_docs.py [--check]
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from command_shapes import all_shapes, shown
from describe_api import description
from list_rooms import with_rooms
from snapshot import snapshot_files

from anamnesis import __version__
from anamnesis.cli.commands import NOTE, Command
from anamnesis.files import write_atomic
from anamnesis.onboard.client import allow_reading, build_hooks, server_entry
from anamnesis.onboard.files import Setup
from anamnesis.settings import SETTINGS

_VERSION = re.compile(r'("version": "|anamnesis-memory\[mcp\]==)\d[\w.]*')
ROOT = Path(__file__).resolve().parents[2]

_HEAD = """\
# The command line

<!-- Written by `make docs` from the table of commands; change that, not this page. -->

`anamnesis help --all` lists all commands; `anamnesis COMMAND --help` says what each option of one does, with
an example. Without a command the MCP server runs (`serve`).

Results go to standard output, everything else to standard error. In a pipe, lists are one record per line,
tabs between the fields: `search` and `list` print id, type, project, time of the last change, title, and
`superseded by` with the ids. Times are local for people, and ISO 8601 in UTC in rows and JSON.

Where a command takes the id of a note, its first four or more characters do, and so do words that only one
current note has in its title; `delete` without a question needs the full id. `--since` takes a date, `7d`,
`today` or `yesterday`, which start at local midnight.

| exit code | meaning |
|---|---|
| 0 | done; also a sync that could not reach its remote now, which it says |
| 1 | a known error, printed as which thing, what is wrong, what to do; a note is held or waits; something \
needs a person |
| 2 | usage: the arguments are wrong |
| 130 | interrupted |
"""
_COMMANDS = """
## {group}

"""
_JSON = """
## JSON

What `--json` prints. Fields may be added, but none is renamed or removed. NOTE stands for {note}.

"""

_PLACEHOLDER = "/ABSOLUTE/PATH/TO/anamnesis/server"
_SETTINGS = """
## Settings

The environment overrides `config.json`, which overrides the default; `anamnesis config list` shows where each
value comes from.

| setting | variable | default | meaning |
|---|---|---|---|
"""


def main(argv: list[str]) -> int:
    """Write the files, or compare them; return 1 if one differs."""
    wanted = generated()
    stale = [name for name, text in wanted.items() if _present(ROOT / name) != text]
    for name in stale:
        if "--check" in argv:
            sys.stderr.write(f"{name}: not what the code says; run `make docs`\n")
        else:
            mode = 0o755 if name.startswith("plugin/bin/") else 0o644
            write_atomic(ROOT / name, wanted[name].encode(), mode=mode)
    return 1 if stale and "--check" in argv else 0


def generated() -> dict[str, str]:
    """Every generated file of the repository: its path from the root, and its text."""
    return {
        "docs/cli.md": render(all_shapes()),
        "docs/architecture.md": with_rooms(_present(ROOT / "docs/architecture.md")),
        "contracts/openapi.json": description(),
        **_plugin_files(),
        **_example_files(),
        **snapshot_files(),
    }


def _plugin_files() -> dict[str, str]:
    """The plugin's files that contain the version, which is defined only in the package."""
    names = ("plugin/.claude-plugin/plugin.json", "plugin/bin/anamnesis-plugin")
    return {name: _VERSION.sub(rf"\g<1>{__version__}", _present(ROOT / name)) for name in names}


def _example_files() -> dict[str, str]:
    """The example settings and MCP entry, built by the code that `init` runs."""
    hooks = build_hooks(["uv", "run", "--project", _PLACEHOLDER, "anamnesis"])
    server = {**server_entry(Setup(["uv", "run", "--project", "server", "anamnesis"])), "alwaysLoad": True}
    files: dict[str, object] = {
        "examples/hooks.settings.json": allow_reading({"hooks": hooks}),
        ".mcp.json": {"mcpServers": {"anamnesis": server}},
    }
    return {name: json.dumps(value, indent=2) + "\n" for name, value in files.items()}


def render(commands: list[Command]) -> str:
    """The page about the command line."""
    parts = [_HEAD]
    for group, members in groupby(commands, lambda command: command.group):
        parts.append(_COMMANDS.format(group=group))
        parts += [_row(each) for each in _with_verbs(members)]
    parts += [_JSON.format(note=NOTE), *_shapes(commands), _SETTINGS, *_settings()]
    return "".join(parts)


def _with_verbs(commands: Iterable[Command]) -> Iterator[Command]:
    for command in commands:
        yield command
        yield from command.verbs.values()


def _row(command: Command) -> str:
    words = " ".join([command.name, *(shown(each) for each in command.arguments if not each.flags)])
    options = ", ".join(f"`{shown(each)}`" for each in command.arguments if each.flags)
    return f"- `{words}`: {command.about}{options and f'. Options: {options}'}\n"


def _shapes(commands: list[Command]) -> Iterator[str]:
    """A row for each shape, with the commands that print it."""
    named: dict[str, list[str]] = {}
    for each in _with_verbs(commands):
        if each.json:
            named.setdefault(each.json.replace(NOTE, "NOTE"), []).append(f"`{each.name}`")
    for shape, names in named.items():
        yield f"- {', '.join(names)}: {shape}\n"


def _settings() -> list[str]:
    return [
        f"| `{each.name}` | `{each.variable}` | {each.default and f'`{each.default}`'} | {each.about} |\n"
        for each in SETTINGS
    ]


def _present(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
