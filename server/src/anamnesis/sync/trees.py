"""Merges two trees, note by note, beside the live files: two lists of changes become one commit.

A note is identified by the id in its front matter, so if one side moved it (a new type) and the other edited
it, the result is one file with both changes; any other file is identified by its path. If one side deleted a
note and the other edited it, the edit survives. For a clash, the result has their version.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

from anamnesis.git.objects import Change, Entry
from anamnesis.layout import MACHINES_FOLDER
from anamnesis.notes.record import note_in, read_id
from anamnesis.sync.merge import merge_data, title_of
from anamnesis.sync.paths import refusal
from anamnesis.sync.repo import REGULAR_MODES, Repo
from anamnesis.text import named, plural


def rejoin_base(repo: Repo, theirs: str, seen: str) -> tuple[str, str]:
    """The base for merging a rewritten `theirs`, and why no note counts as removed ("" if one may).

    `seen` is what both sides had last. A note that a continuing history lacks was removed there. A history
    that shares no commit with ours, or lacks most of the notes, is another one: then the base has only the
    notes that both have.
    """
    if repo.is_ancestor(theirs, seen):
        return theirs, "it was reset to an earlier commit"
    there = {_file_name(change.path) for change in repo.changes(None, theirs)}
    before = [change.path for change in repo.changes(None, seen)]
    lost = [path for path in before if _file_name(path) not in there]
    notes = sum(path.endswith(".md") for path in before)
    gone = sum(path.endswith(".md") for path in lost)
    if repo.merge_base(theirs, seen) is None:
        why = "it shares no history with this machine"
    elif 2 * gone > notes:
        why = f"it lacks {gone} of the {notes} notes that it had"
    else:
        return seen, ""
    return repo.git.commit(seen, dict.fromkeys(lost), "what both have"), why


def rejoin_text(repo: Repo, ours: str, theirs: str | None, seen: str) -> str:
    """What a rejoin will do, in one sentence with counts."""
    notes = plural(sum(change.path.endswith(".md") for change in repo.changes(None, ours)), "note")
    if theirs is None:
        return f"the remote is empty: this machine sends its {notes} there again"
    base, why = rejoin_base(repo, theirs, seen) if seen else ("", "it has other files and no notes")
    changes = [change for change in repo.changes(base or None, theirs) if change.path.endswith(".md")]
    gone = sum(change.new is None for change in changes)
    arriving = f"{plural(len(changes) - gone, 'file')} from there will come in or change here"
    if why:
        return f"{why}: this machine puts its {notes} on top, none is removed here; {arriving}"
    return f"{plural(gone, 'note')} that the remote no longer has will be removed here; {arriving}"


def _file_name(path: str) -> str:
    """The name by which a note is found again in the folder of another type; any other file by its path."""
    return path.rpartition("/")[2] if path.endswith(".md") else path


class Clash(NamedTuple):
    """A note that both sides changed in incompatible ways."""

    key: str
    ours_path: str
    theirs_path: str
    base: str | None
    theirs: str


@dataclass(slots=True)
class TreeMerge:
    """What to change in the other side's tree, and what to report."""

    edits: dict[str, Entry | bytes | None] = field(default_factory=dict)
    clashes: list[Clash] = field(default_factory=list)
    remarks: dict[str, str] = field(default_factory=dict)  # by the key of the note that they are about
    replaced: set[str] = field(default_factory=set)  # files whose text here is replaced by a merged one


@dataclass(slots=True)
class _Side:
    before: list[tuple[str, Entry]] = field(default_factory=list)
    after: list[tuple[str, Entry]] = field(default_factory=list)


