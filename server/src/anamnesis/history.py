"""What is remembered of the notes: one note's versions, the store's commits, who wrote what. Reads only.

A note is followed by its id, so its history goes on through a change of type, which moves the file, and past
a deletion. Its versions are those in git and, among them, the texts that are only kept on this machine.
Restoring is giving back a version's text; whoever asked writes it through the store. Where there is no
repository yet, git has no history. Machine-local notes are not in git: all their versions are kept ones.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import unified_diff
from pathlib import Path
from typing import Literal

from anamnesis.config import MACHINES_FOLDER
from anamnesis.errors import GitError, NoteFormatError, NoteNotFound
from anamnesis.git import Git
from anamnesis.notes.record import Scope, decode, deserialize, is_valid_id
from anamnesis.store.undo import UndoText, UndoTexts
from anamnesis.sync.entry import read_id
from anamnesis.sync.repo import MAIN

Action = Literal["added", "edited", "moved", "deleted", "replaced"]

_ACTIONS: dict[str, Action] = {"A": "added", "D": "deleted"}
_MARK = "\x02anamnesis\x02"
_FORM = f"--format={_MARK}%H%x00%ct%x00%an%x00%ae%x00%s%x00"
_RAW = re.compile(r":\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*\0([^\0]+)\0")
_COMMIT = re.compile(r"[0-9a-f]{4,64}")
_MAX_MOVES = 20
_DIARY = [".", f":(exclude){MACHINES_FOLDER}"]  # what machines say of themselves is told by `fleet`
HERE = "this machine"
_REPLACED = "kept here when it was replaced or deleted; not in git"


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """One commit of the store."""

    commit: str
    at: str
    machine_id: str
    message: str
    files: int


@dataclass(frozen=True, slots=True)
class Version:
    """A text of a note: one commit that changed it, or (`replaced`) what a change on this machine replaced.

    `blob` names its text, for a deletion the last one before it. A kept text has that name in place of a
    commit, and its time is when it was replaced or deleted.
    """

    commit: str
    at: str
    machine_id: str
    message: str
    path: str
    action: Action
    blob: str
    scope: Scope = "portable"


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file that a commit changed; `id` and `title` are empty when it is no note."""

    path: str
    action: Action
    id: str
    title: str


@dataclass(frozen=True, slots=True)
class MachineRecord:
    """What one machine has written."""

    machine_id: str
    last_commit: str  # when
    commits: int
    notes: int


@dataclass(frozen=True, slots=True)
class _Row:
    action: Action
    path: str
    blob: str  # of a deleted file: the last one


