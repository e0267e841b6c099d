"""One file and its rows: read as a note, written to the tables, and read back."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple

from anamnesis import recall
from anamnesis.errors import NoteFormatError
from anamnesis.index import rules
from anamnesis.index.database import Database
from anamnesis.index.scan import NOT_READ
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
_COLUMNS = (*_REQUIRED, *OPTIONAL, "body_path", "moment", "n")
_INSERT = f"INSERT INTO memories ({', '.join(_COLUMNS)}) VALUES ({marks(len(_COLUMNS))})"
_INSERT_FTS = "INSERT INTO memories_fts (rowid, title, body, tags, extra) VALUES (?, ?, ?, ?, ?)"
_INSERT_FILE = (
    "INSERT OR REPLACE INTO files (path, size, mtime_ns, digest, note_id, problem) VALUES (?, ?, ?, ?, ?, ?)"
)
_required_of, _optional_of = attrgetter(*_REQUIRED), attrgetter(*OPTIONAL)
_DUPLICATE = "has the same id as {other}; give one of the two another id, or delete it"
_READ = (
    "SELECT m.*, f.body, p.path, p.size, p.mtime_ns FROM memories m JOIN memories_fts f ON f.rowid = m.n"
    f" LEFT JOIN {FILE} WHERE m.n IN ({{numbers}})"
)


class FileRow(NamedTuple):
    """One file in the index; `problem` says why it is not indexed as a note."""

    path: str  # relative to the store, "memory/semantic/X.md"
    size: int
    mtime_ns: int
    digest: bytes
    note_id: str | None
    problem: str | None = None


class Loaded(NamedTuple):
    """A file that was read: its index row, and its note unless `row.problem` says why there is none."""

    row: FileRow
    note: Memory | None


def load(root: str, path: str) -> Loaded | None:
    """Read one file as a note; None if it is gone."""
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
        note = deserialize(decode(data))
    except NoteFormatError as exc:
        return Loaded(FileRow(path, info.st_size, mtime_ns, digest, None, exc.reason), None)
    note.scope = SCOPE_OF[path.partition("/")[0]]  # the tree decides, whatever the front matter says
    return Loaded(FileRow(path, info.st_size, mtime_ns, digest, note.id), note)


def not_a_note(path: str, reason: str) -> Loaded:
    """An entry that was not read, and why."""
    return Loaded(FileRow(path, *NOT_READ, b"", None, reason), None)


def digest_of(data: bytes) -> bytes:
    """The fingerprint of a file's bytes."""
    from hashlib import blake2b

    return blake2b(data, digest_size=16).digest()


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


def put_loaded(db: Database, item: Loaded) -> None:
    """Index a file that was read; of two files with the same id, only the preferred one becomes the note."""
    if item.note is None:
        put_file(db, item.row)
        return
    owner = _file_row(db, "note_id = ? AND problem IS NULL AND path <> ?", item.note.id, item.row.path)
    if owner is not None and _rank(owner) <= _rank(item.row):
        put_file(db, _set_aside(item.row, owner.path))
        return
    if owner is not None:
        put_file(db, _set_aside(owner, item.row.path))
        # Every duplicate names the file that is indexed.
        sql = "UPDATE files SET problem = ? WHERE note_id = ? AND problem IS NOT NULL AND path <> ?"
        db.execute(sql, (_DUPLICATE.format(other=item.row.path), item.note.id, item.row.path))
    known = _file_row(db, "path = ?", item.row.path)
    put_file(db, item.row)
    if known is None or known.problem is not None or known.digest != item.row.digest:
        _put_note(db, item.note, item.row.path.partition("/")[2])


def forget_file(db: Database, path: str, *, now: Loaded | None = None) -> str | None:
    """Delete the rows of a file unless it still contains that note; returns the id of a note that went."""
    known = _file_row(db, "path = ?", path)
    if known is None or (now is not None and now.row.note_id == known.note_id):
        return None
    db.execute("DELETE FROM files WHERE path = ?", (path,))
    if known.note_id is None or known.problem is not None:
        return None
    _remove_note(db, known.note_id)
    return known.note_id


