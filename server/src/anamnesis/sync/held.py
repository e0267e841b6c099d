"""Held notes: recording a clash, reading its current versions, and the result of resolving it.

The local version stays in the note's own file; the branch has the other version. The record
(`state.Held`) names all three versions as git objects. A note that is machine-local here and shared elsewhere
has no local version in the tree; its text stays out of git.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from anamnesis.errors import BadResolution, NoteFormatError, SecretFound, SyncError
from anamnesis.git import author_machine
from anamnesis.git.objects import Change, Entry
from anamnesis.notes.record import MAX_BYTES, TYPES, decode, parse, utcnow
from anamnesis.notes.vocabulary import read_id, timestamp
from anamnesis.sync.merge import keep_both_data, merge_data, text_of, title_of
from anamnesis.sync.paths import PrivateNotes, is_ulid
from anamnesis.sync.replay import (
    Clash,
    TreeMerger,
    keep_before,
    merged_path,
)
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import HeldNote
from anamnesis.sync.state import (
    Held,
    HeldNotes,
    Write,
    clash_text,
    load_removed,
    load_shared_held,
    save_removed,
)
from anamnesis.sync.waiting import SecretInFile, WaitingChange, find_unallowed, load_allowed
from anamnesis.sync.worktree import WorkTree
from anamnesis.text import plural

_AUTHOR = re.compile(r"(.*) <(.*)> (\d+) \S+")


class HeldVersions:
    """The versions of held notes as they are now, in the files and in a commit."""

    def __init__(self, repo: Repo, tree: WorkTree) -> None:
        self._repo = repo
        self._tree = tree

    def refreshed(self, held: Held, target: str) -> Held:
        """The record updated with the local file's current content and their version in `target`."""
        now, data = self.local_version(held)
        mine = None if data is None or now.private else self._repo.store(data)
        theirs_path, theirs = self.find_theirs(held, target)
        fresh = now._replace(mine=mine, theirs_path=theirs_path, theirs=theirs, at=target)
        return fresh if theirs == held.theirs and held.machine else _with_origin(self._repo, fresh)

    def local_version(self, held: Held) -> tuple[Held, bytes | None]:
        """The record with the current path of the local version, and that version."""
        path, data = self._find_mine(held)
        private = PrivateNotes(self._repo.folder)
        place = private.find(held.key) if data is None else ""
        data = private.read(place) if place else data
        return held._replace(ours_path=path, private=place, title=title_of(data) or held.title), data

    def describe_all(self, records: HeldNotes) -> list[HeldNote]:
        """The held notes with their texts."""
        return [_describe(self._repo, *self.local_version(held)) for _, held in sorted(records.items())]

    def _find_mine(self, held: Held) -> tuple[str, bytes | None]:
        """The local file of a held note, even if a change of its type has moved it."""
        name = held.ours_path.rpartition("/")[2]
        for path in (held.ours_path, *(f"{folder}/{name}" for folder in TYPES)):
            data = self._tree.read(path)
            if data is not None and (path == held.ours_path or read_id(data) == held.key):
                return path, data
        return held.ours_path, None

    def find_theirs(self, held: Held, target: str) -> tuple[str, str | None]:
        """Path and blob of the note in `target`; None if it was deleted."""
        changes = {change.path: change for change in self._repo.changes(held.at, target)}
        touched = changes.get(held.theirs_path)
        if touched is None:
            return held.theirs_path, held.theirs
        merger = TreeMerger(self._repo)
        for change in (touched, *changes.values()):
            if change.new and held.key in (f"/{change.path}", merger.note_id(change.new, change.path)):
                return change.path, change.new[1]
        return held.theirs_path, None

    def merge(self, held: Held) -> tuple[str, bytes | None] | None:
        """The path and merged content of a held note that no longer clashes; None if it still does."""
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

    def may_be_committed(self, data: bytes | None, held: Held) -> bool:
        """Whether a text may be committed: not too large, no credential that the other version lacks."""
        if data is None:
            return True
        return len(data) <= MAX_BYTES and not self.unallowed(data, held)

    def unallowed(self, data: bytes, held: Held) -> list[SecretInFile]:
        """The credentials in a text that are neither allowed nor in the other version."""
        theirs = self._repo.git.blob(held.theirs) if held.theirs else b""
        return find_unallowed(data, allowed=load_allowed(self._repo.folder.parent), known=theirs)

    def refuse_credential(self, data: bytes | None, held: Held) -> None:
        """Raise SecretFound if a text must not resolve a held note."""
        for found in self.unallowed(data or b"", held):
            raise SecretFound(
                f"the text for {held.id} contains a credential ({found.kind}, line {found.line});"
                " remove it from the file, choose the other version, or allow this machine's version with"
                f" `anamnesis sync --allow-secret {held.id}`"
            )

    def resolved_by_user(self, records: HeldNotes, ours: str | None) -> dict[str, str]:
        """Remarks on held notes that the user resolved with a commit; sync never commits a held note."""
        return {
            key: f"{record.name} was held; a manual commit in {self._repo.folder} has resolved it"
            for key, record in records.items()
            if ours and self.find_theirs(record, ours) != (record.theirs_path, record.theirs)
        }

    def hold_waiting(
        self, waiting: list[WaitingChange], left_out: Iterable[str], old: str | None, new: str | None
    ) -> HeldNotes:
        """Records for files that must not be committed and that a landing from `old` to `new` changes."""
        if new is None or not (waiting or left_out):
            return {}
        touched = {change.path: change for change in self._repo.changes(old, new)}
        too_large = [
            WaitingChange(path, path, (touched[path].old or ("", None))[1], read_id(data))
            for path in left_out
            if path in touched and (data := self._tree.read(path)) is not None
        ]
        fresh = [
            _waiting_record(self._repo, each, touched.get(each.path), at=old or "")
            for each in (*waiting, *too_large)
            if each.path in touched or each.place in touched
        ]
        return {record.key: self.refreshed(record, new) for record in fresh}

    def held_when_lost(self, origin: str) -> HeldNotes:
        """The notes that were held when the repository was lost; the fetched history has their versions."""
        has = self._repo.git.has
        return {
            key: self.refreshed(
                held._replace(at=origin, base=held.base if held.base and has(held.base) else None), origin
            )
            for key, held in load_shared_held(self._repo).items()
            if held.theirs and has(held.theirs)
        }


