"""The local part of a sync, under the store's write lock and without the network.

A session loads `sync.json`, makes the repository ready, acts, and saves. It can be killed at any point: the
next one finds a recorded landing and undoes it, or a branch that is not where `sync.json` says, and comes
back. If git cannot read the repository, it is set aside and rebuilt. `docs/decisions/0011` has the reasons.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping
from posixpath import basename

from anamnesis.errors import BadResolution, GitError, NotHeld, SecretFound, SyncError
from anamnesis.files import sync_folder
from anamnesis.git import Edits, hash_of
from anamnesis.git.objects import Change
from anamnesis.layout import MACHINES_FOLDER, MAIN, RECORD_FOLDERS, TRACKING
from anamnesis.notes.record import is_valid_id, read_id
from anamnesis.notes.vocabulary import MAX_BYTES, SESSION, TYPES
from anamnesis.purge import resume
from anamnesis.sync.heartbeat import has_namesake, heartbeat_file
from anamnesis.sync.held import HeldVersions
from anamnesis.sync.merge import keep_both_data, merge_data, title_of
from anamnesis.sync.paths import NOT_A_NOTE, refusal, shown
from anamnesis.sync.repo import Repo, blob_of, set_aside_folders
from anamnesis.sync.state import Held, HeldNotes, Write, identify_store, load_state, paths_of, save_state
from anamnesis.sync.tree import Changes, Status, TreeChanged
from anamnesis.sync.trees import TreeMerge, TreeMerger
from anamnesis.sync.waiting import find_in_file, version
from anamnesis.text import first_few, plural, quoted
from anamnesis.undo import UndoTexts

_LINK = "160000"  # mode of a submodule, which would hide a folder from git
_MOST_NAMED = 4  # in a commit's subject
_MARKERS = (b"\n<<<<<<< ", b"\n=======", b"\n>>>>>>> ")


class Session(Changes):
    """One store's repository, files and state, while the write lock is held."""

    def __init__(self, repo: Repo, *, remote: str | None, heartbeat: bool = False) -> None:
        super().__init__(repo)
        self.versions = HeldVersions(repo, self.tree)
        self.remarks: list[str] = []
        self._undo = UndoTexts(repo.folder.parent)
        self._remote = remote
        self._heartbeat = heartbeat
        self.has_met = bool(self.state.remotes)  # whether it is known who else has this machine's name

    def save(self) -> None:
        """Write `sync.json`."""
        save_state(self.repo.folder, self.state)

    def reload(self) -> None:
        """Read `sync.json` again, after a purge has changed it."""
        self.state, self._status = load_state(self.repo.folder), None

    def open(self) -> None:
        """Make the repository ready, whatever was done to it; GitError if it must be rebuilt."""
        identify_store(self.state, self.repo.folder)
        if not self.repo.exists():
            self.rebuild()
        self.repo.own(self._remote)
        if resume(self.repo.git):
            self.reload()
        if self.state.landing:
            self.tree.undo(self.state.landing)
            self.state.landing = []
            self.save()
        main = self.repo.main()
        if not self.state.head and main and not self.state.shared:
            self.state.head = main  # `sync.json` was lost
        status = self.status
        self.tree.remove_temporary(status)
        is_ours = self.repo.git.is_on_main() and status.head == main == self.state.head
        if not is_ours or status.unmerged or self.repo.git.is_unfinished():
            self._come_back(status)
            return
        if status.is_staged:
            self._reset_index()
        for name in TYPES:
            self._restore_lost(f"{name}/")

    def _restore_lost(self, folder: str) -> None:
        """Write the notes of a type again if all are gone, at least five, and no command deleted one."""
        apart, changed = {*paths_of(self.state.held), *self.state.unwritten}, self.status.changed
        known = {path: blob for path, blob in changed.items() if blob and path.startswith(folder)}
        gone = {path for path in known.keys() - apart if not os.path.lexists(self.repo.folder / path)}
        if len(gone) < 5 or any(
            path.startswith(folder) and path not in known and path not in apart
            for path in self.tree.files(self.state.head)
        ):
            return
        texts = self.repo.git.blobs({known[path] for path in gone})
        kept = (text.name == blob for blob, data in texts for text in self._undo.of_note(read_id(data) or ""))
        if not any(kept) and (written := self.tree.complete(self.state.head, only=gone, apart=apart)):
            again = f"wrote {plural(len(written), 'note')} again; `anamnesis delete` removes notes"
            self.remarks.append(f"all of {folder} was gone: {again}")
            self._status = None

    def _reset_index(self) -> None:
        """Make git's index match the store's commit."""
        self.tree.reset_index(self.state.head)
        self._status = None

    def rebuild(self, *, why: str = "the repository could not be read") -> str:
        """Set the repository aside and make a new one from its objects, or later from the remote.

        Missing files count as lost and are written. Returns what was set aside.
        """
        aside, head = self.repo.set_aside(), self.state.head
        self.repo.create()
        self.repo.own(self._remote)
        self._status = None
        said = [f"{why}; it was set aside as {aside}"] if aside else []
        self.remarks += said
        source = aside or next(reversed([*set_aside_folders(self.repo.folder.parent)]), None)
        if head and source and self.repo.copy_history(source, head):
            self._adopt(head)
        else:
            self.state.head = ""
        self.save()
        return "".join(said)

    def adopt_shared(self) -> bool:
        """Start a new repository from the last shared commit; False if that must be fetched first."""
        if not self.state.head and self.state.shared and self._remote:
            if not self.repo.has_commit(self.state.shared):
                return False
            self._adopt(self.state.shared)
            self.save()
        return True

    def _adopt(self, head: str) -> None:
        """Take a commit as the state of the files; missing files count as lost, not as deleted."""
        self.state.held = {
            key: held
            for key, held in self.state.held.items()
            if held.theirs and self.repo.git.has(held.theirs)
        }
        self.tree.complete(head, apart=paths_of(self.state.held))
        self.repo.point(MAIN, head)
        if self.state.shared and self.repo.has_commit(self.state.shared):
            self.repo.point(TRACKING, self.state.shared)
        self.state.head = head
        self._reset_index()

    def _come_back(self, status: Status) -> None:
        """Return to the store's branch; what a user did with git, even commits, counts as edits of the files.

        What the branch has and HEAD lacks is merged into the files, and no text is lost: one that git's
        history lacks is saved before it is replaced. An operation that stopped half-way is not finished:
        its repository is set aside whole.
        """
        repo, at, main = self.repo, status.head, self.repo.main()
        head = self.state.head or main or at
        if head and not repo.has_commit(head):
            raise GitError(f"commit {head} is missing in {repo.folder}")
        typed = {path for path, stages in status.unmerged.items() if self._is_typed(path, stages, head)}
        for side in dict.fromkeys((head, main)) if at else ():
            if side and not repo.is_ancestor(side, at):
                self._merge_into_files(at, side, apart=typed)
        if head and not at:
            self.tree.complete(head, apart=paths_of(self.state.held))
        self.state.head = head
        if repo.git.is_unfinished():
            why = "a git operation in memory/ was not finished, its repository keeps its commits and stashes"
            self.rebuild(why=why)
        else:
            repo.return_to_main(head)
            self._reset_index()
        self.save()

    def _is_typed(self, path: str, stages: Collection[str], head: str) -> bool:
        """Whether a person typed into a file that git could not merge; if not, it gets our text back."""
        data = self.tree.read(path)
        if data is not None and hash_of(data) not in stages:
            self._save_text(path, data)
            if not all(mark in b"\n" + data for mark in _MARKERS):
                return True
        blob = self.repo.git.blobs_at(head, [path]).get(path)
        if blob and path not in paths_of(self.state.held):
            self.tree.write(path, self.repo.git.blob(blob))
        return False

    def _merge_into_files(self, at: str, side: str, *, apart: Collection[str]) -> None:
        """Merge what `side` has and `at` lacks into the files, with all lines of both if they clash."""
        changes = self.repo.changes(self.repo.merge_base(at, side), side)
        apart = {*apart, *paths_of(self.state.held)}
        for change in changes:
            if change.path in apart or refusal(change.path) is not None:
                continue
            live = self.tree.read(change.path)
            blobs = [blob_of(entry) for entry in (change.old, change.new)]
            old, new = (self.repo.git.blob(blob) if blob else None for blob in blobs)
            if live == new or (new is None and live != old):
                continue
            if new is None:
                self.tree.remove(change.path)
            elif live is None or live == old:
                self.tree.write(change.path, new)
            else:
                merged, clash = merge_data(old, live, new)
                self._save_text(change.path, live)
                self.tree.write(change.path, keep_both_data(old, live, new) if clash else merged)

    def _save_text(self, path: str, data: bytes | None) -> None:
        """Keep the text of a file that is about to be replaced and that the history may lack."""
        name = read_id(data or b"") or basename(path).removesuffix(".md")
        if data is not None and is_valid_id(name):
            self._undo.keep(name, self.repo.folder / path, scope="portable")

    def allow_secret(self, name: str) -> bool:
        """Allow a credential in a waiting or committed file, by note id or path; False if none has one."""
        self.collect()
        paths = {each.path for each in self.waiting if name in (each.id, each.path)}
        if not paths:  # another machine allowed it, or its kind is recognized only now
            places = (name, *(f"{folder}/{name}.md" for folder in TYPES))
            paths = {path for path in places if find_in_file(self.tree.read(path) or b"")}
        for path in paths:
            self.state.allow(version(self.tree.read(path) or b""))
        self.save()
        return bool(paths)

    def commit_all(self, message: str | None = None) -> bool:
        """Commit what changed; nothing if the last shared commit must be fetched first."""
        return self.adopt_shared() and self.commit(message)

    def commit(self, message: str | None = None, *, heartbeat: bool = False) -> bool:
        """Commit what changed, or a `heartbeat`; returns whether there was a commit.

        Exactly the bytes that were searched are committed.
        """
        self._release()
        edits, known = self.collect(), self.status.changed
        if edits or heartbeat:
            edits |= self._report()
        if not edits:
            return False
        text = message or self._subject(edits, {path: blob for path, blob in known.items() if blob})
        self.state.head = self.repo.git.commit(self.state.head or None, edits, text, ref=MAIN)
        self.save()
        self._reset_index()
        return True

    def _report(self) -> dict[str, bytes | None]:
        """Write this machine's heartbeat; nothing without a remote, or if another store has its name."""
        self.state.namesake = self.repo.machine if has_namesake(self.repo, self.state) else ""
        if self.state.namesake or not (self._heartbeat and self._remote and self.has_met):
            return {}
        waiting = len({each.path for each in self._waiting})
        path, data = heartbeat_file(self.repo, self.state, waiting=waiting, problems=len(self.not_synced))
        self.tree.write(path, data)
        return {path: data}

    def message(self, what: str) -> str:
        """The message of a commit that is not about edited notes."""
        return f"{self.repo.machine}: {what}"

    def _subject(self, edits: Edits, known: Mapping[str, str]) -> str:
        return self.message(_subject(edits, known, read=self.tree.blob))

    def _release(self) -> None:
        """Merge held notes again; one that no longer clashes becomes an ordinary edit of its file."""
        for key, record in list(self.state.held.items()):
            now, data = self.versions.local(record)
            self.state.held[key] = now
            mine = None if now.private else data
            outcome = self.versions.merge(now, mine)
            if outcome is not None and self._may_be_committed(outcome[1], now):
                self._put(now, mine, *outcome)
                del self.state.held[key]

    def _may_be_committed(self, data: bytes | None, held: Held) -> bool:
        """Whether a merged text may leave this machine: not too large, no credential that theirs lacks."""
        return data is None or (len(data) <= MAX_BYTES and not self._unallowed(data, held))

    def _put(self, held: Held, mine: bytes | None, path: str, data: bytes | None) -> None:
        """Make `data` at `path` the text of a held note; the local text is saved."""
        if self.tree.read(held.ours_path) != mine:
            raise TreeChanged(held.ours_path)
        if mine is not None and mine != data:
            self._save_text(held.ours_path, mine)
        if data is not None and self.tree.read(path) != data:
            self.tree.write(path, data)
        for place in held.paths:
            if place != path or data is None:
                self.tree.remove(place)
        self._status = None

    def integrate(self, theirs: str, *, base: str | None = None) -> list[str]:
        """Merge a commit of the remote into the files, which are returned; TreeChanged if one just changed.

        `base` is given if the remote's history was rewritten.
        """
        ours, merge = self.state.head, TreeMerge()
        target = theirs
        if ours:
            known = base or self.repo.merge_base(ours, theirs)
            if known == theirs and not base:
                return []
            if known != ours or base:
                merge = TreeMerger(self.repo).merge(known, ours, theirs)
            if merge.edits:
                subject = self._subject(merge.edits, self.repo.git.blobs_at(theirs, merge.edits))
                target = self.repo.git.commit(theirs, merge.edits, subject)
        changes = self.repo.changes(ours, target)
        if links := {each.path: None for each in changes if each.new and each.new[0] == _LINK}:
            target = self.repo.git.commit(target, links, self.message("removed submodules"))
            changes = self.repo.changes(ours, target)
        held = self._held_after(merge, ours, theirs, target, changes)
        for path in merge.replaced:
            self._save_text(path, self.tree.read(path))
        changed = self._land(target, changes, held)
        self.remarks += [text for key, text in merge.remarks.items() if key not in held]
        return changed

    def _held_after(
        self, merge: TreeMerge, ours: str, theirs: str, target: str, changes: list[Change]
    ) -> HeldNotes:
        """The held notes once the branch is at `target`."""
        known = self.state.held
        held = {key: self.versions.follow(record, changes, target) for key, record in known.items()}
        for clash in merge.clashes:
            held[clash.key] = self.versions.hold(clash, at=theirs, earlier=known.get(clash.key))
        for record in self.versions.hold_private(ours, target, changes):
            held.setdefault(record.key, record)
        local = [*(each.path for each in self._waiting), *self.left_out]
        kept_back = {path: path for path in local if self.tree.is_file(path)} | self._moved
        apart = paths_of(held)
        for change in changes:
            path = kept_back.get(change.path)
            if path and change.path not in apart and refusal(change.path) is None:
                record = self.versions.hold_kept_back(path, change, at=target)
                held.setdefault(record.key, record)
        for key in held.keys() - known.keys():
            self._save_text(held[key].ours_path, self.tree.read(held[key].ours_path))
        return held

    def _land(self, target: str, changes: list[Change], held: HeldNotes) -> list[str]:
        """Bring the files to `target`, then the branch, then git's index; can be killed at any point."""
        apart = set(paths_of(held))
        writes = [
            Write(each.path, blob_of(each.old), blob_of(each.new))
            for each in changes
            if each.path not in apart and refusal(each.path) is None
        ]
        blocked = self.tree.blocked([each.path for each in writes], target)
        writes = [each for each in writes if each.before != each.after and each.path not in blocked]
        unwritten = set(self.state.unwritten) - {each.path for each in changes}
        # A name that is refused here, a symlink: it stays in the branch without a file here.
        refused_here = {
            each.path for each in changes if each.new and (refusal(each.path) or not blob_of(each.new))
        }
        others = [shown(path) for path in sorted(refused_here) if refusal(path) == NOT_A_NOTE]
        if others:  # said once: they are nothing to a memory
            self.remarks.append(f"{first_few(others)} stays at the remote only: {NOT_A_NOTE}")
        self.tree.check(writes)
        self.state.landing = writes
        self.save()
        try:
            refused = self.tree.land(writes)
        except TreeChanged:
            self.tree.undo(writes)
            self.state.landing = []
            self.save()
            raise
        self.repo.point(MAIN, target)
        arriving = {each.path for each in changes if each.new}
        self.state.unwritten = sorted(unwritten | refused_here | refused | (blocked & arriving))
        self.state.head, self.state.held, self.state.landing = target, held, []
        self.save()
        self._reset_index()
        return [each.path for each in writes if each.path not in refused]

    def catch_up(self) -> list[str]:
        """Write the files that could not be written before, if the obstacle is gone."""
        if not self.state.head or not self.state.unwritten:
            return []
        written = self.tree.complete(self.state.head, only=self.state.unwritten)
        self.state.unwritten = [path for path in self.state.unwritten if path not in written]
        self._status = None if written else self._status
        return written

    def _held_note(self, note_id: str) -> Held:
        """The record of a held note; NotHeld if there is none."""
        for key, held in self.state.held.items():
            if note_id in (held.id, key):
                return held
        known = ", ".join(held.name for held in self.state.held.values()) or "none"
        raise NotHeld(f"{note_id!r} is not a held note; held notes: {known}")

    def resolve(
        self, note_id: str, choice: str, text: str | None
    ) -> tuple[Held, bytes | None, str, bytes | None]:
        """Resolve a held note; returns the record, the local text, and the path and text that replaced it."""
        record, mine = self.versions.local(self._held_note(note_id))
        path, data = self.versions.choose(record, mine, choice, text)
        for found in self._unallowed(data or b"", record):
            raise SecretFound(
                f"the text for {record.id} contains a credential ({found.kind}, line {found.line});"
                " remove it from the file, choose the other version, or allow this machine's version with"
                f" `anamnesis sync --allow-secret {record.id}`"
            )
        if record.private and data is not None:
            private = self.repo.folder.parent / record.private
            self._undo.keep(record.key, private, scope="machine-local")
            private.unlink(missing_ok=True)
            sync_folder(private.parent)
        self._put(record, None if record.private else mine, path, data)
        message, parent = self.message(f"resolved {quoted(record.title) or record.id}"), self.state.head
        edits: dict[str, bytes | None] = {**dict.fromkeys(record.paths), path: data}
        edits = {each: edits[each] for each in edits if edits[each] or each == record.theirs_path}
        if mine not in (None, data) and not record.private and not self._unallowed(mine or b"", record):
            aside = {**dict.fromkeys(edits), record.ours_path: mine}
            parent = self.repo.git.commit(parent, aside, f"{message}: the version set aside")
        self.state.head = self.repo.git.commit(parent, edits, message, ref=MAIN)
        del self.state.held[record.key]
        self.save()
        self._reset_index()
        return record, mine, path, data

    def hold_again(self, record: Held, mine: bytes | None, path: str, data: bytes | None) -> None:
        """Undo a resolution to `data` at `path`: the branch gets the other version back, the file ours."""
        if self.tree.read(path) != data:
            raise BadResolution(f"{record.name} was changed since; its history has both versions")
        self.commit()
        theirs = self.tree.blob(record.theirs)
        edits: dict[str, bytes | None] = {path: None, record.theirs_path: theirs}
        known = self.repo.git.blobs_at(self.state.head, edits)
        edits = {each: text for each, text in edits.items() if each in known or text}
        text = self.message(f"held {quoted(record.title) or record.id} again")
        self.state.head = self.repo.git.commit(self.state.head, edits, text, ref=MAIN)
        self.state.held[record.key] = record
        if path != record.ours_path or mine is None:
            self.tree.remove(path)
        if mine is not None:
            self.tree.write(record.ours_path, mine)
        self.save()
        self._reset_index()

    def recover(self, name: str) -> list[str]:
        """Write the notes again that a rejoin removed with the commit `name`; returns their paths."""
        removed = self.state.removed_notes()
        commit = next((each for each in removed if len(name) > 3 and each.startswith(name)), None)
        if commit is None or not self.repo.has_commit(commit):
            known = ", ".join(each[:10] for each in removed) or "none"
            raise SyncError(f"no notes were removed with commit {name!r}; such commits: {known}")
        written = self.tree.complete(commit, only=removed[commit])
        del self.state.removed[commit]
        return written

    def record_removed(self, before: str) -> None:
        """Record the notes of the commit `before` that a rewritten remote lacks."""
        changes = self.repo.changes(before, self.state.head)
        if notes := [each.path for each in changes if not each.new and each.path.endswith(".md")]:
            self.state.removed = {**self.state.removed_notes(), before: notes}
            self.state.removed_at = int(time.time())
            self.remarks.append(
                f"removed here: {plural(len(notes), 'note')} that the remote no longer has;"
                f" `anamnesis sync --recover {before[:10]}` brings back what was removed"
            )