def promote_copy(db: Database, root: str, note_id: str) -> None:
    """Index a duplicate if the note's own file is gone or has another id."""
    sql = "SELECT path FROM files WHERE note_id = ? AND problem IS NOT NULL ORDER BY path"
    for row in db.rows(sql, (note_id,)):
        item = load(root, row["path"])
        if item is not None:
            put_loaded(db, item)


def put_file(db: Database, row: FileRow) -> None:
    """Store the row of a file."""
    db.execute(_INSERT_FILE, (row.path, row.size, row.mtime_ns, row.digest, row.note_id, row.problem))


def _rank(row: FileRow) -> tuple[bool, bool, str]:
    """Of two files with the same id, the one with the lower rank is the note."""
    tree, _, rest = row.path.partition("/")
    return not rest.endswith(f"/{row.note_id}.md"), tree != MEMORY, row.path


def _set_aside(row: FileRow, other: str) -> FileRow:
    return FileRow(row.path, row.size, row.mtime_ns, row.digest, row.note_id, _DUPLICATE.format(other=other))


def _file_row(db: Database, condition: str, *values: object) -> FileRow | None:
    sql = f"SELECT path, size, mtime_ns, digest, note_id, problem FROM files WHERE {condition} LIMIT 1"
    for row in db.rows(sql, values):
        return FileRow(*row)
    return None


def _put_note(db: Database, mem: Memory, body_path: str) -> None:
    """Insert or replace a note in all tables; a replaced note keeps its row number."""
    tags = " ".join(mem.tags)
    optional = (value or None for value in _optional_of(mem))
    values = (*_required_of(mem), *optional, body_path, epoch(mem.updated_at), _remove_note(db, mem.id))
    n = db.execute(_INSERT, values).lastrowid
    extra = recall.extra_text(mem.title, mem.body, tags)
    db.execute(_INSERT_FTS, (n, mem.title, mem.body, tags, extra))
    placed = [(mem.id, tag, position) for position, tag in enumerate(mem.tags)]
    db.execute_many("INSERT OR IGNORE INTO memory_tags VALUES (?, ?, ?)", placed)
    replaced = [(old, mem.id) for old in ids_superseded_by(mem) if old != mem.id]
    db.execute_many("INSERT OR IGNORE INTO supersessions VALUES (?, ?)", replaced)
    db.execute_many(rules.INSERT, rules.rule_rows(mem))


def _remove_note(db: Database, note_id: str) -> int | None:
    """Delete a note from all tables; returns its row number, None if there was none."""
    deleted = db.execute("DELETE FROM memories WHERE id = ? RETURNING n", (note_id,)).fetchall()
    if not deleted:
        return None
    db.execute("DELETE FROM memories_fts WHERE rowid = ?", (deleted[0]["n"],))
    db.execute("DELETE FROM memory_tags WHERE memory_id = ?", (note_id,))
    db.execute("DELETE FROM supersessions WHERE new_id = ?", (note_id,))
    db.execute("DELETE FROM rules WHERE note_id = ?", (note_id,))
    return int(deleted[0]["n"])


def read_notes(db: Database, root: str, numbers: Iterable[int]) -> dict[int, Memory]:
    """The notes with these row numbers, in that order; one whose file has changed since is read from it."""
    wanted = list(numbers)
    rows = {row["n"]: row for row in db.rows(_READ.format(numbers=", ".join(map(str, wanted))))}
    notes = dict(zip(rows, notes_of(db, list(rows.values()), bodies=True), strict=True))
    for number, row in rows.items():
        if not _is_unchanged(root, row["path"], (row["size"], row["mtime_ns"])):
            item = load(root, row["path"]) if row["path"] else None
            if item is None or item.note is None or item.note.id != row["id"]:
                del notes[number]
            else:
                notes[number] = item.note
    return {number: notes[number] for number in wanted if number in notes}


def _is_unchanged(root: str, path: str, seen: tuple[int, int]) -> bool:
    try:
        info = os.lstat(f"{root}/{path}")
    except OSError:
        return False
    return (info.st_size, info.st_mtime_ns) == seen


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
