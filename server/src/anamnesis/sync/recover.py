"""Repairs a repository in any state, without losing a file. Runs before every sync.

It handles an interrupted landing, a missing or unreadable HEAD, branch or reference, a detached HEAD or
another branch, a lost `.git`, and any unfinished git operation. Every commit that a branch pointed to becomes
part of the store's branch: first, uncommitted changes in the work tree are committed on the current commit;
then that line joins the branch, and then what an operation had set aside.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import NamedTuple

from anamnesis.errors import SyncError
from anamnesis.files import read_object, read_text, write_atomic
from anamnesis.git import is_oid
from anamnesis.git.objects import Change, Entry
from anamnesis.layout import MAIN
from anamnesis.sync.local import LocalSync
from anamnesis.sync.repo import Repo
from anamnesis.sync.state import (
    HeldNotes,
    clear_leftovers,
    load_journal,
    load_shared,
    paths_of,
    read_held,
    save_held,
    shared_path,
)
from anamnesis.sync.worktree import TreeChanged

_SIGNS = (
    "rebase-merge",
    "rebase-apply",
    "sequencer",
    "MERGE_HEAD",
    "MERGE_AUTOSTASH",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_START",
)
_LEFTOVERS = (
    "MERGE_MSG",
    "MERGE_MODE",
    "MERGE_RR",
    "SQUASH_MSG",
    "AUTO_MERGE",
    "ORIG_HEAD",
    "REBASE_HEAD",
    "BISECT_*",
    "refs/bisect",
)
_REBASES = ("rebase-merge", "rebase-apply")
ATTEMPTS = 6


class _Halfway(NamedTuple):
    """An unfinished git operation: its files, and the commits it is about."""

    signs: tuple[str, ...] = ()
    tip: str | None = None  # where a rebase started; the branch itself may have moved
    stash: str | None = None  # edits that git stashed for the operation
    merged: tuple[str, ...] = ()  # the commits that were being merged
    others: tuple[str, ...] = ()  # the commits that were being picked or reverted


def _read_halfway(repo: Repo) -> _Halfway:
    """The git operation in progress; usually none."""
    signs = tuple(name for name in _SIGNS if (repo.git.dir / name).exists())
    if not signs:
        return _Halfway()
    stashes = [
        *_commits(repo, *(f"{folder}/autostash" for folder in _REBASES)),
        *_commits(repo, "MERGE_AUTOSTASH"),
    ]
    return _Halfway(
        signs,
        # `git am` uses one of these folders too, but moves the branch itself, so no tip is recorded.
        tip=next(iter(_commits(repo, *(f"{folder}/orig-head" for folder in _REBASES))), None),
        stash=next(iter(stashes), None),
        merged=tuple(_commits(repo, "MERGE_HEAD")),
        others=tuple(_commits(repo, "CHERRY_PICK_HEAD", "REVERT_HEAD")),
    )


def _commits(repo: Repo, *names: str) -> list[str]:
    """The existing commits that are named in these files of the repository."""
    oids = [oid for name in names for oid in read_text(repo.git.dir / name).split()]
    return [oid for oid in oids if repo.has_commit(oid)]


def recover(local: LocalSync) -> None:
    """Make an existing repository ready for a sync; takes a few stat calls if it already is."""
    repo = local.repo
    clear_leftovers(repo.own)
    other_head = _other_head(repo)
    if other_head is None and repo.main() is None:
        _find_main(local)
    if journal := load_journal(repo.own):
        local.undo_landing(journal)
    if other_head is None:
        _leave_empty_branch(local)
    for _ in range(ATTEMPTS):
        try:
            _finish_user_operation(local)
        except TreeChanged:
            continue
        return
    raise too_busy(repo)


def too_busy(repo: Repo) -> SyncError:
    """The error if a file changed at the last moment in every attempt."""
    return SyncError(f"files under {repo.folder} change faster than they can be synced; try again later")


def _finish_user_operation(local: LocalSync) -> None:
    """Finish the user's git operation; every step can be repeated after a crash."""
    repo, other_head, halfway = local.repo, _other_head(local.repo), _read_halfway(local.repo)
    if not other_head and not halfway.signs and local.memo.matches(repo.git.dir, repo.main()):
        return
    if not other_head and not halfway.signs:
        _follow_moved_branch(local)
    unmerged = _restore_unmerged(local)
    line = _line_of(repo, halfway)
    for oid in (*halfway.merged, *halfway.others, *((line,) if line else ())):
        repo.keep(oid)
    if other_head:
        _rejoin(local, other_head, line if halfway.tip else None)
    for other in halfway.merged:
        local.integrate(local.commit(), other)
    if line:
        local.replay(line)
    if unmerged and not halfway.signs:
        local.merge_changes(*_stashed_and_present(local, unmerged))
    if unmerged or halfway.signs:
        for path in [path for name in (*halfway.signs, *_LEFTOVERS) for path in repo.git.dir.glob(name)]:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def _follow_moved_branch(local: LocalSync) -> None:
    """Update the files after the branch was moved without them, as by `git reset FETCH_HEAD`.

    Otherwise the next commit would undo everything that the branch gained.
    """
    repo, main = local.repo, local.repo.main()
    base = local.memo.head or load_shared(repo)
    entries = read_text(repo.git.dir / "logs" / MAIN).splitlines()[-1:]
    # After `git commit`, the branch matches the files.
    is_commit = any(entry.partition("\t")[2].startswith("commit") for entry in entries)
    if main is None or base in (None, main) or not repo.has_commit(base) or is_commit:
        return
    apart = paths_of(local.held)
    states = [
        (change.old and change.old[1], change.new and change.new[1], local.tree.hash(change.path))
        for change in repo.changes(base, main)
        if change.path not in apart
    ]
    if any(now == old for old, _, now in states) and not any(now == new for _, new, now in states):
        repo.keep(main)
        local.integrate(local.commit_on(base), main)


