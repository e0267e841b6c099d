"""Write docs/cli.md from the parsers; with --check, fail when the page is not what they say.

python tools/make_docs.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

from snapshot import snapshot_files

from anamnesis.cli.shape import Option, Shape, all_shapes
from anamnesis.files import write_atomic
from anamnesis.onboard.examples import example_files
from anamnesis.settings import SETTINGS

ROOT = Path(__file__).resolve().parents[2]

_HEAD = """\
# The command line

<!-- Written by `make docs` from the parsers; change the command, not this page. -->

`anamnesis COMMAND [OPTIONS]`. Without a command the MCP server runs (`serve`).

Results go to standard output, everything else to standard error. On a terminal the output is coloured and
laid out (`NO_COLOR` is respected); in a pipe it is plain, one record per line, its fields separated by tabs.
`--json` prints the result as JSON in the shape given with it; fields may be added, none renamed or removed.

A row of `search` and `list` is id, type, project, time of the last change and title. A note that another one
replaced has a sixth field in `list`: `superseded by` and the ids.

In a repository or a marked folder, `search` without `--project` prefers the notes of that project to like
ones of others, and says on standard error when the best match is about another project.

Where a command takes the id of a note, four or more characters of its beginning do, in either case, as long
as only one note begins so; otherwise the command ends with 1 and names the candidates. A whole id always
wins. `delete` without a question (`--yes`, or in a script) wants the whole id.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | known error, said in one line: which thing, what is wrong, what to do; a held note counts |
| 2 | usage: the arguments are wrong |
| 130 | interrupted |
"""


_SETTINGS = """
## Settings

Environment beats `config.json` beats the default; `anamnesis config list` says which one won.

| setting | variable | default | meaning |
|---|---|---|---|
"""


def main(argv: list[str]) -> int:
    """Write the files, or compare them; 1 when one differs."""
    wanted = generated()
    stale = [name for name, text in wanted.items() if _present(ROOT / name) != text]
    for name in stale:
        if "--check" in argv:
            sys.stderr.write(f"{name}: not what the code says; run `make docs`\n")
        else:
            write_atomic(ROOT / name, wanted[name].encode(), mode=0o644)
    return 1 if stale and "--check" in argv else 0


def generated() -> dict[str, str]:
    """Every generated file of the repository: its path from the root, and its text."""
    return {"docs/cli.md": render(all_shapes()), **example_files(), **snapshot_files()}


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
