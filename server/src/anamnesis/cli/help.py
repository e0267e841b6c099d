"""The command line's own description: help, shell completion, and the data for docs/cli.md.

All of it is read from the same parsers that run the commands, so it cannot differ from what they accept.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from anamnesis.cli import COMMANDS, load
from anamnesis.cli.opening import open_store
from anamnesis.cli.parser import USAGE, OneText, Parser, build, path
from anamnesis.cli.terminal import say, say_row, tell
from anamnesis.operations.reading import ids_starting

_FOOT = """
`anamnesis COMMAND --help` shows a command's options and an example;
`anamnesis --version` prints the version. Without a command the MCP server runs
(`serve`). The store is ~/.anamnesis, or the folder in ANAMNESIS_HOME."""

# A shell asks for ids while the user types; each line it gets is an id, a tab and a title.
_ASK = "command anamnesis completion --ids"
_IDS: dict[str, object] = {
    "bash": "_anamnesis_ids",
    "zsh": "_anamnesis_ids",
    "fish": f"({_ASK} (commandline -ct) 2>/dev/null)",
    "preamble": {
        # bash has no descriptions: titles are shown while several ids are possible, and never inserted.
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

# What other tools call our commands.
_OTHER_NAMES = {
    "add": "write",
    "conflicts": "resolve",
    "find": "search",
    "forget": "delete",
    "install": "init",
    "new": "write",
    "prune": "dedup",
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
    """Report a command that does not exist, with the closest name."""
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
        help="print the ids that start with START, each with its title; the scripts call this",
    )
    parser.epilog = (
        'Example:\n  eval "$(anamnesis completion bash)"    # in ~/.bashrc; zsh likewise\n'
        "  anamnesis completion fish | source"
    )


def cmd_completion(args: argparse.Namespace) -> int:
    """Print the completion script, or the ids that a script asks for."""
    if args.ids is None and args.shell is None:
        tell("anamnesis completion: name your shell: bash, zsh or fish; see: anamnesis completion --help")
        return USAGE
    if args.ids is None:
        say(completion_script(args.shell))
        return 0
    with open_store() as store:
        for note_id, title in ids_starting(store, args.ids, k=_MOST_IDS):
            say_row(note_id, title)
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


@dataclass(frozen=True, slots=True)
class Option:
    """One flag, or one positional argument when `flags` is empty."""

    flags: tuple[str, ...]
    value: str
    choices: tuple[str, ...]
    help: str
    required: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """One command, or one verb of a command: its options, its example, its own verbs."""

    name: str
    summary: str
    group: str
    usage: str
    example: str
    options: tuple[Option, ...]
    verbs: tuple[Shape, ...]


def all_shapes() -> list[Shape]:
    """Every command in the order of the table; loads every module of commands."""
    return [
        _shape(build(name), name=name, summary=summary, group=group)
        for name, (_, summary, group) in COMMANDS.items()
    ]


def _shape(parser: argparse.ArgumentParser, *, name: str, summary: str, group: str) -> Shape:
    # argparse has no public list of its actions; this attribute has been stable since Python 2.7.
    actions = parser._actions
    options = tuple(_option(a) for a in actions if not isinstance(a, argparse._SubParsersAction))
    verbs: list[Shape] = []
    for action in actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for verb, inner in action.choices.items():
                verbs.append(_shape(inner, name=f"{name} {verb}", summary=helps.get(verb, ""), group=group))
    return Shape(
        name=name,
        summary=summary,
        group=group,
        usage=_usage(name, options, verbs, needs_verb=any(a.required for a in actions if a.dest == "verb")),
        example=_example(parser.epilog or ""),
        options=options,
        verbs=tuple(verbs),
    )


def _example(epilog: str) -> str:
    label, _, rest = epilog.partition(":")
    return rest.strip() if label.strip().lower() == "example" else epilog.strip()


def _option(action: argparse.Action) -> Option:
    return Option(
        flags=tuple(action.option_strings),
        value=_value(action),
        choices=tuple(str(choice) for choice in action.choices or ()),
        help=(action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%"),
        # argparse calls a list of words required although it may be empty.
        required=action.required and action.nargs not in ("*", "?"),
    )


def _value(action: argparse.Action) -> str:
    """How the value of an option is shown; "" for a flag that takes none."""
    if action.nargs == 0:
        return ""
    if action.choices and action.option_strings:
        return "|".join(str(choice) for choice in action.choices)
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if isinstance(action, OneText):
        return f"{name} [WORD ...]"
    if isinstance(action.metavar, tuple):
        name = " ".join(action.metavar)
    return f"{name} ..." if action.nargs in ("*", "+") else name


def _usage(name: str, options: tuple[Option, ...], verbs: list[Shape], *, needs_verb: bool) -> str:
    words = [f"anamnesis {name}"]
    for option in sorted(options, key=lambda option: not option.flags):
        if "--help" in option.flags:
            continue
        word = " ".join(filter(None, (option.flags[-1] if option.flags else "", option.value)))
        words.append(word if option.required else f"[{word}]")
    if verbs:
        named = "|".join(verb.name.split()[-1] for verb in verbs) + " ..."
        words.append(named if needs_verb else f"[{named}]")
    return " ".join(words)
