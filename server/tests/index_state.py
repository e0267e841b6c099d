"""Inspecting an index from outside: does it match the files exactly?"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from anamnesis.index.candidates import Candidates, read_candidates
from anamnesis.index.core import Index
from anamnesis.notes.record import Memory
from anamnesis.store import MemoryStore

SETTLE = 0.05  # longer than one tick of the file system's clock


def put(store: MemoryStore, name: str, body: str = "", **fields: object) -> Memory:
    """Put a note with the given id."""
    note = Memory(name, "semantic", f"Title {name}", body, created_at="2026-01-01T00:00:00+00:00")
    note.updated_at = note.created_at
    for key, value in fields.items():
        setattr(note, key, value)
    return store.put(note)


def text_of(name: str, body: str = "walrus", *, kind: str = "semantic", extra: str = "") -> str:
    """A note file as someone writes it by hand."""
    return f"---\nid: {name}\ntype: {kind}\ntitle: Hand-made {name}\n{extra}---\n{body}\n"


def by_hand(
    store: MemoryStore, place: str, name: str, body: str = "walrus", *, kind: str = "semantic"
) -> Path:
    """Write a note file behind the store's back."""
    path = store.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(name, body, kind=kind))
    return path


def found(store: MemoryStore, query: str = "walrus", **filters: object) -> list[str]:
    """The ids that a search finds, sorted."""
    return sorted(note.id for note in store.search(query, k=1000, **filters))  # type: ignore[arg-type]


def candidates(root: Path, *projects: str, phrases: list[str] | None = None) -> Candidates:
    """What the hook reads."""
    with Index(root, patience=0.5) as index:
        return index.ask(
            lambda db: read_candidates(db, str(root), list(projects), phrases=phrases or []), thorough=False
        )


def tables(path: Path) -> dict[str, object]:
    """Everything in an index except row numbers and scan times."""
    with closing(sqlite3.connect(path)) as db:
        notes = db.execute(
            "SELECT id, type, m.title, body_path, project, machine_id, scope, created_at, updated_at,"
            " prov_source, prov_model, prov_session, confidence, supersedes, moment, f.title, body, tags,"
            " extra FROM memories m LEFT JOIN memories_fts f ON f.rowid = m.n ORDER BY 1"
        ).fetchall()
        return {
            "notes": notes,
            "texts": db.execute("SELECT count(*) FROM memories_fts").fetchone(),
            "tags": db.execute("SELECT * FROM memory_tags ORDER BY 1, 2").fetchall(),
            "supersessions": db.execute("SELECT * FROM supersessions ORDER BY 1, 2").fetchall(),
            "files": db.execute(
                "SELECT path, size, digest, note_id, problem FROM files ORDER BY 1"
            ).fetchall(),
        }


def assert_index_equals_files(store: MemoryStore) -> None:
    """Check that after a scan the index equals one rebuilt from the files, and is not damaged."""
    store.reindex()
    before = tables(store.db_path)
    store.reindex(full=True)
    assert tables(store.db_path) == before
    with closing(sqlite3.connect(store.db_path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        db.execute("INSERT INTO memories_fts(memories_fts) VALUES ('integrity-check')")


def settle() -> None:
    """Wait until a change would show in a file's modification time."""
    time.sleep(SETTLE)
