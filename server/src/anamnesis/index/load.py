"""Reads one file of a tree as a note, or says why it cannot be one."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass

from anamnesis.errors import NoteFormatError
from anamnesis.index.rows import FileRow
from anamnesis.layout import MEMORY, SCOPE_OF
from anamnesis.notes.record import MAX_BYTES, Memory, decode, deserialize

# A file that changed this recently may change again within the same clock tick.
SETTLED_NS = 30_000_000
_CHUNK = 1 << 20


@dataclass(slots=True)  # not frozen, for the same reason as FileRow
class Loaded:
    """A file that was read: its index row, and its note unless `row.problem` says why there is none."""

    row: FileRow
    note: Memory | None

    @property
    def body_path(self) -> str:
        """The path inside its tree, as the index stores it."""
        return self.row.path.partition("/")[2]


def load(root: str, path: str, *, read: Callable[[str], Memory] = deserialize) -> Loaded | None:
    """Read one file; None if it is gone. `read` parses its text as a note."""
    now = time.time_ns()
    try:
        data, info = _read(f"{root}/{path}")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as exc:
        return not_a_note(
            path, f"cannot be read ({getattr(exc, 'strerror', None) or exc}); check its permissions"
        )
    if not stat.S_ISREG(info.st_mode):
        return not_a_note(path, "is not a regular file; put the note itself here")
    digest = digest_of(data)
    mtime_ns = info.st_mtime_ns
    if abs(now - mtime_ns) < SETTLED_NS:
        mtime_ns -= 1  # differs from the file, so the next scan reads it again
    try:
        note = read(decode(data))
    except NoteFormatError as exc:
        return Loaded(FileRow(path, info.st_size, mtime_ns, digest, None, exc.reason), None)
    note.scope = SCOPE_OF[path.partition("/")[0]]  # the tree decides, whatever the front matter says
    return Loaded(FileRow(path, info.st_size, mtime_ns, digest, note.id), note)


def not_a_note(path: str, reason: str) -> Loaded:
    """An entry that was not read, and why."""
    return Loaded(FileRow(path, -1, 0, b"", None, reason), None)


def digest_of(data: bytes) -> bytes:
    """The fingerprint of a file's bytes."""
    return hashlib.blake2b(data, digest_size=16).digest()


def is_preferred(left: FileRow, right: FileRow) -> bool:
    """Whether, of two files with the same id, the left one is the note and the right one a copy."""
    return _rank(left) <= _rank(right)


def _rank(row: FileRow) -> tuple[bool, bool, str]:
    tree, _, rest = row.path.partition("/")
    return not rest.endswith(f"/{row.note_id}.md"), tree != MEMORY, row.path


def _read(path: str) -> tuple[bytes, os.stat_result]:
    # Do not follow a symlink, and do not block on a pipe without a writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            return b"", info
        size = min(info.st_size, MAX_BYTES) + 1
        data = os.read(descriptor, size)
        while size <= len(data) <= MAX_BYTES and (more := os.read(descriptor, _CHUNK)):
            data += more  # it has grown since
        return data, info
    finally:
        os.close(descriptor)
