"""Lists the files of both trees, and updates the tables from them: the changed ones, or all from scratch.

The changed files are read outside transactions and their rows written in short ones, so that another writer
never waits long. A rebuild is one transaction: until it ends everyone else reads the old rows, and an
interrupted one leaves them as they were.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field

from anamnesis.index.database import Database, create_tables, finish_tables
from anamnesis.index.rows import (
    NOT_READ,
    Loaded,
    count_notes,
    forget_file,
    load,
    not_a_note,
    put_loaded,
    put_new,
)
from anamnesis.layout import MEMORY, RECORD_FOLDERS, SCOPE_OF

_HOST_README = f"{MEMORY}/README.md"  # which hosts put into a new repository; not a note
# Folders of our own small records. They contain no notes, so changes in them are ignored; otherwise each
# would make the next session scan every file.
_RECORDS = frozenset(f"{MEMORY}/{name}" for name in RECORD_FOLDERS)


@dataclass(slots=True)
class Scan:
    """The folders and note files of both trees, by path relative to the store."""

    folders: dict[str, int] = field(default_factory=dict)  # -> mtime_ns
    files: dict[str, tuple[int, int]] = field(default_factory=dict)  # -> size, mtime_ns
    unreadable: dict[str, str] = field(default_factory=dict)  # -> why it is not read

    def load(self, root: str, path: str) -> Loaded | None:
        """Read one of the files; None if it is gone."""
        return not_a_note(path, self.unreadable[path]) if path in self.unreadable else load(root, path)


def scan(root: str) -> Scan:
    """List both trees; symlinks are not followed, hidden entries are skipped."""
    found, pending = Scan(), [*SCOPE_OF][::-1]
    while pending:
        folder, before = pending.pop(), len(found.files)
        below: list[str] = []
        try:
            changed_at = os.stat(os.path.join(root, folder)).st_mtime_ns
            with os.scandir(os.path.join(root, folder)) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    if entry.name[0] != ".":
                        _add_entry(found, folder, below, entry)
        except OSError:
            continue
        if folder not in _RECORDS or len(found.files) > before:
            found.folders[folder] = changed_at
        pending += reversed(below)
    return found


def _add_entry(found: Scan, folder: str, below: list[str], entry: os.DirEntry[str]) -> None:
    path = f"{folder}/{entry.name}"
    try:
        path.encode()
    except UnicodeEncodeError:  # Linux allows any bytes in a name
        shown = os.fsencode(path).decode(errors="backslashreplace")
        found.files[shown], found.unreadable[shown] = NOT_READ, "has a name that is not UTF-8; rename it"
        return
    if path == _HOST_README or not path.endswith(".md"):
        if entry.is_dir(follow_symlinks=False):
            below.append(path)
        return
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:  # removed meanwhile
        return
    if stat.S_ISREG(info.st_mode):
        found.files[path] = (info.st_size, info.st_mtime_ns)
    elif stat.S_ISDIR(info.st_mode):
        below.append(path)
    else:
        found.files[path], found.unreadable[path] = (
            NOT_READ,
            "is not a regular file; put the note itself here",
        )


def refresh(db: Database, root: str) -> None:
    """Index what was added, edited or removed since the last scan."""
    found = scan(root)
    known = {row[0]: (row[1], row[2]) for row in db.execute("SELECT path, size, mtime_ns FROM files")}
    changed = [path for path, seen in found.files.items() if known.pop(path, None) != seen]
    has_copies = False
    paths = [*known, *changed]  # those that are left in `known` are gone
    for start in range(0, len(paths), 1000):  # other writers wait for one transaction
        loaded = {path: found.load(root, path) for path in paths[start : start + 1000]}
        with db.transaction():
            for path, item in loaded.items():
                has_copies = forget_file(db, path, now=item) or has_copies
            for item in loaded.values():
                if item is not None:
                    put_loaded(db, item)
    if found.folders != {row[0]: row[1] for row in db.rows("SELECT path, mtime_ns FROM folders")}:
        with db.transaction():
            _put_folders(db, found.folders)
    if has_copies:
        refresh(db, root)


def rebuild(db: Database, root: str) -> int:
    """Fill new tables from every file; returns the number of notes."""
    found = scan(root)
    with db.transaction():
        for statement in create_tables():
            db.execute(statement)
        _fill(db, root, found)
        _put_folders(db, found.folders)
        for statement in finish_tables():
            db.execute(statement)
    return count_notes(db)


def _fill(db: Database, root: str, found: Scan) -> None:
    """Read all files and insert their notes, a hundred at a time: in turn, both would take a fifth longer."""
    paths = [*found.files]
    ids: set[str] = set()
    for start in range(0, len(paths), 100):
        new: list[Loaded] = []
        copies: list[Loaded] = []
        for item in [found.load(root, path) for path in paths[start : start + 100]]:
            if item is not None:
                name = item.note.id if item.note else item.path
                (copies if name in ids else new).append(item)
                ids.add(name)
        put_new(db, new)
        for item in copies:
            put_loaded(db, item)


def _put_folders(db: Database, times: dict[str, int]) -> None:
    db.execute("DELETE FROM folders")
    db.executemany("INSERT INTO folders (path, mtime_ns) VALUES (?, ?)", times.items())
