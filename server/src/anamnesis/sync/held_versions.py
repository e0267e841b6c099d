"""The versions of a held note as they are now: the local file, the branch's, and whether they merge."""

from __future__ import annotations

from dataclasses import replace

from anamnesis.notes.record import MAX_BYTES, TYPES
from anamnesis.sync.clashes import with_origin
from anamnesis.sync.credentials import Found, find_unallowed, load_allowed
from anamnesis.sync.entry import read_id
from anamnesis.sync.held import Held
from anamnesis.sync.held_texts import title_of
from anamnesis.sync.join import Blobs
from anamnesis.sync.private import PrivateNotes
from anamnesis.sync.repo import Repo
from anamnesis.sync.tree import TreeMerger, merge_data, merged_path
from anamnesis.sync.worktree import WorkTree


class HeldVersions:
    """Finds the versions of held notes in the files and in a commit."""

    def __init__(self, repo: Repo, tree: WorkTree) -> None:
        self._repo = repo
        self._tree = tree

    def refreshed(self, held: Held, target: str) -> Held:
        """The record brought up to date: the local file now, their version in `target`."""
        now, data = self.local_version(held)
        mine = None if data is None or now.private else self._repo.store(data)
        theirs_path, theirs = self.find_theirs(held, target)
        fresh = replace(now, mine=mine, theirs_path=theirs_path, theirs=theirs, at=target)
        return fresh if theirs == held.theirs and held.machine else with_origin(self._repo, fresh)

    def local_version(self, held: Held) -> tuple[Held, bytes | None]:
        """The record with the place of the local version now, and that version."""
        path, data = self._find_mine(held)
        private = PrivateNotes(self._repo.folder)
        place = private.find(held.key) if data is None else ""
        data = private.read(place) if place else data
        return replace(held, ours_path=path, private=place, title=title_of(data) or held.title), data

    def _find_mine(self, held: Held) -> tuple[str, bytes | None]:
        """The local file of a held note, wherever a change of its type has moved it."""
        name = held.ours_path.rpartition("/")[2]
        for path in (held.ours_path, *(f"{folder}/{name}" for folder in TYPES)):
            data = self._tree.read(path)
            if data is not None and (path == held.ours_path or read_id(data) == held.key):
                return path, data
        return held.ours_path, None

    def find_theirs(self, held: Held, target: str) -> tuple[str, str | None]:
        """Where `target` has the note: the path and blob, None when it has been deleted."""
        changes = {change.path: change for change in self._repo.changes(held.at, target)}
        touched = changes.get(held.theirs_path)
        if touched is None:
            return held.theirs_path, held.theirs
        merger = TreeMerger(Blobs(self._repo).read)
        for change in (touched, *changes.values()):
            if change.new and held.key in (f"/{change.path}", merger.note_id(change.new, change.path)):
                return change.path, change.new[1]
        return held.theirs_path, None

    def merge(self, held: Held) -> tuple[str, bytes | None] | None:
        """The path and content a held note comes to when it no longer clashes; None while it does."""
        if held.private and held.theirs:
            return None
        if held.mine is None:
            return held.theirs_path, self._repo.git.blob(held.theirs) if held.theirs else None
        mine = self._repo.git.blob(held.mine)
        if held.theirs is None:
            return held.ours_path, mine
        base = self._repo.git.blob(held.base) if held.base else None
        merged = merge_data(base, mine, self._repo.git.blob(held.theirs))
        if merged.clash or merged.data is None:
            return None
        return merged_path("", held.ours_path, held.theirs_path, merged.data), merged.data

    def may_go(self, data: bytes | None, held: Held) -> bool:
        """Whether a text may be committed: not too large, no credential beyond those of the other version."""
        if data is None:
            return True
        return len(data) <= MAX_BYTES and not self.unallowed(data, held)

    def unallowed(self, data: bytes, held: Held) -> list[Found]:
        """The credentials in a text that neither the other version has nor anybody has allowed."""
        theirs = self._repo.git.blob(held.theirs) if held.theirs else b""
        return find_unallowed(data, allowed=load_allowed(self._repo.folder.parent), known=theirs)
