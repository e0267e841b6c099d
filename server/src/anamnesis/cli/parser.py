"""Parsers for the commands, built from their table; an error in the arguments is one line.

Each command has one small parser; only that of the command at hand is built.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from anamnesis.cli.commands import Argument, Command, all_commands
from anamnesis.cli.output import tell
from anamnesis.notes.vocabulary import since_moment

USAGE = 2
_WIDEST = 80  # columns of a help text
_LONGEST_WAIT = 86_400  # seconds
_LAST_PORT = 65_535
_VERB = "VERB"  # the placeholder for a command's verbs in its help
_ID_HELP = "its id, the start of the id, or words that only its title has"


def build(name: str) -> Parser:
    """The parser of one command."""
    command = all_commands()[name]
    parser = Parser(f"anamnesis {name}", _sentence(command.about))
    declare(parser, command)
    parser.epilog = f"Example:\n  {command.example}"
    return parser


def usage_error(command: str, text: str) -> int:
    """Print what is wrong with a command's arguments, as its parser would; returns the exit code."""
    tell(f"anamnesis {command}: {text}; see: anamnesis {command} --help")
    return USAGE


def _sentence(about: str) -> str:
    return f"{about[0].upper()}{about[1:]}."


def declare(parser: argparse.ArgumentParser, command: Command) -> None:
    """Add the arguments and the verbs of a command to its parser."""
    arguments = command.arguments
    group: argparse._ActionsContainer = parser
    for argument, following in zip(arguments, [*arguments[1:], None], strict=False):
        starts_choice = following is not None and following.excludes_last
        if not argument.excludes_last:
            group = parser.add_mutually_exclusive_group() if starts_choice else parser
        names, options = argparse_words(argument)
        group.add_argument(*names, **options)
    if command.json:
        # Suppressed for an optional verb: a default there would undo --json before the verb.
        default = argparse.SUPPRESS if command.is_optional else False
        shown = f"print the result as JSON: {command.json}"
        parser.add_argument("--json", action="store_true", default=default, help=shown)
    if command.verbs:
        is_required = not any(verb.is_optional for verb in command.verbs.values())
        verbs = parser.add_subparsers(dest="verb", metavar=_VERB, required=is_required)
        for name, verb in command.verbs.items():
            declare(verbs.add_parser(name, help=verb.about, description=_sentence(verb.about)), verb)


def argparse_words(argument: Argument) -> tuple[list[str], dict[str, Any]]:
    """The words and options of `add_argument` for one argument of the table."""
    text = argument.help.replace("%", "%%")
    if argument.flags and not argument.value:
        return argument.flags, {"action": "store_true", "help": text}
    names = argument.flags or ["shell" if argument.choices else argument.value.lower()]
    options: dict[str, Any] = {"metavar": argument.value, **_occurrence(argument)}
    if argument.choices:
        del options["metavar"]
        options["choices"] = argument.choices
    if argument.value in TYPES:
        options["type"] = TYPES[argument.value]
    if argument.value in _KNOWN:
        options["choices"] = _KNOWN[argument.value]()
    if argument.value == "ID" and argument.is_text:
        text = f"{text}: {_ID_HELP}"
    if argument.default:
        options["default"] = options.get("type", str)(argument.default)
        text += " (default %(default)s)" if argument.flags else ""
    return names, options | {"help": text}


def _occurrence(argument: Argument) -> dict[str, Any]:
    """The options that say how often an argument occurs, and in how many words."""
    if argument.is_text:
        return {"action": OneText, "nargs": "*" if argument.optional else "+"}
    if argument.is_list:
        return {"nargs": "*"}
    if argument.repeats:
        return {"action": "append", "default": []}
    if " " in argument.value:
        return {"metavar": tuple(argument.value.split()), "nargs": 2}
    if argument.optional:
        return {"nargs": "?", "const": ""} if argument.flags else {"nargs": "?"}
    return {"required": True} if argument.required else {}


class OneText(argparse.Action):
    """Joins the words of an argument into one string."""

    def __call__(self, parser: object, namespace: object, values: object, option: str | None = None) -> None:
        """Set the joined words."""
        setattr(namespace, self.dest, " ".join(map(str, values)) if isinstance(values, list) else values)


