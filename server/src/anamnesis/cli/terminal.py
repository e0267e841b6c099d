"""Output to the user: results on stdout, messages on stderr, both stripped of terminal control characters.

`Output` is how a command answers: JSON, a layout for a terminal, or plain lines for a pipe. The layout itself
(tables, rendered markdown, progress bars) is in `anamnesis.cli.pretty`, loaded only on a terminal. Hooks load
this module, so it imports next to nothing.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module

TYPE_CHECKING = False  # importing `typing` takes longer than this whole module
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager
    from types import ModuleType
    from typing import TextIO

# Control characters (C0, DEL, C1), bidirectional overrides and isolates, line separators can all forge what a
# reader sees. Newline and tab stay.
_FORBIDDEN = (
    *(c for c in range(0x20) if c not in (0x09, 0x0A)),
    *range(0x7F, 0xA0),
    0x061C,
    *range(0x200E, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2066, 0x206A),
    0xFEFF,
)
_CLEAN = dict.fromkeys(_FORBIDDEN, "\ufffd")
_ONE_LINE = {**_CLEAN, 0x09: " ", 0x0A: " ", 0x0D: " "}


def clean(text: str) -> str:
    """Text of several lines without control characters."""
    return text.replace("\r\n", "\n").translate(_CLEAN)


def one_line(text: str) -> str:
    """A title or name as one clean line."""
    return text.translate(_ONE_LINE).strip()


def say(text: str) -> None:
    """Print a result on stdout, if the process has one."""
    if sys.stdout is not None:
        sys.stdout.write(clean(text) + "\n")


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


def row(*fields: str) -> str:
    """One record for a pipe: one line, its fields separated by tabs."""
    return "\t".join(one_line(field) for field in fields)


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
            layout(pretty())
        else:
            for line in (plain,) if isinstance(plain, str) else plain:
                say(line)

    def stream(self, values: Iterable[dict[str, object]], line: Callable[[dict[str, object]], str]) -> int:
        """Print values as they come, as a JSON list or one line each; returns how many.

        Only one value is in memory at a time.
        """
        if self.as_json:
            return _stream_json(values)
        count = 0
        for value in values:
            say(line(value))
            count += 1
        return count

    def hint(self, text: str) -> None:
        """Print something on stderr that only a person needs."""
        if not self.as_json:
            tell(text)


def _stream_json(values: Iterable[object]) -> int:
    """Print these values as a JSON list, exactly as `say_json` would, one at a time; returns their number."""
    count = 0
    for count, value in enumerate(values, 1):
        _print(("[\n  " if count == 1 else ",\n  ") + _json(value).replace("\n", "\n  "))
    _print("\n]\n" if count else "[]\n")
    return count


def on_terminal() -> bool:
    """Whether stdout is a terminal, so that colour and tables make sense."""
    return sys.stdout is not None and sys.stdout.isatty()


def pretty() -> ModuleType:
    """The module for output on a terminal, loaded on first use."""
    return import_module("anamnesis.cli.pretty")


def progress(label: str) -> AbstractContextManager[Callable[[int, int], None] | None]:
    """A progress bar, called with (done, total); None if stderr is not a terminal."""
    if _is_watched():
        bar: AbstractContextManager[Callable[[int, int], None]] = pretty().progress_bar(label)
        return bar
    return _NoBar()


def step_progress() -> AbstractContextManager[Callable[[str, int, int], None] | None]:
    """A progress bar for work in steps, called with (step, done, total); None if stderr is not a terminal."""
    if _is_watched():
        bar: AbstractContextManager[Callable[[str, int, int], None]] = pretty().step_bar()
        return bar
    return _NoBar()


def _is_watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class _NoBar:
    """A progress bar that shows nothing; importing `contextlib` would take a hook longer."""

    def __enter__(self) -> None: ...

    def __exit__(self, *failure: object) -> None: ...


def can_ask() -> bool:
    """Whether there is someone to answer a question."""
    return sys.stdin is not None and sys.stdin.isatty()


def confirmed(question: str) -> bool:
    """Ask a yes-or-no question on a terminal; False if there is no one to ask."""
    if not can_ask():
        return False
    sys.stderr.write(one_line(question) + " [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


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
