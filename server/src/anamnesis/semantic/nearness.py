"""Which notes are near a query: every vector is compared.

A note has one vector for each window: a long text is split into overlapping pieces that a model can encode.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from anamnesis.semantic.bert import Floats
from anamnesis.semantic.encoder import Encoder
from anamnesis.semantic.vectors import Entry

WINDOW_WORDS, STRIDE_WORDS = 150, 120
# Text without spaces (a script without them, a long line of data) is split by characters instead.
WINDOW_CHARS, STRIDE_CHARS = 1500, 1200
MAX_WINDOWS = 64  # per note: about 7,700 words; the rest is found only by its words

_WORD = re.compile(r"\S+")


class Space:
    """The vectors of many notes in memory, ready to compare."""

    def __init__(self, entries: Collection[Entry]) -> None:
        filled = [entry for entry in entries if entry.windows]
        self._ids = [entry.id for entry in filled]
        self._numbers = {name: number for number, name in enumerate(self._ids)}
        counts = np.array([entry.windows for entry in filled], np.int64)
        self._starts: npt.NDArray[np.int64] = np.concatenate([np.zeros(1, np.int64), counts.cumsum()])
        width = filled[0].dimensions if filled else 0
        joined = b"".join(entry.data for entry in filled)
        self._rows: Floats = np.frombuffer(joined, "<f4").astype(np.float32).reshape(-1, width or 1)

    def __len__(self) -> int:
        return len(self._ids)

    def near(self, vector: Floats) -> dict[str, float]:
        """How near each note is to a vector: the cosine of its best window."""
        if not self._ids or self._rows.shape[1] != len(vector):
            return {}
        best: Floats = np.maximum.reduceat(self._rows @ vector, self._starts[:-1])
        return dict(zip(self._ids, best.tolist(), strict=True))

    def vector_of(self, note_id: str) -> Floats | None:
        """The vector of a note: the mean of its windows; None if it has none."""
        number = self._numbers.get(note_id)
        if number is None:
            return None
        part = slice(self._starts[number], self._starts[number + 1])
        mean: Floats = self._rows[part].mean(axis=0)
        return mean / np.float32(max(float(np.sqrt(mean @ mean)), 1e-12))


def entries_of(encoder: Encoder, notes: Sequence[tuple[str, bytes, str, str]]) -> list[Entry]:
    """Vectors of notes, each given as id, digest of its file, title and body."""
    pieces = [windows_of(title, body) for _, _, title, body in notes]
    vectors = encoder.encode([window for windows in pieces for window in windows])
    entries: list[Entry] = []
    start = 0
    for (note_id, seen, _, _), windows in zip(notes, pieces, strict=True):
        mine = vectors[start : start + len(windows)]
        start += len(windows)
        data = mine.astype("<f4").tobytes()
        entries.append(Entry(note_id, seen, len(windows), vectors.shape[1] if windows else 0, data))
    return entries


def windows_of(title: str, body: str) -> list[str]:
    """The windows of a note: 150 words each, one every 120 words, with the title before the first."""
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
    """Where windows start, so that the last one reaches the end."""
    return range(0, max(total - window, 0) + stride, stride) if total > window else range(1)
