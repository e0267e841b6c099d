"""A long text in overlapping pieces that a model can take. Pure, no numpy."""

from __future__ import annotations

import re

WINDOW_WORDS, STRIDE_WORDS = 150, 120
# A script without spaces, or one long line of data, is cut by characters instead.
WINDOW_CHARS, STRIDE_CHARS = 1500, 1200
MAX_WINDOWS = 64  # of one note: about 7,700 words; what follows is found by its words

_WORD = re.compile(r"\S+")


def windows_of(title: str, body: str) -> list[str]:
    """The pieces of a note: 150 words each, a new one every 120, the title before the first."""
    text = f"{title}\n{body}".strip()
    words = list(_WORD.finditer(text))
    if not words:
        return []
    pieces = [
        text[words[start].start() : words[min(start + WINDOW_WORDS, len(words)) - 1].end()]
        for start in _starts(len(words), WINDOW_WORDS, STRIDE_WORDS)
    ]
    return [part for piece in pieces for part in _short(piece)][:MAX_WINDOWS]


def _short(piece: str) -> list[str]:
    if len(piece) <= WINDOW_CHARS:
        return [piece]
    return [piece[start : start + WINDOW_CHARS] for start in _starts(len(piece), WINDOW_CHARS, STRIDE_CHARS)]


def _starts(total: int, window: int, stride: int) -> range:
    """Where windows start so that the last one reaches the end."""
    return range(0, max(total - window, 0) + stride, stride) if total > window else range(1)
