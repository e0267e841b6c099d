"""Credentials in text: find them, say where they are, take them out. Pure, and in time linear in the text.

Two readers look at the text:

    shapes   keys known by their form; the tables are in issuers, urls, logins and blocks
    keyed    values known by the name they are given to; see names, readings and values

A secret of unknown form under an innocent name is not found: this is a net, not a wall. Nothing here repeats
a secret: `Secret` has only its kind and its place. Decision 14 says what counts as a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from anamnesis.redact.private import strip_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.redact.rules import Span

__all__ = ["Secret", "find_secrets", "redact", "strip_private"]

_MAX_PASSES = 4
# Soft hyphen, zero-width space and joiners, word joiner, byte order mark: they come with copied text.
_UNSEEN = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a credential is: its kind, its line and column (from 1), its slice of the text."""

    kind: str
    line: int
    column: int
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.kind} at line {self.line}, column {self.column}"


def find_secrets(text: str) -> list[Secret]:
    """Every credential in `text`, in order, none overlapping another."""
    found: list[Secret] = []
    line, line_start = 1, 0
    for start, end, kind in _spans(text):
        breaks = text.count("\n", line_start, start)
        if breaks:
            line += breaks
            line_start = text.rfind("\n", line_start, start) + 1
        found.append(Secret(kind, line, start - line_start + 1, start, end))
    return found


def redact(text: str) -> str:
    """`text` with `[redacted: KIND]` in the place of every credential."""
    # A secret next to another, without a space between them, shows only once the first is gone.
    for _ in range(_MAX_PASSES):
        cleaned = _redact_once(text)
        if cleaned == text:
            break
        text = cleaned
    return text


def _redact_once(text: str) -> str:
    spans = _spans(text)
    parts: list[str] = []
    position = 0
    for start, end, kind in spans:
        parts += (text[position:start], f"[redacted: {kind}]")
        position = end
    parts.append(text[position:])
    return "".join(parts)


def _spans(text: str) -> list[Span]:
    """What both readers found, merged where it overlaps; the kind is that of the first, then the longest."""
    found = _found_in(text)
    if _UNSEEN.search(text):
        found += _behind_the_unseen(text)
    joined: list[Span] = []
    for start, end, kind in sorted(found, key=lambda span: (span[0], -span[1])):
        if joined and start < joined[-1][1]:
            first, last, name = joined[-1]
            joined[-1] = (first, max(last, end), name)
        else:
            joined.append((start, end, kind))
    return joined


def _found_in(text: str) -> list[Span]:
    # The tables take longer to load than most commands to run, and most have no text to search.
    from anamnesis.redact.keyed import find_keyed
    from anamnesis.redact.places import Folded
    from anamnesis.redact.shapes import find_shaped

    folded = Folded(text)
    return [*find_shaped(folded), *find_keyed(folded)]


def _behind_the_unseen(text: str) -> Iterator[Span]:
    """What is found once invisible characters are gone, with its places in the text as it is."""
    places = [place for place, char in enumerate(text) if not _UNSEEN.match(char)]
    plain = "".join(text[place] for place in places)
    for start, end, kind in _found_in(plain):
        yield places[start], places[end - 1] + 1, kind
