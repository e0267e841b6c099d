"""One file and its rows: read as a note, written to the tables, and read back.

The rules in a note are stored as lines, so that reading them is cheap. A rule is a line of the list under
`**Rules...**` in the note of a captured session, unless it is struck out, or a note with the tag `rule`.
A tag on an imported note counts for nothing.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from anamnesis import recall
from anamnesis.errors import NoteFormatError
from anamnesis.files import read_with_status
from anamnesis.index.database import Database, marks
from anamnesis.layout import MEMORY, SCOPE_OF, TREE_OF
from anamnesis.notes.record import Memory, decode, deserialize, ids_superseded_by, is_valid_id
from anamnesis.notes.vocabulary import MAX_BYTES, RULE
from anamnesis.text import epoch

NOT_READ = (-1, 0)  # size and time of an entry that cannot be a note
# A file that changed this recently may change again within the same clock tick.
SETTLED_NS = 30_000_000
FILE = "files p ON p.note_id = m.id AND p.problem IS NULL"  # to join a note with its file
_DUPLICATE = "has the same id as {other}; give one of the two another id, or delete it"

# The columns of `memories m` that make up a note, in the order of its fields.
_TAGS = (
    "(SELECT json_group_array(tag) FROM"
    " (SELECT tag FROM memory_tags WHERE memory_id = m.id ORDER BY position))"
)
_FIELDS = (
    "m.id, m.type, m.title, {body}, m.project, m.machine_id, m.scope, "
    f"{_TAGS}, m.created_at, m.updated_at, m.prov_source, coalesce(m.prov_model, ''),"
    " coalesce(m.prov_session, ''), m.confidence, coalesce(m.supersedes, '')"
)
NOTE = _FIELDS.format(body="''")
NOTE_WITH_BODY = _FIELDS.format(body="(SELECT body FROM memories_fts WHERE rowid = m.n)")
_READ = (
    f"SELECT {NOTE_WITH_BODY}, m.n, p.path, p.size, p.mtime_ns FROM memories m LEFT JOIN {FILE} WHERE m.n IN"
)


_TEXTS = (
    *("id", "type", "title", "project", "machine_id", "scope"),
    *("created_at", "updated_at", "prov_source", "confidence"),
)
_texts_of = attrgetter(*_TEXTS)
_INSERTED = ("n", *_TEXTS, "prov_model", "prov_session", "supersedes", "body_path", "moment", "title_words")
_INSERT = f"INSERT INTO memories ({', '.join(_INSERTED)}) VALUES ({marks(_INSERTED)})"
_INSERT_TEXT = "INSERT INTO memories_fts (rowid, title, body, tags, extra) VALUES (?, ?, ?, ?, ?)"
_WORD = re.compile(r"\w+")
_LISTED = re.compile(r"^\*\*Rules:\*\*\s*\n((?:[-*] [^\n]+(?:\n|\Z))+)", re.MULTILINE)
_SET_ASIDE = "UPDATE files SET problem = ? WHERE note_id = ?"
_INSERT_FILE = (
    "INSERT OR REPLACE INTO files (path, size, mtime_ns, digest, note_id, problem) VALUES (?, ?, ?, ?, ?, ?)"
)


class Loaded(NamedTuple):
    """A file that was read: its note, or the problem why there is none."""

    path: str  # relative to the store, "memory/semantic/X.md"
    size: int
    mtime_ns: int
    digest: bytes
    note: Memory | None
    problem: str | None = None


def load(root: str, path: str) -> Loaded | None:
    """Read one file as a note; None if it is gone."""
    now = time.time_ns()
    try:
        data, info = read_with_status(f"{root}/{path}", most=MAX_BYTES)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or exc
        return not_a_note(path, f"cannot be read ({reason}); check its permissions and its size")
    # If the file may change again with the same time, the next scan reads it again.
    is_settled = abs(now - info.st_mtime_ns) >= SETTLED_NS
    seen = (path, info.st_size, info.st_mtime_ns - (not is_settled), digest_of(data))
    try:
        note = deserialize(decode(data))
    except NoteFormatError as exc:
        return Loaded(*seen, None, str(exc))
    note.scope = SCOPE_OF[path.partition("/")[0]]  # the tree decides, whatever the front matter says
    return Loaded(*seen, note)


def not_a_note(path: str, reason: str) -> Loaded:
    """An entry that was not read, and why."""
    return Loaded(path, *NOT_READ, b"", None, reason)


def digest_of(data: bytes) -> bytes:
    """The fingerprint of a file's bytes."""
    from hashlib import blake2b  # loading OpenSSL takes 2 ms, and a session that starts reads no file

    return blake2b(data, digest_size=16).digest()


def put_new(db: Database, items: Sequence[Loaded]) -> None:
    """Index files that were read, where neither their paths nor the ids of their notes are known yet."""
    rows = [(*item[:4], item.note.id if item.note else None, item.problem) for item in items]
    db.executemany(_INSERT_FILE, rows)
    read = [(item.note, item.path) for item in items if item.note is not None]
    _put_notes(db, [(n, note, path) for n, (note, path) in enumerate(read, _next_number(db))])