class History:
    """The history of the notes under one folder, and of the texts kept beside it."""

    def __init__(self, memory_dir: str | Path, *, undo: UndoTexts | None = None) -> None:
        self._git = Git(Path(memory_dir).absolute())
        self._undo = undo

    def of_note(self, note_id: str, *, path: str | None = None, limit: int = 10_000) -> list[Version]:
        """The versions of a note, newest first; `path` is its file when that is not named after the id."""
        if not is_valid_id(note_id):
            raise NoteNotFound(note_id)
        committed = self._committed(note_id, path, limit)
        known = {version.blob for version in committed}
        kept = self._undo.of_note(note_id) if self._undo else []
        return list(_merged(committed, [_version_of(text) for text in kept if text.name not in known]))

    def _committed(self, note_id: str, path: str | None, limit: int) -> list[Version]:
        places = [f":(glob)**/{note_id}.md", *([f":(literal){path}"] if path else [])]
        versions: list[Version] = []
        for _ in range(_MAX_MOVES):
            versions = list(self._versions(places, limit))
            earlier = self._moved_from(note_id, versions[-1]) if versions else None
            if earlier is None or f":(literal){earlier}" in places:
                break
            places.append(f":(literal){earlier}")
        return versions

    def find(self, note_id: str, commit: str, *, path: str | None = None) -> Version:
        """The version that a commit, named by its beginning, made of a note."""
        wanted = _checked(commit)
        found = [version for version in self.of_note(note_id, path=path) if version.commit.startswith(wanted)]
        if len(found) == 1:
            return found[0]
        wrong = "several versions" if found else "no version"
        raise GitError(
            f"note {note_id} has {wrong} named {commit}; `anamnesis history {note_id}` lists those it has"
        )

    def text(self, version: Version) -> str:
        """The note as it was in a version; for the one that deleted it, as it was before."""
        if version.action == "replaced":
            return decode(Path(version.path).read_bytes())
        return decode(self._git.blob(version.blob))

    def diff(self, old: Version | None, new: Version) -> str:
        """What changed from one version to another, as a unified diff; `old` None: from nothing."""
        before = self.text(old) if old else ""
        after = "" if new.action == "deleted" else self.text(new)
        lines = unified_diff(
            before.splitlines(keepends=True),
            after.splitlines(keepends=True),
            f"{old.path} {old.commit[:7]}" if old else "nothing",
            f"{new.path} {new.commit[:7]}",
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def deleted(self, beginning: str) -> list[tuple[str, str]]:
        """Id and last title of the notes that were deleted, or changed here, and whose id begins so."""
        if not is_valid_id(beginning):
            return []
        last: dict[str, _Row] = {}
        for *_, rows in self._walk(places=[f":(glob,icase)**/{beginning}*.md"]):
            for row in rows:
                if row.action == "deleted":
                    last.setdefault(row.path.rpartition("/")[2].removesuffix(".md"), row)
        contents = dict(self._git.blobs({row.blob for row in last.values()}))
        titles = {name: _changed_file(row, contents.get(row.blob, b"")).title for name, row in last.items()}
        return list((titles | self._kept_titles(beginning)).items())

    def _kept_titles(self, beginning: str) -> dict[str, str]:
        undo = self._undo
        last = [undo.of_note(note_id)[:1] for note_id in undo.ids(beginning)] if undo else []
        return {text.note.id: text.note.title for texts in last for text in texts}

    def log(self, *, limit: int = 50, before: str | None = None) -> list[CommitEntry]:
        """The commits of the store, newest first, those older than `before` when it is given."""
        start = _checked(before) if before else None
        found = self._walk(limit=limit + bool(before), start=start, places=_DIARY)
        entries = [
            CommitEntry(oid, at, machine, message, len(rows)) for oid, at, machine, message, rows in found
        ]
        return entries[1:] if before else entries

    def entry(self, commit: str) -> CommitEntry:
        """One commit of the store, named by its beginning."""
        oid, at, machine, message, rows = next(self._walk(limit=1, start=_checked(commit)))
        return CommitEntry(oid, at, machine, message, len(rows))

    def changed(self, commit: str) -> list[ChangedFile]:
        """The files that one commit changed, notes with their id and title."""
        rows = next(self._walk(limit=1, start=_checked(commit)))[4]
        contents = dict(self._git.blobs({row.blob for row in rows if row.path.endswith(".md")}))
        return [_changed_file(row, contents.get(row.blob, b"")) for row in rows]

    def machines(self) -> list[MachineRecord]:
        """Every machine that committed, the most recent first."""
        last: dict[str, str] = {}
        commits: dict[str, int] = {}
        notes: dict[str, set[str]] = {}
        for _, at, machine, _, rows in self._walk(places=_DIARY):
            last.setdefault(machine, at)
            commits[machine] = commits.get(machine, 0) + 1
            names = {row.path.rpartition("/")[2] for row in rows if row.action != "deleted"}
            notes.setdefault(machine, set()).update(name for name in names if name.endswith(".md"))
        return [MachineRecord(name, last[name], commits[name], len(notes[name])) for name in last]

    def _versions(self, places: list[str], limit: int) -> Iterator[Version]:
        for oid, at, machine, message, rows in self._walk(limit=limit, places=places):
            kept = [row for row in rows if row.action != "deleted"]
            row = (kept or rows)[0]
            action: Action = "moved" if kept and len(rows) > len(kept) else row.action
            yield Version(oid, at, machine, message, row.path, action, row.blob)

    def _moved_from(self, note_id: str, first: Version) -> str | None:
        """Where a note was before the commit in which it first stands at its place."""
        if first.action != "added":
            return None
        rows = next(self._walk(limit=1, start=first.commit))[4]
        gone = {row.blob: row.path for row in rows if row.action == "deleted" and row.path.endswith(".md")}
        return next((gone[oid] for oid, data in self._git.blobs(gone) if read_id(data) == note_id), None)

    def _walk(
        self, *, limit: int | None = None, start: str | None = None, places: list[str] | None = None
    ) -> Iterator[tuple[str, str, str, str, list[_Row]]]:
        """The commits as (commit, time, machine, message, changed files), newest first."""
        if start is None and self._git.ref(MAIN) is None:
            return
        bound = [f"--max-count={limit}"] if limit else []
        order = ("log", "-z", "--raw", "--no-abbrev", "--no-renames", "--root", _FORM)
        out = self._git.run(*order, *bound, start or MAIN, "--", *(places or ())).decode("utf-8", "replace")
        for part in out.split(_MARK)[1:]:
            oid, seconds, name, email, message, rest = part.split("\0", 5)
            at = datetime.fromtimestamp(int(seconds), UTC).isoformat(timespec="seconds")
            machine = email.removeprefix("anamnesis@") if name == "anamnesis" else name
            yield oid, at, machine, message, [_row(*fields) for fields in _RAW.findall(rest)]


def _version_of(text: UndoText) -> Version:
    return Version(text.name, text.at, HERE, _REPLACED, str(text.path), "replaced", text.name, text.scope)


def _merged(committed: list[Version], kept: list[Version]) -> Iterator[Version]:
    """Both lists as one, newest first; the order of the commits stays git's, whatever their clocks said."""
    left = deque(kept)
    for version in committed:
        while left and left[0].at > version.at:
            yield left.popleft()
        yield version
    yield from left


def _row(old: str, new: str, kind: str, path: str) -> _Row:
    action = _ACTIONS.get(kind, "edited")
    return _Row(action, path, old if action == "deleted" else new)


def _checked(commit: str) -> str:
    if not _COMMIT.fullmatch(commit):
        raise GitError(f"{commit[:80]!r} is not the name of a commit; `anamnesis history` lists them")
    return commit


def _changed_file(row: _Row, data: bytes) -> ChangedFile:
    try:
        note = deserialize(decode(data))
    except NoteFormatError:
        return ChangedFile(row.path, row.action, "", "")
    return ChangedFile(row.path, row.action, note.id, note.title)