class Parser(argparse.ArgumentParser):
    """A parser for one command; it reports a usage error in one line that points to --help."""

    def __init__(self, prog: str, description: str | None = None, *, color: bool = False) -> None:
        super().__init__(prog=prog, description=description, formatter_class=_Formatter, allow_abbrev=False)
        self.color = color  # since Python 3.14, which also hands it on to the parsers of verbs

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and remember the words: `error` looks for a misspelt option among them."""
        self._words = list(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def _unknown_option(self) -> str:
        """The first option that this parser does not know; "" if it knows all."""
        words = self._words[: self._words.index("--")] if "--" in self._words else self._words
        names = (word.partition("=")[0] for word in words if word.startswith("--"))
        return next((name for name in names if name not in self._option_string_actions), "")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not among an argument's choices, and suggest the closest one."""
        choices = list(action.choices or ())
        if not choices or value in choices:
            return
        hint = _closest(value, choices) or f"choose from {', '.join(choices)}"
        raise argparse.ArgumentError(action, f"there is no {value!r}; {hint}")

    def error(self, message: str) -> NoReturn:
        """Print what is wrong with the arguments and exit with 2."""
        unknown = self._unknown_option()
        if unknown and message.startswith(("the following arguments are required", "unrecognized arguments")):
            hint = _closest(unknown, list(self._option_string_actions))
            message = f"there is no option {unknown}" + (f"; {hint}" if hint else "")
        verbs = next((action.choices for action in self._actions if action.metavar == _VERB), None)
        if verbs and message.endswith(f": {_VERB}"):
            message = f"say what to do: {', '.join(verbs)}"
        end = "" if message.endswith("?") else ";"
        tell(f"{self.prog}: {message}{end} see: {self.prog} --help")
        sys.exit(USAGE)


def _closest(word: str, known: list[str]) -> str:
    from difflib import get_close_matches  # only for a misspelt word

    close = get_close_matches(word, known, n=1)
    return f"did you mean {close[0]}?" if close else ""


class _NoColors:
    """A theme of argparse in which nothing has a colour."""

    def __getattr__(self, _: str) -> str:
        return ""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        # By default, argparse loads shutil to get the width, for every declared argument.
        try:
            columns = os.get_terminal_size(1).columns
        except OSError:
            columns = _WIDEST
        super().__init__(prog, max_help_position=26, width=min(columns, _WIDEST))

    def _set_color(self, color: bool, **_: object) -> None:
        # Since Python 3.14. To choose no colours, argparse loads modules that take as long as a whole search.
        self._theme, self._decolor = _NoColors(), str

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        if action.nargs == argparse.PARSER and not action.required:
            return f"[{action.metavar} ...]"
        if not isinstance(action, OneText):
            return super()._format_args(action, default_metavar)
        return f"{action.metavar} [WORD ...]" if action.nargs == "+" else f"[{action.metavar} [WORD ...]]"


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and text.strip("0")):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number above 0")
    return int(text) if len(text) < 10 else 10**9  # more than any store has of anything


def _seconds(text: str) -> float:
    try:
        if 0 < float(text) <= _LONGEST_WAIT:
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number of seconds above 0")


def _moment(text: str) -> str:
    if not since_moment(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a date; use 2026-01-31, 7d, today or yesterday")
    return text


def _path(text: str) -> Path:
    if not text.strip():  # an unset variable must not mean the current folder
        raise argparse.ArgumentTypeError("the path is empty; name a file or folder, `.` for this one")
    from pathlib import Path

    return Path(text)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:6]) <= _LAST_PORT):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a port; use a number up to {_LAST_PORT}")
    return int(text)


def _origin(text: str) -> str:
    scheme, between, host = text.removesuffix("/").partition("://")
    if scheme not in ("http", "https") or not between or not host or "/" in host:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not an address such as http://localhost:3000")
    return text.removesuffix("/")


def _setting(text: str) -> str:
    from anamnesis.errors import ConfigError
    from anamnesis.settings import find_setting

    try:
        return find_setting(text).name
    except ConfigError as exc:
        raise argparse.ArgumentTypeError(str(exc)) from exc


def _settings() -> list[str]:
    from anamnesis.settings import SETTINGS  # only `config` needs the names

    return [setting.name for setting in SETTINGS]


def _agents() -> list[str]:
    from anamnesis.onboard.agents import AGENTS  # only `init` needs the names

    return list(AGENTS)


# What a placeholder accepts, and the choices for one.
TYPES = {
    "N": _number,
    "NUMBER": int,
    "SECONDS": _seconds,
    "DATE": _moment,
    "FILE": _path,
    "FOLDER": _path,
    "PATH": _path,
    "PORT": _port,
    "ORIGIN": _origin,
    "SETTING": _setting,
}
_KNOWN = {"SETTING": _settings, "AGENT": _agents}
