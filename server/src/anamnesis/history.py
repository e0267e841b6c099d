"""The versions of notes: one note's texts over time, the store's commits, who wrote what. Reads only.

They come from git's log and from the texts kept on this machine; machine-local notes have only these. A note
is followed by its id, so its history continues through a change of type, which moves the file, and after a
deletion. To restore a version, the caller writes its text to the store.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from posixpath import basename
from typing import Literal

from anamnesis.errors import GitError, NoteNotFound
from anamnesis.git import AUTHOR, OUR_NAME, Git
from anamnesis.git.objects import Change, parsed_changes, reachable_blobs, references
from anamnesis.layout import MACHINES_FOLDER, MAIN
from anamnesis.notes.record import Memory, Scope, decode, is_valid_id, note_in
from anamnesis.notes.vocabulary import TYPES
from anamnesis.text import epoch, seconds_of, timestamp
from anamnesis.undo import UndoTexts

Action = Literal["added", "edited", "moved", "deleted", "replaced"]

_COMMIT = re.compile(r"[0-9a-f]{4,64}")
HERE = "this machine"
_REPLACED = "kept here when it was replaced or deleted; not in git"
_LAST = 10  # commits of a machine that are searched for a note that still exists
_MOST_NEW = 500  # commits after one that are returned
_LOGGED = (".", f":(exclude){MACHINES_FOLDER}")  # heartbeats are shown by `fleet`
_MARK = b"\x02anamnesis\x02"
_FORM = f"--format={_MARK.decode()}%H%x00%ct%x00%an%x00%ae%x00%s%x00"


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file that a commit changed; `id` and `title` are empty if it is not a note, or was not read."""

    action: Action
    path: str
    blob: str  # for a deleted file: its last blob
    id: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of the store; `machine` is the one that made it, or the author's name."""

    oid: str
    at: str
    machine: str
    is_ours: bool
    message: str
    files: tuple[ChangedFile, ...]

    @property
    def notes(self) -> tuple[ChangedFile, ...]:
        """The notes that it changed."""
        return tuple(file for file in self.files if file.path.endswith(".md"))


