"""The state of a store's repository for `status`, and whether it is intact for the doctor.

The state costs one git process, needs no network and is never an error. A damaged repository is never
repaired in place: it is set aside whole and rebuilt. No note lives in it.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from anamnesis.address import check_remote, mask
from anamnesis.errors import AnamnesisError, GitError, StoreUnavailable, SyncError
from anamnesis.files import lock
from anamnesis.git import Git, is_oid, read_text, reason, remedy_for
from anamnesis.layout import MAIN, SYNC_LOCK, TRACKING, WRITE_LOCK
from anamnesis.notes.vocabulary import local_time, timestamp, utcnow
from anamnesis.sync.failure import Failure
from anamnesis.sync.paths import left_out
from anamnesis.sync.quick_scan import QuickScan
from anamnesis.sync.remembered import NOT_INITIALIZED, RememberedState
from anamnesis.sync.repo import Repo, seen_ref
from anamnesis.sync.results import REMEDY, Finding, Since, SyncState, WaitingFile
from anamnesis.sync.state import HERE, Held, HeldNotes, Memo, last_failure, load_held, load_memo, load_runs
from anamnesis.sync.worktree import WorkTree
from anamnesis.text import plural

_MOST_SEARCHED = 200  # changed files; a sync searches all of them
_DAY = 86_400.0
_COMMIT_LIMIT = _DAY
_PUSH_LIMIT = 7 * _DAY
_SKEW = 60.0  # seconds by which the clock of a file server may be ahead of ours
_OLDEST_GIT = (2, 30)
# What git leaves behind when it is killed, or when a user's own git operation is unfinished.
_HALF_DONE = ("index.lock", "HEAD.lock", "MERGE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge", "rebase-apply")
# Git's messages about damage that every sync repairs: HEAD, the configuration, the mark of a shallow clone.
_RECOVERS = re.compile(r"not a git repository|bad config|shallow")
_LOCK_SECONDS = 10.0
_UNKNOWN = "an unknown time (was a clock wrong?)"

Commit = Callable[[], bool]


class Wait(NamedTuple):
    """Since when changes wait, and whether that is too long; a time in the future counts as unknown."""

    since: str | None = None
    is_late: bool = False

    @classmethod
    def of(cls, moments: Sequence[float], *, now: float, limit: float) -> Wait:
        """How long the changes made at `moments` have waited."""
        known = [moment for moment in moments if moment <= now + _SKEW]
        is_late = len(known) < len(moments) or any(now - moment > limit for moment in known)
        since = timestamp(max(0.0, min(known))) if known else None
        return cls(since, is_late)


def read_state(
    repo: Repo, remote: str | None, *, quick_scan: QuickScan | None = None, since: Since | None = None
) -> SyncState:
    """The state of a store's repository; problems are named in `detail`."""
    shown = mask(remote) if remote else None
    if not repo.exists():
        return SyncState(remote=shown, detail=NOT_INITIALIZED)
    remembered = RememberedState(str(repo.folder), remote)
    facts = remembered.facts()
    if facts is not None:
        return SyncState(**facts)
    quick = quick_scan or QuickScan()
    # To remember a state takes a look at every name in the tree, which a continued scan does not need.
    is_kept = since is None or not quick.is_ready(repo)
    if is_kept:
        remembered.start()
    try:
        state = _read(repo, remote, shown, quick, since)
    except (GitError, OSError) as exc:
        head = repo.git.ref(MAIN)
        detail = f"cannot be read: {exc}; `anamnesis doctor` says what to do"
        return SyncState(initialized=True, remote=shown, head=head and head[:7], detail=detail)
    if is_kept and _has_no_changes(state):
        facts = {name: value for name, value in asdict(state).items() if value != ()}
        remembered.end(facts, until=_changes_at(state))
    return state


def _has_no_changes(state: SyncState) -> bool:
    """Whether a state follows from the repository alone; not if a clock was wrong and may be right again."""
    is_known = state.remote is None or state.last_sync is not None
    return is_known and not (state.dirty or state.held or state.waiting or state.left_out)


def _changes_at(state: SyncState) -> float:
    """When time alone changes a state without changed files: when its commits have waited for too long."""
    if not state.ahead or state.late_push or state.unpushed_since is None:
        return time.time() + _PUSH_LIMIT
    return datetime.fromisoformat(state.unpushed_since).timestamp() + _PUSH_LIMIT


