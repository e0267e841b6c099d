"""Where a store stands, read from its files: no network, one git process, never an error."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from anamnesis.address import mask
from anamnesis.errors import GitError
from anamnesis.git import read_text
from anamnesis.sync.held import load_held
from anamnesis.sync.memo import Memo, load_memo, load_runs
from anamnesis.sync.repo import MAIN, TRACKING, Repo, seen_ref
from anamnesis.sync.results import CURE, NOT_INITIALIZED, SyncState
from anamnesis.sync.worktree import WorkTree


def state_of(folder: Path, *, remote: str | None, machine_id: str) -> SyncState:
    """The state of the store whose portable notes are in `folder`."""
    return read_state(Repo(folder.absolute(), machine_id=machine_id), remote)


def read_state(repo: Repo, remote: str | None) -> SyncState:
    """The state of a store's repository; trouble is told in `detail`."""
    shown = mask(remote) if remote else None
    if not repo.exists():
        return SyncState(remote=shown, detail=NOT_INITIALIZED)
    try:
        return _read(repo, remote, shown)
    except (GitError, OSError) as exc:
        head = repo.git.ref(MAIN)
        return SyncState(
            initialized=True, remote=shown, head=head and head[:7], detail=f"cannot be read: {exc}"
        )


def _read(repo: Repo, remote: str | None, shown: str | None) -> SyncState:
    head, memo, held = repo.main(), load_memo(repo.own), load_held(repo)
    tree = WorkTree(repo)
    paths = [path for record in held.values() for path in record.paths]
    dirty = _is_elsewhere(repo, tree, memo, head) or bool(tree.scan(held_paths=paths, held_ids=held).paths)
    ahead, since = unpushed(repo, remote) if remote else (0, None)
    behind = _behind(repo, head) if remote else 0
    records = sorted(held.values(), key=lambda record: record.id)
    names = tuple(record.name for record in records)
    return SyncState(
        initialized=True,
        remote=shown,
        head=head[:7] if head else None,
        dirty=dirty,
        detail=_detail(names, ahead, since),
        ahead=ahead,
        behind=behind,
        unpushed_since=since,
        held=tuple(record.id for record in records),
        held_names=names,
        last_sync=load_runs(repo.own).last_sync,
    )


def _is_elsewhere(repo: Repo, tree: WorkTree, memo: Memo, head: str | None) -> bool:
    """Whether the index is not that of the branch, so that the next sync has something to put right."""
    if read_text(repo.git.dir / "HEAD").strip() != f"ref: {MAIN}":
        return True
    if head is None or tree.is_stamped(memo, head):
        return False
    return repo.git.ask("diff-index", "--cached", "--quiet", head, "--").code != 0


def unpushed(repo: Repo, remote: str) -> tuple[int, str | None]:
    """How many commits the remote lacks as far as is known, and since when; one never reached lacks all."""
    head, theirs = repo.main(), repo.git.ref(TRACKING)
    if repo.git.ref(seen_ref(remote)) is None:
        theirs = None
    if head is None or head == theirs:
        return 0, None
    times = repo.git.run("log", "--format=%ct", *repo.span(theirs, head), "--").split()
    since = datetime.fromtimestamp(int(times[-1]), UTC).isoformat(timespec="seconds") if times else None
    return len(times), since


def _behind(repo: Repo, head: str | None) -> int:
    theirs = repo.git.ref(TRACKING)
    return 0 if theirs is None or theirs == head else repo.count(head, theirs)


def _detail(held: tuple[str, ...], ahead: int, since: str | None) -> str:
    parts = []
    if held:
        parts.append(f"conflict: {', '.join(held)} held, kept local edits; {CURE}")
    if ahead:
        parts.append(f"{ahead} {'commit' if ahead == 1 else 'commits'} not pushed since {since}")
    return "; ".join(parts) or "ok"
