"""What a command reads besides its flags: a note's text from standard input, tags from one word."""

from __future__ import annotations

import sys

from anamnesis.cli.terminal import tell
from anamnesis.errors import InvalidNote


def read_body(given: str | None) -> str:
    """A note's text: as given, else from standard input."""
    if given is not None:
        return given
    if sys.stdin is None:
        raise InvalidNote("there is no standard input to read the note's text from; use --body")
    if sys.stdin.isatty():
        tell("reading the note's text; end it with Ctrl-D")
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").removesuffix("\n")
    except UnicodeDecodeError as exc:
        raise InvalidNote(
            f"standard input is not UTF-8 text (byte {exc.start}); nothing was written"
        ) from exc


def split_tags(text: str | None) -> list[str] | None:
    """Tags as given on the command line; None when they were not."""
    return None if text is None else [tag.strip() for tag in text.split(",") if tag.strip()]