def _read(
    repo: Repo, remote: str | None, shown: str | None, quick_scan: QuickScan, since: Since | None
) -> SyncState:
    head, memo, held = repo.main(), load_memo(repo.own), load_held(repo)
    tree = WorkTree(repo)
    scan = quick_scan.scan(repo, tree, since) if since and not held else None
    if scan is None:
        started = quick_scan.start()
        scan = tree.scan(
            held_paths=[path for record in held.values() for path in record.paths], held_ids=held
        )
        quick_scan.remember(scan, started)
    changed = scan.paths
    edited = Wait.of(
        [_changed_at(repo.folder / path) for path in changed], now=time.time(), limit=_COMMIT_LIMIT
    )
    ahead, unsent = unpushed(repo, remote) if remote else (0, Wait())
    failure = _failure(repo, remote)
    failed = failure.text if failure else ""
    damage = "" if repo.has_readable_refs() else "packed-refs is damaged: `anamnesis sync` repairs it"
    records = sorted(held.values(), key=lambda record: record.id)
    names = tuple(record.name for record in records)
    waiting = _waiting(repo, tree, scan.paths, held) if scan.paths or held else ()
    if remote and ahead and memo.searched != head:
        waiting += _waiting_unsent(repo, remote)
    return SyncState(
        initialized=True,
        remote=shown,
        head=head[:7] if head else None,
        dirty=bool(changed) or _needs_repair(repo, memo, head),
        detail=_detail(
            records,
            *(f"{path} waits {why}" for path, why in {each.path: each.why for each in waiting}.items()),
            damage,
            failed,
            _ahead_text_and_remedy(ahead, unsent, failed),
            _edited_text(edited),
        ),
        ahead=ahead,
        behind=_behind(repo, head) if remote else 0,
        unpushed_since=unsent.since,
        uncommitted_since=edited.since,
        late_push=unsent.is_late,
        late_commit=edited.is_late,
        failure=failure.kind if failure else "",
        failure_text=failed,
        held=tuple(record.id for record in records),
        held_names=names,
        last_sync=_known(load_runs(repo.own).last_sync),
        left_out=left_out(repo, scan.left_out),
        waiting=waiting,
    )


def _waiting(repo: Repo, tree: WorkTree, paths: list[str], held: HeldNotes) -> tuple[WaitingFile, ...]:
    """What keeps changed files from being committed; of very many changes only the first are searched."""
    from anamnesis.sync.waiting import find_stuck, held_waiting, waiting_files

    stuck = find_stuck(repo, tree.read, paths[:_MOST_SEARCHED], head=repo.main())
    return (*waiting_files(stuck), *held_waiting(repo, tree.read, held.values()))


def _waiting_unsent(repo: Repo, remote: str) -> tuple[WaitingFile, ...]:
    """The credentials in the user's own commits that the next sync will not send."""
    from anamnesis.sync.unsent import known_commit, waiting_unsent

    return tuple(waiting_unsent(repo, known_commit(repo, remote), most=_MOST_SEARCHED))


def _needs_repair(repo: Repo, memo: Memo, head: str | None) -> bool:
    """Whether HEAD or the index do not match the branch, so that the next sync has something to repair."""
    if read_text(repo.git.dir / "HEAD").strip() != f"ref: {MAIN}":
        return True
    if head is None or memo.matches(repo.git.dir, head):
        return False
    return repo.git.ask("diff-index", "--cached", "--quiet", head, "--").code != 0


def unpushed(repo: Repo, remote: str) -> tuple[int, Wait]:
    """How many commits the remote lacks, as far as we know, and since when; all, if it was never reached."""
    head, theirs = repo.main(), repo.git.ref(TRACKING)
    if repo.git.ref(seen_ref(remote)) is None:
        theirs = None
    if head is None or head == theirs:
        return 0, Wait()
    count, first = _commits_between(repo, theirs, head)
    return count, Wait.of([first] if count else [], now=time.time(), limit=_PUSH_LIMIT)


@lru_cache(maxsize=8)  # the commits between two commits never change
def _commits_between(repo: Repo, base: str | None, tip: str) -> tuple[int, int]:
    """How many commits `tip` has that `base` lacks, and when the first of them was made."""
    times = repo.git.run("log", "--format=%ct", *repo.span(base, tip), "--").split()
    return len(times), int(times[-1]) if times else 0


def ahead_text(count: int, waiting: Wait) -> str:
    """How many commits wait and since when; "" when none does."""
    if not count:
        return ""
    late = ", more than a week ago" if waiting.is_late and waiting.since else ""
    return f"{plural(count, 'commit')} not pushed since {_spoken(waiting)}{late}"


def _spoken(waiting: Wait) -> str:
    return local_time(waiting.since) if waiting.since else _UNKNOWN


def _ahead_text_and_remedy(count: int, waiting: Wait, failure: str) -> str:
    text = ahead_text(count, waiting)
    return f"{text}: `anamnesis sync` sends them" if waiting.is_late and not failure else text


def _edited_text(edited: Wait) -> str:
    if not edited.is_late:
        return ""
    return f"changes not committed since {_spoken(edited)}: `anamnesis sync` commits them"


def _failure(repo: Repo, remote: str | None) -> Failure | None:
    """Why nothing is synced: the remote's address is refused, or the last sync failed."""
    try:
        if remote:
            check_remote(remote)
    except GitError as exc:
        return Failure("address", str(exc))
    return last_failure(repo.own, seen_ref(remote) if remote else HERE)


