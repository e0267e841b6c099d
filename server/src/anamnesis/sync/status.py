"""The sync state of a store: one git process, no network, never an error.

A long-running process does not read every file of a large tree. It asks the index of notes which files were
written since its last scan, and compares only those with git's index. A removed file, or an old file moved
in, does not show in any file's time but changes the number of files; then the whole tree is scanned. It is
also scanned after an hour, for changes that show in neither: a file that is not a note, or an older git index
that someone restored.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from anamnesis.address import address_refusal, mask
from anamnesis.errors import GitError
from anamnesis.files import read_text
from anamnesis.layout import MAIN, RECORD_FOLDERS, TRACKING
from anamnesis.notes.vocabulary import local_time, seconds_of, timestamp, utcnow
from anamnesis.sync.failure import Failure
from anamnesis.sync.paths import left_out
from anamnesis.sync.repo import Repo, seen_ref
from anamnesis.sync.results import Since, SyncState, Touched, WaitingFile
from anamnesis.sync.state import (
    HERE,
    HeldNotes,
    Memo,
    clash_text,
    last_failure,
    load_held,
    load_memo,
    load_runs,
)
from anamnesis.sync.state_cache import LARGE_BYTES, NOT_INITIALIZED, StateCache, index_bytes
from anamnesis.sync.worktree import Scan, WorkTree
from anamnesis.text import plural

_MOST_SEARCHED = 200  # changed files; a sync searches all
_DAY = 86_400.0
_COMMIT_LIMIT = _DAY
_PUSH_LIMIT = 7 * _DAY
_SKEW = 60.0  # seconds by which the clocks of files (perhaps on a file server) and of this process may differ
_SCAN_SECONDS = 3600.0  # after which the whole tree is scanned again
_MOST_COMPARED = 100  # files to compare; with more, a scan is faster
_UNKNOWN = "an unknown time (was a clock wrong?)"


class Wait(NamedTuple):
    """How long changes have waited, and whether that is too long; a time in the future counts as unknown."""

    since: str | None = None
    is_late: bool = False

    @classmethod
    def of(cls, moments: Sequence[float], *, limit: float) -> Wait:
        """How long the changes made at `moments` have waited."""
        now = time.time()
        known = [moment for moment in moments if moment <= now + _SKEW]
        is_late = len(known) < len(moments) or any(now - moment > limit for moment in known)
        since = timestamp(max(0.0, min(known))) if known else None
        return cls(since, is_late)


def read_state(
    repo: Repo, remote: str | None, *, quick_scan: QuickScan | None = None, since: Since | None = None
) -> SyncState:
    """The sync state of a store; `detail` names problems."""
    shown = mask(remote) if remote else None
    if not repo.exists():
        return SyncState(remote=shown, detail=NOT_INITIALIZED)
    cache = StateCache(str(repo.folder), remote)
    facts = cache.facts()
    if facts is not None:
        return SyncState(**facts)
    quick = quick_scan or QuickScan()
    # Caching a state means reading every name in the tree, which a continued scan avoids.
    is_kept = since is None or not quick.is_ready(repo)
    if is_kept:
        cache.start()
    try:
        state = _read(repo, remote, shown, quick, since)
    except (GitError, OSError) as exc:
        head = repo.git.ref(MAIN)
        detail = f"cannot be read: {exc}; `anamnesis doctor` says what to do"
        return SyncState(initialized=True, remote=shown, head=head and head[:7], detail=detail)
    has_changes = state.dirty or state.held or state.waiting or state.left_out
    # Without the time of the last sync, a clock was wrong and may be corrected.
    if is_kept and not has_changes and (state.remote is None or state.last_sync is not None):
        facts = {name: value for name, value in asdict(state).items() if value != ()}
        cache.end(facts, until=_changes_at(state))
    return state


def _changes_at(state: SyncState) -> float:
    """When the state changes without any file changing: when commits have waited too long."""
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
        scan = tree.scan(held)
        quick_scan.remember(scan, started)
    changed = scan.paths
    edited = Wait.of([_changed_at(repo.folder / path) for path in changed], limit=_COMMIT_LIMIT)
    ahead, unsent = unpushed(repo, remote) if remote else (0, Wait())
    theirs = repo.git.ref(TRACKING)
    behind = repo.count(head, theirs) if remote and theirs not in (None, head) else 0
    failure = _failure(repo, remote)
    failed = failure.text if failure else ""
    damage = "" if repo.has_readable_refs() else "packed-refs is damaged: `anamnesis sync` repairs it"
    records = sorted(held.values(), key=lambda record: record.id)
    waiting = _waiting(repo, tree, scan.paths, held) if scan.paths or held else ()
    if remote and ahead and memo.searched != head:
        waiting += _waiting_unsent(repo, remote)
    said = (
        clash_text(records),
        *(f"{path} waits {why}" for path, why in {each.path: each.why for each in waiting}.items()),
        damage,
        failed,
        _ahead_text_and_remedy(ahead, unsent, failed),
        _edited_text(edited),
    )
    return SyncState(
        initialized=True,
        remote=shown,
        head=head[:7] if head else None,
        dirty=bool(changed) or _needs_repair(repo, memo, head),
        detail="; ".join(filter(None, said)) or "ok",
        ahead=ahead,
        behind=behind,
        unpushed_since=unsent.since,
        uncommitted_since=edited.since,
        late_push=unsent.is_late,
        late_commit=edited.is_late,
        failure=failure.kind if failure else "",
        failure_text=failed,
        held=tuple(record.id for record in records),
        held_names=tuple(record.name for record in records),
        last_sync=_known(load_runs(repo.own).last_sync),
        left_out=left_out(repo, scan.left_out),
        waiting=waiting,
    )


def _waiting(repo: Repo, tree: WorkTree, paths: list[str], held: HeldNotes) -> tuple[WaitingFile, ...]:
    """What keeps changed files from being committed; if there are very many, only the first are searched."""
    from anamnesis.sync.waiting import find_waiting, held_waiting, waiting_files

    waiting = find_waiting(repo, tree.read, paths[:_MOST_SEARCHED], head=repo.main())
    return (*waiting_files(waiting), *held_waiting(repo, tree.read, held.values()))


def _waiting_unsent(repo: Repo, remote: str) -> tuple[WaitingFile, ...]:
    """The credentials in the user's own commits, which the next sync will not push."""
    from anamnesis.sync.screen import known_commit, waiting_unsent

    return tuple(waiting_unsent(repo, known_commit(repo, remote), most=_MOST_SEARCHED))


