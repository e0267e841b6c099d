"""Output to the user: results on stdout, messages on stderr, both stripped of terminal control characters.

`Output` is how a command answers: JSON, a layout for a terminal, or plain lines for a pipe. The layouts are
in `anamnesis.cli.pretty`, loaded only on a terminal. Hooks load this module, so it imports next to nothing.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from types import ModuleType
from typing import TextIO

# Control characters (C0, DEL, C1), bidirectional overrides and isolates, line separators, and the tag block
# can all forge or hide what a reader sees. Newline and tab stay.
_FORBIDDEN = (
    *(c for c in range(0x20) if c not in (0x09, 0x0A)),
    *(*range(0x7F, 0xA0), 0x061C, *range(0x200E, 0x2010), *range(0x2028, 0x202F), *range(0x2066, 0x206A)),
    *(0xFEFF, *range(0xE0000, 0xE0080)),
)
_CLEAN = dict.fromkeys(_FORBIDDEN, "\ufffd")
_ONE_LINE = {**_CLEAN, 0x09: " ", 0x0A: " ", 0x0D: " "}


def clean(text: str) -> str:
    """Text of several lines without control characters."""
    return text.replace("\r\n", "\n").translate(_CLEAN)


def one_line(text: str) -> str:
    """A title or name as one clean line."""
    return text.translate(_ONE_LINE).strip()


def row(*fields: object) -> str:
    """One record for a pipe: one line, its fields separated by tabs."""
    return "\t".join(one_line(str(field)) for field in fields)


def say(text: str) -> None:
    """Print a result on stdout, if the process has one."""
    _print(clean(text) + "\n")


def tell(text: str) -> None:
    """Print a message (error, progress, hint) on stderr; errors of stderr are ignored."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(clean(text) + "\n")
    except OSError:
        _drop(sys.stderr)


def say_json(value: object) -> None:
    """Print a result as JSON: ASCII only, so that every control character is escaped."""
    _print(_json(value) + "\n")


def _json(value: object) -> str:
    return json.dumps(value, indent=2).replace("\x7f", "\\u007f")


def _print(text: str) -> None:
    if sys.stdout is not None:
        sys.stdout.write(text)


class Output:
    """Where a command's result goes: to a program as JSON, to a person on a terminal, or into a pipe."""

    __slots__ = ("as_json",)

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json

    @property
    def is_pretty(self) -> bool:
        """Whether the result is laid out for a terminal."""
        return not self.as_json and on_terminal()

    def result(
        self,
        value: object,
        plain: str | Iterable[str] = (),
        layout: Callable[[ModuleType], object] | None = None,
    ) -> None:
        """Print `value` as JSON if requested, with `layout` on a terminal, otherwise the lines of `plain`."""
        if self.as_json:
            say_json(value)
        elif layout is not None and on_terminal():
            layout(_pretty())
        else:
            for line in (plain,) if isinstance(plain, str) else plain:
                say(line)

    def table(self, value: object, headings: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
        """Print rows: as a table on a terminal, with tabs in a pipe; `value` is their JSON."""
        shown = (lambda pretty: pretty.table(headings, rows)) if rows else None
        self.result(value, (row(*fields) for fields in rows), shown)

    def stream(self, values: Iterable[dict[str, object]], line: Callable[[dict[str, object]], str]) -> int:
        """Print values one at a time, as a JSON list or one line each; returns how many."""
        count = 0
        for count, value in enumerate(values, 1):
            if self.as_json:
                _print(("[\n  " if count == 1 else ",\n  ") + _json(value).replace("\n", "\n  "))
            else:
                say(line(value))
        if self.as_json:
            _print("\n]\n" if count else "[]\n")
        return count

    def hint(self, text: str) -> None:
        """Print something on stderr that only a person needs."""
        if not self.as_json:
            tell(text)


def on_terminal() -> bool:
    """Whether stdout is a terminal, so that colour and tables make sense."""
    return sys.stdout is not None and sys.stdout.isatty()


def _pretty() -> ModuleType:
    return import_module("anamnesis.cli.pretty")


def progress(label: str) -> AbstractContextManager[Callable[[int, int], None] | None]:
    """A progress bar, called with (done, total); None if stderr is not a terminal."""
    bar: AbstractContextManager[Callable[[int, int], None]] | None = None
    if sys.stderr is not None and sys.stderr.isatty():
        bar = _pretty().progress_bar(label)
    return bar or nullcontext()


def step_progress() -> AbstractContextManager[Callable[[str, int, int], None] | None]:
    """A progress bar for work in steps, called with (step, done, total); None if stderr is not a terminal."""
    bar: AbstractContextManager[Callable[[str, int, int], None]] | None = None
    if sys.stderr is not None and sys.stderr.isatty():
        bar = _pretty().step_bar()
    return bar or nullcontext()


def can_ask() -> bool:
    """Whether there is someone to answer a question."""
    return sys.stdin is not None and sys.stdin.isatty()


def ask(question: str) -> str:
    """Ask a question on stderr; returns the line that was typed, "" at the end of the input."""
    sys.stderr.write(one_line(question) + " ")
    sys.stderr.flush()
    return sys.stdin.readline()


def confirmed(question: str) -> bool:
    """Ask a yes-or-no question on a terminal; False if there is no one to ask."""
    return can_ask() and ask(f"{question} [y/N]").strip().lower() in ("y", "yes")


def abandon_output(code: int) -> int:
    """Discard pending output, which would make the interpreter fail at exit; returns `code`."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop(sys.stdout)
    return code


def _drop(stream: TextIO) -> None:
    """Discard a stream's buffer, on which the interpreter would fail again at exit."""
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(sink, stream.fileno())
    except OSError:
        return  # a stream without a descriptor, in a test
    finally:
        os.close(sink)
