"""The working set of a session, read for a hook that a person waits for.

No store, no records, nothing that takes long to import: one connection, three questions, a stat for each
folder and for each note that will be shown. Whenever that is not enough to be sure of the answer there is
none, and the caller opens the store.
"""

from __future__ import annotations

import os
import sqlite3
import time

from anamnesis.index.scan import folder_times
from anamnesis.index.schema import CLOCK_SECONDS, DB_NAME, SCHEMA_VERSION, TAGS

COLUMNS = (
    "id", "type", "title", "body", "project", "machine_id", "scope", "created_at", "updated_at",
    "prov_source", "prov_model", "prov_session", "confidence", "supersedes",
)  # fmt: skip
SELECTED = ", ".join(("f." if name == "body" else "m.") + name for name in COLUMNS)
_MAX_EPISODIC = 8

# Newest first, a date in the future counting as none; what is replaced or already reflected is left out.
_SELECT = (
    f"SELECT {SELECTED},"
    " CASE m.scope WHEN 'portable' THEN 'memory/' ELSE 'local/' END || m.body_path AS path"
    " FROM memories m JOIN memories_fts f ON f.rowid = m.n WHERE m.n IN ("
    "SELECT n FROM memories m WHERE {pool}"
    " AND NOT EXISTS (SELECT 1 FROM supersessions WHERE old_id = m.id)"
    " AND NOT (type = 'episodic' AND"
    " EXISTS (SELECT 1 FROM memory_tags WHERE memory_id = m.id AND tag = 'reflected'))"
    " ORDER BY iif(moment > ?, 0, moment) DESC, confidence DESC, id DESC LIMIT ?)"
)


class Row:
    """A note as the index has it: the same names as the record, without its cost."""

    __slots__ = (*COLUMNS, "tags")
    id: str
    type: str
    title: str
    body: str
    project: str
    machine_id: str
    scope: str
    created_at: str
    updated_at: str
    prov_source: str
    prov_model: str
    prov_session: str
    confidence: float
    supersedes: str

    def __init__(self, values: tuple[object, ...], tags: list[str]) -> None:
        for name, value in zip(COLUMNS, values, strict=True):
            setattr(self, name, "" if value is None else value)
        self.tags = tags


def read_working_set(home: str, projects: list[str], *, k: int = 8) -> list[Row] | None:
    """The notes of `projects` that a session may be shown; None when only the store can tell.

    The first of `projects` is given whole; of the others the newest `k` durable notes and a few episodic.
    """
    path = os.path.join(home, DB_NAME)
    if not os.path.isfile(path):
        return None
    try:
        db = sqlite3.connect(f"file:{_quoted(path)}?mode=rw", uri=True, timeout=0.3, isolation_level=None)
    except sqlite3.Error:
        return None
    try:
        if db.execute("PRAGMA user_version").fetchone()[0] != SCHEMA_VERSION or not _is_fresh(db, home):
            return None
        return _read(db, home, projects, k)
    except sqlite3.Error:
        return None
    finally:
        db.close()


def _is_fresh(db: sqlite3.Connection, home: str) -> bool:
    known = db.execute("SELECT path, mtime_ns FROM folders").fetchall()
    return bool(known) and folder_times(home, [path for path, _ in known]) == [time for _, time in known]


def _read(db: sqlite3.Connection, home: str, projects: list[str], k: int) -> list[Row] | None:
    now = int(time.time()) + CLOCK_SECONDS
    always, *own = projects
    marks = ", ".join("?" * len(own))
    pools: list[tuple[str, list[object]]] = [("project = ?", [always, now, -1])]
    if own:
        pools += [
            (f"project IN ({marks}) AND type IN ('procedural', 'semantic')", [*own, now, max(k, 0)]),
            (f"project IN ({marks}) AND type = 'episodic'", [*own, now, _MAX_EPISODIC]),
        ]
    rows: list[Row] = []
    for pool, values in pools:
        for *columns, path in db.execute(_SELECT.format(pool=pool), values).fetchall():
            if not _is_unchanged(db, home, path):
                return None
            rows.append(Row(tuple(columns), _tags(db, columns[0])))
    return rows


def _is_unchanged(db: sqlite3.Connection, home: str, path: str) -> bool:
    """Whether a file is the one that was indexed: an edit in place does not show in its folder."""
    known = db.execute("SELECT size, mtime_ns FROM files WHERE path = ?", (path,)).fetchone()
    try:
        found = os.lstat(os.path.join(home, path))
    except OSError:
        return False
    return bool(known == (found.st_size, found.st_mtime_ns))


def _tags(db: sqlite3.Connection, note_id: str) -> list[str]:
    return [tag for (tag,) in db.execute(TAGS, (note_id,))]


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
