"""The versions of the notes: one note's texts over time, the store's commits, who wrote what. Reads only.

A note is followed by its id, so its history goes on through a change of type, which moves the file, and past
a deletion. `History` knows the texts that are kept on this machine; `GitHistory` puts the versions in git's
log among them. Restoring is returning a version's text; the caller writes it through the store. Machine-local
notes are not in git: all their versions are kept ones.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import unified_diff
from pathlib import Path
from typing import Literal, Protocol

from anamnesis.errors import GitError, NoteFormatError, NoteNotFound
from anamnesis.git import Git
from anamnesis.layout import MAIN
from anamnesis.notes.record import Memory, Scope, decode, deserialize, is_valid_id
from anamnesis.notes.vocabulary import read_id

Action = Literal["added", "edited", "moved", "deleted", "replaced"]

_ACTIONS: dict[str, Action] = {"A": "added", "D": "deleted"}
_MARK = "\x02anamnesis\x02"
_FORM = f"--format={_MARK}%H%x00%ct%x00%an%x00%ae%x00%s%x00"
_RAW = re.compile(r":\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*\0([^\0]+)\0")
_COMMIT = re.compile(r"[0-9a-f]{4,64}")
_AUTHOR = "anamnesis@"
_MAX_MOVES = 20
HERE = "this machine"
_REPLACED = "kept here when it was replaced or deleted; not in git"


class KeptText(Protocol):
    """A text that was replaced or deleted: when, from which scope, and the name of its content."""

    @property
    def name(self) -> str:
        """The name that git would give the text."""

    @property
    def at(self) -> str:
        """When it was replaced or deleted."""

    @property
    def scope(self) -> Scope:
        """The scope of the note then."""

    @property
    def path(self) -> Path:
        """The file it is kept in."""

    @property
    def note(self) -> Memory:
        """The text as a note."""


class KeptTexts(Protocol):
    """The texts that the store keeps for an undo."""

    def of_note(self, note_id: str) -> Sequence[KeptText]:
        """The kept texts of a note, the last one first."""

    def ids(self, beginning: str) -> Sequence[str]:
        """The ids of notes with kept texts that start with `beginning`."""


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

    `blob` names its text; for a deletion, the last one before it. A kept text has that name in place of a
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
    """One file that a commit changed; `id` and `title` are empty when it is not a note."""

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
    """The texts that are kept on this machine: the whole history where a backend keeps no versions."""

    def __init__(self, *, kept: KeptTexts | None = None) -> None:
        self._kept = kept

    def of_note(self, note_id: str, *, path: str | None = None, limit: int = 10_000) -> list[Version]:
        """The versions of a note, newest first; `path` is its file when that is not named after the id."""
        if not is_valid_id(note_id):
            raise NoteNotFound(note_id)
        committed = self._committed(note_id, path, limit)
        known = {version.blob for version in committed}
        kept = self._kept.of_note(note_id) if self._kept else []
        return list(_merged(committed, [_version_of(text) for text in kept if text.name not in known]))

    def find(self, note_id: str, commit: str, *, path: str | None = None) -> Version:
        """The version of a note with this name, of which the first characters are enough."""
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
        return decode(self._blob(version.blob))

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
        """Id and last title of the notes, deleted or changed here, whose id starts with `beginning`."""
        if not is_valid_id(beginning):
            return []
        return list((self._deleted_titles(beginning) | self._kept_titles(beginning)).items())

    def _kept_titles(self, beginning: str) -> dict[str, str]:
        kept = self._kept
        last = [kept.of_note(note_id)[:1] for note_id in kept.ids(beginning)] if kept else []
        return {text.note.id: text.note.title for texts in last for text in texts}

    def log(self, *, limit: int = 50, before: str | None = None) -> list[CommitEntry]:
        """The commits of the store, newest first, those older than `before` when it is given."""
        return []

    def entry(self, commit: str) -> CommitEntry:
        """One commit of the store, named by its first characters."""
        raise GitError(f"there is no commit {_checked(commit)}: this store keeps none")

    def changed(self, commit: str) -> list[ChangedFile]:
        """The files that one commit changed, notes with their id and title."""
        raise GitError(f"there is no commit {_checked(commit)}: this store keeps none")

    def machines(self) -> list[MachineRecord]:
        """Every machine that committed, the most recent first."""
        return []

    def first_writers(self) -> Mapping[str, str]:
        """By path in the tree that travels, the machine that first committed the file."""
        return {}

    def _committed(self, note_id: str, path: str | None, limit: int) -> list[Version]:
        return []

    def _deleted_titles(self, beginning: str) -> dict[str, str]:
        return {}

    def _blob(self, name: str) -> bytes:
        raise GitError(f"there is no text {name}: this store keeps no versions but those of this machine")


class GitHistory(History):
    """The history of the notes under one folder in git's log, and of the texts kept beside it.

    Where there is no repository yet, there is no history.
    """

    def __init__(self, memory_dir: str | Path, *, kept: KeptTexts | None = None) -> None:
        super().__init__(kept=kept)
        self._git = Git(Path(memory_dir).absolute())

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

    def _blob(self, name: str) -> bytes:
        return self._git.blob(name)

    def _deleted_titles(self, beginning: str) -> dict[str, str]:
        last: dict[str, _Row] = {}
        for *_, rows in self._walk(places=[f":(glob,icase)**/{beginning}*.md"]):
            for row in rows:
                if row.action == "deleted":
                    last.setdefault(row.path.rpartition("/")[2].removesuffix(".md"), row)
        contents = dict(self._git.blobs({row.blob for row in last.values()}))
        return {name: _changed_file(row, contents.get(row.blob, b"")).title for name, row in last.items()}

    def log(self, *, limit: int = 50, before: str | None = None) -> list[CommitEntry]:
        """The commits of the store, newest first, those older than `before` when it is given."""
        found = self._walk(limit=limit + bool(before), start=_checked(before) if before else None)
        entries = [
            CommitEntry(oid, at, machine, message, len(rows)) for oid, at, machine, message, rows in found
        ]
        return entries[1:] if before else entries

    def entry(self, commit: str) -> CommitEntry:
        """One commit of the store, named by its first characters."""
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
        for _, at, machine, _, rows in self._walk():
            last.setdefault(machine, at)
            commits[machine] = commits.get(machine, 0) + 1
            names = {row.path.rpartition("/")[2] for row in rows if row.action != "deleted"}
            notes.setdefault(machine, set()).update(name for name in names if name.endswith(".md"))
        return [MachineRecord(name, last[name], commits[name], len(notes[name])) for name in last]

    def first_writers(self) -> Mapping[str, str]:
        """By path in the tree that travels, the machine that first committed the file."""
        if not self._git.dir.exists():
            return {}
        order = ("log", "--reverse", "--no-renames", "--diff-filter=A", "--name-only", "-z")
        log = self._git.ask(*order, "--format=%x01%ae")
        return {} if log.code else _writers(log.out.decode("utf-8", "replace"))

    def _versions(self, places: list[str], limit: int) -> Iterator[Version]:
        for oid, at, machine, message, rows in self._walk(limit=limit, places=places):
            kept = [row for row in rows if row.action != "deleted"]
            row = (kept or rows)[0]
            action: Action = "moved" if kept and len(rows) > len(kept) else row.action
            yield Version(oid, at, machine, message, row.path, action, row.blob)

    def _moved_from(self, note_id: str, first: Version) -> str | None:
        """Where a note was before the commit that first has it in its present place."""
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
            machine = email.removeprefix(_AUTHOR) if name == "anamnesis" else name
            yield oid, at, machine, message, [_row(*fields) for fields in _RAW.findall(rest)]


def _version_of(text: KeptText) -> Version:
    return Version(text.name, text.at, HERE, _REPLACED, str(text.path), "replaced", text.name, text.scope)


def _merged(committed: list[Version], kept: list[Version]) -> Iterator[Version]:
    """Both lists as one, newest first; commits keep git's order, because their clocks may have been wrong."""
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


def _writers(log: str) -> dict[str, str]:
    writers: dict[str, str] = {}
    for entry in log.split("\x01")[1:]:
        author, *paths = entry.replace("\n", "\0").split("\0")
        machine = author.removeprefix(_AUTHOR) if author.startswith(_AUTHOR) else ""
        for path in filter(None, paths):
            writers.setdefault(path, machine)
    return writers
