"""What this machine remembers besides notes: rows in one SQLite file, `machine.db`, which is never synced.

    Captured   the ledger: what became of each captured session
    Written    what capture last wrote into a session's note
    Entry      a line of a session's receipt: what it was told, searched for, wrote and used
    Place      a folder: the last session and project there
    News       a note that came from another machine
    Mark       a named value: how far the news were read, what the last import wrote
    Used       how much a model was used
    Import     a file of the client's own memory, as it was imported
    Trust      a repository that may use another project's memory
    Proposal   what a model proposed and nobody has applied yet

A table has the name and the columns of its class, and a limit on its rows. Reading does not fail: what cannot
be read counts as empty, except where that would cost a person's edit. Writing raises StoreUnavailable, or
with `try_save`, for hooks, gives up quietly after a tenth of a second. A damaged file is set aside and
started again, so nothing here may be needed to protect a note.

Each call opens the file and closes it again, which takes a tenth of a millisecond: threads and processes
share no connection, and no file beside it can outlive it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from typing import NamedTuple, TypeVar

from anamnesis.errors import StoreUnavailable
from anamnesis.files import make_folder, open_private, remove
from anamnesis.layout import MACHINE_DB

Home = str | os.PathLike[str]

_VERSION = 2  # of the tables below
_PATIENCE = 30.0  # seconds that a command waits for another process
_HOOK_PATIENCE = 0.1
_REMOVED_AT_ONCE = 1000  # rows beyond the limit of their table
SET_ASIDE = ".damaged"  # suffix of a file that could not be used; only the last one is kept


class Captured(NamedTuple):
    """The result of capturing one session, and the state of its transcript then.

    `note` is the id of its note, or "trivial"; `first_line` is the digest of the line that the conversation
    starts with; `forked_from` has the sessions it was forked from, separated by spaces.
    """

    session: str
    transcript: str
    size: int
    mtime_ns: int
    note: str
    at: str
    first_line: str = ""
    forked_from: str = ""


class Written(NamedTuple):
    """What capture last wrote into a session's note; later captures keep what a person changed since."""

    note: str
    title: str
    body: str


class Entry(NamedTuple):
    """One line of a session's receipt; `fields` is a JSON object of ids and numbers, never a note's text."""

    session: str
    kind: str
    at: str
    fields: str


class Place(NamedTuple):
    """A folder: its inode, the session that started there last, and the project whose notes it was told."""

    folder: str
    session: str
    project: str
    inode: str


class News(NamedTuple):
    """A note that another machine wrote, edited or deleted; `seen` is when it arrived here."""

    id: str
    title: str
    project: str
    type: str
    kind: str
    machine: str
    at: str
    seen: str


class Mark(NamedTuple):
    """A named value."""

    name: str
    value: str


class Used(NamedTuple):
    """The usage of one model, as `provider/model`."""

    model: str
    since: str
    last: str
    calls: int = 0
    failures: int = 0
    characters_sent: int = 0
    characters_received: int = 0
    seconds: float = 0.0


class Import(NamedTuple):
    """A file as it was imported: its size and time, its note, and the digest of the text written."""

    file: str
    size: int
    mtime_ns: int
    note: str
    digest: str


class Trust(NamedTuple):
    """A repository, by its remote, that may use the memory of the project `key`."""

    remote: str
    key: str


class Proposal(NamedTuple):
    """The notes that a model wrote for a project, as JSON."""

    project: str
    content: str


Row = Captured | Written | Entry | Place | News | Mark | Used | Import | Trust | Proposal
Kind = TypeVar("Kind", bound=Row)
Result = TypeVar("Result")


