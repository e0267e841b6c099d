"""Repairs a repository in any state, without losing a file. Runs before every sync.

First it removes what keeps git from starting; none of that contains a note. Backup and sync tools leave
folders and dead symlinks where git expects files, and the reverse; a crash leaves lock files and damaged
small files. Git, or the next step of a sync, creates new ones.

Then it handles an interrupted landing, a missing or unreadable HEAD, branch or reference, a detached HEAD or
another branch, and any unfinished git operation. Every commit that a branch pointed to becomes part of the
store's branch: first, uncommitted changes in the work tree are committed on the current commit; then that
line joins the branch, and then what an operation had set aside.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from anamnesis.errors import SyncError
from anamnesis.files import is_device, read_text, write_atomic
from anamnesis.git import Git, git_dir, is_oid
from anamnesis.git.objects import Change, Entry
from anamnesis.layout import GIT_FILES, MAIN, OWN_FOLDER
from anamnesis.sync.local import LocalSync
from anamnesis.sync.repo import PACKED_REF, Repo
from anamnesis.sync.state import clear_leftovers, load_journal, load_shared, paths_of
from anamnesis.sync.worktree import TreeChanged

_FILES = (*GIT_FILES, "logs/HEAD", f"logs/{MAIN}")
_FOLDERS = (
    *(OWN_FOLDER, "refs", "refs/heads", "objects", "objects/pack", "info"),
    *("logs", "logs/refs", "logs/refs/heads"),
)
# Sections of `key = value` lines and comments, at least one of them; git does not start with anything else.
_CONFIG = re.compile(r"\s*(?:(?:\[[^\]\n\0]+\]|[#;][^\n\0]*|[A-Za-z][\w-]*[^\n\0]*)\s*)+\Z")
# Seconds that a lock file must stay unchanged before it counts as stale. We watch it instead of reading its
# date, because after a jump of the clock a lock in use would look old.
_STALE_AFTER = 2.0
_LONGEST_WAIT = 20.0  # seconds for locks that others keep writing to; then git reports the problem
_REBASES = ("rebase-merge", "rebase-apply")
_SIGNS = (
    *_REBASES, "sequencer", "MERGE_HEAD", "MERGE_AUTOSTASH",
    "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_START",
)  # fmt: skip
_LEFTOVERS = (
    "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "SQUASH_MSG", "AUTO_MERGE", "ORIG_HEAD", "REBASE_HEAD", "BISECT_*",
    "refs/bisect",
)  # fmt: skip
ATTEMPTS = 6


def unblock_git(repo: Repo) -> None:
    """Remove what keeps git from starting, and stale lock files."""
    clear_obstacles(repo)
    if repo.git.dir.is_dir():
        _clear_locks(repo.git.dir)


def clear_obstacles(repo: Repo) -> list[str]:
    """Move aside or repair files that keep git from starting; returns remarks."""
    dot = repo.folder / ".git"
    leads_nowhere = dot.is_symlink() and not dot.exists()
    if leads_nowhere or (dot.is_file() and not git_dir(repo.folder).is_dir()):
        # Rebuild it here, not at the symlink's target, which is outside the store.
        dot.unlink()
        repo.git = Git(repo.folder, email=repo.git.email)
    remarks = _move_obstacles_aside(repo.git.dir)
    if is_device(attributes := repo.folder / ".gitattributes"):
        remarks.append(_set_aside(attributes))
    config, shallow = repo.git.dir / "config", repo.git.dir / "shallow"
    if config.is_file() and not _CONFIG.match(read_text(config)):
        config.replace(config.with_name("config.broken"))
    if shallow.is_file() and not all(map(is_oid, read_text(shallow).split())):
        shallow.unlink()
    return [*remarks, *_repair_packed_refs(repo)]


def _repair_packed_refs(repo: Repo) -> list[str]:
    """Drop unreadable lines of `packed-refs`; a branch that is lost this way is recovered later."""
    if repo.has_readable_refs():
        return []
    folder, lines = repo.git.dir, repo.packed_refs()
    write_atomic(folder / "packed-refs.broken", b"".join(lines))
    write_atomic(folder / "packed-refs", b"".join(filter(PACKED_REF.fullmatch, lines)))
    return [f"packed-refs in {folder} was damaged and is repaired; see packed-refs.broken next to it"]


def _move_obstacles_aside(git_dir: Path) -> list[str]:
    """Rename files and folders of the wrong kind; returns a remark on each."""
    wrong = [path for name in _FILES if _is_other_than(stat.S_ISREG, path := git_dir / name)]
    wrong += [path for name in _FOLDERS if _is_other_than(stat.S_ISDIR, path := git_dir / name)]
    remarks = []
    for path in wrong:
        with suppress(FileNotFoundError):  # another process was faster
            remarks.append(_set_aside(path))
    return remarks


def _is_other_than(kind: Callable[[int], bool], path: Path) -> bool:
    """Whether something of another kind is at `path`; asked once, because git may be creating it now."""
    try:
        return not kind(path.stat().st_mode)
    except FileNotFoundError:
        return path.is_symlink()  # it leads nowhere
    except NotADirectoryError:
        return False  # its folder is the obstacle
    except OSError:
        return True  # a link to itself


def _set_aside(path: Path) -> str:
    """Move a file or folder of the wrong kind out of the way; returns a remark on it."""
    kind = _kind(path)
    if is_device(path):  # it contains no text, and inside refs git would open it under any name
        path.unlink()
        return f"{path} was {kind}; it is removed"
    return f"{path} was {kind}; it is now {_move_aside(path).name}"


def _move_aside(path: Path) -> Path:
    """Rename a file or folder to a free name next to it; returns its new path."""
    # In the same folder, so that references stay references.
    names = (path.with_name(f"{path.name}.aside{number or ''}") for number in range(1000))
    return path.rename(next(name for name in names if not os.path.lexists(name)))


def _kind(path: Path) -> str:
    if path.is_symlink():
        return "a link to a pipe or a device" if is_device(path) else "a link that leads to no such thing"
    if path.is_dir():
        return "a folder"
    return "a file" if path.is_file() else "a pipe or a device"


def _clear_locks(git_dir: Path) -> None:
    """Remove stale lock files, and references that are not valid."""
    known: dict[Path, tuple[tuple[int, int], float]] = {}  # the mark of each, and since when it has it
    deadline = time.monotonic() + _LONGEST_WAIT
    while locks := {path: mark for path in _lock_files(git_dir) if (mark := _mark(path))}:
        now = time.monotonic()
        seen = {path: known.get(path, (mark, now)) for path, mark in locks.items()}
        known = {path: seen[path] if seen[path][0] == mark else (mark, now) for path, mark in locks.items()}
        for path, (_, since) in known.items():
            if now - since >= _STALE_AFTER:
                _remove_lock(path)
        if now >= deadline:
            return
        time.sleep(0.05)


def _lock_files(git_dir: Path) -> list[Path]:
    locks = [Path(entry.path) for entry in os.scandir(git_dir) if entry.name.endswith(".lock")]
    for folder, folders, names in os.walk(git_dir / "refs"):
        locks += [Path(folder, name) for name in (*folders, *names) if name.endswith(".lock")]
        for path in (Path(folder, name) for name in names if not name.endswith(".lock")):
            text = read_text(path).strip()
            if not is_oid(text) and not text.startswith("ref: "):
                path.unlink(missing_ok=True)
    return locks


def _remove_lock(path: Path) -> None:
    with suppress(FileNotFoundError):  # its own process removed it
        if path.is_dir() and not path.is_symlink():
            _move_aside(path)  # git creates no folders here, so it may contain someone's files
        else:
            path.unlink()


def _mark(path: Path) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


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
    stashes = _commits(repo, *(f"{folder}/autostash" for folder in _REBASES), "MERGE_AUTOSTASH")
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
    has_index = (repo.git.dir / "index").exists()
    for row in repo.git.ask("ls-files", "-z", "-u").out.split(b"\0") if has_index else ():
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