def _needs_repair(repo: Repo, memo: Memo, head: str | None) -> bool:
    """Whether HEAD or the index does not match the branch, so that the next sync will repair it."""
    if read_text(repo.git.dir / "HEAD").strip() != f"ref: {MAIN}":
        return True
    if head is None or memo.matches(repo.git.dir, head):
        return False
    return repo.git.ask("diff-index", "--cached", "--quiet", head, "--").code != 0


def unpushed(repo: Repo, remote: str) -> tuple[int, Wait]:
    """How many commits the remote lacks, as far as we know, and since when; all if it was never reached."""
    head, theirs = repo.main(), repo.git.ref(TRACKING)
    if repo.git.ref(seen_ref(remote)) is None:
        theirs = None
    if head is None or head == theirs:
        return 0, Wait()
    count, first = _commits_between(repo, theirs, head)
    return count, Wait.of([first] if count else [], limit=_PUSH_LIMIT)


@lru_cache(maxsize=8)  # cached, because the commits between two commits never change
def _commits_between(repo: Repo, base: str | None, tip: str) -> tuple[int, int]:
    """How many commits `tip` has that `base` lacks, and when the first of them was made."""
    times = repo.git.run("log", "--format=%ct", *repo.span(base, tip), "--").splitlines()
    return len(times), seconds_of(times[-1]) if times else 0


def ahead_text(count: int, waiting: Wait) -> str:
    """How many commits wait and since when; "" if none do."""
    if not count:
        return ""
    late = ", more than a week ago" if waiting.is_late and waiting.since else ""
    return f"{plural(count, 'commit')} not pushed since {_since_text(waiting)}{late}"


def _since_text(waiting: Wait) -> str:
    return local_time(waiting.since) if waiting.since else _UNKNOWN


def _ahead_text_and_remedy(count: int, waiting: Wait, failure: str) -> str:
    text = ahead_text(count, waiting)
    return f"{text}: `anamnesis sync` sends them" if waiting.is_late and not failure else text


