"""The vector file and its state: derived from the notes, append-only, can be deleted, read without numpy.

The first line names the layout and the model; a file of another model counts as empty and is replaced. Then
follows one record per note: the digest of its file, and a row of floats for each window. A later record
replaces an earlier one for the same note. Each has a checksum: everything after a torn record is dropped and
made again.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

from anamnesis.files import lock, make_folder, write_atomic
from anamnesis.semantic.installed import FOLDER, model_folder, read_installed

_PACKAGES = ("numpy", "safetensors", "tokenizers")
_RECORD = struct.Struct("<2sHHH16sI")
_SIGN = b"nv"
_FLOAT_BYTES = 4


@dataclass(slots=True)
class Entry:
    """The vectors of one note, and the digest of the file that they were made from."""

    id: str
    seen: bytes
    windows: int
    dimensions: int
    data: bytes  # the rows of all windows, as little-endian floats


class VectorFile:
    """The vectors of a store's notes, made by one model."""

    def __init__(self, root: Path, fingerprint: str) -> None:
        self.path = root / FOLDER / "vectors.bin"
        self._lock = root / FOLDER / "vectors.lock"
        self._head = f"anamnesis vectors 2 {fingerprint}\n".encode()
        self._end = 0  # where the intact part ends, while this process holds the lock

    def state(self) -> tuple[int, int, int]:
        """A value that changes whenever the file does."""
        try:
            found = os.stat(self.path)
        except OSError:
            return 0, 0, 0
        return found.st_ino, found.st_size, found.st_mtime_ns

    def entries(self) -> dict[str, Entry]:
        """All intact vectors, by note id; none if the file is missing or another model's."""
        try:
            data = self.path.read_bytes()
        except OSError:
            data = b""
        entries, self._end = _unpacked(data, len(self._head)) if data.startswith(self._head) else ({}, 0)
        return entries

    @contextmanager
    def making(self) -> Iterator[bool]:
        """Take the lock for adding vectors; yields False if another process has it."""
        make_folder(self.path.parent)
        with lock(self._lock, timeout=0.0) as mine:
            yield mine

    def append(self, entries: Iterable[Entry]) -> None:
        """Append vectors after what `entries` has read; the caller holds the lock."""
        data = b"".join(map(_packed, entries))
        if not self._end:
            write_atomic(self.path, self._head)
            self._end = len(self._head)
        with open(self.path, "r+b") as handle:
            handle.truncate(self._end)
            handle.seek(self._end)
            handle.write(data)
        self._end += len(data)

    def keep_only(self, living: Iterable[str]) -> dict[str, Entry]:
        """Rewrite the file without the vectors of other notes and replaced ones; returns those that stay."""
        entries = self.entries()
        kept = {name: entries[name] for name in living if name in entries}
        data = self._head + b"".join(map(_packed, kept.values()))
        if len(data) != self.state()[1]:
            write_atomic(self.path, data)
        self._end = len(data)
        return kept


def _packed(entry: Entry) -> bytes:
    name = entry.id.encode()
    head = (_SIGN, len(name), entry.windows, entry.dimensions, entry.seen)
    return _RECORD.pack(*head, zlib.crc32(name + entry.data)) + name + entry.data


def _unpacked(data: bytes, start: int) -> tuple[dict[str, Entry], int]:
    entries: dict[str, Entry] = {}
    while start + _RECORD.size <= len(data):
        sign, length, windows, dimensions, seen, checksum = _RECORD.unpack_from(data, start)
        body = start + _RECORD.size
        end = body + length + windows * dimensions * _FLOAT_BYTES
        if sign != _SIGN or end > len(data) or zlib.crc32(data[body:end]) != checksum:
            break
        name = data[body : body + length].decode()
        entries[name] = Entry(name, seen, windows, dimensions, data[body + length : end])
        start = end
    return entries, start


@dataclass(frozen=True, slots=True)
class Report:
    """The state of a store's model and vectors; `problem` says why searches use words alone, if they do."""

    name: str
    language: str  # that the model was trained on, as far as we know
    notes: int
    pending: int  # notes whose vectors are missing or outdated, found by their words
    problem: str

    def as_dict(self) -> dict[str, object]:
        """The JSON form."""
        return asdict(self)


def report(root: Path, digests: Mapping[str, bytes]) -> Report | None:
    """The state for these notes (id and digest of the file); None if no model is installed."""
    installed = read_installed(root)
    if installed is None:
        return None
    entries = VectorFile(root, installed.fingerprint).entries()
    pending = sum(name not in entries or entries[name].seen != seen for name, seen in digests.items())
    language = "unknown language" if "multilingual" in installed.name else "English"
    return Report(installed.name, language, len(digests), pending, _problem(root))


def _problem(root: Path) -> str:
    absent = [name for name in _PACKAGES if find_spec(name) is None]
    if absent:
        return (
            f"{', '.join(absent)} not installed; install Anamnesis with its extra: anamnesis-memory[semantic]"
        )
    if not (model_folder(root) / "model.safetensors").is_file():
        return "the model's files are gone; run `anamnesis semantic install` again"
    return ""
