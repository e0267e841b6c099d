"""Merge the changes of two sides of a tree, note by note. Pure but for the reader of blobs it is given.

A note is known by the id in its front matter, so a note that one side moved (a new type) and the other edited
is one file with both changes; any other file is known by its path. Deleted on one side and edited on the
other: the edit survives. What clashes is left as the other side has it and is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

from anamnesis.config import MACHINES_FOLDER
from anamnesis.errors import NoteFormatError
from anamnesis.notes.record import decode, ids_superseded_by, parse
from anamnesis.sync.entry import Change, Entry, read_id
from anamnesis.sync.held import named
from anamnesis.sync.held_texts import title_of
from anamnesis.sync.merge import keep_both_versions, merge_note
from anamnesis.sync.paths import REGULAR_MODES, is_synced_path

Read = Callable[[str], bytes]


class Clash(NamedTuple):
    """One note that both sides changed in ways that exclude each other."""

    key: str
    ours_path: str
    theirs_path: str
    base: str | None
    ours: str
    theirs: str


@dataclass(slots=True)
class TreeMerge:
    """What to change in the other side's tree, and what has to be said about it."""

    edits: dict[str, Entry | bytes | None] = field(default_factory=dict)
    clashes: list[Clash] = field(default_factory=list)
    remarks: dict[str, str] = field(default_factory=dict)  # by the key of the note that they are about
    given_up: dict[str, str] = field(default_factory=dict)  # path -> our blob, of which a value was not taken
    is_merged: bool = False  # some file is neither as we had it nor as they had it


class BlobMerge(NamedTuple):
    """The merge of three blobs; `data` is None when they clash and are not text."""

    data: bytes | None
    clash: bool
    ours_gave_up: bool = False


@dataclass(slots=True)
class _Side:
    before: list[tuple[str, Entry]] = field(default_factory=list)
    after: list[tuple[str, Entry]] = field(default_factory=list)


class TreeMerger:
    """Merges changes; remembers what it parsed and merged, so that replaying many commits stays cheap."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._ids: dict[str, str | None] = {}
        self._replaced: dict[str, list[str]] = {}
        self._merges: dict[tuple[str | None, str, str], BlobMerge] = {}

    def merge(self, ours: Iterable[Change], theirs: Iterable[Change]) -> TreeMerge:
        """Bring our changes onto their tree; both are changes of one common tree."""
        mine, other = self._keyed(list(ours), list(theirs))
        result = TreeMerge()
        taken = {path: key for key, side in other.items() for path, _ in side.after if is_synced_path(path)}
        for key, side in mine.items():
            self._merge_key(key, side, other.get(key), result, taken)
        self._mark_superseded(mine, other, result, where=("here", "elsewhere"))
        self._mark_superseded(other, mine, result, where=("elsewhere", "here"))
        return result

    def note_id(self, entry: Entry, path: str) -> str | None:
        """The id in a file's front matter; None when it is no note."""
        if entry[0] not in REGULAR_MODES or not path.endswith(".md"):
            return None
        if entry[1] not in self._ids:
            self._ids[entry[1]] = read_id(self._read(entry[1]))
        return self._ids[entry[1]]

    def _keyed(self, ours: list[Change], theirs: list[Change]) -> tuple[dict[str, _Side], dict[str, _Side]]:
        mine, other = self._group(ours, frozenset()), self._group(theirs, frozenset())
        unclear = frozenset(
            key
            for key in (*mine, *other)
            if _is_unclear(mine.get(key))
            or _is_unclear(other.get(key))
            or _differ(mine.get(key), other.get(key))
        )
        if not unclear:
            return mine, other
        return self._group(ours, unclear), self._group(theirs, unclear)

    def _group(self, changes: list[Change], unclear: frozenset[str]) -> dict[str, _Side]:
        sides: dict[str, _Side] = {}
        for change in changes:
            for entry, when in ((change.old, "before"), (change.new, "after")):
                if entry:
                    key = self._key(entry, change.path, unclear)
                    getattr(sides.setdefault(key, _Side()), when).append((change.path, entry))
        return sides

    def _mark_superseded(
        self, edited: dict[str, _Side], other: dict[str, _Side], result: TreeMerge, *, where: tuple[str, str]
    ) -> None:
        """Say of each note that one side edited and the other side's new note replaces that this was so."""
        for newer, side in other.items():
            for old in self._superseded(side.after) - self._superseded(side.before):
                if old in edited and edited[old].before and edited[old].after:
                    note, successor = (
                        self._name(key, files[0][1])
                        for key, files in ((old, edited[old].after), (newer, side.after))
                    )
                    result.remarks[old] = (
                        f"{note} was edited {where[0]}, but {successor}, written {where[1]}, supersedes it; "
                        "recall shows that one alone"
                    )

    def _superseded(self, files: list[tuple[str, Entry]]) -> set[str]:
        """The ids that the notes in these files replace."""
        oids = [entry[1] for path, entry in files if self.note_id(entry, path)]
        for oid in oids:
            if oid not in self._replaced:
                self._replaced[oid] = _superseded_in(self._read(oid))
        return {note_id for oid in oids for note_id in self._replaced[oid]}

    def _name(self, key: str, entry: Entry) -> str:
        """What messages call a file: the title and id of a note, the path of anything else."""
        title = "" if key.startswith("/") else title_of(self._read(entry[1]))
        return named(key.lstrip("/"), title)

    def _key(self, entry: Entry, path: str, unclear: frozenset[str]) -> str:
        found = self.note_id(entry, path)
        # A slash cannot be part of an id, so the two kinds of key never meet.
        return f"/{path}" if found is None or found in unclear else found

    def _merge_key(
        self, key: str, ours: _Side, theirs: _Side | None, result: TreeMerge, taken: dict[str, str]
    ) -> None:
        if theirs is None:
            for path, _ in ours.before:
                result.edits.setdefault(path, None)
            for path, entry in ours.after:
                result.edits[_free_path(path, key, entry[1], taken)] = entry
        elif not theirs.after:
            if ours.after:
                path, entry = ours.after[0]
                result.edits[_free_path(path, key, entry[1], taken)] = entry
                name = self._name(key, entry)
                if not _is_heartbeat(key):
                    result.remarks[key] = f"{name} was edited here and deleted elsewhere; the edit was kept"
        elif not ours.after:
            name = self._name(key, theirs.after[0][1])
            result.remarks[key] = f"{name} was deleted here and edited elsewhere; the edit was kept"
        else:
            self._merge_both(key, ours, theirs, result, taken)

    def _merge_both(
        self, key: str, ours: _Side, theirs: _Side, result: TreeMerge, taken: dict[str, str]
    ) -> None:
        (ours_path, mine), (theirs_path, other) = ours.after[0], theirs.after[0]
        if _is_heartbeat(key):
            result.edits[ours_path] = mine  # two machines of one name; the one that speaks now is right
            return
        base_path, base = ours.before[0] if ours.before else ("", None)
        if not all(_is_file(entry, path) for path, entry in (*ours.after, *theirs.after)):
            return  # not ours to merge: the other side's stays
        merged = self.merge_blobs(base and base[1], mine[1], other[1])
        if merged.clash or merged.data is None:
            result.clashes.append(Clash(key, ours_path, theirs_path, base and base[1], mine[1], other[1]))
            return
        if merged.ours_gave_up:
            result.given_up[theirs_path] = mine[1]
        path = merged_path(base_path, ours_path, theirs_path, merged.data)
        if path != theirs_path:
            result.edits.setdefault(theirs_path, None)
            path = _free_path(path, key, mine[1], taken)
        if path != theirs_path or merged.data != self._read(other[1]):
            result.edits[path] = merged.data
        result.is_merged |= merged.data != self._read(mine[1])

    def merge_blobs(self, base: str | None, ours: str, theirs: str) -> BlobMerge:
        """Merge three blobs, given by name."""
        triple = (base, ours, theirs)
        if triple not in self._merges:
            datas = (self._read(base) if base else None, self._read(ours), self._read(theirs))
            self._merges[triple] = merge_data(*datas)
        return self._merges[triple]


