"""Put a repository right that was left in any state, without dropping a file. Runs before every sync.

Recovered from: lock files of processes that died, a landing cut short, a missing or unreadable HEAD, branch
or reference, a detached HEAD or another branch, and a merge, rebase or cherry-pick begun by hand. What the
work tree holds beyond the commit it stands on is committed there first; then that line joins the branch.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from anamnesis.files import write_atomic
from anamnesis.git import is_oid, read_text
from anamnesis.sync.held import read_held, save_held
from anamnesis.sync.local import LocalHalf
from anamnesis.sync.memo import drop_journal, load_journal
from anamnesis.sync.repo import MAIN, Repo

# Seconds that a lock file must stay unchanged before it counts as left behind. It is watched, not judged by
# its date: after a jump of the clock one that git works under would look old.
_STALE_AFTER = 2.0
_BEGUN = (
    "rebase-merge",
    "rebase-apply",
    "sequencer",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_START",
)
_AFTERMATH = (
    "MERGE_MSG",
    "MERGE_MODE",
    "SQUASH_MSG",
    "AUTO_MERGE",
    "ORIG_HEAD",
    "BISECT_LOG",
    "BISECT_NAMES",
)


def recover(half: LocalHalf) -> None:
    """Make the repository one that a sync can work on; costs a few looks at files when it is."""
    repo = half.repo
    if not repo.exists():
        repo.create()
    _clear_locks(repo.git.dir)
    stood_on = _standing(repo)
    if stood_on is None:
        half.point_head()
    if stood_on is None and repo.main() is None:
        _find_main(half)
    _undo_landing(half)
    begun = [name for name in _BEGUN if (repo.git.dir / name).exists()]
    if begun or not half.tree.is_stamped(half.memo, repo.main()):
        _restore_unmerged(half, in_rebase="rebase-merge" in begun or "rebase-apply" in begun)
    stash = _autostash(repo)
    for name in (*begun, *(_AFTERMATH if begun else ())):
        _discard(repo.git.dir / name)
    if stood_on:
        _rejoin(half, stood_on)
    if stash:
        half.add_changes(stash)


def _standing(repo: Repo) -> str | None:
    """The commit that the work tree stands on, when HEAD is not simply the branch."""
    text = read_text(repo.git.dir / "HEAD").strip()
    if text == f"ref: {MAIN}":
        return None
    oid = repo.git.ref(text.removeprefix("ref: ")) if text.startswith("ref: refs/") else text
    return oid if oid and is_oid(oid) else None


def _rejoin(half: LocalHalf, stood_on: str) -> None:
    """Bring a detached HEAD or another branch back to the store's branch, with all that it holds."""
    repo = half.repo
    main = repo.main()
    if not repo.has_commit(stood_on):
        half.point_head()
        return
    ours = half.commit_on(stood_on, half.message())
    if main is None and ours:
        repo.point(MAIN, ours)
    elif ours != main:
        half.join_and_land(ours, main)
    half.point_head()


def _find_main(half: LocalHalf) -> None:
    """Find the branch again when its reference is gone: the last commit that any record names."""
    repo = half.repo
    candidates = [half.memo.head or ""]
    for name in (f"logs/{MAIN}", "logs/HEAD"):
        lines = read_text(repo.git.dir / name).splitlines()
        candidates += [line.split()[1] for line in lines[-1:] if len(line.split()) > 1]
    for oid in candidates:
        if repo.has_commit(oid):
            (repo.git.dir / MAIN).unlink(missing_ok=True)
            repo.point(MAIN, oid)
            return


def _undo_landing(half: LocalHalf) -> None:
    journal = load_journal(half.repo.own)
    if journal is None:
        return
    half.tree.clear_temporary(journal.writes)
    if half.repo.main() != journal.target:
        half.tree.undo(journal.writes)
        held = read_held(journal.held)
        save_held(half.repo, held)
        half.held = held
    drop_journal(half.repo.own)


def _restore_unmerged(half: LocalHalf, *, in_rebase: bool) -> None:
    """Put the local version back into files that git filled with markers; the marked text is kept."""
    listed = half.repo.git.ask("ls-files", "-z", "-u")
    local_stage = b"3" if in_rebase else b"2"  # a rebase calls the upstream "ours"
    for row in listed.out.split(b"\0") if listed.code == 0 else ():
        info, _, name = row.partition(b"\t")
        if not name or info.split()[2] != local_stage:
            continue
        path = name.decode("utf-8", "surrogateescape")
        data = half.tree.read(path)
        if data is not None and _has_markers(data):
            kept = half.repo.store(data)
            half.repo.point(f"refs/anamnesis/recovered/{kept}", kept)
            write_atomic(half.repo.folder / path, half.repo.git.blob(info.split()[1].decode()))


def _has_markers(data: bytes) -> bool:
    lines = b"\n" + data
    return all(mark in lines for mark in (b"\n<<<<<<< ", b"\n=======", b"\n>>>>>>> "))


def _autostash(repo: Repo) -> str | None:
    """The edits that a rebase had set aside."""
    for folder in ("rebase-merge", "rebase-apply"):
        oid = read_text(repo.git.dir / folder / "autostash").strip()
        if repo.has_commit(oid):
            repo.point(f"refs/anamnesis/recovered/{oid}", oid)
            return oid
    return None


def _clear_locks(git_dir: Path) -> None:
    """Remove lock files that nobody works on, and references that hold no object's name."""
    watched = {path: mark for path in _lock_files(git_dir) if (mark := _mark(path))}
    deadline = time.monotonic() + _STALE_AFTER
    while watched:
        watched = {path: mark for path, mark in watched.items() if _mark(path) == mark}
        if time.monotonic() >= deadline:
            for path in watched:
                path.unlink(missing_ok=True)
            return
        time.sleep(0.05)


def _lock_files(git_dir: Path) -> list[Path]:
    found = [Path(entry.path) for entry in os.scandir(git_dir) if entry.name.endswith(".lock")]
    for folder, _, names in os.walk(git_dir / "refs"):
        for name in names:
            path = Path(folder, name)
            if name.endswith(".lock"):
                found.append(path)
            elif not _is_reference(path):
                path.unlink(missing_ok=True)
    return found


def _is_reference(path: Path) -> bool:
    text = read_text(path).strip()
    return is_oid(text) or text.startswith("ref: ")


def _mark(path: Path) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _discard(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        for inner in path.iterdir():
            _discard(inner)
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
