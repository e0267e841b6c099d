"""Cuts purged texts out of bytes, and recognises the files of purged notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from operator import sub
from pathlib import Path

from anamnesis.layout import PURGES_FOLDER
from anamnesis.notes.vocabulary import read_id
from anamnesis.purge.record import REMOVED, Purge, digest, purges_among_files

_REMOVED = REMOVED.encode()
_MOST_PASSES = 8  # the replacement and its neighbours may form the text again


@dataclass(frozen=True, slots=True)
class _Length:
    """The texts of one length in bytes: by sum, the salted digests."""

    length: int
    digests: dict[int, list[tuple[str, str]]]


class Scrubber:
    """Recognises what the given purges remove."""

    def __init__(self, purges: Iterable[Purge]) -> None:
        ordered = sorted(purges, key=lambda purge: purge.name)
        self.ids = frozenset(note_id for purge in ordered for note_id in purge.ids)
        self._lengths = [length for purge in ordered for length in _by_length(purge)]

    def drops(self, path: str, data: bytes | None = None) -> bool:
        """Whether a file belongs to a purged note, by its name or by the id in it."""
        if not self.ids or is_record(path):
            return False
        name = path.rpartition("/")[2].partition(".md")[0]
        return name in self.ids or (data is not None and self.drops_text(data))

    def drops_text(self, data: bytes) -> bool:
        """Whether the bytes are a version of a purged note."""
        return bool(self.ids) and read_id(data) in self.ids

    def scrub(self, data: bytes) -> bytes:
        """The bytes with every purged text replaced; the same object if there is none."""
        for _ in range(_MOST_PASSES):
            before = data
            for length in self._lengths:
                data = _cut(data, length)
            if data is before:
                break
        return data

    def holds(self, data: bytes) -> bool:
        """Whether the bytes contain a purged text."""
        return any(next(_places(data, length), None) is not None for length in self._lengths)

    def lines(self, data: bytes) -> list[int]:
        """The numbers of the lines on which a purged text starts."""
        starts = (start for length in self._lengths for start in _places(data, length))
        return sorted({data.count(b"\n", 0, start) + 1 for start in starts})

    def scrub_path(self, path: str) -> str:
        """A path without purged texts; paths of records are unchanged."""
        if is_record(path):
            return path
        return self.scrub(path.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


def without_purged(memory: Path, text: str) -> str:
    """A text that is about to be stored, without what was purged from this store."""
    purges = purges_among_files(memory).values()
    return Scrubber(purges).scrub(text.encode("utf-8", "replace")).decode("utf-8", "replace")


def is_record(path: str) -> bool:
    """Whether a path in the synced tree is a purge record."""
    return path.startswith(f"{PURGES_FOLDER}/")


def _by_length(purge: Purge) -> list[_Length]:
    found: dict[int, dict[int, list[tuple[str, str]]]] = {}
    for mark in purge.texts:
        totals = found.setdefault(mark.length, {})
        totals.setdefault(mark.total, []).append((purge.salt, mark.digest))
    # Longest spelling first, because a shorter one may be part of it.
    return [_Length(length, found[length]) for length in sorted(found, reverse=True)]


def _cut(data: bytes, length: _Length) -> bytes:
    parts: list[bytes] = []
    end = 0
    for start in _places(data, length):
        if start >= end:
            parts += [data[end:start], _REMOVED]
            end = start + length.length
    return b"".join((*parts, data[end:])) if parts else data


def _places(data: bytes, length: _Length) -> Iterator[int]:
    """Where the texts start. The sums of all windows are compared first, because that is cheap."""
    size = length.length
    if len(data) < size:
        return iter(())
    sums = list(accumulate(data, initial=0))
    windows = map(sub, islice(sums, size, None), sums)
    likely = ((start, total) for start, total in enumerate(windows) if total in length.digests)
    return (
        start
        for start, total in likely
        if any(digest(salt, data[start : start + size]) == value for salt, value in length.digests[total])
    )
