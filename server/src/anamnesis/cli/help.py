"""Help and shell completion, made from the table of commands."""

from __future__ import annotations

import argparse
import difflib
import shlex
import sys
from itertools import groupby

from anamnesis.cli.commands import EVERYDAY, USAGE, Parser, all_commands, parser_of
from anamnesis.cli.output import say, tell

_HEAD = "usage: anamnesis COMMAND [OPTIONS]\n\nMemory for Claude Code that follows you between machines.\n"
_FOOT = """
`anamnesis help --all` lists all commands, `anamnesis COMMAND --help` the
options of one with an example; `anamnesis --version` prints the version.
Without a command the MCP server runs. The store is ~/.anamnesis, or
ANAMNESIS_HOME."""

# What a shell asks while the user types: each line of the answer is an id, a tab and a title.
_ASK = "command anamnesis list 2>/dev/null | cut -f 1,5"
_IDS: dict[str, object] = {
    "bash": "_anamnesis_ids",
    "zsh": "_anamnesis_ids",
    "fish": f"({_ASK})",
    "preamble": {
        # bash has no descriptions, so titles are shown while several ids are possible, and never inserted.
        "bash": f"""
_anamnesis_ids() {{
  local line lines=()
  while IFS= read -r line; do lines+=("$line"); done < <({_ASK} | grep -i "^$1")
  if (( ${{#lines[@]}} == 1 )); then
    printf '%s\\n' "${{lines[0]%%$'\\t'*}}"
  elif (( ${{#lines[@]}} > 1 )); then
    printf '%s\\n' "${{lines[@]/$'\\t'/  }}"
  fi
}}""",
        "zsh": f"""
_anamnesis_ids() {{
  local -a notes
  notes=(${{(f)"$({_ASK})"}})
  notes=(${{notes//:/\\\\:}})
  notes=(${{notes/$'\\t'/:}})
  _describe note notes
}}""",
    },
}


def give_help(rest: list[str]) -> int:
    """Print the short help, with --all the full one, or the help of the command named in `rest`."""
    commands = all_commands()
    if not rest:
        say("\n".join([_HEAD, *(f"  {name:<11}{commands[name].about}" for name in EVERYDAY), _FOOT]))
    elif rest[0] == "--all":
        lines = [_HEAD]
        for group, members in groupby(commands.values(), key=lambda each: each.group):
            lines += [f"{group}:", *(f"  {each.name:<21}{each.about}" for each in members), ""]
        say("\n".join(lines) + _FOOT)
    elif rest[0] in commands:
        parser_of(rest[0]).print_help()
    else:
        return reject(rest[0])
    return 0


def reject(name: str) -> int:
    """Report an unknown command, and suggest the closest one."""
    close = difflib.get_close_matches(name, all_commands(), n=1)
    hint = f"did you mean `{close[0]}`?" if close else "see: anamnesis help --all"
    tell(f"anamnesis: there is no command {name!r}; {hint}")
    return USAGE


def how_to_add(extra: str) -> str:
    """How to add an extra of this package to the installation at hand."""
    wanted = shlex.quote(f"anamnesis-memory[{extra}]")
    return (
        f"to add it: {shlex.quote(sys.executable)} -m pip install {wanted}"
        f" (or `uv tool install` / `pipx install --force` {wanted}, if it was installed that way)"
    )


def cmd_completion(args: argparse.Namespace) -> int:
    """Print the script that makes a shell complete commands, options, choices, files and ids."""
    import shtab  # only this command needs it

    root = Parser("anamnesis")
    parsers = root.add_subparsers()
    completions = {"ID": _IDS, **dict.fromkeys(("FILE", "DIR", "FOLDER", "PATH"), shtab.FILE)}
    for name, command in all_commands().items():
        command.declare(parsers.add_parser(name, help=command.about), completions)
    say(str(shtab.complete(root, args.shell)))
    return 0
