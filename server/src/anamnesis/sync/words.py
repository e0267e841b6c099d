"""A second look at a long line of prose that both sides edited: merged by words where that is safe. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from anamnesis.sync.edits import spans_of

_MIN_CHARS = 80  # a shorter line is one statement
_MARGIN = 5  # unchanged words between an edit of one side and one of the other

# A word with the space before it; `code` counts as one word, so that two edits of one command never merge.
_WORD = re.compile(r"\s*(?:`[^`]*`|[^\s`])+|\s+$|\s*`")


class _Change(NamedTuple):
    start: int
    end: int
    words: tuple[str, ...]


def merge_prose(base: str, first: str, second: str) -> str | None:
    """The line with the edits of both sides; None when it is not prose or the edits are too close."""
    if not _is_prose(base):
        return None
    words = _WORD.findall(base)
    one, two = (_changes(words, _WORD.findall(side)) for side in (first, second))
    if any(_is_rewrite(words, changes) for changes in (one, two)):
        return None
    if any(_are_close(ours, theirs) for ours in one - two for theirs in two - one):
        return None
    return "".join(_applied(words, sorted(one | two)))


def _is_prose(line: str) -> bool:
    """Whether a line is long running text: no table row, no indented code."""
    return len(line) >= _MIN_CHARS and "|" not in line and not line.startswith(("    ", "\t"))


def _changes(words: list[str], side: list[str]) -> frozenset[_Change]:
    return frozenset(
        _Change(span.start, span.end, tuple(side[span.new_start : span.new_end]))
        for span in spans_of(words, side)
        if not span.is_same
    )


def _is_rewrite(words: list[str], changes: frozenset[_Change]) -> bool:
    """Whether less than half of the line is left: what remains then says something else."""
    return 2 * sum(change.end - change.start for change in changes) > len(words)


def _are_close(one: _Change, two: _Change) -> bool:
    return max(one.start, two.start) - min(one.end, two.end) < _MARGIN


def _applied(words: list[str], changes: list[_Change]) -> Iterator[str]:
    at = 0
    for change in changes:
        yield from words[at : change.start]
        yield from change.words
        at = change.end
    yield from words[at:]
