"""The tables of the index and their version.

A full rebuild fills a second set of tables and then renames them, so the table names in the schema have room
for a suffix.
"""

SCHEMA_VERSION = 6  # 1 is the layout of the specification
BUILD_SUFFIX = "_build"
SUM_MASK = (1 << 62) - 1  # sums of nanoseconds outgrow SQLite's integers
CLOCK_SECONDS = 600  # clocks may differ by this much; a note with a later date counts as undated

# `n` is the row number, shared with the full-text table: rows are found and deleted by it, never by text.
# `moment` is updated_at in seconds, so that times in other time zones sort correctly.
_TABLES = """
CREATE TABLE memories{s} (
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
CREATE TABLE memory_tags{s} (
    memory_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (memory_id, tag)
) WITHOUT ROWID;
CREATE TABLE supersessions{s} (
    old_id TEXT NOT NULL,
    new_id TEXT NOT NULL,
    PRIMARY KEY (old_id, new_id)
) WITHOUT ROWID;
CREATE TABLE rules{s} (
    project TEXT NOT NULL,
    moment INTEGER NOT NULL,
    note_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    line TEXT NOT NULL,
    PRIMARY KEY (project, moment, note_id, position)
) WITHOUT ROWID;
CREATE TABLE files{s} (
    path TEXT PRIMARY KEY,
    folder TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    digest BLOB NOT NULL,
    note_id TEXT,
    problem TEXT
) WITHOUT ROWID;
CREATE TABLE folders{s} (
    path TEXT PRIMARY KEY,
    mtime_ns INTEGER NOT NULL,
    files INTEGER NOT NULL,
    sizes INTEGER NOT NULL,
    mtimes INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE words{s} (
    letters TEXT PRIMARY KEY,
    words TEXT NOT NULL
);
CREATE VIRTUAL TABLE memories_fts{s} USING fts5(
    title, body, tags, extra, tokenize='porter unicode61'
);
"""

# Created after the rows are inserted: sorting once is much cheaper than updating them row by row.
# The working set is chosen from its own index, without reading the project's rows.
_INDEXES = """
CREATE INDEX idx_mem_scope ON memories(project, type, scope);
CREATE INDEX idx_mem_recency ON memories(updated_at DESC);
CREATE INDEX idx_mem_prov ON memories(prov_source);
CREATE INDEX idx_mem_working_set ON memories(project, type, moment, confidence, id);
CREATE INDEX idx_tag ON memory_tags(tag);
CREATE INDEX idx_superseding ON supersessions(new_id);
CREATE INDEX idx_rule_note ON rules(note_id);
CREATE INDEX idx_file_folder ON files(folder);
CREATE INDEX idx_file_note ON files(note_id);
CREATE INDEX idx_file_problem ON files(path) WHERE problem IS NOT NULL;
"""

FILE = "files p ON p.note_id = m.id AND p.problem IS NULL"  # to join a note with its file

NAMES = frozenset(
    ("memories", "memory_tags", "supersessions", "rules", "files", "folders", "words", "memories_fts")
)

SCHEMA = _TABLES.format(s="") + _INDEXES


MOST_BOUND = 500  # SQLite limits the number of bound values


def marks(count: int) -> str:
    """Placeholders for this many bound values."""
    return ", ".join("?" * count)


def create_tables(suffix: str) -> list[str]:
    """Statements that drop the tables with this suffix and create them empty, without indexes."""
    drops = [f"DROP TABLE IF EXISTS {name}{suffix}" for name in NAMES]
    return drops + _statements(_TABLES.format(s=suffix))


def gather(suffix: str) -> str:
    """A statement that makes inserting many notes a quarter faster, and merging and searching too.

    Undocumented: how many bytes of new terms FTS5 buffers before it writes a segment.
    """
    table = f"memories_fts{suffix}"
    return f"INSERT INTO {table} ({table}, rank) VALUES ('hashsize', 16777216)"


def finish_tables(suffix: str) -> list[str]:
    """Statements that make the tables with this suffix the live ones, and index them."""
    renames: list[str] = []
    if suffix:
        # A rename rewrites the whole schema, so drop everything old first.
        renames += [f"DROP TABLE IF EXISTS {name}" for name in NAMES]
        renames += [f"ALTER TABLE {name}{suffix} RENAME TO {name}" for name in NAMES]
    return [*renames, *_statements(_INDEXES), f"PRAGMA user_version = {SCHEMA_VERSION}"]


def _statements(script: str) -> list[str]:
    return [statement.strip() for statement in script.split(";") if statement.strip()]
