"""Titles of purged notes in messages: of commits, stashes, tags, and in git's own notes. Pure.

A commit that changed a purged note gets a neutral subject. Others name the note, too: `git stash` and
`git commit --fixup` repeat the subject of the commit before, and a person writes what they like.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from anamnesis.errors import NoteFormatError
from anamnesis.notes.record import decode, parse
from anamnesis.purge.record import REMOVED, SHORTEST

_SHOWN = 57  # characters of a longer title that a subject has
_QUOTES = "'\"`‘’“”«»「」"
_LETTER = "[A-Za-z0-9]"  # other scripts do not part their words


class Titles:
    """Cuts the titles of these versions of notes out of messages; in any case, wrapped or not."""

    def __init__(self, versions: Iterable[bytes]) -> None:
        lines = {" ".join(title.split()) for data in versions if (title := _title(data))}
        shown = {line[:_SHOWN].rstrip() for line in lines if len(line) > _SHOWN}
        forms = sorted(lines | shown, key=lambda line: (-len(line), line))
        self._pattern = re.compile("|".join(map(_form, forms)), re.IGNORECASE) if forms else None

    def cut(self, data: bytes) -> bytes:
        """The bytes with every title replaced; the same object when there is none."""
        if self._pattern is None:
            return data
        text, count = self._pattern.subn(REMOVED, data.decode("utf-8", "surrogateescape"))
        return text.encode("utf-8", "surrogateescape") if count else data


def _form(line: str) -> str:
    words = r"\s+".join(map(re.escape, line.split()))
    if len(line) < SHORTEST and line.isascii():
        # A short word is only known for a title where it is quoted, as our subjects do.
        return f"(?<=[{_QUOTES}]){words}(?=[{_QUOTES}])"
    before = f"(?<!{_LETTER})" if re.match(_LETTER, line) else ""
    after = f"(?!{_LETTER})" if re.match(_LETTER, line[-1]) and len(line) != _SHOWN else ""
    return f"{before}{words}{after}"


def _title(data: bytes) -> str:
    try:
        return parse(decode(data))[0].title.strip()
    except NoteFormatError:
        return ""
