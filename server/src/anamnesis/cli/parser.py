"""What a command works on: its arguments, options that several share, the store, text from standard input.

Each command has one small parser. Only a command that writes may create a store.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack

from anamnesis.cli import COMMANDS, load
from anamnesis.cli.terminal import progress, tell
from anamnesis.config import resolve_home, resolve_machine_id, resolve_remote
from anamnesis.errors import InvalidNote, StoreUnavailable
from anamnesis.layout import LOCAL, MEMORY
from anamnesis.notes.vocabulary import SCOPES, TYPES, since_moment

TYPE_CHECKING = False  # every command waits for these imports, and a search needs neither store nor git
if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType
    from typing import Any, NoReturn

    from anamnesis.index.core import Index
    from anamnesis.store import MemoryStore
    from anamnesis.sync import HoldingBackend

USAGE = 2
_WIDEST = 80

# The keys of a note's JSON form, for the help of --json; commands append their own keys.
NOTE = "{id, type, title, project, machine_id, scope, tags, created_at, updated_at"
_VERB = "VERB"  # the placeholder for a command's verbs in its help


class Parser(argparse.ArgumentParser):
    """A parser for one command; it reports a usage error in one line that points to --help."""

    def __init__(self, prog: str, description: str | None = None, *, color: bool = False) -> None:
        super().__init__(
            prog=prog,
            description=description,
            formatter_class=_Formatter,
            allow_abbrev=False,
        )
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
        from difflib import get_close_matches  # only for a misspelt value

        close = get_close_matches(value, choices, n=1)
        hint = f"did you mean {close[0]}?" if close else f"choose from {', '.join(choices)}"
        raise argparse.ArgumentError(action, f"there is no {value!r}; {hint}")

    def error(self, message: str) -> NoReturn:
        """Print what is wrong with the arguments and exit with 2."""
        unknown = self._unknown_option()
        if unknown and message.startswith(("the following arguments are required", "unrecognized arguments")):
            from difflib import get_close_matches  # only for a misspelt option

            close = get_close_matches(unknown, self._option_string_actions, n=1)
            message = f"there is no option {unknown}" + (f"; did you mean {close[0]}?" if close else "")
        verbs = next((action.choices for action in self._actions if action.metavar == _VERB), None)
        if verbs and message.endswith(f": {_VERB}"):
            message = f"say what to do: {', '.join(verbs)}"
        end = "" if message.endswith("?") else ";"
        tell(f"{self.prog}: {message}{end} see: {self.prog} --help")
        sys.exit(USAGE)


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


def build(name: str, module: ModuleType | None = None) -> Parser:
    """The parser of one command."""
    source, summary, _ = COMMANDS[name]
    parser = Parser(f"anamnesis {name}", _sentence(summary))
    getattr(module or load(source), f"add_{name.replace('-', '_')}")(parser)
    return parser


def usage_error(command: str, text: str) -> int:
    """Print what is wrong with a command's arguments, as its parser would; returns the exit code."""
    tell(f"anamnesis {command}: {text}; see: anamnesis {command} --help")
    return USAGE


def _sentence(summary: str) -> str:
    return summary[0].upper() + summary[1:] + "."


def add_json(parser: argparse.ArgumentParser, shape: str = "") -> None:
    """Add --json, the same for every command with a result; `shape` says what is printed."""
    add_flag(parser, "--json", help="print the result as JSON" + (f": {shape}" if shape else ""))


def add_flag(parser: argparse._ActionsContainer, *names: str, help: str) -> None:
    """Add an option without a value."""
    parser.add_argument(*names, action="store_true", help=help)


class OneText(argparse.Action):
    """Joins the words of an argument into one string."""

    def __call__(self, parser: object, namespace: object, values: object, option: str | None = None) -> None:
        setattr(namespace, self.dest, " ".join(map(str, values)) if isinstance(values, list) else values)


def add_id(parser: argparse.ArgumentParser, about: str = "the note", *, optional: bool = False) -> None:
    """Add the argument that names one note."""
    parser.add_argument(
        "id",
        nargs="*" if optional else "+",
        action=OneText,
        metavar="ID",
        help=f"{about}: its id, the start of the id, or words that only its title has",
    )