@dataclass(frozen=True, slots=True)
class Version:
    """A note's text at one commit, or (`replaced`) a text that a change on this machine replaced.

    `blob` is the name of the text; for a deletion, of the last text before it. A kept text has its blob name
    in place of a commit, and its time is when it was replaced or deleted.
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
class RemovedNote:
    """A deleted note: its last text, who deleted it and when."""

    at: str
    machine_id: str
    note: Memory


def walk(
    git: Git, *options: str, start: str = MAIN, places: Iterable[str] = (), most: int | None = None
) -> Iterator[Commit]:
    """The commits that `git log` lists with these options, newest first; `most` limits the files of each."""
    if start == MAIN and git.ref(MAIN) is None:
        return
    order = ("log", "-z", "--raw", "--no-abbrev", "--no-renames", "--root", _FORM)
    for part in git.run(*order, *options, start, "--", *places).split(_MARK)[1:]:
        *fields, rest = part.split(b"\0", 5)
        oid, seconds, name, email, message = (field.decode("utf-8", "replace") for field in fields)
        files = tuple(_file(change) for _, change in islice(parsed_changes(rest), most))
        machine = email.removeprefix(AUTHOR) if name == OUR_NAME else name  # a manual commit's author
        is_ours, at = email.startswith(AUTHOR), timestamp(seconds_of(seconds))
        yield Commit(oid, at, machine, is_ours, message, files)


def _file(change: Change) -> ChangedFile:
    path = change.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    action: Action = "deleted" if change.new is None else "edited" if change.old else "added"
    return ChangedFile(action, path, (change.new or change.old or ("", ""))[1])


class History:
    """The history of the notes in one folder; git's part is empty without a repository there, or a folder."""

    def __init__(self, memory_dir: Path | None, *, kept: UndoTexts | None = None) -> None:
        self._git = Git(memory_dir or Path(os.devnull))
        self._kept = kept

    def of_note(self, note_id: str, *, path: str | None = None) -> list[Version]:
        """The versions of a note, newest first; `path` is its file, if that is not named after the id."""
        if not is_valid_id(note_id):
            raise NoteNotFound(note_id)
        committed = self._committed(note_id, path)
        known = {version.blob for version in committed}
        kept = [
            Version(text.name, text.at, HERE, _REPLACED, str(text.path), "replaced", text.name, text.scope)
            for text in (self._kept.of_note(note_id) if self._kept else ())
            if text.name not in known
        ]
        return list(_merged(committed, kept))

    def find(self, note_id: str, commit: str, *, path: str | None = None) -> Version:
        """The version of a note with this name, or whose name starts with it."""
        wanted = checked(commit)
        versions = self.of_note(note_id, path=path)
        matches = [version for version in versions if version.commit.startswith(wanted)]
        if len(matches) == 1:
            return matches[0]
        wrong = "several versions" if matches else "no version"
        raise GitError(
            f"note {note_id} has {wrong} named {commit}; `anamnesis history {note_id}` lists those it has"
        )

    def text(self, version: Version) -> str:
        """The note as it was in a version; for a deletion, as it was before."""
        if version.action == "replaced":
            return decode(Path(version.path).read_bytes())
        return decode(self.blob(version.blob))

    def diff(self, old: Version | None, new: Version) -> str:
        """A unified diff between two versions; from an empty text if `old` is None."""
        before = self.text(old) if old else ""
        after = "" if new.action == "deleted" else self.text(new)
        lines = unified_diff(
            before.splitlines(keepends=True),
            after.splitlines(keepends=True),
            f"{old.path} {old.commit[:7]}" if old else "nothing",
            f"{new.path} {new.commit[:7]}",
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def removed(self, *, present: Collection[str]) -> list[RemovedNote]:
        """The deleted notes, latest first; `present` are the ids of existing notes."""
        notes = self._removed_versions(present)
        for text in self._kept.last_texts() if self._kept else ():
            if text.note.id in present:
                continue
            known = notes.get(text.note.id)
            # A backend records a deletion only at the next commit; the kept text has the exact time.
            if known is None or epoch(text.note.updated_at) > epoch(known.note.updated_at):
                note = replace(text.note, scope=text.scope)
                notes[note.id] = RemovedNote(text.at, HERE, note)
        return sorted(notes.values(), key=lambda deleted: epoch(deleted.at), reverse=True)

    def _committed(self, note_id: str, path: str | None) -> list[Version]:
        names = {f"{note_id}.md", basename(path or f"{note_id}.md")}
        places = {*(f"{folder}/{name}" for name in names for folder in TYPES), *filter(None, [path])}
        commits = [*walk(self._git, places=[f":(literal){place}" for place in sorted(places)])]
        # Otherwise it may have been in a folder that the user made.
        return [*map(_version, commits or walk(self._git, places=[f":(glob)**/{note_id}.md"]))]

    def _removed_versions(self, present: Collection[str]) -> dict[str, RemovedNote]:
        last: dict[str, tuple[Commit, str]] = {}
        for commit in walk(self._git, "--diff-filter=D"):
            for file in commit.notes:
                if basename(file.path).removesuffix(".md") not in present:
                    last.setdefault(file.path, (commit, file.blob))
        contents = dict(self._git.blobs({blob for _, blob in last.values()}))
        removed: dict[str, RemovedNote] = {}
        for commit, blob in last.values():
            note = note_in(contents[blob])
            if note is not None and note.id not in present:
                removed.setdefault(note.id, RemovedNote(commit.at, commit.machine, note))
        return removed

    def log(
        self, *, limit: int, before: str | None = None, most: int
    ) -> list[tuple[Commit, list[ChangedFile]]]:
        """The commits, newest first, each with the first `most` notes it changed."""
        more = 1 if before else 0
        walked = walk(
            self._git, f"-{limit + more}", start=checked(before) if before else MAIN, places=_LOGGED
        )
        commits = [*walked][more:]
        files = iter(self._named([file for commit in commits for file in commit.notes[:most]]))
        return [(commit, [*islice(files, len(commit.notes[:most]))]) for commit in commits]

    def _named(self, files: Sequence[ChangedFile]) -> Iterator[ChangedFile]:
        """The files with the ids and titles of notes, which are read in one batch."""
        contents = dict(self._git.blobs({file.blob for file in files}))
        for file in files:
            note = note_in(contents[file.blob])
            yield replace(file, id=note.id, title=note.title) if note else file

    def last_note_of(
        self, machine: str, exists: Callable[[str], bool] = lambda _: True
    ) -> tuple[str, ChangedFile] | None:
        """A note that still `exists` of those that a machine wrote or changed last, and when it did so."""
        # Filter by machine first, so that only its commits are compared with their parents.
        mine = ("--fixed-strings", f"--author=<{AUTHOR}{machine}>")
        for commit in walk(
            self._git, f"-{_LAST}", "--diff-filter=AM", *mine, places=["*.md"], most=5 * _LAST
        ):
            for file in self._named(commit.files):
                if exists(file.id):
                    return commit.at, file
        return None

    def head(self) -> str | None:
        """The name of the store's last commit; None if there is none."""
        return self._git.ref(MAIN)

    def since(self, commit: str) -> Sequence[Commit]:
        """The commits after one, newest first; none if the history no longer contains it."""
        try:
            if self._git.ask("merge-base", "--is-ancestor", commit, MAIN).code:
                return ()
            return [*walk(self._git, f"-{_MOST_NEW}", f"^{commit}")]
        except GitError:
            return ()

    def texts(self) -> Iterator[bytes]:
        """Every version of every file that is reachable from a reference."""
        if self._git.dir.is_dir():
            tips = [oid for _, oid in references(self._git).values()]
            yield from (data for _, data in self._git.contents(reachable_blobs(self._git, tips)))

    def blob(self, name: str) -> bytes:
        """The content of a version's `blob`."""
        return self._git.blob(name)

    def first_writers(self) -> Mapping[str, str]:
        """For each path in the synced tree, the machine that first committed the file."""
        try:
            commits = [*walk(self._git, "--diff-filter=A")]
        except GitError:
            return {}
        # Newest first, so that the first writer is the last one here.
        return {
            file.path: commit.machine if commit.is_ours else "" for commit in commits for file in commit.files
        }


def _merged(committed: list[Version], kept: list[Version]) -> Iterator[Version]:
    """Both lists as one, newest first; commits stay in git's order, because clocks may have been wrong."""
    left = deque(kept)
    for version in committed:
        while left and left[0].at > version.at:
            yield left.popleft()
        yield version
    yield from left


def checked(commit: str) -> str:
    """`commit`, if it can be the name of a commit; otherwise GitError."""
    if not _COMMIT.fullmatch(commit):
        raise GitError(f"{commit[:80]!r} is not the name of a commit; `anamnesis history` lists them")
    return commit


def _version(commit: Commit) -> Version:
    kept = [file for file in commit.files if file.action != "deleted"]
    file = (kept or commit.files)[0]
    action: Action = "moved" if kept and len(commit.files) > len(kept) else file.action
    return Version(commit.oid, commit.at, commit.machine, commit.message, file.path, action, file.blob)