def _line_of(repo: Repo, halfway: _Halfway) -> str | None:
    """The tip of the branch before the operation, with the stashed edits committed on top."""
    if not halfway.stash:
        return halfway.tip
    # With one parent instead of a stash's two or three, because a merge would be replayed as one commit.
    return repo.commit(repo.tree_of(halfway.stash), f"{halfway.stash}^1", "anamnesis: edits set aside by git")


def _other_head(repo: Repo) -> str | None:
    """The commit of HEAD, if HEAD is not the store's branch."""
    text = read_text(repo.git.dir / "HEAD").strip()
    if text == f"ref: {MAIN}":
        return None
    oid = repo.git.ref(text.removeprefix("ref: ")) if text.startswith("ref: refs/") else text
    return oid if oid and is_oid(oid) else None


def _rejoin(local: LocalSync, other_head: str, line: str | None) -> None:
    """Return from a detached HEAD or another branch to the store's branch, with all edits and commits."""
    repo = local.repo
    main = repo.main()
    if not repo.has_commit(other_head):
        repo.point_head()
        return
    ours = local.commit_on(other_head)
    if line and (main is None or repo.is_ancestor(main, line)):
        # During a rebase, HEAD is the new base: the old branch is replayed on it, not the other way round.
        local.replay(line, onto=ours)
    elif main is None and ours:
        repo.point(MAIN, ours)
    elif ours and main and ours != main:
        # A note may clash again, with the remote; then its file has only one of three versions.
        repo.keep(main)
        repo.keep(ours)
        if line:
            local.replay(main, onto=ours)
        else:
            local.integrate(ours, main)
    repo.point_head()