def _describe(repo: Repo, held: Held, mine: bytes | None) -> HeldNote:
    """A held note with its texts; `mine` is the local file's content."""
    base, theirs = (repo.git.blob(oid) if oid else None for oid in (held.base, held.theirs))
    versions = (base, mine, theirs)
    texts = [text_of(data) for data in versions]
    is_text = all(data is None or text is not None for data, text in zip(versions, texts, strict=True))
    return HeldNote(
        id=held.id,
        path=held.private or held.ours_path,
        title=title_of(mine, theirs),
        base=texts[0],
        mine=texts[1],
        theirs=texts[2],
        since=held.since,
        is_text=is_text,
        machine=held.machine,
        moment=held.moment,
        private=bool(held.private),
    )


def hold(repo: Repo, clash: Clash, *, at: str, earlier: Held | None) -> Held:
    """The record of a clash; a note that is already held keeps its start time."""
    held = Held(
        key=clash.key,
        ours_path=clash.ours_path,
        theirs_path=clash.theirs_path,
        base=clash.base,
        mine=clash.ours,
        theirs=clash.theirs,
        at=at,
        since=earlier.since if earlier else utcnow(),
        title=title_of(repo.git.blob(clash.ours), repo.git.blob(clash.theirs)),
    )
    return _with_origin(repo, held)


def _waiting_record(repo: Repo, waiting: WaitingChange, theirs: Change | None, *, at: str) -> Held:
    note_id = waiting.id
    if waiting.base is None and theirs and theirs.new:
        # A new file here and a new file there are the same note only if both have its id.
        other = TreeMerger(repo).note_id(theirs.new, theirs.path)
        note_id = note_id if note_id == other else None
    return Held(
        key=note_id or f"/{waiting.path}",
        ours_path=waiting.path,
        theirs_path=waiting.place,
        base=waiting.base,
        mine=None,
        theirs=waiting.base,
        at=at,
        since=utcnow(),
    )


def placed_files(clash: Clash) -> list[Write]:
    """The files of a newly held note, which still have the branch's version."""
    if clash.ours_path == clash.theirs_path:
        return [Write(clash.ours_path, clash.theirs, clash.ours)]
    return [Write(clash.theirs_path, clash.theirs, None), Write(clash.ours_path, None, clash.ours)]


def hold_private(repo: Repo, ours: str | None, target: str | None) -> Iterator[Held]:
    """Records for notes that are machine-local here and that `target` adds to the shared tree."""
    known = PrivateNotes(repo.folder).paths() if target and target != ours else {}
    if not known or target is None:
        return
    merger = TreeMerger(repo)
    for note_id, change in _arriving(repo.changes(ours, target), merger, known):
        oid = change.new[1] if change.new else ""
        # The last text that this machine shared before it made the note machine-local.
        deletion = repo.last_change(ours, change.path, deleted=True) if ours else None
        before = repo.blob_at(deletion.parents[0], change.path) if deletion and deletion.parents else None
        held = Held(
            key=note_id,
            ours_path=change.path,
            theirs_path=change.path,
            base=before,
            mine=None,
            theirs=oid,
            at=target,
            since=utcnow(),
            title=title_of(repo.git.blob(oid)),
            private=known[note_id],
        )
        yield _with_origin(repo, held)