def _subject(edits: Edits, known: Mapping[str, str], *, read: Callable[[str | None], bytes | None]) -> str:
    """What a commit changes; `known` are the blobs of the files that existed before, `read` reads one."""
    if all(path.startswith(f"{MACHINES_FOLDER}/") for path in edits):
        return "heartbeat"
    paths = [path for path in edits if path.partition("/")[0] not in RECORD_FOLDERS] or list(edits)
    came = {basename(path) for path in paths if path not in known}
    left = {basename(path) for path in paths if edits[path] is None}
    verbs: dict[str, list[str]] = {"session": [], "added": [], "edited": [], "deleted": []}
    for path in paths:
        if edits[path] is not None:
            new = "session" if path.startswith(f"{SESSION}/") else "added"
            verbs["edited" if path in known or basename(path) in left else new].append(path)
        elif basename(path) not in came:  # otherwise it only moved
            verbs["deleted"].append(path)
    changes = [(verb, path) for verb, named in verbs.items() for path in named]
    groups: dict[str, list[str]] = {}
    for verb, path in changes[:_MOST_NAMED]:
        value = edits[path]
        data = value if isinstance(value, bytes) else read(value[1] if value else known.get(path))
        groups.setdefault(verb, []).append(quoted(title_of(data)) or shown(path))
    rest = len(changes) - _MOST_NAMED
    parts = "; ".join(f"{verb} {', '.join(names)}" for verb, names in groups.items())
    return f"{parts}{f' and {rest} more' if rest > 0 else ''}"