def _edited_text(edited: Wait) -> str:
    if not edited.is_late:
        return ""
    return f"changes not committed since {_since_text(edited)}: `anamnesis sync` commits them"


def _failure(repo: Repo, remote: str | None) -> Failure | None:
    """Why syncing does not work: the remote's address is refused, or the last sync failed."""
    if remote and (refusal := address_refusal(remote)):
        return Failure("address", refusal)
    return last_failure(repo.own, seen_ref(remote) if remote else HERE)


def _changed_at(path: Path) -> float:
    """When a file was changed; for a deleted file, when its folder was."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0 if path == path.parent else _changed_at(path.parent)


def _known(moment: str | None) -> str | None:
    """A time in the past; one in the future comes from a wrong clock and counts as unknown."""
    return moment if moment is not None and moment <= utcnow() else None


class _LastScan(NamedTuple):
    paths: tuple[str, ...]
    moment_ns: int
    monotonic: float


class QuickScan:
    """Continues the last scan of one tree with the files written since."""

    def __init__(self) -> None:
        self._last: _LastScan | None = None

    def start(self) -> _LastScan:
        """The start time of a scan, to pass to `remember` with the result."""
        return _LastScan((), time.time_ns(), time.monotonic())

    def remember(self, scan: Scan, started: _LastScan) -> None:
        """Keep the result of a scan, unless it has files that cannot be synced."""
        self._last = None if scan.left_out else started._replace(paths=tuple(scan.paths))

    def is_ready(self, repo: Repo) -> bool:
        """Whether the last scan can be continued."""
        return self._last is not None and _is_usable(self._last) and index_bytes(repo.git.dir) > LARGE_BYTES

    def scan(self, repo: Repo, tree: WorkTree, since: Since) -> Scan | None:
        """What differs now; None if all files must be scanned."""
        last = self._last
        if last is None or not self.is_ready(repo):
            return None
        touched = since(last.moment_ns - int(_SKEW * 1e9))
        wanted = {*last.paths, *touched.paths, *_present_records(repo)}
        if len(wanted) > _MOST_COMPARED or not all(map(str.isascii, wanted)):
            return None
        known = _tracked_objects(repo, wanted)
        compared = {path: (known.get(path), tree.hash(path)) for path in {*wanted, *known}}
        if not _adds_up(compared, touched, _count_tracked(repo)):
            return None
        changed = {path: old is None for path, (old, new) in sorted(compared.items()) if old != new}
        return tree.scan(only=changed) if changed else Scan()


def _is_usable(last: _LastScan) -> bool:
    """Whether the scan is less than an hour old and the clock, which sets file times, was not changed."""
    elapsed, by_clock = time.monotonic() - last.monotonic, (time.time_ns() - last.moment_ns) / 1e9
    return elapsed < _SCAN_SECONDS and abs(elapsed - by_clock) < _SKEW / 2


def _present_records(repo: Repo) -> Iterable[str]:
    """The paths of our own records, which are synced but not in the index of notes."""
    for folder in RECORD_FOLDERS:
        try:
            yield from (f"{folder}/{name}" for name in os.listdir(repo.folder / folder) if name[0] != ".")
        except OSError:
            continue


def _tracked_objects(repo: Repo, paths: Iterable[str]) -> dict[str, str]:
    """The objects in git's index for these paths and for all our records."""
    places = [f":(literal){path}" for path in (*paths, *RECORD_FOLDERS)]
    rows = repo.git.run("ls-files", "-s", "-z", "--", *places).decode("utf-8", "surrogateescape").split("\0")
    return {path: entry.split()[1] for entry, _, path in (row.partition("\t") for row in rows) if path}


def _count_tracked(repo: Repo) -> int:
    """How many files git's index has, from its header (signature, version, number)."""
    with open(repo.git.dir / "index", "rb") as handle:
        return int.from_bytes(handle.read(12)[8:], "big")


def _adds_up(compared: dict[str, tuple[str | None, str | None]], touched: Touched, tracked: int) -> bool:
    """Whether the number of notes matches git's index and the compared files."""
    notes = [states for path, states in compared.items() if path.endswith(".md")]
    records = sum(old is not None for path, (old, _) in compared.items() if not path.endswith(".md"))
    new = sum(old is None and now is not None for old, now in notes)
    gone = sum(old is not None and now is None for old, now in notes)
    return touched.notes == tracked - records + new - gone
