"""The sync state of a store: two git processes, no network, no cache, never an error."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from anamnesis.address import address_refusal, mask
from anamnesis.errors import GitError
from anamnesis.layout import MAIN, TRACKING
from anamnesis.sync.repo import Repo, damaged_here, remote_key
from anamnesis.sync.results import SyncState
from anamnesis.sync.state import HERE, Failure, State, clash_text
from anamnesis.sync.tree import Changes
from anamnesis.text import local_time, plural, seconds_of, timestamp, utcnow

NOT_INITIALIZED = "not initialized; the first sync does it"
_MOST_SEARCHED = 200  # changed files; a sync searches all
_DAY = 86_400.0
_SKEW = 60.0  # seconds by which the clocks of files (perhaps on a file server) and of this process may differ


class Wait(NamedTuple):
    """How long changes have waited, and whether that is too long."""

    since: str | None = None  # None also for a time in the future, which comes from a wrong clock
    is_late: bool = False

    @classmethod
    def of(cls, moments: Iterable[float], *, limit: float) -> Wait:
        """How long the changes made at `moments` have waited."""
        now = time.time()
        oldest = min((moment if 0 < moment <= now + _SKEW else 0.0 for moment in moments), default=now)
        return cls(timestamp(oldest) if 0 < oldest < now else None, now - oldest > limit)

    @property
    def text(self) -> str:
        """Since when, in words."""
        return local_time(self.since) if self.since else "an unknown time (was a clock wrong?)"


def read_state(repo: Repo, remote: str | None) -> SyncState:
    """The sync state of a store; `detail` names problems."""
    shown = mask(remote) if remote else None
    if not repo.exists():
        return SyncState(remote=shown, detail=NOT_INITIALIZED)
    try:
        return _read(repo, remote, shown)
    except (GitError, OSError) as exc:
        failure = damaged_here(str(exc), repo.git.dir)
        return SyncState(
            initialized=True,
            remote=shown,
            head=(repo.git.ref(MAIN) or "")[:7] or None,
            dirty=True,
            detail=f"cannot be read: {exc}; `anamnesis sync` rebuilds it",
            failure=failure.kind,
            failure_text=failure.text,
        )


def _read(repo: Repo, remote: str | None, shown: str | None) -> SyncState:
    changes = Changes(repo)
    state, head = changes.state, repo.main()
    edits = changes.collect(most=_MOST_SEARCHED)
    waiting = changes.waiting
    uncommitted = {*edits, *(each.path for each in waiting)}
    edited = Wait.of([_changed_at(repo.folder / path) for path in uncommitted], limit=_DAY)
    ahead, unsent = unpushed(repo, state, remote) if remote else (0, Wait())
    theirs = repo.git.ref(TRACKING)
    behind = repo.count(head, theirs) if remote and theirs and theirs != head else 0
    failure = _failure(state, remote)
    failed = failure.text if failure else ""
    records = sorted(state.held.values(), key=lambda record: record.id)
    said = (
        clash_text(records),
        *(f"{path} waits {why}" for path, why in {each.path: each.why for each in waiting}.items()),
        failed,
        ahead_text(ahead, unsent)
        + (": `anamnesis sync` sends them" if unsent.is_late and not failed else ""),
        f"changes not committed since {edited.text}: `anamnesis sync` commits them" if edited.is_late else "",
    )
    is_ours = repo.git.is_on_main() and changes.status.head == head == state.head
    return SyncState(
        initialized=True,
        remote=shown,
        head=head[:7] or None,
        dirty=bool(uncommitted) or not is_ours or changes.status.is_staged,
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
        # A time in the future comes from a wrong clock.
        last_sync=state.last_sync if "" < state.last_sync <= utcnow() else None,
        left_out=changes.not_synced,
        waiting=waiting,
    )


def unpushed(repo: Repo, state: State, remote: str) -> tuple[int, Wait]:
    """How many commits the remote lacks, as far as we know, and since when; all if it was never reached."""
    head = repo.main()
    theirs = repo.git.ref(TRACKING) if remote_key(remote) in state.remotes else None
    if not head or head == theirs:
        return 0, Wait()
    span = [head, f"^{theirs}"] if theirs else [head]
    times = repo.git.run("log", "--format=%ct", *span, "--").splitlines()
    return len(times), Wait.of([seconds_of(each) for each in times[-1:]], limit=7 * _DAY)


def ahead_text(count: int, waiting: Wait) -> str:
    """How many commits wait and since when; "" if none do."""
    late = ", more than a week ago" if waiting.is_late and waiting.since else ""
    return f"{plural(count, 'commit')} not pushed since {waiting.text}{late}" if count else ""


def _failure(state: State, remote: str | None) -> Failure | None:
    """Why syncing does not work: the remote's address is refused, or the last sync failed."""
    if remote and (refusal := address_refusal(remote)):
        return Failure("address", refusal)
    if len(state.failure) != 4 or state.failure[0] not in (remote_key(remote) if remote else HERE, HERE):
        return None
    return Failure(*state.failure[1:])


def _changed_at(path: Path) -> float:
    """When a file was changed; for a deleted file, when its folder was."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0 if path == path.parent else _changed_at(path.parent)
