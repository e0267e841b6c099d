"""Help and shell completion, generated from the commands' parsers."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterator
from pathlib import Path

from anamnesis.cli import COMMANDS, load
from anamnesis.cli.parser import USAGE, Parser, build, open_store, path, usage_error
from anamnesis.cli.terminal import row, say, tell
from anamnesis.operations.reading import ids_starting

_FOOT = """
`anamnesis COMMAND --help` shows a command's options and an example;
`anamnesis --version` prints the version. Without a command the MCP server runs
(`serve`). The store is ~/.anamnesis, or the folder in ANAMNESIS_HOME."""

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
_FILES = {
    "bash": "_shtab_compgen_files",
    "zsh": "_files",
    "fish": "(__fish_complete_path (commandline -ct))",
}
_MOST_IDS = 40

# Other tools' names for our commands.
_OTHER_NAMES = {
    "add": "write",
    "conflicts": "resolve",
    "find": "search",
    "forget": "delete",
    "install": "init",
    "log": "history ID",
    "new": "write",
    "prune": "dedup",
    "pull": "sync",
    "push": "sync",
    "remember": "write",
    "remove": "delete",
    "restore": "history ID --restore",
    "rm": "delete",
    "setup": "init",
    "undo": "history ID --restore",
    "uninstall": "init --uninstall",
    "update": "upgrade",
    "version": "--version",
}


def give_help(rest: list[str]) -> int:
    """Print the full help, or the help of the command named in `rest`."""
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
    """Report an unknown command, and suggest the closest one."""
    close = difflib.get_close_matches(name, COMMANDS, n=1)
    meant = _OTHER_NAMES.get(name) or (close[0] if close else "")
    hint = f"did you mean `{meant}`?" if meant else "see: anamnesis --help"
    tell(f"anamnesis: there is no command {name!r}; {hint}")
    return USAGE


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Arguments of `completion`."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("shell", nargs="?", choices=("bash", "zsh", "fish"), help="the shell to complete for")
    what.add_argument(
        "--ids",
        metavar="START",
        help="print the ids that start with START, each with its title; used by the scripts",
    )
    parser.epilog = (
        'Example:\n  eval "$(anamnesis completion bash)"    # in ~/.bashrc; zsh likewise\n'
        "  anamnesis completion fish | source"
    )


def cmd_completion(args: argparse.Namespace) -> int:
    """Print the completion script, or the ids for a script."""
    if args.ids is None and args.shell is None:
        return usage_error("completion", "name your shell: bash, zsh or fish")
    if args.ids is None:
        say(completion_script(args.shell))
        return 0
    with open_store() as store:
        for note_id, title in ids_starting(store, args.ids, k=_MOST_IDS):
            say(row(note_id, title))
    return 0


def completion_script(shell: str) -> str:
    """The script that makes `shell` complete commands, options, choices, files and ids."""
    import shtab  # only this command needs it

    root = Parser("anamnesis")
    commands = root.add_subparsers()
    for name, (module, summary, _) in COMMANDS.items():
        getattr(load(module), f"add_{name.replace('-', '_')}")(commands.add_parser(name, help=summary))
    for action in _all_actions(root):
        if action.metavar == "ID":
            vars(action)["complete"] = _IDS
        elif action.type in (Path, path) or action.metavar in ("FILE", "DIR", "FOLDER"):
            vars(action)["complete"] = _FILES
    return str(shtab.complete(root, shell))


def _all_actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Every argument of a parser and of its subparsers."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _all_actions(inner)
        yield action
