"""Sync's own small files: hints, the count of syncs, the journal, held notes, the last failure.

All but one are in `.git/anamnesis/`. Hints (`state.json`, written under the store's write lock) and the count
of syncs (`runs.json`, written under the sync lock) can be deleted without harm. The journal, the held notes
and the list of unwritten files are written durably, because the next run continues from them. `sync.json`,
next to the repository, names the last commit shared with the remote: a lost `.git` is rebuilt from it.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

from anamnesis.files import (
    TEMP_PREFIX,
    make_folder,
    parse_object,
    read_object,
    read_regular,
    write_atomic,
    write_object,
)
from anamnesis.git import is_oid
from anamnesis.layout import HELD_COPY, HELD_NAME, MEMO_NAME, OWN_REFS, SHARED_NAME
from anamnesis.notes.vocabulary import local_time
from anamnesis.sync.failure import Failure
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import REMEDY
from anamnesis.text import named

# The references that protect the versions from garbage collection, and the copy of the record.
_UNDER, _, _COPY = HELD_COPY.removeprefix(OWN_REFS).partition("/")
_FAILURE_FILE = "failure.json"
_REMOVED_SECONDS = 30 * 86_400
HERE = "here"  # instead of a remote's name: the failure is in the store's own repository


@dataclass(slots=True)
class Memo:
    """Hints that make the next run cheap."""

    head: str | None = None  # the commit that git's index matched
    index: list[int] = field(default_factory=list)  # inode, size and time of the index file then
    ready: str = ""  # the setup that was done, so that it is not repeated
    searched: str | None = None  # the commit up to which every text was searched for credentials

    def matches(self, git_dir: Path, head: str | None) -> bool:
        """Whether git's index file is still the one that matched `head`."""
        return bool(self.index) and self.head == head and self.index == _file_stamp(git_dir / "index")

    def stamp(self, git_dir: Path, head: str | None) -> None:
        """Record that git's index matches `head`."""
        self.head, self.index = head, _file_stamp(git_dir / "index")

    def advance(self, old: str | None, new: str | None) -> None:
        """Record that what `new` adds to `old` was searched for credentials."""
        self.searched = new if self.searched == old else self.searched