class TreeMerger:
    """Merges changes; reads blobs in one batch."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._blobs: dict[str, bytes] = {}
        self._result = TreeMerge()
        self._taken: dict[str, str] = {}  # path in the result -> the key of its note

    def merge(self, base: str | None, ours: str, theirs: str) -> TreeMerge:
        """What to change in the tree of `theirs` so that it has the changes of both sides since `base`."""
        here, there = self._repo.changes(base, ours), self._repo.changes(base, theirs)
        entries = [entry for change in (*here, *there) for entry in (change.old, change.new) if entry]
        blobs = {oid: None for mode, oid in entries if mode.startswith("100")}
        self._blobs = dict(self._repo.git.blobs(blobs))
        mine, other = self._group(here, frozenset()), self._group(there, frozenset())
        if unclear := frozenset(key for key in (*mine, *other) if _is_unclear(mine.get(key), other.get(key))):
            mine, other = self._group(here, unclear), self._group(there, unclear)
        for key, side in other.items():
            self._taken.update({path: key for path, _ in side.after if refusal(path) is None})
        for key, side in mine.items():
            self._merge_key(key, side, other.get(key))
        return self._result

    def _read(self, oid: str) -> bytes:
        if oid not in self._blobs:
            self._blobs[oid] = self._repo.git.blob(oid)
        return self._blobs[oid]

    def note_id(self, entry: Entry, path: str) -> str | None:
        """The id in a file's front matter; None if it is not a note."""
        is_note = entry[0] in REGULAR_MODES and path.endswith(".md")
        return read_id(self._read(entry[1])) if is_note else None

    def _group(self, changes: list[Change], unclear: frozenset[str]) -> dict[str, _Side]:
        sides: dict[str, _Side] = {}
        for change in changes:
            for entry, when in ((change.old, "before"), (change.new, "after")):
                if entry:
                    key = self._key(entry, change.path, unclear)
                    getattr(sides.setdefault(key, _Side()), when).append((change.path, entry))
        return sides

    def _key(self, entry: Entry, path: str, unclear: frozenset[str]) -> str:
        note_id = self.note_id(entry, path)
        # An id has no slash, so the two kinds of key never collide.
        return f"/{path}" if note_id is None or note_id in unclear else note_id

    def _merge_key(self, key: str, ours: _Side, theirs: _Side | None) -> None:
        if theirs and theirs.after and ours.after:
            self._merge_both(key, ours, theirs)
        elif theirs and theirs.after:
            self._remark(key, theirs.after[0][1], "was deleted here and edited elsewhere; the edit was kept")
        else:
            for path, _ in () if theirs else ours.before:
                self._result.edits.setdefault(path, None)
            for path, entry in ours.after:
                self._result.edits[self._free_path(path, key, entry[1])] = entry
                if theirs and not _is_heartbeat(key):
                    self._remark(key, entry, "was edited here and deleted elsewhere; the edit was kept")

    def _remark(self, key: str, entry: Entry, what: str) -> None:
        title = "" if key.startswith("/") else title_of(self._read(entry[1]))
        self._result.remarks[key] = f"{named(key.lstrip('/'), title)} {what}"

    def _merge_both(self, key: str, ours: _Side, theirs: _Side) -> None:
        result = self._result
        (ours_path, mine), (theirs_path, other) = ours.after[0], theirs.after[0]
        if _is_heartbeat(key):
            return  # two machines with the same name: theirs stays, and this one asks for another name
        base_path, base = ours.before[0] if ours.before else ("", None)
        sides = (*ours.after, *theirs.after)
        if not all(entry[0] in REGULAR_MODES and refusal(path) is None for path, entry in sides):
            return  # not a regular file: the other side's stays
        old, first, second = (self._read(entry[1]) if entry else None for entry in (base, mine, other))
        merged, clash = merge_data(old, first or b"", second or b"")
        if clash:
            result.clashes.append(Clash(key, ours_path, theirs_path, base and base[1], other[1]))
            return
        if merged != first:
            result.replaced.add(ours_path)
        path = merged_path(base_path, ours_path, theirs_path, merged)
        if path != theirs_path:
            result.edits.setdefault(theirs_path, None)
            path = self._free_path(path, key, mine[1])
        if path != theirs_path or merged != second:
            result.edits[path] = merged

    def _free_path(self, path: str, key: str, oid: str) -> str:
        """`path`, or one next to it if the other side has another note there."""
        if self._taken.setdefault(path, key) == key:
            return path
        pure = PurePosixPath(path)
        return str(pure.with_name(f"{pure.stem}-{oid[:8]}{pure.suffix}"))


def _is_heartbeat(key: str) -> bool:
    return key.startswith(f"/{MACHINES_FOLDER}/")


def _is_unclear(ours: _Side | None, theirs: _Side | None) -> bool:
    """Whether several files have the same id, or the sides use it for different files."""
    sides = [side for side in (ours, theirs) if side]
    before = {tuple(path for path, _ in side.before) for side in sides}
    return len(before) > 1 or any(len(side.before) > 1 or len(side.after) > 1 for side in sides)


def merged_path(base_path: str, ours: str, theirs: str, data: bytes) -> str:
    """The path of a merged note: a move by one side wins; if both moved it, the folder of the merged type."""
    if ours in (theirs, base_path):
        return theirs
    if theirs == base_path:
        return ours
    note = note_in(data)
    return ours if note and ours.split("/")[0] == note.type != theirs.split("/")[0] else theirs