# The columns that identify a row, and how many rows are kept.
_TABLES: dict[type[Row], tuple[str, int]] = {
    Captured: ("session", 3000),
    Written: ("note", 3000),
    Entry: ("", 3000),
    Place: ("folder", 1000),
    News: ("id", 300),
    Mark: ("name", 500),
    Used: ("model", 100),
    Import: ("file", 20_000),
    Trust: ("remote, key", 1000),
    Proposal: ("project", 500),
}
# They protect a person's edits: reading them waits, and fails rather than find nothing.
_GUARDS = (Captured, Import)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def read(home: Home, kind: type[Kind], /, *, is_hook: bool = False, **wanted: str) -> list[Kind]:
    """The rows of one kind whose columns have these values, oldest first; none if they cannot be read.

    For the ledger and for imports, StoreUnavailable if the file is there but cannot be read now; a hook does
    not wait for it.
    """
    patience = _HOOK_PATIENCE if is_hook else _PATIENCE
    return _rows(home, kind, wanted, "ORDER BY rowid", patience if kind in _GUARDS else None)


def latest(home: Home, kind: type[Kind], /, **wanted: str) -> Kind | None:
    """The newest of these rows."""
    return next(iter(_rows(home, kind, wanted, "ORDER BY rowid DESC LIMIT 1")), None)


def last_capture(home: Home) -> str:
    """When a session was last captured on this machine; "" if never."""
    found = latest(home, Captured)
    return found.at if found else ""


def last_inject(home: Home) -> str:
    """When a session last started with our hook on this machine; "" if none did."""
    found = latest(home, Entry, kind="told")
    return found.at if found else ""


def mark(home: Home, name: str) -> str:
    """The value with this name; "" if there is none."""
    found = latest(home, Mark, name=name)
    return found.value if found else ""


def sessions(home: Home) -> list[str]:
    """The sessions that have a receipt, latest first."""
    sql = "SELECT session FROM Entry GROUP BY session ORDER BY MAX(rowid) DESC"
    return [str(name) for (name,) in _select(home, sql, (), None)]


def save(home: Home, *rows: Row, drop: Iterable[Row] = ()) -> None:
    """Remove some rows and write others, each as the newest of its kind; StoreUnavailable if that fails."""
    _use(home, lambda db: _replace(db, drop, rows), patience=_PATIENCE)


def try_save(home: Home, *rows: Row) -> None:
    """Write rows if that is possible at once: a session must not wait or fail for it."""
    with suppress(StoreUnavailable):
        _use(home, lambda db: _replace(db, (), rows), patience=_HOOK_PATIENCE)


def add_usage(home: Home, more: Used) -> None:
    """Add to the known usage of one model; StoreUnavailable if that cannot be written."""
    sums = ", ".join(f"{name} = {name} + excluded.{name}" for name in Used._fields[3:])
    update = f"ON CONFLICT (model) DO UPDATE SET last = excluded.last, {sums}"
    _use(home, lambda db: db.execute(f"{_insert(more, 'INSERT')} {update}", more), patience=_PATIENCE)


def rewrite(home: Home, *, change: Callable[[Row], Row | None], scrub: Callable[[str], str]) -> None:
    """Change rows, or remove those that become None, scrub every text, and erase what was there before.

    What was set aside is deleted, because it cannot be read and scrubbed.
    """
    _use(home, lambda db: _rewrite(db, change, scrub), patience=_PATIENCE)
    _use(home, lambda db: db.execute("VACUUM"), patience=_PATIENCE)
    remove(f"{_path(home)}{SET_ASIDE}")


def _rewrite(
    db: sqlite3.Connection, change: Callable[[Row], Row | None], scrub: Callable[[str], str]
) -> None:
    db.execute("BEGIN IMMEDIATE")
    for kind in _TABLES:
        make: Callable[..., Row] = kind
        rows = db.execute(f"SELECT * FROM {kind.__name__} ORDER BY rowid").fetchall()
        db.execute(f"DELETE FROM {kind.__name__}")
        for row in (change(make(*cells)) for cells in rows):
            if row is not None:
                db.execute(_insert(row), [scrub(cell) if isinstance(cell, str) else cell for cell in row])


def _replace(db: sqlite3.Connection, drop: Iterable[Row], rows: Sequence[Row]) -> None:
    db.execute("BEGIN IMMEDIATE")
    for row in drop:
        columns = " AND ".join(f"{column} = ?" for column in row._fields)
        db.execute(f"DELETE FROM {type(row).__name__} WHERE {columns}", row)
    for row in rows:
        db.execute(_insert(row), row)
    for kind in {type(row) for row in rows}:
        name, (_, most) = kind.__name__, _TABLES[kind]
        beyond = f"SELECT rowid FROM {name} ORDER BY rowid DESC LIMIT {_REMOVED_AT_ONCE} OFFSET {most}"
        db.execute(f"DELETE FROM {name} WHERE rowid IN ({beyond})")