def _superseded_in(data: bytes) -> list[str]:
    """The ids that the note in a file replaces."""
    if b"\nsupersedes:" not in data:
        return []
    try:
        return ids_superseded_by(parse(decode(data))[0])
    except NoteFormatError:
        return []


def merge_data(base: bytes | None, ours: bytes, theirs: bytes) -> BlobMerge:
    """Merge three versions of a file; what is not text merges only when one side left it alone."""
    if ours == theirs or theirs == base:
        return BlobMerge(ours, clash=False)
    if ours == base:
        return BlobMerge(theirs, clash=False)
    try:
        merged = merge_note(None if base is None else decode(base), decode(ours), decode(theirs))
    except NoteFormatError:
        return BlobMerge(None, clash=True)
    return BlobMerge(merged.text.encode(), merged.clash, bool(merged.ours_gave_up))


def keep_both_data(base: bytes | None, ours: bytes, theirs: bytes) -> bytes | None:
    """One file with every line of both versions; None when they are not text."""
    try:
        texts = (None if base is None else decode(base), decode(ours), decode(theirs))
    except NoteFormatError:
        return None
    return keep_both_versions(*texts).encode()


def _is_heartbeat(key: str) -> bool:
    return key.startswith(f"/{MACHINES_FOLDER}/")


def _is_file(entry: Entry, path: str) -> bool:
    return entry[0] in REGULAR_MODES and is_synced_path(path)


def _is_unclear(side: _Side | None) -> bool:
    """One id in several files: which of them is the note cannot be told."""
    return side is not None and (len(side.before) > 1 or len(side.after) > 1)


def _differ(ours: _Side | None, theirs: _Side | None) -> bool:
    """The sides do not mean the same file by one id."""
    return bool(ours and theirs and [path for path, _ in ours.before] != [path for path, _ in theirs.before])


def merged_path(base_path: str, ours: str, theirs: str, data: bytes) -> str:
    """A move by one side wins; moved by both, the folder that the merged type names."""
    if ours in (theirs, base_path):
        return theirs
    if theirs == base_path:
        return ours
    try:
        folder = parse(decode(data))[0].type
    except NoteFormatError:
        return theirs
    return ours if ours.split("/")[0] == folder != theirs.split("/")[0] else theirs


def _free_path(path: str, key: str, oid: str, taken: dict[str, str]) -> str:
    """`path`, or one beside it when the other side has something else there."""
    if not _is_taken(path, key, taken):
        taken[path] = key
        return path
    pure = PurePosixPath(path)
    folder = pure.parent if not _is_taken(str(pure.parent), key, taken) else PurePosixPath()
    aside = str(folder / f"{pure.stem}-{oid[:8]}{pure.suffix}")
    taken[aside] = key
    return aside


def _is_taken(path: str, key: str, taken: dict[str, str]) -> bool:
    if taken.get(path, key) != key:
        return True
    parents = PurePosixPath(path).parents
    if any(str(parent) in taken for parent in parents):
        return True
    return (
        any(other.startswith(f"{path}/") for other in taken) if "." not in path.rpartition("/")[2] else False
    )
