"""Output to the user: results on stdout, messages on stderr, both stripped of terminal control characters.

`Output` is how a command answers: JSON, coloured lines for a terminal, or plain lines for a pipe. A colour
applies to a whole line, is added after cleaning, and respects NO_COLOR. `as_hook` keeps errors from a
session: whatever happens, a hook exits with 0, with one line on stderr and the details in the log. What it
reads from stdin and is not the client's payload is ignored. Hooks load this module, so it imports little.
"""

from __future__ import annotations

import json
import os
import select
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from anamnesis.config import environment, resolve_home
from anamnesis.errors import AnamnesisError
from anamnesis.files import parse_object
from anamnesis.text import StepProgress, silent, without_hidden

Styled = tuple[str, str]  # a line for a terminal, and its style
_BAR = 20  # columns of a full progress bar
_CLEAR_LINE = "\x1b[K"
STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
# Control characters (C0, DEL, C1), bidirectional overrides and isolates, and line separators can forge or
# hide what a reader sees, as Unicode tags outside flags can. Newline and tab stay.
_FORBIDDEN = (
    *(c for c in range(0x20) if c not in (0x09, 0x0A)),
    *(*range(0x7F, 0xA0), 0x061C, *range(0x200E, 0x2010), *range(0x2028, 0x202F), *range(0x2066, 0x206A)),
    0xFEFF,
)
_CLEAN = dict.fromkeys(_FORBIDDEN, "\ufffd")
_ONE_LINE = {**_CLEAN, 0x09: " ", 0x0A: " ", 0x0D: " "}


def clean(text: str) -> str:
    """Text of several lines without control characters."""
    return without_hidden(text.replace("\r\n", "\n").translate(_CLEAN))


def one_line(text: str) -> str:
    """A title or name as one clean line."""
    return without_hidden(text.translate(_ONE_LINE)).strip()


def row(*fields: object) -> str:
    """One record for a pipe: one line, its fields separated by tabs."""
    return "\t".join(one_line(str(field)) for field in fields)


def say(text: str, style: str = "") -> None:
    """Print a result on stdout, if the process has one; in colour only on a terminal that shows it."""
    text = clean(text)
    if style and on_terminal() and not environment("NO_COLOR") and environment("TERM") != "dumb":
        text = f"\x1b[{STYLES[style]}m{text}\x1b[0m"
    _print(text + "\n")


def tell(text: str) -> None:
    """Print a message (error, progress, hint) on stderr; errors of stderr are ignored."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(clean(text) + "\n")
    except OSError:
        _drop(sys.stderr)


def say_json(value: object) -> None:
    """Print a result as JSON: ASCII only, so that every control character is escaped."""
    _print(json.dumps(value, indent=2).replace("\x7f", "\\u007f") + "\n")


def _print(text: str) -> None:
    if sys.stdout is not None:
        sys.stdout.write(text)


class Output:
    """Where a command's result goes: to a program as JSON, to a person on a terminal, or into a pipe."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json
        self.is_pretty = not as_json and on_terminal()

    def result(
        self, value: object, plain: str | Iterable[str] = (), styled: Iterable[Styled] | None = None
    ) -> None:
        """Print `value` as JSON if requested, the `styled` lines on a terminal, otherwise `plain`."""
        if self.as_json:
            say_json(value)
        elif self.is_pretty and styled is not None:
            for line, style in styled:
                say(line, style)
        else:
            for line in (plain,) if isinstance(plain, str) else plain:
                say(line)

    def table(self, value: object, headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Print rows: as a table on a terminal, with tabs in a pipe; `value` is their JSON."""
        cells = [[one_line(str(cell)) for cell in line] for line in (headings, *rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in cells)
        styled = [(line, "" if number else "dim") for number, line in enumerate(lines)]
        self.result(value, (row(*fields) for fields in rows), styled if rows else None)

    def hint(self, text: str) -> None:
        """Print something on stderr that only a person needs."""
        if not self.as_json:
            tell(text)


def on_terminal() -> bool:
    """Whether stdout is a terminal, so that colour and tables make sense."""
    return sys.stdout is not None and sys.stdout.isatty()


@contextmanager
def progress() -> Iterator[StepProgress]:
    """A progress bar, called with (step, done, total); it shows nothing if stderr is not a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield silent
        return

    def _draw(step: str, done: int, total: int) -> None:
        bar = f"[{'#' * (_BAR * done // total):<{_BAR}}] {done}/{total}" if total else "..."
        sys.stderr.write(f"\r{_CLEAR_LINE}{step} {bar}")
        sys.stderr.flush()

    try:
        yield _draw
    finally:
        sys.stderr.write(f"\r{_CLEAR_LINE}")


def can_ask() -> bool:
    """Whether there is someone to answer a question."""
    return sys.stdin is not None and sys.stdin.isatty()


def ask(question: str) -> str:
    """Ask a question on stderr; returns the line that was typed, "" at the end of the input."""
    sys.stderr.write(one_line(question) + " ")
    sys.stderr.flush()
    return sys.stdin.readline()


def confirmed(question: str, *, default: str = "no") -> bool:
    """Ask a yes-or-no question on a terminal; False if there is no one to ask."""
    line = ask(f"{question} [{default}]") if can_ask() else ""
    return bool(line) and (line.strip().lower() or default) in ("y", "yes")


def read_payload() -> dict[str, object]:
    """The JSON object that the client wrote to stdin; {} if there is none, or stdin is a terminal."""
    return parse_object(_read_stdin()) or {}


def text_of(payload: dict[str, object], key: str) -> str:
    """A string in the payload; "" if it is missing or not a string."""
    value = payload.get(key)
    return value if isinstance(value, str) else ""


def _read_stdin() -> bytes:
    chunks: list[bytes] = []
    try:
        if sys.stdin is None or os.isatty(0):
            return b""
        # An open pipe without input must not keep the session waiting, nor one without an end.
        while sum(map(len, chunks)) < 16_000_000 and select.select([0], [], [], 0.5)[0]:
            chunk = os.read(0, 1 << 20)
            if not chunk:
                break
            chunks.append(chunk)
    except OSError:  # stdin is closed, or a folder
        return b""
    return b"".join(chunks)


def as_hook(name: str, work: Callable[[], object]) -> int:
    """Run a hook; any error is printed and logged, and the session continues."""
    try:
        work()
        if sys.stdout is not None:
            sys.stdout.flush()  # so that a full disk raises here, not at exit
    except BrokenPipeError:
        raise  # the reader closed the pipe; `main` handles that
    except Exception as exc:  # noqa: BLE001  # a hook must exit with 0 whatever happens; this is the only such place
        kind = "" if isinstance(exc, AnamnesisError) else f"{type(exc).__name__}: "
        report(f"{name}: {kind}{exc}")
        if sys.stdout is not None:
            abandon_output(0)
    return 0


def report(trouble: str) -> None:
    """Print what went wrong in one line on stderr, and log it."""
    # Redaction loads a large table of patterns, so only load it for an error.
    from anamnesis.redact import redact
    from anamnesis.session.receipts import log_line

    tell(f"anamnesis: {' '.join(redact(trouble).split())[:500]}")
    log_line(resolve_home(), trouble)


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