def _leave_empty_branch(local: LocalSync) -> None:
    """Point HEAD at the branch again; switching to an empty branch has deleted the notes' files."""
    repo = local.repo
    text, main = read_text(repo.git.dir / "HEAD").strip(), repo.main()
    if main and text.startswith("ref: refs/heads/") and text != f"ref: {MAIN}":
        local.tree.complete(main, apart=paths_of(local.held))
        # No commit has this machine's text of a held note, and no one chose a version.
        for held in local.held.values():
            path = repo.folder / held.ours_path
            if held.mine and not held.private and not path.exists():
                write_atomic(path, repo.git.blob(held.mine))
    repo.point_head()


def _find_main(local: LocalSync) -> None:
    """Find the branch again if its reference is gone: the last commit that a reflog or hint names."""
    repo = local.repo
    candidates = [local.memo.head or ""]
    for name in (f"logs/{MAIN}", "logs/HEAD"):
        lines = read_text(repo.git.dir / name).splitlines()
        candidates += [line.split()[1] for line in lines[-1:] if len(line.split()) > 1]
    for oid in candidates:
        if repo.has_commit(oid):
            (repo.git.dir / MAIN).unlink(missing_ok=True)
            repo.point(MAIN, oid)
            return


def _restore_unmerged(local: LocalSync) -> dict[str, dict[bytes, Entry]]:
    """Restore HEAD's version of files with conflict markers; the text with markers is kept.

    Returns what git could not merge: the versions of each path, by stage.
    """
    unmerged = _unmerged(local.repo)
    for path, stages in unmerged.items():
        data = local.tree.read(path)
        lines = b"\n" + (data or b"")
        has_markers = all(mark in lines for mark in (b"\n<<<<<<< ", b"\n=======", b"\n>>>>>>> "))
        if data is not None and has_markers and b"2" in stages:
            local.repo.keep(local.repo.store(data))
            write_atomic(local.repo.folder / path, local.repo.git.blob(stages[b"2"][1]))
    return unmerged


def _unmerged(repo: Repo) -> dict[str, dict[bytes, Entry]]:
    unmerged: dict[str, dict[bytes, Entry]] = {}
    listed = repo.git.ask("ls-files", "-z", "-u")
    for row in listed.out.split(b"\0") if listed.code == 0 else ():
        info, _, name = row.partition(b"\t")
        if name:
            mode, oid, stage = info.split()
            path = name.decode("utf-8", "surrogateescape")
            unmerged.setdefault(path, {})[stage] = (mode.decode(), oid.decode())
    return unmerged


def _stashed_and_present(
    local: LocalSync, unmerged: dict[str, dict[bytes, Entry]]
) -> tuple[list[Change], list[Change]]:
    """The changes of a stash that could not be popped, and those of the branch, without resolved files."""
    stashed: list[Change] = []
    present: list[Change] = []
    for path, stages in unmerged.items():
        base, ours, theirs = (stages.get(stage) for stage in (b"1", b"2", b"3"))
        data = local.tree.read(path)
        if ours and theirs and data is not None and local.repo.hash(data) == ours[1]:
            stashed.append(Change(path, base, theirs))
            present.append(Change(path, base, ours))
    return stashed, present


def adopt_shared(local: LocalSync) -> bool:
    """Start a repository without a branch from the last shared commit; False if it must be fetched first.

    Missing files are written before the branch points there: they count as lost, not as deleted.
    """
    repo, origin = local.repo, load_shared(local.repo)
    if origin is None:
        return True
    if repo.has_commit(origin):
        local.held = _held_when_lost(local, origin)
        save_held(repo, local.held)
        local.tree.complete(origin, apart=paths_of(local.held))
        repo.point(MAIN, origin)
        return True
    return False


def _held_when_lost(local: LocalSync, origin: str) -> HeldNotes:
    """The notes that were held when the repository was lost; their versions are in the fetched history."""
    found = read_object(shared_path(local.repo)).get("held")
    notes = read_held(found) if isinstance(found, dict) else {}
    has = local.repo.git.has
    return {
        key: local.versions.refreshed(
            replace(held, at=origin, base=held.base if held.base and has(held.base) else None), origin
        )
        for key, held in notes.items()
        if held.theirs and has(held.theirs)
    }
