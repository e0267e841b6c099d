"""The local part of a sync: commit what changed, integrate what was fetched, resolve held notes.

Everything here happens under the store's write lock and without the network. Only a landing of many files
shares the lock in between, so that a writer does not wait long.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from posixpath import basename

from anamnesis.errors import BadResolution
from anamnesis.files import lock
from anamnesis.git.objects import Change
from anamnesis.layout import MACHINES_FOLDER, MAIN, RECORD_FOLDERS
from anamnesis.sync.heartbeat import commit_heartbeat, write_heartbeat
from anamnesis.sync.held import HeldVersions, Release, hold, hold_private, moved, placed_files
from anamnesis.sync.merge import title_of
from anamnesis.sync.replay import Joined, TreeMerger, graft, join, keep_before, rejoin
from anamnesis.sync.repo import Repo, Step
from anamnesis.sync.results import WaitingFile
from anamnesis.sync.state import (
    Held,
    HeldNotes,
    Journal,
    Write,
    drop_journal,
    dump_held,
    load_held,
    load_memo,
    load_shared,
    load_unwritten,
    paths_of,
    read_held,
    save_held,
    save_journal,
    save_memo,
    save_unwritten,
)
from anamnesis.sync.waiting import WaitingChange, allow, find_waiting, held_waiting, waiting_files
from anamnesis.sync.worktree import Mark, Scan, TreeChanged, WorkTree
from anamnesis.text import Progress

_MOST_NAMED = 4  # notes in the subject of a commit
_MAX_TITLE = 60


@dataclass(slots=True)
class IntegrateResult:
    """What integrating changed in the store."""

    head: str | None
    changed: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


class LocalSync:
    """One store's repository, files and held notes, while the write lock is held.

    If `write_lock` is passed, which only the holder of the sync lock may do, a landing shares it with other
    writers between files.
    """

    def __init__(self, repo: Repo, *, write_lock: lock | None = None, heartbeat: bool = False) -> None:
        self.repo = repo
        self._heartbeat = heartbeat
        self._write_lock = write_lock
        self.tree = WorkTree(repo)
        self.versions = HeldVersions(repo, self.tree)
        self.memo = load_memo(repo.own)
        self.held: HeldNotes = load_held(repo)
        self.left_out: dict[str, str] = {}
        self.waiting_changes: list[WaitingChange] = []
        self.remarks: list[str] = []  # remarks of the recovery
        self._scan = Scan()

    @property
    def was_shared(self) -> bool:
        """Whether others could write during a landing."""
        return self._write_lock is not None and self._write_lock.was_shared

    def message(self, what: str) -> str:
        """The message of a commit that is not about edited notes."""
        return f"{self.repo.machine}: {what}"

    def commit(
        self, message: str | None = None, *, only: Collection[str] = (), heartbeat: bool = False
    ) -> str | None:
        """Commit what changed, perhaps only in `only`, or just a `heartbeat`; returns the store's commit."""
        head = self.repo.main()
        fresh = self.commit_on(head, message, only=only, heartbeat=heartbeat)
        if fresh and fresh != head:
            self.repo.point(MAIN, fresh)
        return fresh

    def commit_on(
        self,
        head: str | None,
        message: str | None = None,
        *,
        only: Collection[str] = (),
        heartbeat: bool = False,
    ) -> str | None:
        """Commit the changes in the files since `head`; returns `head` itself if there are none."""
        marks = self.find_committable(head, only=only)
        # A heartbeat counts waiting files in the whole tree, which is unknown if only some were checked.
        if (marks or heartbeat) and not only:
            marks |= self._write_heartbeat()
        tree, paths = self._record(marks, head)
        if tree is None:
            return head
        if head is None or tree != self.repo.tree_of(head):
            before, head = head, self.repo.commit(tree, head, message or self._subject(paths, head))
            self.memo.advance(before, head)
        self._stamp(head)
        return head

    def _stamp(self, head: str | None) -> None:
        """Record that git's index matches `head`."""
        self.memo.stamp(self.repo.git.dir, head)
        save_memo(self.repo.own, self.memo)

    def _counts(self) -> dict[str, int]:
        return {"held": len(self.held), "waiting": len(self.waiting_changes), "problems": len(self.left_out)}

    def _write_heartbeat(self) -> dict[str, Mark | None]:
        if not self._heartbeat:
            return {}
        path = write_heartbeat(self.repo, **self._counts())
        return {path: self.tree.mark(path)} if path else {}

    def _subject(self, paths: list[str], head: str | None) -> str:
        """A commit subject with the titles of the first few notes, so that git's log is readable."""
        if all(path.startswith(f"{MACHINES_FOLDER}/") for path in paths):
            return self.message("heartbeat")
        paths = [path for path in paths if path.partition("/")[0] not in RECORD_FOLDERS] or paths
        gone = {path for path in paths if self.tree.mark(path) is None}
        changes = _verbs(paths, new=self._scan.new, gone=gone)
        groups: dict[str, list[str]] = {}
        for verb, path in changes[:_MOST_NAMED]:
            oid = self.repo.blob_at(head, path) if head and path in gone else None
            title = title_of(self.repo.git.blob(oid) if oid else self.tree.read(path))
            groups.setdefault(verb, []).append(_quoted(title) or _line(path))
        rest = len(changes) - _MOST_NAMED
        parts = "; ".join(f"{verb} {', '.join(names)}" for verb, names in groups.items())
        return self.message(f"{parts}{f' and {rest} more' if rest > 0 else ''}")

    def find_committable(self, head: str | None, *, only: Collection[str] = ()) -> dict[str, Mark | None]:
        """The changed files that may be committed, with their marks; records which ones may not."""
        if not self.memo.matches(self.repo.git.dir, head):
            self.tree.unhide()
            self.tree.reset_index(head)
            self._stamp(head)
        self._scan = scan = self.tree.scan(self.held, only=only)
        self.left_out = scan.left_out
        marks = {path: self.tree.mark(path) for path in scan.paths}
        self.waiting_changes = find_waiting(self.repo, self.tree.read, scan.paths, head=head)
        kept_back = {path for each in self.waiting_changes for path in (each.path, each.place)}
        return {path: mark for path, mark in marks.items() if path not in kept_back}

    def _record(self, marks: dict[str, Mark | None], head: str | None) -> tuple[str | None, list[str]]:
        """Add the files that are unchanged since we saw them to the index; returns the tree and paths."""
        while marks:
            tree, failed = self.tree.record(list(marks))
            same = {path: mark for path, mark in marks.items() if self.tree.mark(path) == mark}
            if len(same) == len(marks):
                self.left_out.update(failed)
                return tree, list(marks)
            # A file written since then was not searched for credentials; the next sync takes it.
            self.tree.reset_index(head)
            marks = same
        return None, []

    def waiting(self) -> tuple[WaitingFile, ...]:
        """The credentials that keep files from being committed, as of the last scan."""
        places = {held.ours_path for held in self.held.values()}
        held = held_waiting(self.repo, self.tree.read, self.held.values())
        return (*waiting_files(each for each in self.waiting_changes if each.path not in places), *held)

    def allow_secret(self, name: str) -> bool:
        """Allow a waiting file to be committed as it is now; returns False if none has that name."""
        self.find_committable(self.repo.main())
        paths = {each.path for each in self.waiting() if name in (each.id, each.path)}
        for path in paths:
            allow(self.repo.folder.parent, self.tree.read(path) or b"")
        return bool(paths)

    def integrate(
        self,
        ours: str | None,
        theirs: str | None,
        *,
        seen: str | None = None,
        heartbeat: bool = False,
        progress: Progress | None = None,
    ) -> IntegrateResult:
        """Join two commits, perhaps with a new `heartbeat`, and bring the files from `ours` to the result.

        If `theirs` was rewritten, `seen` is the remote's commit before that. Raises TreeChanged, without
        having changed anything, if a file changed at the last moment.
        """
        if seen and ours and theirs:
            message = self.message("rejoined a rewritten remote")
            joined = rejoin(self.repo, ours, theirs, seen=seen, message=message)
        else:
            joined = join(self.repo, ours, theirs, message=self.message("merged"))
        held = dict(self.held)
        manual = self.versions.resolved_by_user(self.held, ours)
        for clash in joined.clashes:
            held[clash.key] = hold(self.repo, clash, at=theirs or "", earlier=held.get(clash.key))
        for record in hold_private(self.repo, ours, joined.commit):
            held.setdefault(record.key, record)
        target, release = self._retry(joined.commit, held)
        if heartbeat and target:
            # It lands with the rest: to add it later, git would read every new file again.
            target = commit_heartbeat(self.repo, target, self.message("heartbeat"), **self._counts())
        changed = self._land(ours, target, held, release.apart, progress=progress)
        self.memo.advance(ours, target)
        save_memo(self.repo.own, self.memo)
        remarks = {**joined.remarks, **manual}
        return IntegrateResult(
            target, changed, [remark for key, remark in remarks.items() if key not in held]
        )

    def replay(self, line: str, *, onto: str | None = None) -> None:
        """Replay a line of commits on `onto` (default: the store's commit), which may have some of them.

        A note that clashes is held with the text of `line` in its file; a note that is already held stays
        unchanged. Raises TreeChanged like `integrate`.
        """
        head = onto or self.commit()
        self._land_joined(head, graft(self.repo, line, head, message=self.message("merged")))

    def merge_changes(self, mine: list[Change], theirs: list[Change]) -> None:
        """Merge changes to a few files with the store's own versions of them, like `replay`."""
        head = self.commit()
        merge = TreeMerger(self.repo).merge(mine, theirs)
        if head:
            message = self.message("merged a stash")
            steps = [Step(self.repo.tree_of(head), merge.edits, message)] if merge.edits else []
            self._land_joined(head, Joined(self.repo.build(head, steps), merge.clashes))

    def _land_joined(self, head: str | None, joined: Joined) -> None:
        fresh = [clash for clash in joined.clashes if clash.key not in self.held]
        self.remarks += joined.remarks.values()
        self.remarks += [
            f"{clash.key.lstrip('/')} is already held; another version is git's object {clash.ours[:10]}"
            for clash in joined.clashes
            if clash not in fresh and clash.ours != self.held[clash.key].mine
        ]
        held = {
            **self.held,
            **{clash.key: hold(self.repo, clash, at=head or "", earlier=None) for clash in fresh},
        }
        placed = {write.path: write for clash in fresh for write in placed_files(clash)}
        self._land(head, joined.commit, held, {}, placed=placed)

    def catch_up(self) -> list[str]:
        """Write the files that could not be written before, if the obstacle is gone."""
        head, unwritten = self.repo.main(), load_unwritten(self.repo.own)
        if not head or not unwritten:
            return []
        written = self.tree.complete(head, only=unwritten)
        there = {change.path for change in self.repo.changes(None, head)}
        save_unwritten(self.repo.own, (unwritten & there) - set(written))
        return written

    def adopt_shared(self) -> bool:
        """Start a repository without a branch from the last shared commit; False if it must be fetched first.

        Missing files are written before the branch points there: they count as lost, not as deleted.
        """
        origin = load_shared(self.repo)
        if origin is None:
            return True
        if self.repo.has_commit(origin):
            self.held = self.versions.held_when_lost(origin)
            save_held(self.repo, self.held)
            self.tree.complete(origin, apart=paths_of(self.held))
            self.repo.point(MAIN, origin)
            return True
        return False

    def _retry(self, target: str | None, held: HeldNotes) -> tuple[str | None, Release]:
        """Try to merge held notes again; merged ones are removed from `held` and committed on `target`."""
        release = Release()
        if not target or not held:
            return target, release
        names: list[str] = []
        for key, record in list(held.items()):
            fresh = self.versions.refreshed(record, target)
            held[key] = fresh
            outcome = self.versions.merge(fresh)
            if outcome is not None and self.versions.may_be_committed(outcome[1], fresh):
                del held[key]
                if fresh.mine and outcome[1] and self.repo.hash(outcome[1]) != fresh.mine:
                    keep_before(self.repo, fresh.mine)
                release.add(fresh, *outcome, hash_of=self.repo.hash)
                names.append(_quoted(fresh.title) or fresh.id)
        if release.edits:
            message = self.message(f"merged {', '.join(names)}")
            target = self.repo.build(target, [Step(self.repo.tree_of(target), release.edits, message)])
        return target, release

    def settle(self, key: str, path: str, data: bytes | None) -> None:
        """Resolve a held note with `data` as its text; the discarded version is committed first."""
        head = self.commit()
        held = dict(self.held)
        record = self.versions.refreshed(held.pop(key), head or "")
        self.versions.refuse_credential(data, record)
        steps = []
        mine = self.repo.git.blob(record.mine) if record.mine else None
        tree = self.repo.tree_of(head) if head else ""
        message = self.message(f"resolved {_quoted(record.title) or record.id}")
        if mine is not None and mine != data and self.versions.may_be_committed(mine, record):
            steps.append(
                Step(tree, moved(record, record.ours_path, mine), f"{message}: the version set aside")
            )
        elif mine is not None and mine != data:
            # A text with a credential must stay on this machine.
            self.repo.keep(record.mine or "")
        release = Release()
        release.add(record, path, data, hash_of=self.repo.hash)
        if release.edits or steps:
            steps.append(Step(tree, release.edits, message))
        self._land(head, self.repo.build(head, steps), held, release.apart)

    def hold_again(self, record: Held, path: str, data: bytes | None) -> None:
        """Undo a resolution to `data` at `path`: the branch gets the other version back, the file ours."""
        head = self.commit()
        if self.tree.read(path) != data:
            raise BadResolution(f"{record.name} was changed since; its history has both versions")
        tree = self.repo.tree_of(head) if head else ""
        theirs = self.repo.git.blob(record.theirs) if record.theirs else None
        message = self.message(f"held {_quoted(record.title) or record.id} again")
        new = self.repo.build(head, [Step(tree, {path: None, record.theirs_path: theirs}, message)])
        resolved = None if data is None else self.repo.hash(data)
        placed = {
            place: Write(
                place,
                resolved if place == path else None,
                record.mine if place == record.ours_path else None,
            )
            for place in {path, *record.paths}
        }
        self._land(head, new, {**self.held, record.key: record._replace(at=new or "")}, {}, placed=placed)

    def _land(
        self,
        old: str | None,
        new: str | None,
        held: HeldNotes,
        apart: dict[str, Write | None],
        *,
        placed: dict[str, Write] | None = None,
        progress: Progress | None = None,
    ) -> list[str]:
        """Bring the files from `old` to `new`, then the branch, then the index; can be killed at any point.

        `placed` are files of newly held notes, which get their local text.
        """
        # A note that already clashes is held with the common ancestor, which its last commit is not.
        held = self.versions.hold_waiting(self.waiting_changes, self.left_out, old, new) | held
        if new is None or (old == new and not apart and not placed and self.repo.main() == new):
            save_held(self.repo, held)
            self.held = held
            return []
        left_alone: dict[str, Write | None] = dict.fromkeys(paths_of(held))
        plan = self.tree.plan(old, new, apart={**apart, **left_alone, **(placed or {})})
        self.tree.check(plan.writes, {})
        journal = Journal(new, plan.writes, dump_held(self.held))
        save_journal(self.repo.own, journal)
        # A resolved note stays on record until its result has landed.
        save_held(self.repo, {**self.held, **held})
        try:
            changed = self.tree.land(plan, write_lock=self._write_lock, progress=progress)
        except TreeChanged:
            self.undo_landing(journal)
            raise
        self.repo.point(MAIN, new)
        self.repo.point_head()
        save_held(self.repo, held)
        drop_journal(self.repo.own)
        self.held = held
        self.tree.reset_index(new)
        self._stamp(new)
        return changed

    def undo_landing(self, journal: Journal) -> None:
        """Undo an interrupted landing."""
        self.tree.clear_temporary(journal.writes)
        if self.repo.main() != journal.target:
            self.tree.undo(journal.writes)
            self.held = read_held(journal.held)
            save_held(self.repo, self.held)
        drop_journal(self.repo.own)


def _verbs(paths: Collection[str], *, new: Collection[str], gone: Collection[str]) -> list[tuple[str, str]]:
    """What happened to each file, added ones first, deleted ones last; a moved file counts as edited."""
    came, left = {basename(path) for path in new}, {basename(path) for path in gone}
    added = [path for path in paths if path in new and basename(path) not in left]
    edited = [path for path in paths if path not in gone and (path not in new or basename(path) in left)]
    deleted = [path for path in paths if path in gone and basename(path) not in came]
    return [
        *(("session" if path.startswith("episodic/") else "added", path) for path in added),
        *(("edited", path) for path in edited),
        *(("deleted", path) for path in deleted),
    ]


def _quoted(title: str) -> str:
    """A title quoted for a subject; "" if there is none."""
    line = _line(title)
    shown = f"{line[: _MAX_TITLE - 3]}..." if len(line) > _MAX_TITLE else line
    return f"'{shown}'" if shown else ""


def _line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
