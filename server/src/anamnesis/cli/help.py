"""What the command line says about itself: the full help, and an answer to a wrong command."""

from __future__ import annotations

import difflib

from anamnesis.cli import COMMANDS
from anamnesis.cli.parser import USAGE, build
from anamnesis.cli.terminal import say, tell

_FOOT = """
`anamnesis COMMAND --help` shows a command's options and an example, `anamnesis --version` the version.
Without a command, the MCP server runs (`serve`). The store is ~/.anamnesis, or ANAMNESIS_HOME."""


def give_help(rest: list[str]) -> int:
    """The full help, or that of the command named first."""
    if not rest:
        say(full_help())
    elif rest[0] in COMMANDS:
        build(rest[0]).print_help()
    else:
        return reject(rest[0])
    return 0


def full_help() -> str:
    """The list of all commands, from the table alone."""
    lines = [
        "usage: anamnesis COMMAND [OPTIONS]",
        "",
        "Memory for Claude Code that follows you between machines.",
    ]
    group = ""
    for name, (_, summary, heading) in COMMANDS.items():
        if heading != group:
            lines += ["", f"{heading}:"]
            group = heading
        lines.append(f"  {name:<21}{summary}")
    return "\n".join([*lines, _FOOT])


def reject(name: str) -> int:
    """Answer to a command that does not exist."""
    close = difflib.get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean `{close[0]}`?" if close else "see: anamnesis --help"
    tell(f"anamnesis: there is no command {name!r}; {hint}")
    return USAGE