def _arriving(
    changes: list[Change], merger: TreeMerger, known: dict[str, str]
) -> Iterator[tuple[str, Change]]:
    """The machine-local notes that are new in the shared tree."""
    names = ((change, change.path.rpartition("/")[2].removesuffix(".md")) for change in changes)
    suspects = [change for change, name in names if name in known or not is_ulid(name)]
    was_here = {merger.note_id(change.old, change.path) for change in suspects if change.old}
    for change in suspects:
        note_id = merger.note_id(change.new, change.path) if change.new else None
        if note_id in known and note_id not in was_here:
            yield note_id, change


def _with_origin(repo: Repo, held: Held) -> Held:
    """The record with the machine and time of the other version, from its commit."""
    commit = repo.last_change(held.at, held.theirs_path) if held.theirs else None
    author = _AUTHOR.fullmatch(commit.author) if commit else None
    if author is None:
        return held
    name, email, seconds = author.groups()
    machine = author_machine(name, email)
    moment = timestamp(int(seconds))
    return held._replace(machine=machine, moment=moment)


def chosen_version(repo: Repo, held: Held, choice: str, text: str | None) -> tuple[str, bytes | None]:
    """The path and content that a choice results in."""
    if held.private:
        return _choose_private(repo, held, choice, text)
    git = repo.git
    mine = git.blob(held.mine) if held.mine else None
    theirs = git.blob(held.theirs) if held.theirs else None
    if text is not None:
        return _edited(held, text)
    if choice == "mine" and mine is not None:
        return held.ours_path, mine
    if choice == "theirs" or mine is None:
        return held.theirs_path, theirs
    if choice != "both":
        raise BadResolution(f"{choice!r} cannot resolve a clash; choose mine, theirs or both")
    if theirs is None:
        return held.ours_path, mine
    both = keep_both_data(git.blob(held.base) if held.base else None, mine, theirs)
    if both is None:
        raise BadResolution(
            f"{held.name} is not text, so its versions cannot be combined; choose mine or theirs"
        )
    return merged_path("", held.ours_path, held.theirs_path, both), both


def _choose_private(repo: Repo, held: Held, choice: str, text: str | None) -> tuple[str, bytes | None]:
    """The path and content of a machine-local note in the shared tree; choosing theirs makes it portable."""
    if text is not None or choice not in ("mine", "theirs"):
        raise SyncError(
            f"{held.name} is machine-local here and shared elsewhere, and cannot be both: --mine keeps it "
            "here and removes it from the other machines, --theirs shares it again with their text"
        )
    if choice == "mine" or held.theirs is None:
        return held.theirs_path, None
    private = PrivateNotes(repo.folder)
    data = private.read(held.private)
    if data is not None:
        # Removed first: if killed here, the next sync finds no private note and writes theirs.
        keep_before(repo, repo.store(data))
        private.remove(held.private)
    return held.theirs_path, repo.git.blob(held.theirs)


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


@dataclass(slots=True)
class Release:
    """Notes that are no longer held: the edits to commit, and the current content of their files."""

    edits: dict[str, Entry | bytes | None] = field(default_factory=dict)
    apart: dict[str, Write | None] = field(default_factory=dict)

    def add(self, held: Held, path: str, data: bytes | None, *, hash_of: Callable[[bytes], str]) -> None:
        """Add a note that becomes `data` at `path`."""
        after = None if data is None else hash_of(data)
        if after != held.theirs or path != held.theirs_path:
            self.edits |= moved(held, path, data)
        # On disk, the local version is at `ours_path`; `theirs_path`, if different, does not exist.
        for place in held.paths:
            before = held.mine if place == held.ours_path else None
            self.apart[place] = Write(place, before, after if place == path else None)


def moved(held: Held, path: str, data: bytes | None) -> dict[str, Entry | bytes | None]:
    """The edits that replace the branch's version with `data` at `path`."""
    return {held.theirs_path: None, path: data} if held.theirs_path != path else {path: data}


def record_removed(repo: Repo, before: str, after: str | None) -> list[str]:
    """Record the notes that were removed because a rewritten remote lacks them; returns a remark."""
    gone = [change.path for change in repo.changes(before, after) if change.new is None]
    notes = [path for path in gone if path.endswith(".md")]
    if not notes:
        return []
    save_removed(repo.own, {**load_removed(repo.own), before: notes})
    return [
        f"{plural(len(notes), 'note')} that the remote no longer has {'was' if len(notes) == 1 else 'were'}"
        f" removed here; `anamnesis sync --recover {before[:10]}` brings back what was removed"
    ]


def conflict_text(held: Iterable[Held]) -> str:
    """What a sync reports while notes are held."""
    return f"{clash_text(held)} (`anamnesis resolve` shows both versions)"
