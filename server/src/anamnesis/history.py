"""The versions of notes: one note's texts over time, the store's commits, who wrote what. Reads only.

`History` has the texts kept on this machine; a backend that keeps versions adds them (`sync/log.py`). A note
is followed by its id, so its history continues through a change of type, which moves the file, and after a
deletion. To restore a version, the caller writes its text to the store. Machine-local notes are in no
backend, so all their versions are kept texts.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path
from typing import Literal

from anamnesis.errors import GitError, NoteNotFound
from anamnesis.notes.record import Memory, Scope, decode
from anamnesis.notes.vocabulary import epoch, is_valid_id
from anamnesis.undo import UndoTexts

Action = Literal["added", "edited", "moved", "deleted", "replaced"]

_COMMIT = re.compile(r"[0-9a-f]{4,64}")
HERE = "this machine"
_REPLACED = "kept here when it was replaced or deleted; not in git"


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


class History:
    """The texts kept on this machine: the whole history if the backend keeps no versions."""

    def __init__(self, *, kept: UndoTexts | None = None) -> None:
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

    def log(
        self, *, limit: int, before: str | None = None, most: int
    ) -> list[tuple[Commit, list[ChangedFile]]]:
        """The commits, newest first, each with the first `most` notes it changed.

        With `before`, only those older than this commit.
        """
        return []

    def last_note_of(
        self, machine: str, exists: Callable[[str], bool] = lambda _: True
    ) -> tuple[str, ChangedFile] | None:
        """The note that a machine wrote or changed last and that still `exists`, and when it did so."""
        return None

    def head(self) -> str | None:
        """The name of the store's last commit; None if there is none."""
        return None

    def since(self, commit: str) -> Sequence[Commit]:
        """The commits after one, newest first; none if the history no longer contains it."""
        return ()

    def texts(self) -> Iterable[bytes]:
        """Every version of every file."""
        return ()

    def blob(self, name: str) -> bytes:
        """The content of a version's `blob`."""
        raise GitError(f"no text {name} is kept on this machine; `anamnesis history ID` lists those that are")

    def first_writers(self) -> Mapping[str, str]:
        """For each path in the synced tree, the machine that first committed the file."""
        return {}

    def _committed(self, note_id: str, path: str | None) -> list[Version]:
        return []

    def _removed_versions(self, present: Collection[str]) -> dict[str, RemovedNote]:
        return {}


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
