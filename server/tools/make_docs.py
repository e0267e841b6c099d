"""Write the generated parts of the docs; with --check, fail if a page differs from the code.

python tools/make_docs.py [--check]
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from command_shapes import Option, Shape, all_shapes
from describe_api import description
from draw_rooms import picture, with_rooms
from snapshot import snapshot_files

from anamnesis import __version__
from anamnesis.files import write_atomic
from anamnesis.onboard.client import mcp_entry
from anamnesis.onboard.hooks import allow_reading, build_hooks
from anamnesis.settings import SETTINGS

_VERSION = re.compile(r'("version": "|anamnesis-memory\[mcp\]==)\d[\w.]*')
ROOT = Path(__file__).resolve().parents[2]

_HEAD = """\
# The command line

<!-- Written by `make docs` from the parsers; change the command, not this page. -->

`anamnesis COMMAND [OPTIONS]`. Without a command the MCP server runs (`serve`).

Results go to standard output, everything else to standard error. On a terminal the output is coloured and
laid out (`NO_COLOR` is respected); in a pipe it is plain: lists of notes, versions and checks
are one record per line with tabs between the fields, the rest are sentences for people.
`--json` prints the result as JSON in the documented shape; fields may be added, but none renamed or removed.

In a pipe, a row of `search` and `list` is id, type, project, time of the last change and title. A superseded
note has a sixth field in `list`: `superseded by` and the ids. Times are local for people (a terminal, and
sentences anywhere), and ISO 8601 in UTC in `--json` and in rows.

In a repository or a folder with a marker, `search` without `--project` ranks notes of that project first
among equally good ones, and says on standard error if the best match is from another project. `list` shows
the newest 50 notes on a terminal, and all of them with `--all`, with `--json` and in a pipe.

Where a command takes the id of a note, its first four or more characters are enough if only one id starts
with them (upper or lower case); so are words that only one current note has in its title. If several notes
match, the command exits with 1 and lists them. A full id always wins. `delete` without a question (`--yes`,
or in a script) needs the full id.

The script that `anamnesis completion` prints makes bash, zsh or fish complete commands, options, files and
ids; ids are shown with their titles.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | a known error, printed in one line: which thing, what is wrong, what to do; also while a note is held |
| 2 | usage: the arguments are wrong |
| 130 | interrupted |
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
        "docs/images/rooms.svg": picture(),
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
    server = mcp_entry(["uv", "run", "--project", "server", "anamnesis"])
    files: dict[str, object] = {
        "examples/hooks.settings.json": allow_reading({"hooks": hooks}, name="anamnesis"),
        ".mcp.json": {"mcpServers": {"anamnesis": server}},
    }
    return {name: json.dumps(value, indent=2) + "\n" for name, value in files.items()}


def render(shapes: list[Shape]) -> str:
    """The page about the command line."""
    parts = [_HEAD]
    group = ""
    for shape in shapes:
        if shape.group != group:
            group = shape.group
            parts.append(f"\n## {group}\n")
        parts.append(_command(shape))
    return "".join([*parts, _SETTINGS, *_settings()])


def _settings() -> list[str]:
    return [
        f"| `{each.name}` | `{each.variable}` | {each.default and f'`{each.default}`'} | {each.about} |\n"
        for each in SETTINGS
    ]


def _command(shape: Shape) -> str:
    lines = ["", f"### {shape.name}", "", shape.summary[:1].upper() + shape.summary[1:] + ".", ""]
    lines += ["```", shape.usage, *(verb.usage for verb in shape.verbs), "```", ""]
    rows = [row for each in (shape, *shape.verbs) for row in map(_row, each.options) if row]
    if rows:
        lines += ["| argument | meaning |", "|---|---|", *dict.fromkeys(rows), ""]
    lines += ["Example:", "", "```bash", *(line.strip() for line in shape.example.splitlines()), "```"]
    return "\n".join(lines) + "\n"


def _row(option: Option) -> str:
    if "--help" in option.flags:
        return ""
    name = ", ".join(option.flags)
    shown = " ".join(filter(None, (name, option.value)))
    meaning = option.help
    if option.choices and not option.flags:
        meaning += f" ({', '.join(option.choices)})"
    return "| `{}` | {} |".format(*(text.replace("|", "\\|") for text in (shown, meaning)))


def _present(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
