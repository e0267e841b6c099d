"""The sync state of a store: two git processes, no network, no cache, never an error."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from anamnesis.address import address_refusal, mask
from anamnesis.errors import GitError
from anamnesis.layout import MAIN, TRACKING
from anamnesis.notes.vocabulary import local_time, seconds_of, timestamp, utcnow
from anamnesis.sync.failure import Failure
from anamnesis.sync.repo import Repo, remote_key
from anamnesis.sync.results import SyncState
from anamnesis.sync.session import Session
from anamnesis.sync.state import HERE, State, clash_text
from anamnesis.text import plural

NOT_INITIALIZED = "not initialized; the first sync does it"
_MOST_SEARCHED = 200  # changed files; a sync searches all
_COMMIT_LIMIT = 86_400.0
_PUSH_LIMIT = 7 * 86_400.0
_SKEW = 60.0  # seconds by which the clocks of files (perhaps on a file server) and of this process may differ
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


def read_state(repo: Repo, remote: str | None) -> SyncState:
    """The sync state of a store; `detail` names problems."""
    shown = mask(remote) if remote else None
    if not repo.exists():
        return SyncState(remote=shown, detail=NOT_INITIALIZED)
    try:
        return _read(repo, remote, shown)
    except (GitError, OSError) as exc:
        head = repo.git.ref(MAIN)
        detail = f"cannot be read: {exc}; `anamnesis sync` rebuilds it"
        return SyncState(initialized=True, remote=shown, head=head and head[:7], dirty=True, detail=detail)


def _read(repo: Repo, remote: str | None, shown: str | None) -> SyncState:
    session = Session(repo, remote=remote)
    state, head = session.state, repo.main()
    changed = session.collect(most=_MOST_SEARCHED)
    waiting = session.waiting
    uncommitted = {*changed, *(each.path for each in waiting)}
    edited = Wait.of([_changed_at(repo.folder / path) for path in uncommitted], limit=_COMMIT_LIMIT)
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
        _ahead_text_and_remedy(ahead, unsent, failed),
        _edited_text(edited),
    )
    is_ours = repo.is_on_main() and session.status.head == head == state.head
    return SyncState(
        initialized=True,
        remote=shown,
        head=head[:7] or None,
        dirty=bool(uncommitted) or not is_ours or session.status.is_staged,
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
        last_sync=_known(state.last_sync),
        left_out=session.not_synced,
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
    return len(times), Wait.of([seconds_of(times[-1])] if times else [], limit=_PUSH_LIMIT)


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


def _known(moment: str) -> str | None:
    """A time in the past; one in the future comes from a wrong clock and counts as unknown."""
    return moment if moment and moment <= utcnow() else None