def _changed_at(path: Path) -> float:
    """When a file was changed; for a deleted one, when its folder was."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0 if path == path.parent else _changed_at(path.parent)


def _behind(repo: Repo, head: str | None) -> int:
    theirs = repo.git.ref(TRACKING)
    return 0 if theirs is None or theirs == head else repo.count(head, theirs)


def _detail(held: Sequence[Held], *problems: str) -> str:
    descriptions = "; ".join(record.description for record in held)
    clash = f"conflict: kept local edits, not pushed: {descriptions}; {REMEDY}" if held else ""
    return "; ".join(part for part in (clash, *problems) if part) or "ok"


def can_read_branch(git: Git) -> bool:
    """Whether the store's current commit exists, by a quick check; true when there is none."""
    try:
        main = git.ref(MAIN)
        return main is None or git.has(f"{main}^{{tree}}")
    except GitError:
        return False


def check_git(git: Git) -> Finding:
    """Git is installed and new enough."""
    remedy = "install git 2.30 or newer"
    try:
        said = git.line("version")
    except GitError as exc:
        return Finding("git", "bad", str(exc).removesuffix(f"; {remedy}"), remedy)
    found = re.search(r"(\d+)\.(\d+)", said)
    if found is None or (int(found[1]), int(found[2])) < _OLDEST_GIT:
        return Finding("git", "bad", f"{said} is too old", remedy)
    return Finding("git", "ok", said)


def check_repository(repo: Repo, remote: str | None, *, commit: Commit) -> Finding:
    """The repository holds everything that its references lead to, and nothing in it is half-done."""
    git = repo.git
    recovers = "`anamnesis sync` recovers from it"
    if not git.dir.exists():
        return Finding("repository", "ok", "there is none yet")
    try:
        damage = _damage(git)
    except GitError as exc:
        remedy = remedy_for(exc, "fix what git says, then `anamnesis doctor` again")
        return Finding("repository", "bad", str(exc), remedy)
    if damage and _RECOVERS.search(damage):
        return Finding("repository", "warn", damage, recovers)
    if damage:
        # A `.git` that only points elsewhere was put there by a person, who knows what else it serves.
        fix = partial(_set_aside, repo, remote, commit) if _is_own(git) else None
        remedy = f"move {git.dir} away and `anamnesis sync`{', or --fix' if fix else ''}: {_outlook(remote)}"
        return Finding("repository", "bad", f"damaged: {damage}", remedy, fix)
    found = [name for name in _HALF_DONE if (git.dir / name).exists()]
    if found:
        return Finding("repository", "warn", f"half-done: {', '.join(found)}", recovers)
    return Finding("repository", "ok", "everything in it can be read, nothing half-done")


def _damage(git: Git) -> str:
    """Why git cannot read all that the references lead to, in one line; "" when it can."""
    main = git.ref(MAIN)
    if main and not (git.dir / "objects").is_dir():
        return "its folder `objects` is gone"
    named = git.ask("for-each-ref", "--format=%(objectname)")
    if named.code:
        return reason(named.err) or "git gave no reason"
    heads = {*named.out.decode("utf-8", "replace").split(), *([main] if main else [])}
    if not heads:
        return ""
    order = "".join(f"{oid}\n" for oid in sorted(heads) if is_oid(oid)).encode()
    reached = git.ask("rev-list", "--objects", "--no-object-names", "--stdin", stdin=order)
    if reached.code:
        return reason(reached.err) or "git gave no reason"
    # Walking the history only checks that each blob exists; this reads the header of each.
    read = git.ask("cat-file", "--batch-check", "--buffer", stdin=reached.out)
    lost = [line.split()[0] for line in read.out.decode("utf-8", "replace").splitlines() if "missing" in line]
    if read.code or lost:
        return reason(read.err) or f"object {lost[0]} is missing"
    return ""


def _is_own(git: Git) -> bool:
    dot = git.folder / ".git"
    return dot.is_dir() and not dot.is_symlink()


def _outlook(remote: str | None) -> str:
    if remote:
        return "the history comes back from the remote"
    return "a new history starts, the notes are untouched"


def _set_aside(repo: Repo, remote: str | None, commit: Commit) -> str:
    aside = repo.folder.parent / f"git.damaged-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}"
    _move(repo, aside)
    try:
        commit()
    except AnamnesisError as exc:
        raise SyncError(f"{exc}; the damaged repository is kept as {aside}") from exc
    return f"set the damaged repository aside as {aside}; with the next `anamnesis sync` {_outlook(remote)}"


def _move(repo: Repo, aside: Path) -> None:
    """Rename the repository while neither a sync nor a write is under way; locks in the order of a sync."""
    home = repo.folder.parent
    try:
        with (
            lock(repo.own / SYNC_LOCK, timeout=_LOCK_SECONDS) as no_sync,
            lock(home / WRITE_LOCK, timeout=_LOCK_SECONDS) as no_write,
        ):
            if not (no_sync and no_write):
                raise StoreUnavailable(f"{home} is being synced or written to; try again")
            if aside.exists():
                raise StoreUnavailable(f"{aside} exists already; try again")
            repo.git.dir.rename(aside)
    except OSError as exc:
        raise StoreUnavailable(f"{repo.git.dir} could not be set aside: {exc.strerror}") from exc


def _known(moment: str | None) -> str | None:
    """A moment in the past; one in the future was written by a wrong clock and counts as unknown."""
    return moment if moment is not None and moment <= utcnow() else None
