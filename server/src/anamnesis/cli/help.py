"""Help and shell completion, made from the table of commands."""

from __future__ import annotations

import argparse
import difflib
import shlex
import sys
from collections.abc import Iterator

from anamnesis.cli.commands import EVERYDAY, USAGE, Parser, all_commands, parser_of, usage_error
from anamnesis.cli.opening import open_store
from anamnesis.cli.output import row, say, tell
from anamnesis.index.query import Filter

_HEAD = "usage: anamnesis COMMAND [OPTIONS]\n\nMemory for Claude Code that follows you between machines.\n"
_FOOT = """
`anamnesis help --all` lists all commands, `anamnesis COMMAND --help` the
options of one with an example; `anamnesis --version` prints the version.
Without a command the MCP server runs. The store is ~/.anamnesis, or
ANAMNESIS_HOME."""

# A shell asks for ids while the user types; each line of the answer is an id, a tab and a title.
_ASK = "command anamnesis completion --ids"
_IDS: dict[str, object] = {
    "bash": "_anamnesis_ids",
    "zsh": "_anamnesis_ids",
    "fish": f"({_ASK} (commandline -ct) 2>/dev/null)",
    "preamble": {
        # bash has no descriptions, so titles are shown while several ids are possible, and never inserted.
        "bash": f"""
_anamnesis_ids() {{
  local line lines=()
  while IFS= read -r line; do lines+=("$line"); done < <({_ASK} "$1" 2>/dev/null)
  if (( ${{#lines[@]}} == 1 )); then
    printf '%s\\n' "${{lines[0]%%$'\\t'*}}"
  elif (( ${{#lines[@]}} > 1 )); then
    printf '%s\\n' "${{lines[@]/$'\\t'/  }}"
  fi
}}""",
        "zsh": f"""
_anamnesis_ids() {{
  local -a notes
  notes=(${{(f)"$({_ASK} "$PREFIX" 2>/dev/null)"}})
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
        lines, group = [_HEAD.rstrip("\n")], ""
        for name, command in commands.items():
            if command.group != group:
                group = command.group
                lines += ["", f"{group}:"]
            lines.append(f"  {name:<21}{command.about}")
        say("\n".join([*lines, _FOOT]))
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
    """Print the completion script, or the ids for a script."""
    if args.ids is None and args.shell is None:
        return usage_error("completion", "name your shell: bash, zsh or fish")
    if args.ids is None:
        say(completion_script(args.shell))
        return 0
    with open_store() as store:
        newest = ((note.id, note.title) for note in store.page(Filter(superseded=False), limit=40).notes)
        for note_id, title in store.starting_with(args.ids, k=40) if args.ids else newest:
            say(row(note_id, title))
    return 0


def completion_script(shell: str) -> str:
    """The script that makes `shell` complete commands, options, choices, files and ids."""
    import shtab  # only this command needs it

    root = Parser("anamnesis")
    parsers = root.add_subparsers()
    for name, command in all_commands().items():
        command.declare(parsers.add_parser(name, help=command.about))
    for action in _all_actions(root):
        if action.metavar == "ID":
            vars(action)["complete"] = _IDS
        elif action.metavar in ("FILE", "DIR", "FOLDER", "PATH"):
            vars(action)["complete"] = shtab.FILE
    return str(shtab.complete(root, shell))


def _all_actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Every argument of a parser and of its subparsers."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _all_actions(inner)
        yield action
