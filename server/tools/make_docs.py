"""Write docs/cli.md from the parsers; with --check, fail when the page is not what they say.

python tools/make_docs.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

from anamnesis.cli.shape import Option, Shape, all_shapes
from anamnesis.files import write_atomic

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"

_HEAD = """\
# The command line

<!-- Written by `make docs` from the parsers; change the command, not this page. -->

`anamnesis COMMAND [OPTIONS]`. Without a command the MCP server runs (`serve`).

Results go to standard output, everything else to standard error. On a terminal the output is coloured and laid out;
in a pipe it is plain, one record per line, its fields separated by tabs. `NO_COLOR` is respected. `--json` prints the
result as JSON in the shape given with it; fields may be added, none is renamed or removed.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | known error: one line on standard error says which thing, what is wrong, what to do; a held note counts |
| 2 | usage: the arguments are wrong |
| 130 | interrupted |
"""


def render(shapes: list[Shape]) -> str:
    """The whole page."""
    parts = [_HEAD]
    group = ""
    for shape in shapes:
        if shape.group != group:
            group = shape.group
            parts.append(f"\n## {group}\n")
        parts.append(_command(shape))
    return "".join(parts)


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


def main(argv: list[str]) -> int:
    """Write the page, or compare it; 1 when it differs."""
    text = render(all_shapes())
    if "--check" not in argv:
        write_atomic(PAGE, text.encode(), mode=0o644)
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{PAGE}: not what the parsers say; run `make docs`\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
