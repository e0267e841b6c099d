"""The vector file and its state: derived from the notes, append-only, can be deleted, read without numpy.

The first line names the layout and the model; a file of another model counts as empty and is replaced. Then
follows one record per note: digests of its file and its text, and for each window a scale and a row of bytes.
A later record replaces an earlier one for the same note. Each has a checksum: everything after a torn record
is dropped and computed again.

`report` says which model a store uses, how many notes have vectors, and what is wrong.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from anamnesis.files import lock, write_atomic
from anamnesis.semantic.installed import Installed, model_folder, read_installed

FILE_NAME, LOCK_NAME = "vectors.bin", "vectors.lock"
DIGEST_BYTES = 16
_RECORD = struct.Struct("<2sHHH16s16sI")
_SIGN = b"nv"
SCALE_BYTES = 4
PACKAGES = ("numpy", "safetensors", "tokenizers")
MOST_MISSING = 0.1  # share of notes without vectors; with more, words alone rank better


class Entry:
    """The vectors of one note, and what they were computed from."""

    __slots__ = ("data", "dimensions", "id", "seen", "text", "windows")

    def __init__(
        self, *, id: str, seen: bytes, text: bytes, windows: int, dimensions: int, data: bytes
    ) -> None:
        self.id = id
        self.seen = seen  # digest of the note's file when it was last read
        self.text = text  # digest of the encoded text
        self.windows = windows
        self.dimensions = dimensions
        self.data = data  # the scales of all windows, then their rows


class VectorFile:
    """The vectors of a store's notes, computed by one model."""

    def __init__(self, root: Path, fingerprint: str) -> None:
        self.path = root / FILE_NAME
        self._lock = root / LOCK_NAME
        self._head = f"anamnesis vectors 1 {fingerprint}\n".encode()
        self._end = 0  # where the intact part ends, while this process holds the lock

    def state(self) -> tuple[int, int, int]:
        """A value that changes whenever the file does."""
        try:
            found = os.stat(self.path)
        except OSError:
            return 0, 0, 0
        return found.st_ino, found.st_size, found.st_mtime_ns

    def entries(self) -> dict[str, Entry]:
        """All vectors, by note id."""
        entries, self._end = self._read()
        return entries

    @contextmanager
    def building(self) -> Iterator[bool]:
        """Take the lock for adding vectors; yields False if another process has it."""
        with lock(self._lock, timeout=0.0) as mine:
            yield mine

    def append(self, entries: Iterable[Entry]) -> None:
        """Append vectors after what `entries` has read; the caller holds the lock."""
        data = b"".join(map(_packed, entries))
        if self._end:
            with open(self.path, "r+b") as handle:
                handle.truncate(self._end)
                handle.seek(self._end)
                handle.write(data)
        else:
            write_atomic(self.path, self._head + data)
            self._end = len(self._head)
        self._end += len(data)

    def tidy(self, living: Iterable[str]) -> None:
        """If most vectors are unused, rewrite the file without them."""
        entries, end = self._read()
        kept = [entries[name] for name in living if name in entries]
        used = sum(_size(entry) for entry in kept)
        if end - len(self._head) > 2 * used + _SPARE_BYTES:
            write_atomic(self.path, self._head + b"".join(map(_packed, kept)))
            self._end = len(self._head) + used

    def _read(self) -> tuple[dict[str, Entry], int]:
        """The intact entries and where they end; 0 if the file is missing or another model's."""
        try:
            with (
                open(self.path, "rb") as handle,
                mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as view,
            ):
                if view[: len(self._head)] != self._head:
                    return {}, 0
                return _unpacked(view, len(self._head))
        except (OSError, ValueError):  # an empty file cannot be mapped
            return {}, 0


def remove_vectors(root: Path) -> bool:
    """Delete a store's vectors, of any model; returns whether there were any."""
    found = (root / FILE_NAME).exists()
    for name in (FILE_NAME, LOCK_NAME):
        (root / name).unlink(missing_ok=True)
    return found


_SPARE_BYTES = 1_000_000


def _packed(entry: Entry) -> bytes:
    name = entry.id.encode()
    head = (_SIGN, len(name), entry.windows, entry.dimensions, entry.seen, entry.text)
    return _RECORD.pack(*head, zlib.crc32(name + entry.data)) + name + entry.data


def _size(entry: Entry) -> int:
    return _RECORD.size + len(entry.id.encode()) + len(entry.data)


def _unpacked(view: mmap.mmap, start: int) -> tuple[dict[str, Entry], int]:
    entries: dict[str, Entry] = {}
    while start + _RECORD.size <= len(view):
        sign, length, windows, dimensions, seen, text, checksum = _RECORD.unpack_from(view, start)
        body = start + _RECORD.size
        end = body + length + windows * (dimensions + SCALE_BYTES)
        if sign != _SIGN or end > len(view) or zlib.crc32(view[body:end]) != checksum:
            break
        name = view[body : body + length].decode()
        data = view[body + length : end]
        entries[name] = Entry(
            id=name, seen=seen, text=text, windows=windows, dimensions=dimensions, data=data
        )
        start = end
    return entries, start


class Report:
    """The state of a store's model and vectors; `problem` says why searches use words alone, if they do."""

    __slots__ = ("name", "notes", "pending", "problem", "url")

    def __init__(self, *, name: str, url: str, notes: int, pending: int, problem: str) -> None:
        self.name = name
        self.url = url
        self.notes = notes
        self.pending = pending  # notes whose vectors are missing or outdated
        self.problem = problem

    def as_dict(self) -> dict[str, object]:
        """The JSON form."""
        return {key: getattr(self, key) for key in self.__slots__}


def report(root: Path, digests: Mapping[str, bytes]) -> Report | None:
    """The state for these notes (id and digest of the file); None if no model is installed."""
    installed = read_installed(root)
    if installed is None:
        return None
    entries = VectorFile(root, installed.fingerprint).entries()
    missing = sum(name not in entries for name in digests)
    behind = sum(name in entries and entries[name].seen != seen for name, seen in digests.items())
    return Report(
        name=installed.name,
        url=installed.url,
        notes=len(digests),
        pending=missing + behind,
        problem=_problem(root, installed) or _half_built(len(digests), missing),
    )


def _problem(root: Path, installed: Installed) -> str:
    absent = [name for name in PACKAGES if find_spec(name) is None]
    if absent:
        return (
            f"{', '.join(absent)} not installed; install Anamnesis with its extra: anamnesis-memory[semantic]"
        )
    if not installed.url and not (model_folder(root) / "model.safetensors").is_file():
        return "the model's files are gone; run `anamnesis semantic install` again"
    return ""


def _half_built(notes: int, missing: int) -> str:
    if missing <= notes * MOST_MISSING:
        return ""
    return f"{notes - missing} of {notes} notes have vectors; `anamnesis reindex` makes the rest"
