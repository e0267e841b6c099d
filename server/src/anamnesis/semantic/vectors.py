"""The vectors of notes, in memory and in their file; every one is compared with a query.

A note has one vector for each window: a long text is split into overlapping pieces that a model can encode.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anamnesis.files import write_atomic
from anamnesis.semantic.encoder import Encoder, Floats, unit
from anamnesis.semantic.installed import notes_in, vector_file

WINDOW_WORDS, STRIDE_WORDS = 150, 120
# Text without spaces (a script without them, a long line of data) is split by characters instead.
WINDOW_CHARS, STRIDE_CHARS = 1500, 1200
MAX_WINDOWS = 64  # per note: about 7,700 words; the rest is found only by its words

_WORD = re.compile(r"\S+")


class Entry(NamedTuple):
    """The vectors of one note, a row for each window, and the digest of the file that they were made from."""

    digest: str
    rows: Floats


def read_vectors(root: Path, fingerprint: str) -> dict[str, Entry]:
    """All vectors made by this model, by note id."""
    try:
        head, _, data = vector_file(root).read_bytes().partition(b"\n")
        notes = notes_in(head, fingerprint)
        counts = [count for _, _, count in notes]
        rows: Floats = np.frombuffer(data, "<f4").reshape(max(1, sum(counts)), -1)
    except (OSError, ValueError):  # missing or damaged
        return {}
    starts = np.cumsum([0, *counts])
    return {
        name: Entry(digest, rows[start : start + count])
        for (name, digest, count), start in zip(notes, starts, strict=False)
    }


def write_vectors(root: Path, fingerprint: str, entries: Mapping[str, Entry]) -> None:
    """Replace the vector file."""
    notes = [(name, entry.digest, len(entry.rows)) for name, entry in entries.items()]
    head = json.dumps({"model": fingerprint, "notes": notes}).encode() + b"\n"
    data = (entry.rows.astype("<f4").tobytes() for entry in entries.values())
    write_atomic(vector_file(root), b"".join((head, *data)))


def entries_of(encoder: Encoder, notes: Sequence[tuple[str, bytes, str, str]]) -> dict[str, Entry]:
    """Vectors of notes, each given as id, digest of its file, title and body."""
    pieces = [windows_of(title, body) for _, _, title, body in notes]
    rows = encoder.encode([window for windows in pieces for window in windows])
    starts = np.cumsum([0, *map(len, pieces)])
    return {
        name: Entry(digest.hex(), rows[start : start + len(windows)])
        for (name, digest, _, _), windows, start in zip(notes, pieces, starts, strict=False)
    }


class Space:
    """The vectors of many notes, ready to compare."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._rows = {name: entry.rows for name, entry in entries.items() if len(entry.rows)}
        counts = [len(rows) for rows in self._rows.values()]
        self._starts = np.cumsum([0, *counts])[:-1]
        self._all: Floats = np.concatenate([*self._rows.values()]) if counts else np.empty((0, 1), np.float32)

    def near(self, vector: Floats) -> dict[str, float]:
        """How near each note is to a vector: the cosine of its best window."""
        if not self._rows:
            return {}
        best: Floats = np.maximum.reduceat(self._all @ vector, self._starts)
        return dict(zip(self._rows, best.tolist(), strict=True))

    def vector_of(self, note_id: str) -> Floats | None:
        """The vector of a note: the mean of its windows; None if it has none."""
        rows = self._rows.get(note_id)
        return None if rows is None else unit(rows.mean(axis=0))


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
    parts = [
        piece[start : start + WINDOW_CHARS]
        for piece in pieces
        for start in _starts(len(piece), WINDOW_CHARS, STRIDE_CHARS)
    ]
    return parts[:MAX_WINDOWS]


def _starts(total: int, window: int, stride: int) -> range:
    """Where windows start, so that the last one reaches the end."""
    return range(0, max(total - window, 0) + stride, stride) if total > window else range(1)