def put_loaded(db: Database, item: Loaded) -> None:
    """Index a file that was read; of two files with the same id, only the preferred one becomes the note."""
    note, problem = item.note, item.problem
    note_id = note.id if note else None
    sql = "SELECT path, digest, problem FROM files WHERE path = ? OR note_id = ?"
    known = {row["path"]: row for row in db.rows(sql, (item.path, note_id))}
    before = known.get(item.path)
    for owner, row in known.items():
        if note_id is None or row["problem"] or owner == item.path:
            continue
        if _rank(owner, note_id) < _rank(item.path, note_id):
            problem = _DUPLICATE.format(other=owner)
        else:
            db.execute(_SET_ASIDE, (_DUPLICATE.format(other=item.path), note_id))
    db.execute(_INSERT_FILE, (*item[:4], note_id, problem))
    is_indexed = before and before["problem"] is None and before["digest"] == item.digest
    if note is not None and problem is None and not is_indexed:
        n = _remove_note(db, note.id) if known else None
        _put_notes(db, [(n or _next_number(db), note, item.path)])


def _next_number(db: Database) -> int:
    return int(db.rows("SELECT coalesce(max(n), 0) + 1 FROM memories")[0][0])


def _rank(path: str, note_id: str) -> tuple[bool, bool, str]:
    """Of two files with the same id, the one with the lower rank is the note."""
    tree, _, rest = path.partition("/")
    return not rest.endswith(f"/{note_id}.md"), tree != MEMORY, path


def forget_file(db: Database, path: str, *, now: Loaded | None = None) -> bool:
    """Delete the rows of a file unless it still has the same id.

    If a note went, its copies are forgotten too; returns whether there were any, which the next scan finds.
    """
    sql = "SELECT note_id, problem FROM files WHERE path = ?"
    for note_id, problem in db.rows(sql, (path,)):
        if now is None or now.note is None or now.note.id != note_id:
            db.execute("DELETE FROM files WHERE path = ?", (path,))
            if note_id is not None and problem is None:
                _remove_note(db, note_id)
                return db.execute("DELETE FROM files WHERE note_id = ?", (note_id,)).rowcount > 0
    return False


def _put_notes(db: Database, notes: Sequence[tuple[int, Memory, str]]) -> None:
    """Insert notes into all tables, each with its row number and the path of its file."""
    db.executemany(_INSERT, [_values_of(*note) for note in notes])
    texts = [
        (n, mem.title, mem.body, " ".join(mem.tags), recall.extra_text(mem.title, mem.body, *mem.tags))
        for n, mem, _ in notes
    ]
    db.executemany(_INSERT_TEXT, texts)
    placed = [(mem.id, tag, position) for _, mem, _ in notes for position, tag in enumerate(mem.tags)]
    db.executemany("INSERT OR IGNORE INTO memory_tags VALUES (?, ?, ?)", placed)
    replaced = [(old, mem.id) for _, mem, _ in notes for old in ids_superseded_by(mem) if old != mem.id]
    db.executemany("INSERT OR IGNORE INTO supersessions VALUES (?, ?)", replaced)
    lines = [
        (mem.project, epoch(mem.updated_at), mem.id, position, line[:400])
        for _, mem, _ in notes
        for position, line in enumerate(rule_lines(mem))
    ]
    db.executemany("INSERT OR REPLACE INTO rules VALUES (?, ?, ?, ?, ?)", lines)


def _values_of(n: int, mem: Memory, path: str) -> tuple[object, ...]:
    """The row of a note in `memories`."""
    optional = (mem.prov_model or None, mem.prov_session or None, mem.supersedes or None)
    body_path = path.partition("/")[2]
    return (n, *_texts_of(mem), *optional, body_path, epoch(mem.updated_at), words_in(mem.title))


def rule_lines(mem: Memory) -> list[str]:
    """The rules that a note states, each as one line."""
    if mem.prov_source == "session-end":
        lists = _LISTED.findall(mem.body) if "**Rules:**" in mem.body else []
        lines = [line for found in lists for line in found.splitlines()]
        return [" ".join(line[2:].split()) for line in lines if not line.startswith("- ~~")]
    if RULE not in mem.tags or mem.prov_source == "import":
        return []
    title, first = " ".join(mem.title.split()), next(filter(None, map(str.strip, mem.body.splitlines())), "")
    said = " ".join(first.split())
    return [said if title.lower() in said.lower() else f"{title}: {said}" if said else title]


def words_in(title: str) -> str:
    """The words of a title in lower case; two titles with the same words are the same to a search."""
    return " ".join(_WORD.findall(title.casefold()))


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


def note_of(row: sqlite3.Row) -> Memory:
    """The note in a row that starts with the columns `NOTE` or `NOTE_WITH_BODY`."""
    note = Memory(*row[:15])
    note.tags = json.loads(row[7])
    return note


def read_notes(db: Database, root: str, numbers: Sequence[int]) -> dict[int, Memory]:
    """The notes with these row numbers, in that order; one whose file has changed since is read from it."""
    notes: dict[int, Memory] = {}
    for row in db.rows(f"{_READ} ({', '.join(map(str, numbers))})"):
        *_, n, path, size, mtime_ns = row
        notes[n] = note_of(row)
        if not _is_unchanged(root, path, (size, mtime_ns)):
            item = load(root, path) if path else None
            if item is None or item.note is None or item.note.id != notes.pop(n).id:
                continue
            notes[n] = item.note
    return {number: notes[number] for number in numbers if number in notes}


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
        f" JOIN {FILE} WHERE m.id IN ({marks(ids)})"
    )
    return [(row[0], row[1], row[2], row[3]) for row in db.rows(sql, ids)]


def path_of(db: Database, note_id: str) -> str | None:
    """The path of a note's file, relative to the store."""
    if not is_valid_id(note_id):
        return None
    for row in db.rows("SELECT scope, body_path FROM memories WHERE id = ?", (note_id,)):
        return f"{TREE_OF.get(row['scope'], MEMORY)}/{row['body_path']}"
    return None


def count_notes(db: Database) -> int:
    """The number of notes in the index."""
    return int(db.rows("SELECT count(*) FROM memories")[0][0])
