"""From a clash to a held note: what is recorded about it, and where the other version came from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from anamnesis.errors import SyncError
from anamnesis.notes.record import utcnow
from anamnesis.sync.entry import Change
from anamnesis.sync.held import Held
from anamnesis.sync.held_texts import title_of
from anamnesis.sync.join import Blobs, keep_before
from anamnesis.sync.private import PrivateNotes, is_ulid
from anamnesis.sync.repo import Repo
from anamnesis.sync.tree import Clash, TreeMerger

_AUTHOR = re.compile(r"(.*) <(.*)> (\d+) \S+")


def hold(repo: Repo, clash: Clash, *, at: str, earlier: Held | None) -> Held:
    """The record of a clash; a note that was held already is held since then."""
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
    return with_origin(repo, held)


def hold_private(repo: Repo, ours: str | None, target: str | None) -> Iterator[Held]:
    """Records of the notes that `target` brings into the shared tree and that are machine-local here."""
    known = PrivateNotes(repo.folder).paths() if target and target != ours else {}
    if not known or target is None:
        return
    merger = TreeMerger(Blobs(repo).read)
    for note_id, change in _arriving(repo.changes(ours, target), merger, known):
        oid = change.new[1] if change.new else ""
        held = Held(
            key=note_id,
            ours_path=change.path,
            theirs_path=change.path,
            base=_last_shared(repo, ours, change.path),
            mine=None,
            theirs=oid,
            at=target,
            since=utcnow(),
            title=title_of(repo.git.blob(oid)),
            private=known[note_id],
        )
        yield with_origin(repo, held)


def _arriving(
    changes: list[Change], merger: TreeMerger, known: dict[str, str]
) -> Iterator[tuple[str, Change]]:
    """The private notes that come into the shared tree, where they were not."""
    suspects = [change for change in changes if _may_be_one(change.path, known)]
    was_here = {merger.note_id(change.old, change.path) for change in suspects if change.old}
    for change in suspects:
        note_id = merger.note_id(change.new, change.path) if change.new else None
        if note_id in known and note_id not in was_here:
            yield note_id, change


def _may_be_one(path: str, known: dict[str, str]) -> bool:
    name = path.rpartition("/")[2].removesuffix(".md")
    return name in known or not is_ulid(name)


def _last_shared(repo: Repo, ours: str | None, path: str) -> str | None:
    """The text that this machine last shared of a note that it has taken out of the shared tree."""
    deletion = repo.last_change(ours, path, deleted=True) if ours else None
    return repo.blob_at(deletion.parents[0], path) if deletion and deletion.parents else None


def choose_private(repo: Repo, held: Held, choice: str, text: str | None) -> tuple[str, bytes | None]:
    """The path and content in the shared tree of a note that is machine-local here; theirs ends that."""
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
        # It goes first: cut here, the next sync finds no private note and writes theirs.
        keep_before(repo, repo.store(data))
        private.remove(held.private)
    return held.theirs_path, repo.git.blob(held.theirs)


def with_origin(repo: Repo, held: Held) -> Held:
    """The record with the machine and the moment of the other version, as its commit says."""
    commit = repo.last_change(held.at, held.theirs_path) if held.theirs else None
    found = _AUTHOR.fullmatch(commit.author) if commit else None
    if found is None:
        return held
    name, email, seconds = found.groups()
    machine = email.removeprefix("anamnesis@") if name == "anamnesis" else name
    moment = datetime.fromtimestamp(int(seconds), UTC).isoformat(timespec="seconds")
    return replace(held, machine=machine, moment=moment)
