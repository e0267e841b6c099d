"""One file and its rows: read as a note, written to the tables, and read back."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from anamnesis import recall
from anamnesis.errors import NoteFormatError
from anamnesis.index import rules, spelling
from anamnesis.index.database import Database
from anamnesis.index.schema import FILE, MOST_BOUND, marks
from anamnesis.layout import MEMORY, SCOPE_OF
from anamnesis.notes.record import (
    FIELDS,
    MAX_BYTES,
    OPTIONAL,
    Memory,
    decode,
    deserialize,
    epoch,
    ids_superseded_by,
)

# A file that changed this recently may change again within the same clock tick.
SETTLED_NS = 30_000_000
_CHUNK = 1 << 20

# The fields of a note that are columns of `memories`; an empty optional one is stored as NULL.
_REQUIRED = tuple(name for name in FIELDS if name not in OPTIONAL and name != "tags")
_COLUMNS = (*_REQUIRED, *OPTIONAL, "body_path", "moment")
_INSERT = f"INSERT INTO memories{{s}} ({', '.join(_COLUMNS)}) VALUES ({marks(len(_COLUMNS))})"
_INSERT_NUMBERED = f"INSERT INTO memories{{s}} ({', '.join(_COLUMNS)}, n) VALUES ({marks(len(_COLUMNS) + 1)})"
_REPLACE = (
    f"{_INSERT} ON CONFLICT (id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])
    + " RETURNING n"
)
_INSERT_FTS = "INSERT INTO memories_fts{s} (rowid, title, body, tags, extra) VALUES (?, ?, ?, ?, ?)"
_INSERT_FILE = (
    "INSERT OR REPLACE INTO files{s} (path, folder, size, mtime_ns, digest, note_id, problem)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_TAG = "INSERT OR IGNORE INTO memory_tags{s} VALUES (?, ?, ?)"
_INSERT_SUPERSESSION = "INSERT OR IGNORE INTO supersessions{s} VALUES (?, ?)"


@dataclass(slots=True)  # a rebuild creates one per file; frozen, that takes three times as long
class FileRow:
    """One file in the index; `problem` says why it is not indexed as a note."""

    path: str  # relative to the store, "memory/semantic/X.md"
    size: int
    mtime_ns: int
    digest: bytes
    note_id: str | None
    problem: str | None = None

    @property
    def folder(self) -> str:
        """The folder the file is in."""
        return self.path.rpartition("/")[0]


@dataclass(slots=True)  # not frozen, for the same reason
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


def put_note(db: Database, mem: Memory, body_path: str, words: spelling.Words) -> None:
    """Insert or replace a note in all tables except the words, which are collected in `words`."""
    n = db.execute(_REPLACE.format(s=""), _note_values(mem, body_path)).fetchone()[0]
    db.execute("DELETE FROM memories_fts WHERE rowid = ?", (n,))
    texts = _text_values(mem)
    db.execute(_INSERT_FTS.format(s=""), (n, *texts))
    words.add(texts)
    db.execute("DELETE FROM memory_tags WHERE memory_id = ?", (mem.id,))
    db.execute("DELETE FROM supersessions WHERE new_id = ?", (mem.id,))
    db.execute_many(_INSERT_TAG.format(s=""), _tag_values(mem))
    db.execute_many(_INSERT_SUPERSESSION.format(s=""), _supersession_values(mem))
    db.execute("DELETE FROM rules WHERE note_id = ?", (mem.id,))
    db.execute_many(rules.INSERT.format(s=""), rules.rule_rows(mem))


class Pending:
    """Notes and files to insert into empty tables, many at a time."""

    def __init__(self, suffix: str) -> None:
        self._suffix = suffix
        self._words = spelling.Words()
        self._rows: dict[str, list[tuple[object, ...]]] = {
            sql: []
            for sql in (
                _INSERT_NUMBERED,
                _INSERT_FTS,
                _INSERT_FILE,
                _INSERT_TAG,
                _INSERT_SUPERSESSION,
                rules.INSERT,
                spelling.APPEND,
            )
        }

    def add_note(self, n: int, mem: Memory, body_path: str) -> None:
        """Add a new note under row number `n`."""
        self._rows[_INSERT_NUMBERED].append((*_note_values(mem, body_path), n))
        texts = _text_values(mem)
        self._rows[_INSERT_FTS].append((n, *texts))
        self._words.add(texts)
        self._rows[_INSERT_TAG] += _tag_values(mem)
        self._rows[_INSERT_SUPERSESSION] += _supersession_values(mem)
        self._rows[rules.INSERT] += rules.rule_rows(mem)

    def add_file(self, row: FileRow) -> None:
        """Add the row of a file."""
        self._rows[_INSERT_FILE].append(_file_values(row))

    def insert(self, db: Database) -> None:
        """Insert everything that was added."""
        self._rows[spelling.APPEND] += spelling.buckets(self._words.take())
        for sql, values in self._rows.items():
            db.execute_many(sql.format(s=self._suffix), values)
            values.clear()


def remove_note(db: Database, note_id: str, *, suffix: str = "") -> None:
    """Delete a note from all tables."""
    deleted = db.execute(f"DELETE FROM memories{suffix} WHERE id = ? RETURNING n", (note_id,)).fetchall()
    for row in deleted:
        db.execute(f"DELETE FROM memories_fts{suffix} WHERE rowid = ?", (row["n"],))
    db.execute(f"DELETE FROM memory_tags{suffix} WHERE memory_id = ?", (note_id,))
    db.execute(f"DELETE FROM supersessions{suffix} WHERE new_id = ?", (note_id,))
    db.execute(f"DELETE FROM rules{suffix} WHERE note_id = ?", (note_id,))


def put_file(db: Database, row: FileRow, *, suffix: str = "") -> None:
    """Store the row of a file."""
    db.execute(_INSERT_FILE.format(s=suffix), _file_values(row))


_required_of, _optional_of = attrgetter(*_REQUIRED), attrgetter(*OPTIONAL)


def _note_values(mem: Memory, body_path: str) -> tuple[object, ...]:
    optional = (value or None for value in _optional_of(mem))
    return (*_required_of(mem), *optional, body_path, epoch(mem.updated_at))


def _text_values(mem: Memory) -> tuple[str, str, str, str]:
    tags = " ".join(mem.tags)
    return mem.title, mem.body, tags, recall.extra_text(mem.title, mem.body, tags)


def _file_values(row: FileRow) -> tuple[object, ...]:
    return (row.path, row.folder, row.size, row.mtime_ns, row.digest, row.note_id, row.problem)


def _tag_values(mem: Memory) -> list[tuple[str, str, int]]:
    return [(mem.id, tag, position) for position, tag in enumerate(mem.tags)]


def _supersession_values(mem: Memory) -> list[tuple[str, str]]:
    return [(old, mem.id) for old in ids_superseded_by(mem) if old != mem.id]


def indexed_notes(db: Database, numbers: Iterable[int]) -> dict[int, tuple[Memory, bytes]]:
    """The notes under these row numbers, each with the digest of its file."""
    rows = db.rows(_NOTES.format(numbers=", ".join(map(str, numbers))))
    notes = notes_of(db, rows, bodies=True)
    return {row["n"]: (note, row["digest"]) for row, note in zip(rows, notes, strict=True)}


_NOTES = (
    "SELECT m.*, f.body, p.digest FROM memories m JOIN memories_fts f ON f.rowid = m.n"
    f" LEFT JOIN {FILE} WHERE m.n IN ({{numbers}})"
)


def texts(db: Database, ids: Sequence[str]) -> list[tuple[str, bytes, str, str]]:
    """Id, file digest, title and body of notes; deleted ones are left out."""
    sql = (
        "SELECT m.id, p.digest, m.title, f.body FROM memories m JOIN memories_fts f ON f.rowid = m.n"
        f" JOIN {FILE} WHERE m.id IN ({marks(len(ids))})"
    )
    return [(row[0], row[1], row[2], row[3]) for row in db.rows(sql, ids)]


def notes_of(db: Database, rows: Sequence[sqlite3.Row], *, bodies: bool = False) -> list[Memory]:
    """The notes for these rows of `memories`, which include `body` if `bodies`."""
    tags = _tags(db, [row["id"] for row in rows])
    return [_to_memory(row, tags.get(row["id"], []), row["body"] if bodies else "") for row in rows]


def _to_memory(row: sqlite3.Row, tags: list[str], body: str) -> Memory:
    """A note from its row."""
    fields = {name: row[name] for name in _REQUIRED}
    fields |= {name: row[name] or "" for name in OPTIONAL}
    return Memory(**fields, tags=tags, body=body)


def _tags(db: Database, ids: list[str]) -> dict[str, list[str]]:
    tags: dict[str, list[str]] = {}
    if not ids:
        return tags
    few = ids if len(ids) <= MOST_BOUND else []  # for more notes, read all tags
    where = f" WHERE memory_id IN ({marks(len(few))})" if few else ""
    for row in db.rows(f"SELECT memory_id, tag FROM memory_tags{where} ORDER BY memory_id, position", few):
        tags.setdefault(row["memory_id"], []).append(row["tag"])
    return tags