def add_verb(
    verbs: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str
) -> argparse.ArgumentParser:
    """Add the parser for one verb of a command; its summary is also at the top of its own help."""
    return verbs.add_parser(name, help=summary, description=_sentence(summary))


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add the filters that `search` and `list` share."""
    parser.add_argument(
        "--project",
        metavar="KEY",
        help="only notes of this project: its key, the last part of it, or . for this one",
    )
    parser.add_argument("--type", choices=TYPES, help="only notes of this type")
    parser.add_argument("--scope", choices=SCOPES, help="only notes of this scope")
    parser.add_argument("--tags", metavar="A,B", help="only notes with all of these tags")
    parser.add_argument(
        "--since",
        type=moment,
        metavar="DATE",
        help="only notes updated since: a date (2026-01-31), today or yesterday",
    )


def add_semantic(parser: argparse.ArgumentParser) -> None:
    """Add the flag for a search by meaning."""
    add_flag(parser, "--semantic", help="also by meaning, with the model of `semantic install`")


def positive(text: str) -> int:
    """Parse an argument that is a whole number above 0."""
    if not (text.isascii() and text.isdigit() and text.strip("0")):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number above 0")
    return int(text) if len(text) < 10 else 10**9  # more than any store has of anything


def seconds(text: str) -> float:
    """Parse an argument that is a number of seconds."""
    try:
        if 0 < float(text) <= 86_400:
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number of seconds above 0")


def moment(text: str) -> str:
    """Parse an argument that is the start of a period."""
    if not since_moment(text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a date; use one like 2026-01-31, or today, or yesterday"
        )
    return text


def path(text: str) -> Path:
    """Parse a file or folder; an empty argument (an unset variable) must not mean the current folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the path is empty; name a file or folder, `.` for this one")
    from pathlib import Path

    return Path(text)


def split_tags(text: str | None) -> list[str] | None:
    """The tags in a comma-separated option; None if it was not given."""
    return None if text is None else [tag.strip() for tag in text.split(",") if tag.strip()]


def read_body(option: str | None) -> str:
    """A note's text: the value of --body, or standard input."""
    if option is not None:
        return option
    if sys.stdin is None:
        raise InvalidNote("there is no standard input to read the note's text from; use --body")
    if sys.stdin.isatty():
        tell("reading the note's text; end it with Ctrl-D")
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise InvalidNote(
            f"standard input is not UTF-8 text (byte {exc.start}); nothing was written; convert it first"
        ) from exc
    return text.replace("\r\n", "\n").removesuffix("\n")


def open_store(*, create: bool = False) -> MemoryStore:
    """The user's store; StoreUnavailable if there is none, unless `create`."""
    from anamnesis.store import MemoryStore

    return MemoryStore(resolve_home() if create else existing_home())


def open_to_ask(*, by_meaning: bool = False) -> Index:
    """The index alone, which loads faster; the store if a model is installed and wanted."""
    from anamnesis.index.core import Index
    from anamnesis.semantic.installed import is_installed

    home = existing_home()
    return open_store() if by_meaning and is_installed(home) else Index(home)


def open_to_search(*, by_meaning: bool) -> MemoryStore:
    """The store, and with `by_meaning` also its model, after computing missing vectors."""
    store = open_store()
    if not by_meaning:
        return store
    from anamnesis.store import enable_meaning, make_vectors, meaning_report

    with ExitStack() as undo:
        undo.enter_context(store)
        with progress("computing vectors") as bar:
            make_vectors(store, progress=bar)
        enable_meaning(store)
        report = meaning_report(store)
        undo.pop_all()
    if report is not None and report.problem:
        tell(f"searched by words alone: {report.problem}")
    return store


def open_backend(store: Index) -> HoldingBackend:
    """The sync backend of the store, with the configured remote and machine."""
    from anamnesis.sync import backend_for

    return backend_for(store.memory_dir, remote=resolve_remote(), machine_id=resolve_machine_id())


def existing_home() -> Path:
    """The folder of the user's store; StoreUnavailable if there is none."""
    home = resolve_home()
    if not (home / MEMORY).is_dir() and not (home / LOCAL).is_dir():
        raise StoreUnavailable(
            f"{home}: there is no store here; `anamnesis init` creates one, ANAMNESIS_HOME names another"
        )
    return home