def _insert(row: Row, how: str = "INSERT OR REPLACE") -> str:
    return f"{how} INTO {type(row).__name__} VALUES ({', '.join('?' * len(row))})"


def _rows(
    home: Home, kind: type[Kind], wanted: dict[str, str], order: str, patience: float | None = None
) -> list[Kind]:
    where = " AND ".join(f"{column} = ?" for column in wanted) or "TRUE"
    sql = f"SELECT * FROM {kind.__name__} WHERE {where} {order}"
    row: Callable[..., Kind] = kind
    return [row(*values) for values in _select(home, sql, tuple(wanted.values()), patience)]


def _select(home: Home, sql: str, values: Sequence[str], patience: float | None) -> list[tuple[str, ...]]:
    """The rows of a query; if the file cannot be read, none, or with `patience` StoreUnavailable."""
    if not os.path.exists(_path(home)):
        return []
    try:
        return _use(home, lambda db: db.execute(sql, values).fetchall(), patience=patience or _HOOK_PATIENCE)
    except StoreUnavailable:
        if patience is not None:
            raise
        return []


def _use(home: Home, work: Callable[[sqlite3.Connection], Result], *, patience: float) -> Result:
    """What `work` does with the file, undone if it fails; a damaged file is set aside and started again."""
    seen = _identity(home)
    try:
        try:
            return _transact(home, work, patience)
        except sqlite3.DatabaseError as exc:
            if not _set_aside_if_damaged(home, exc, seen):
                raise
            return _transact(home, work, patience)
    except (sqlite3.Error, OSError, ValueError) as exc:  # ValueError: a text that UTF-8 cannot encode
        raise StoreUnavailable(
            f"{_path(home)} cannot be used ({exc}); try again, or check the disk and the owner of the file"
        ) from exc


def _transact(home: Home, work: Callable[[sqlite3.Connection], Result], patience: float) -> Result:
    path = _path(home)
    if not os.path.exists(path):
        make_folder(home)
        os.close(open_private(path, os.O_RDWR | os.O_CREAT))
    with closing(sqlite3.connect(path, timeout=patience, isolation_level=None)) as db, db:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if patience <= _HOOK_PATIENCE:
            db.execute("PRAGMA synchronous=OFF")  # a flush of the disk would keep a session waiting
        if not version:
            _create(db)
        elif version != _VERSION:
            raise sqlite3.DatabaseError(f"{path} is of another version")
        return work(db)


def _create(db: sqlite3.Connection) -> None:
    db.execute("BEGIN IMMEDIATE")
    for kind, (key, _) in _TABLES.items():
        columns = (*kind._fields, f"PRIMARY KEY ({key})") if key else kind._fields
        db.execute(f"CREATE TABLE IF NOT EXISTS {kind.__name__} ({', '.join(columns)})")
    db.execute("CREATE INDEX IF NOT EXISTS entries ON Entry (session)")
    db.execute(f"PRAGMA user_version={_VERSION}")
    db.execute("COMMIT")


def _identity(home: Home) -> int:
    """The inode of the file; 0 if there is none."""
    try:
        return os.stat(_path(home)).st_ino
    except OSError:
        return 0


def _set_aside_if_damaged(home: Home, problem: sqlite3.Error, seen: int) -> bool:
    """Rename a file that is damaged or of another version; returns whether it was.

    `seen` was its inode before: another process may have replaced it by now.
    """
    if getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_NOTADB) not in _DAMAGED:
        return False
    if _identity(home) == seen:
        os.replace(_path(home), f"{_path(home)}{SET_ASIDE}")
        remove(f"{_path(home)}-journal")  # SQLite would roll it back into the new file
    return True


def _path(home: Home) -> str:
    return os.path.join(home, MACHINE_DB)
