"""The tables of the index and their version."""

SCHEMA_VERSION = 7  # 1 is the layout of the specification
CLOCK_SECONDS = 600  # clocks may differ by this much; a note with a later date counts as undated
MOST_BOUND = 500  # SQLite limits the number of bound values

# `n` is the row number, shared with the full-text table: rows are found and deleted by it, never by text.
# `moment` is updated_at in seconds, so that times in other time zones sort correctly.
_TABLES = """
CREATE TABLE memories (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL CHECK (type IN ('procedural','semantic','episodic')),
    title TEXT NOT NULL,
    body_path TEXT NOT NULL,
    project TEXT NOT NULL DEFAULT 'global',
    machine_id TEXT NOT NULL,
    scope TEXT NOT NULL DEFAULT 'portable' CHECK (scope IN ('portable','machine-local')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    prov_source TEXT NOT NULL DEFAULT 'human'
        CHECK (prov_source IN ('human','session-end','reflection','import')),
    prov_model TEXT,
    prov_session TEXT,
    confidence REAL NOT NULL DEFAULT 1.0,
    supersedes TEXT,
    moment INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE memory_tags (
    memory_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (memory_id, tag)
) WITHOUT ROWID;
CREATE TABLE supersessions (
    old_id TEXT NOT NULL,
    new_id TEXT NOT NULL,
    PRIMARY KEY (old_id, new_id)
) WITHOUT ROWID;
CREATE TABLE rules (
    project TEXT NOT NULL,
    moment INTEGER NOT NULL,
    note_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    line TEXT NOT NULL,
    PRIMARY KEY (project, moment, note_id, position)
) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    digest BLOB NOT NULL,
    note_id TEXT,
    problem TEXT
) WITHOUT ROWID;
CREATE INDEX idx_file_note ON files(note_id);
CREATE TABLE folders (
    path TEXT PRIMARY KEY,
    mtime_ns INTEGER NOT NULL
) WITHOUT ROWID;
CREATE VIRTUAL TABLE memories_fts USING fts5(
    title, body, tags, extra, tokenize='porter unicode61'
);
"""

# Created after the rows are inserted: sorting once is much cheaper than updating them row by row.
_INDEXES = """
CREATE INDEX idx_mem_scope ON memories(project, type, scope);
CREATE INDEX idx_mem_recency ON memories(updated_at DESC);
CREATE INDEX idx_mem_prov ON memories(prov_source);
CREATE INDEX idx_mem_working_set ON memories(project, type, moment, confidence, id);
CREATE INDEX idx_tag ON memory_tags(tag);
CREATE INDEX idx_superseding ON supersessions(new_id);
CREATE INDEX idx_rule_note ON rules(note_id);
CREATE INDEX idx_file_problem ON files(path) WHERE problem IS NOT NULL;
"""
SCHEMA = _TABLES + _INDEXES
NAMES = frozenset(("memories", "memory_tags", "supersessions", "rules", "files", "folders", "memories_fts"))

FILE = "files p ON p.note_id = m.id AND p.problem IS NULL"  # to join a note with its file

# FTS5's undocumented limit of new terms in memory; with this many bytes, many notes are inserted in a quarter
# less time.
_GATHER = "INSERT INTO memories_fts (memories_fts, rank) VALUES ('hashsize', 16777216)"


def create_tables() -> list[str]:
    """Statements that drop all tables and create them empty, without indexes."""
    return [*(f"DROP TABLE IF EXISTS {name}" for name in sorted(NAMES)), *_statements(_TABLES), _GATHER]


def finish_tables() -> list[str]:
    """Statements that complete the filled tables."""
    return [*_statements(_INDEXES), f"PRAGMA user_version = {SCHEMA_VERSION}"]


def _statements(script: str) -> list[str]:
    return [statement.strip() for statement in script.split(";") if statement.strip()]


def marks(count: int) -> str:
    """Placeholders for this many bound values."""
    return ", ".join("?" * count)
