"""Held notes: recording a clash, its versions as they are now, and what a choice results in.

The local version is the note's own file, the branch has the other version, and the history has the base: a
record (`state.Held`) only names them. A note that is machine-local here and shared elsewhere has no file in
the tree; its text stays out of git.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from anamnesis.errors import BadResolution, NoteFormatError, SyncError
from anamnesis.git.objects import Change
from anamnesis.history import Commit, walk
from anamnesis.notes.record import decode, parse, read_id
from anamnesis.notes.vocabulary import TYPES
from anamnesis.sync.merge import keep_both_data, merge_data, shown_text, title_of
from anamnesis.sync.paths import is_ulid, private_note, private_notes
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import HeldNote
from anamnesis.sync.state import Held
from anamnesis.sync.tree import Tree
from anamnesis.sync.trees import Clash, TreeMerger, merged_path
from anamnesis.text import utcnow


class HeldVersions:
    """The versions of held notes as they are now, in the files and in the history."""

    def __init__(self, repo: Repo, tree: Tree) -> None:
        self._repo = repo
        self._tree = tree

    def local(self, held: Held) -> tuple[Held, bytes | None]:
        """The record with the current path of the local version, and that version."""
        path, data = self._find_mine(held)
        place = ""
        if data is None:
            place, data = private_note(self._repo.folder.parent, held.key)
        return held._replace(ours_path=path, private=place, title=title_of(data) or held.title), data

    def _find_mine(self, held: Held) -> tuple[str, bytes | None]:
        """The local file of a held note, even if a change of its type has moved it."""
        name = held.ours_path.rpartition("/")[2]
        for path in (held.ours_path, *(f"{folder}/{name}" for folder in TYPES)):
            data = self._tree.read(path)
            if data is not None and (path == held.ours_path or read_id(data) == held.key):
                return path, data
        return held.ours_path, None

    def follow(self, held: Held, changes: Iterable[Change], target: str) -> Held:
        """The record after the branch moved to `target` with these changes."""
        known = {change.path: change for change in changes}
        touched = known.get(held.theirs_path)
        if touched is None:
            return held
        merger = TreeMerger(self._repo)
        for change in (touched, *known.values()):
            if change.new and held.key in (f"/{change.path}", merger.note_id(change.new, change.path)):
                moved = held._replace(theirs_path=change.path, theirs=change.new[1])
                return self._with_origin(moved, target)
        return held._replace(theirs=None)

    def merge(self, held: Held, mine: bytes | None) -> tuple[str, bytes | None] | None:
        """The path and merged content of a held note that no longer clashes; None if it still does."""
        if held.private and held.theirs:
            return None
        theirs = self._tree.blob(held.theirs)
        if mine is None:
            return held.theirs_path, theirs
        if theirs is None:
            return held.ours_path, mine
        data, clash = merge_data(self._tree.blob(held.base), mine, theirs)
        return None if clash else (merged_path("", held.ours_path, held.theirs_path, data), data)

    def describe(self, held: Held) -> HeldNote:
        """A held note with its texts."""
        now, mine = self.local(held)
        theirs = self._tree.blob(held.theirs)
        return HeldNote(
            id=now.id,
            path=now.private or now.ours_path,
            title=title_of(mine, theirs),
            base=shown_text(self._tree.blob(held.base)),
            mine=shown_text(mine),
            theirs=shown_text(theirs),
            since=now.since,
            machine=now.machine,
            moment=now.moment,
            private=bool(now.private),
        )

    def hold(self, clash: Clash, *, at: str, earlier: Held | None) -> Held:
        """The record of a clash in the commit `at`; a note that is already held keeps its start time."""
        held = self._hold(*clash, at=at)
        return held._replace(since=earlier.since) if earlier else held

    def hold_kept_back(self, path: str, change: Change, *, at: str) -> Held:
        """The record of the file at `path` that must not be committed and that the commit `at` changes."""
        data = self._tree.read(path) or b""
        note_id = read_id(data)
        if change.old is None and change.new:
            # A new file here and a new file there are the same note only if both have its id.
            other = TreeMerger(self._repo).note_id(change.new, change.path)
            note_id = note_id if note_id == other else None
        base, theirs = (entry[1] if entry else None for entry in (change.old, change.new))
        return self._hold(note_id or f"/{path}", path, change.path, base, theirs, at=at)

    def hold_private(self, ours: str, target: str, changes: list[Change]) -> Iterator[Held]:
        """Records for notes that are machine-local here and that `target` adds to the shared tree."""
        known = private_notes(self._repo.folder.parent) if changes else {}
        if not known:
            return
        merger = TreeMerger(self._repo)
        names = ((change, change.path.rpartition("/")[2].removesuffix(".md")) for change in changes)
        suspects = [change for change, name in names if name in known or not is_ulid(name)]
        was_here = {merger.note_id(change.old, change.path) for change in suspects if change.old}
        for change in suspects:
            note_id = merger.note_id(change.new, change.path) if change.new else None
            if note_id not in known or note_id in was_here or note_id is None or change.new is None:
                continue
            # The last text that this machine shared before it made the note machine-local.
            deletion = self._last_change(ours, change.path, "--diff-filter=D") if ours else None
            before = deletion.files[0].blob if deletion else None
            held = self._hold(note_id, change.path, change.path, before, change.new[1], at=target)
            yield held._replace(private=known[note_id])

    def _hold(
        self, key: str, ours_path: str, theirs_path: str, base: str | None, theirs: str | None, *, at: str
    ) -> Held:
        """The record of a note held from now on; the commit `at` has the other version."""
        title = title_of(self._tree.read(ours_path), self._tree.blob(theirs))
        return self._with_origin(Held(key, ours_path, theirs_path, base, theirs, utcnow(), title), at)

    def _with_origin(self, held: Held, at: str) -> Held:
        """The record with the machine and time of the other version, from its commit."""
        commit = self._last_change(at, held.theirs_path) if held.theirs else None
        return held._replace(machine=commit.machine, moment=commit.at) if commit else held

    def _last_change(self, commit: str, path: str, *options: str) -> Commit | None:
        return next(walk(self._repo.git, "-1", *options, start=commit, places=[f":(literal){path}"]), None)

    def choose(
        self, held: Held, mine: bytes | None, choice: str, text: str | None
    ) -> tuple[str, bytes | None]:
        """The path and content that a choice results in; None for no file."""
        if held.private:
            return self._choose_private(held, choice, text)
        if text is not None:
            return _edited(held, text)
        theirs = self._tree.blob(held.theirs)
        if choice == "mine" and mine is not None:
            return held.ours_path, mine
        if choice == "theirs" or mine is None:
            return held.theirs_path, theirs
        if choice != "both":
            raise BadResolution(f"{choice!r} cannot resolve a clash; choose mine, theirs or both")
        if theirs is None:
            return held.ours_path, mine
        both = keep_both_data(self._tree.blob(held.base), mine, theirs)
        return merged_path("", held.ours_path, held.theirs_path, both), both

    def _choose_private(self, held: Held, choice: str, text: str | None) -> tuple[str, bytes | None]:
        """The content of a machine-local note in the shared tree; choosing theirs makes it portable."""
        if text is not None or choice not in ("mine", "theirs"):
            raise SyncError(
                f"{held.name} is machine-local here and shared elsewhere, and cannot be both: --mine keeps"
                " it here and removes it from the other machines, --theirs shares it again with their text"
            )
        return held.theirs_path, None if choice == "mine" else self._tree.blob(held.theirs)


def _edited(held: Held, text: str) -> tuple[str, bytes]:
    try:
        data = text.encode()
        if held.key.startswith("/"):
            return held.ours_path, data
        note = parse(decode(data))[0]
    except (NoteFormatError, UnicodeEncodeError) as exc:
        raise BadResolution(
            f"the edited text of {held.name} is not a note: {exc}; the note is still held"
        ) from exc
    if note.id != held.key:
        raise BadResolution(f"the edited text of {held.name} has another id; keep the `id:` line")
    return merged_path("", held.ours_path, held.theirs_path, data), data