def _file_stamp(path: Path) -> list[int]:
    """Inode, size and time of a file; empty if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return []
    return [status.st_ino, status.st_size, status.st_mtime_ns]


def load_memo(own: Path) -> Memo:
    """The hints; empty if there are none."""
    stored = read_object(own / MEMO_NAME)
    memo = Memo()
    for key, kind in (("head", str), ("index", list), ("ready", str), ("searched", str)):
        if isinstance(stored.get(key), kind):
            setattr(memo, key, stored[key])
    return memo


def save_memo(own: Path, memo: Memo) -> None:
    """Save hints for the next run."""
    _replace_unsynced(own / MEMO_NAME, asdict(memo))


class Runs(NamedTuple):
    """The syncs of this store, numbered: the last one started, the last one finished, and how it ended."""

    started: int = 0
    finished: int = 0
    reached: bool = True  # whether the remote answered the sync that finished last
    last_sync: str | None = None  # when the remote last answered


def load_runs(own: Path) -> Runs:
    """The count of syncs; zero if there is no readable file."""
    stored = read_object(own / "runs.json")
    started, finished, last = stored.get("started"), stored.get("finished"), stored.get("last_sync")
    return Runs(
        started=started if isinstance(started, int) else 0,
        finished=finished if isinstance(finished, int) else 0,
        reached=stored.get("reached") is not False,
        last_sync=last if isinstance(last, str) else None,
    )


def save_runs(own: Path, runs: Runs) -> None:
    """Write the count of syncs; the caller holds the sync lock."""
    for leftover in own.glob("runs.*.tmp"):
        leftover.unlink(missing_ok=True)
    _replace_unsynced(own / "runs.json", runs._asdict())


def clear_leftovers(own: Path) -> None:
    """Remove the temporary files of processes that died; the caller holds the store's write lock."""
    for folder in (own, own.parent, own.parent / "info"):
        with suppress(FileNotFoundError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith((TEMP_PREFIX, "state.")) and entry.name != MEMO_NAME:
                    Path(entry.path).unlink(missing_ok=True)


def _replace_unsynced(path: Path, content: dict[str, object]) -> None:
    """Replace a file that can be lost, without an fsync."""
    make_folder(path.parent)
    temp = path.with_suffix(f".{os.getpid()}.tmp")
    temp.touch(mode=0o600)
    temp.write_text(json.dumps(content))
    temp.replace(path)


class Write(NamedTuple):
    """A file to change from `before` to `after` (blobs, None for "no file")."""

    path: str
    before: str | None
    after: str | None


class Journal(NamedTuple):
    """A landing in progress: its target commit, each file it touches, and the held notes before it."""

    target: str
    writes: list[Write]
    held: dict[str, object]


def load_journal(own: Path) -> Journal | None:
    """The landing that a crash interrupted; None if there is none."""
    stored = read_object(own / "journal.json")
    writes, target, held = stored.get("writes"), stored.get("target"), stored.get("held")
    if not isinstance(writes, list) or not isinstance(target, str) or not isinstance(held, dict):
        return None
    return Journal(target, [Write(*item) for item in writes], held)


def has_journal(own: Path) -> bool:
    """Whether a landing is in progress or was interrupted."""
    return (own / "journal.json").exists()


def save_journal(own: Path, journal: Journal) -> None:
    """Record durably what is about to be done."""
    rows = [[write.path, write.before, write.after] for write in journal.writes]
    content = {"target": journal.target, "writes": rows, "held": journal.held}
    write_object(own / "journal.json", content)


def drop_journal(own: Path) -> None:
    """Remove the journal: the landing is complete, or undone."""
    (own / "journal.json").unlink(missing_ok=True)


def load_unwritten(own: Path) -> frozenset[str]:
    """Files in the store's commit that could not be written here; they do not count as deleted."""
    paths = read_object(own / "unwritten.json").get("paths")
    return (
        frozenset(path for path in paths if isinstance(path, str)) if isinstance(paths, list) else frozenset()
    )


def save_unwritten(own: Path, paths: frozenset[str]) -> None:
    """Record durably which files could not be written."""
    if paths != load_unwritten(own):
        write_object(own / "unwritten.json", {"paths": sorted(paths)})


def load_removed(own: Path) -> dict[str, list[str]]:
    """The notes that a rejoin removed in the last 30 days: the commit that has them -> their paths."""
    stored = read_object(own / "removed.json")
    return {
        commit: [path for path in row[1] if isinstance(path, str)]
        for commit, row in stored.items()
        if isinstance(row, list) and len(row) == 2 and isinstance(row[1], list)
        if isinstance(row[0], int) and abs(time.time() - row[0]) < _REMOVED_SECONDS
    }


def save_removed(own: Path, removed: dict[str, list[str]]) -> None:
    """Record durably which notes can be brought back."""
    write_object(own / "removed.json", {key: [int(time.time()), paths] for key, paths in removed.items()})


class Held(NamedTuple):
    """One held note and its versions; `theirs` at `theirs_path` is the version in the commit `at`."""

    key: str  # the note's id; "/path" for any other file
    ours_path: str
    theirs_path: str
    base: str | None
    mine: str | None
    theirs: str | None
    at: str
    since: str
    title: str = ""
    machine: str = ""  # machine and time of `theirs`
    moment: str = ""
    private: str = ""  # the note's file in the machine-local tree, if it is there now

    @property
    def id(self) -> str:
        """Its id on the command line: a note's id, any other file's path."""
        return self.key.lstrip("/")

    @property
    def name(self) -> str:
        """Its name in messages: title and id."""
        return named(self.id, self.title)

    @property
    def description(self) -> str:
        """Its description in messages: its name, and which other machine changed it and when."""
        here = "machine-local here, " if self.private else ""
        there = f"on {self.machine} at {local_time(self.moment)}" if self.machine else "on another machine"
        return f"{self.name}, {here}changed {there}"

    @property
    def paths(self) -> tuple[str, str]:
        """The paths that are not touched while the note is held."""
        return self.ours_path, self.theirs_path


HeldNotes = dict[str, Held]


def clash_text(held: Iterable[Held]) -> str:
    """Which notes are held, in one line; "" if none are."""
    names = "; ".join(record.description for record in sorted(held, key=lambda record: record.id))
    return f"conflict: kept local edits, not pushed: {names}; {REMEDY}" if names else ""


_FIELDS = frozenset(Held._fields) - {"key"}


def paths_of(notes: HeldNotes) -> list[str]:
    """The paths in the tree that belong to held notes."""
    return [path for held in notes.values() for path in held.paths]


def load_held(repo: Repo) -> HeldNotes:
    """The held notes by key; a lost or damaged record is restored from its copy in git's objects."""
    try:
        stored = parse_object(read_regular(repo.own / HELD_NAME))
    except OSError:
        stored = None
    if stored is None:
        copy = repo.git.ref(HELD_COPY)
        stored = parse_object(repo.git.blob(copy)) if copy else None
    return read_held(stored or {})


def read_held(stored: dict[str, object]) -> HeldNotes:
    """Held notes from their JSON form; an unreadable record is skipped."""
    notes: HeldNotes = {}
    for key, record in stored.items():
        if isinstance(record, dict):
            try:
                notes[key] = Held(key=key, **{name: record[name] for name in _FIELDS & record.keys()})
            except TypeError:
                continue
    return notes


def dump_held(notes: HeldNotes) -> dict[str, object]:
    """The JSON form of held notes."""
    return {
        key: {name: value for name, value in held._asdict().items() if name != "key"}
        for key, held in notes.items()
    }


def save_held(repo: Repo, notes: HeldNotes) -> None:
    """Record durably which notes are held, their versions first."""
    before, content = load_held(repo), json.dumps(dump_held(notes)).encode()
    if dump_held(before) == dump_held(notes):
        return
    kept = {
        f"{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()[:20]}/{side}": oid
        for key, held in notes.items()
        for side, oid in (("base", held.base), ("mine", held.mine), ("theirs", held.theirs))
        if oid
    }
    if notes:
        kept[_COPY] = repo.store(content)
    # Both the old and the new versions are protected during the change.
    old = (oid for held in before.values() for oid in (held.base, held.mine, held.theirs) if oid)
    known = {**{f"old-{oid}": oid for oid in old}, **kept}
    repo.protect(known, under=_UNDER)
    write_atomic(repo.own / HELD_NAME, content)
    if known != kept:
        repo.protect(kept, under=_UNDER)


def save_shared(repo: Repo, commit: str | None) -> None:
    """Record the last commit that this machine and the remote both have, and the held notes."""
    content = {"head": commit, "held": dump_held(load_held(repo))}
    if commit and read_object(_shared_path(repo)) != content:
        write_object(_shared_path(repo), content)


def load_shared(repo: Repo) -> str | None:
    """The last commit shared with the remote; None if unknown."""
    head = read_object(_shared_path(repo)).get("head")
    return head if isinstance(head, str) and is_oid(head) else None


def load_shared_held(repo: Repo) -> HeldNotes:
    """The notes that were held at that commit."""
    held = read_object(_shared_path(repo)).get("held")
    return read_held(held) if isinstance(held, dict) else {}


def _shared_path(repo: Repo) -> Path:
    return repo.folder.parent / SHARED_NAME


def save_failure(own: Path, remote: str, failure: Failure | None) -> None:
    """Save why the last sync failed, None if it did not; `remote` is its name without a login."""
    content = {"remote": remote, **failure._asdict()} if failure else {}
    # The failure may be a full disk; not being able to save it must not hide it.
    with suppress(OSError):
        if not content:
            (own / _FAILURE_FILE).unlink(missing_ok=True)
        elif read_object(own / _FAILURE_FILE) != content:
            write_object(own / _FAILURE_FILE, content)


def last_failure(own: Path, remote: str) -> Failure | None:
    """Why the last sync with `remote`, or its local part, failed; None if it did not."""
    stored = read_object(own / _FAILURE_FILE)
    parts = [stored.get(key) for key in ("kind", "what", "remedy")]
    if stored.get("remote") not in (remote, HERE) or not all(isinstance(part, str) for part in parts):
        return None
    return Failure(*map(str, parts))
