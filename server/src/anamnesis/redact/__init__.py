"""Finds, locates and removes credentials in text. No state, and linear in the length of the text.

    rules        by form or position: issuers' keys, headers, commands, URLs, key blocks, manifests
    keyed        by a name near it: assignments, sentences, INSERT statements
    names        which words name a secret
    values       what a value looks like: words, random text, placeholders, code
    literals     a value that is a secret in one place is one everywhere

`issuers.txt`, `positions.txt` and `words.txt` hold forms and words; they are read with the first text.
A secret of unknown form under an innocent name is not found: redaction lowers the risk, no more. Nothing here
repeats a secret: `Secret` has only its kind and position. Decision 15 says what counts as one.
`strip_private` removes `<private>` spans, which the user marked as not for memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from anamnesis.redact.rules import Span

__all__ = ["Secret", "find_secrets", "redact", "strip_private", "under_title"]

_MAX_PASSES = 4
# Spaces and letters of other widths count as plain ones. Each is one character, so positions stay.
_PLAIN = {
    **dict.fromkeys((0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " "),
    **{0xFEE0 + code: chr(code) for code in range(0x21, 0x7F)},
}
# Soft hyphen, zero-width space and joiners, word joiner, byte order mark occur in copied text.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_PRIVATE_TAG = re.compile(r"<(/?)\s{0,8}private(?:\s[^<>]{0,200})?>", re.IGNORECASE)


class Secret(NamedTuple):
    """A credential's kind, line and column (from 1), and slice of the text."""

    kind: str
    line: int
    column: int
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.kind} at line {self.line}, column {self.column}"


def find_secrets(text: str) -> list[Secret]:
    """Every credential in `text`, in order, none overlapping another."""
    return [
        Secret(kind, text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start), start, end)
        for start, end, kind in _spans(text)
    ]


def redact(text: str) -> str:
    """`text` with every credential replaced by `[redacted: KIND]`."""
    # A secret right after another one, without a space, is found only once the first is removed.
    for _ in range(_MAX_PASSES):
        spans = _spans(text)
        if not spans:
            break
        ends = [0, *(end for _, end, _ in spans)]
        kept = [text[end:start] for end, (start, _, _) in zip(ends, spans, strict=False)]
        marks = [f"{before}[redacted: {kind}]" for before, (_, _, kind) in zip(kept, spans, strict=True)]
        text = "".join(marks) + text[ends[-1] :]
    return text


def under_title(title: str, body: str) -> str:
    """A title, and the single word at the start of its body, as name and value; "" for any other body."""
    first = body.lstrip().partition("\n")[0].strip()
    return f"{title.strip().rstrip(':')}: {first}" if first and " " not in first else ""


def _spans(text: str) -> list[Span]:
    """What the readers found, with overlaps merged; the kind is that of the first, then the longest match."""
    if not text.isascii():
        text = text.translate(_PLAIN)
    found = _find_all(text)
    if _INVISIBLE.search(text):
        found += _find_split_by_invisible(text)
    joined: list[Span] = []
    for start, end, kind in sorted(found, key=lambda span: (span[0], -span[1])):
        if joined and start < joined[-1][1]:
            first, last, name = joined[-1]
            joined[-1] = (first, max(last, end), name)
        else:
            joined.append((start, end, kind))
    return joined


def _find_all(text: str) -> list[Span]:
    # The tables take longer to load than most commands take to run, and most have no text to search.
    from anamnesis.redact.keyed import find_keyed
    from anamnesis.redact.rules import Folded, find_shaped

    folded = Folded(text)
    return [*find_shaped(folded), *find_keyed(folded)]


def _find_split_by_invisible(text: str) -> Iterator[Span]:
    """What is found if invisible characters are removed, with positions in the original text."""
    places = [place for place, char in enumerate(text) if not _INVISIBLE.match(char)]
    plain = "".join(text[place] for place in places)
    for start, end, kind in _find_all(plain):
        yield places[start], places[end - 1] + 1, kind


def strip_private(text: str) -> str:
    """`text` without its `<private>...</private>` spans; one that is not closed extends to the end.

    Spans may nest. A closing tag without an opening one is ordinary text.
    """
    kept: list[str] = []
    depth = position = 0
    for tag in _PRIVATE_TAG.finditer(text):
        if not tag[1]:
            if depth == 0:
                kept.append(text[position : tag.start()])
            depth += 1
        elif depth:
            depth -= 1
            position = tag.end()
    if depth == 0:
        kept.append(text[position:])
    return "".join(kept)
