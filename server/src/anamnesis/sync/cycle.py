"""One sync of a store: commit, fetch, integrate, push; and local operations under the same locks.

Locks, always taken in this order: the sync lock inside the repository for a whole sync, then the store's
write lock for each local step, never while waiting for the network. A caller must hold neither.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from anamnesis.address import address_refusal, has_unused_password
from anamnesis.errors import GitError, NotHeld, StoreUnavailable, SyncError
from anamnesis.files import lock, make_folder
from anamnesis.layout import SYNC_LOCK, WRITE_LOCK
from anamnesis.notes.record import utcnow
from anamnesis.purge import Purge, take_unreported
from anamnesis.purge.apply import apply, resume
from anamnesis.settings import resolve_number
from anamnesis.sync import screen
from anamnesis.sync.failure import Failure
from anamnesis.sync.heartbeat import is_heartbeat_due
from anamnesis.sync.held import chosen_version, conflict_text, record_removed
from anamnesis.sync.local import LocalSync
from anamnesis.sync.paths import left_out, left_out_text
from anamnesis.sync.recover import ATTEMPTS, clear_obstacles, recover, too_busy, unblock_git
from anamnesis.sync.remote import UNUSED_LOGIN, Fetched, Remote, failure_here
from anamnesis.sync.replay import rejoin_text
from anamnesis.sync.repo import Repo, seen_ref
from anamnesis.sync.results import Choice, HeldNote, Rejoin, SyncResult, Undo, WaitingFile
from anamnesis.sync.state import (
    HERE,
    Held,
    Runs,
    has_journal,
    load_held,
    load_removed,
    load_runs,
    save_failure,
    save_memo,
    save_removed,
    save_runs,
    save_shared,
)
from anamnesis.sync.status import ahead_text, read_state, unpushed
from anamnesis.sync.waiting import waiting_text
from anamnesis.sync.worktree import TreeChanged
from anamnesis.text import StepProgress

_WRITE_WAIT = 20.0  # seconds to wait for the store's write lock, which is only held briefly
_SET_UP = "1"
_BACKGROUND_SILENCE = 600.0  # seconds; no person waits for a background sync


@dataclass(slots=True)
class _Run:
    """What one sync has done so far."""

    progress: StepProgress
    pulled: int = 0
    pushed: bool = False
    failure: Failure | None = None
    changed: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    staying: dict[str, str] = field(default_factory=dict)  # files that are not synced
    waiting: tuple[WaitingFile, ...] = ()
    replaces: str | None = None  # the remote's commit that a purge rewrote


class Cycle:
    """Syncs one store's repository with its remote; without a remote, it only commits."""

    def __init__(
        self,
        repo: Repo,
        *,
        remote: str | None,
        timeout: float | None,
        background: bool,
        heartbeat: bool,
    ) -> None:
        self._repo = repo
        self._remote = remote
        self._timeout = timeout
        self._background = background
        self._heartbeat = heartbeat
        self._locked = partial(self._local, is_sync=True)

    def init(self) -> None:
        """Make the folder a repository that can be synced; does nothing if it already is one."""
        with self._local():
            pass

    def held(self) -> list[HeldNote]:
        """The held notes with their texts."""
        if self._repo.exists():
            with suppress(GitError):
                local = LocalSync(self._repo)
                return local.versions.describe_all(local.held)
        elif not self._repo.own.is_dir():
            return []
        # Recovery repairs what keeps git from starting: an empty HEAD, a broken configuration.
        with self._local() as local:
            return local.versions.describe_all(local.held)

    def commit(self, message: str | None = None, *, only: Collection[Path] = ()) -> bool:
        """Commit all changes, or those in these files, on this machine; returns whether there were any."""
        folder = self._repo.folder
        named = [path.relative_to(folder).as_posix() for path in only if path.is_relative_to(folder)]
        if only and not named:
            return False
        with self._local() as local:
            before = self._repo.main()
            if before is None and not local.adopt_shared():
                return False
            return local.commit(message, only=named) != before

    def resolve(self, note_id: str, *, choice: Choice, text: str | None) -> Undo | None:
        """Resolve a held note with one of its versions or with `text`; the next sync sends it."""
        with self._local() as local:
            key = next((key for key, held in local.held.items() if note_id in (held.id, key)), None)
            if key is None:
                known = ", ".join(held.name for held in local.held.values()) or "none"
                raise NotHeld(f"{note_id!r} is not a held note; held notes: {known}")
            record = local.versions.refreshed(local.held[key], self._repo.main() or "")
            path, data = chosen_version(self._repo, record, choice, text)
            local.settle(key, path, data)
        return None if record.private else partial(self._hold_again, record, path, data)

    def _hold_again(self, record: Held, path: str, data: bytes | None) -> None:
        with self._local() as local:
            local.hold_again(record, path, data)

    def allow_secret(self, name: str) -> bool:
        """Allow a waiting note or file to be committed as it is now; returns False if none has that name."""
        with self._local() as local:
            theirs = screen.known_commit(self._repo, self._remote or "")
            return local.allow_secret(name) or screen.allow_unsent(self._repo, theirs, name)

    def purge(self, purge: Purge) -> None:
        """Remove notes and texts from every version on this machine; the next sync purges them elsewhere."""
        self.init()
        with self._sync_lock() as is_mine:
            if not is_mine:
                raise SyncError("another sync of this store is still running; purge again when it is done")
            with self._locked():
                apply(self._repo.git, [purge])

    def sync(self, *, rejoin: Rejoin, progress: StepProgress) -> SyncResult:
        """Run one sync, or leave the work to another one that is running or has just finished."""
        if self._remote and (refusal := address_refusal(self._remote)):
            self.commit()
            raise SyncError(f"{refusal}. Nothing was sent; your changes are committed here", kind="address")
        make_folder(self._repo.folder)
        remarks = clear_obstacles(self._repo)
        make_folder(self._repo.own)
        asked = load_runs(self._repo.own).started
        with self._sync_lock() as is_mine:
            if not is_mine:
                self.commit()
                return self._skipped("another sync of this store is still running", reached=False)
            runs = load_runs(self._repo.own)
            # Numbers, not times: a clock that was once ahead would make every later sync skip its work.
            if runs.finished > asked:
                return self._skipped("another sync of this store did the work meanwhile", runs.reached)
            return self._run_numbered(
                runs, partial(self._cycle, _Run(progress, remarks=remarks), rejoin=rejoin)
            )

    def _run_numbered(self, runs: Runs, cycle: Callable[[], SyncResult]) -> SyncResult:
        """Run one sync under the sync lock and number it, so that a waiting one knows what was done."""
        started = runs._replace(started=max(runs.started, runs.finished) + 1)
        save_runs(self._repo.own, started)
        result = cycle()
        last = utcnow() if result.reached else runs.last_sync
        save_runs(
            self._repo.own,
            started._replace(finished=started.started, reached=result.reached, last_sync=last),
        )
        self._repo.tidy(started.started)
        return result

    @property
    def _silence(self) -> float:
        """Seconds to wait for a silent remote: a little less than the caller waits, so that we report it."""
        wanted = resolve_number("sync_timeout") if self._timeout is None else self._timeout
        return max(0.2, wanted * 0.9, _BACKGROUND_SILENCE if self._background else 0.0)

    @contextmanager
    def _sync_lock(self) -> Iterator[bool]:
        """Hold the sync lock for the block; yields whether we got it.

        In the background only one sync waits for the lock: it covers the later requests too.
        """
        with ExitStack() as stack:
            alone = lock(self._repo.own / "next.lock", timeout=0) if self._background else nullcontext(True)
            with alone as is_next:
                own = lock(self._repo.own / SYNC_LOCK, timeout=self._silence)
                is_mine = is_next and stack.enter_context(own)
            yield is_mine

    def _skipped(self, why: str, reached: bool) -> SyncResult:
        held, waiting = load_held(self._repo), read_state(self._repo, self._remote).waiting
        if not reached and self._remote:
            why = f"{why}; {self._unpushed_text()}"
        said = (conflict_text(held.values()) if held else "", waiting_text(waiting), why)
        return SyncResult(
            conflicted=bool(held),
            head=self._repo.short_main(),
            detail="; ".join(filter(None, said)),
            reached=reached,
            held=tuple(sorted(record.id for record in held.values())),
            waiting=waiting,
        )

    @contextmanager
    def _local(self, *, is_sync: bool = False) -> Iterator[LocalSync]:
        """The local part of a sync, recovered and under the write lock; `is_sync`: we hold the sync lock."""
        make_folder(self._repo.folder)
        with self._writing(is_sync) as write_lock:
            try:
                unblock_git(self._repo)
                to_share = write_lock if is_sync else None
                local = LocalSync(self._repo, write_lock=to_share, heartbeat=self._heartbeat)
                self._set_up(local)
                recover(local)
                if resume(self._repo.git):
                    local = LocalSync(self._repo, write_lock=to_share, heartbeat=self._heartbeat)
                yield local
            except GitError as exc:
                failure = failure_here(exc, self._repo)
                save_failure(self._repo.own, HERE, failure)
                raise SyncError(failure.text, kind=failure.kind) from exc
            except OSError as exc:
                what = f"{exc.filename or self._repo.folder}: {exc.strerror}"
                failure = Failure("other", what, "your notes are untouched")
                save_failure(self._repo.own, HERE, failure)
                raise StoreUnavailable(failure.text) from exc

    @contextmanager
    def _writing(self, is_sync: bool) -> Iterator[lock]:
        """Hold the write lock, but not during another process's landing, which shares it with writers."""
        deadline = time.monotonic() + _WRITE_WAIT
        root = self._repo.folder.parent
        while True:
            write_lock = lock(root / WRITE_LOCK, timeout=_WRITE_WAIT)
            with write_lock as is_mine:
                if not is_mine:
                    raise StoreUnavailable(f"{root} is being written by another process; try again")
                if is_sync or not self._is_landing():
                    yield write_lock
                    return
            if time.monotonic() >= deadline:
                raise StoreUnavailable(
                    f"a sync is bringing many notes into {root}; try again when it is done"
                )
            time.sleep(0.05)

    def _is_landing(self) -> bool:
        """Whether another process is in the middle of a landing; if it died there, it holds no lock."""
        if not has_journal(self._repo.own):
            return False
        with lock(self._repo.own / SYNC_LOCK, timeout=0) as is_free:
            return not is_free

    def _set_up(self, local: LocalSync) -> None:
        if local.memo.ready != _SET_UP or not self._repo.exists():
            self._repo.create()
            local.memo.ready = _SET_UP
            save_memo(self._repo.own, local.memo)
        self._repo.forbid_filters()
        if self._remote and not address_refusal(self._remote):
            self._repo.set_remote(self._remote)

    def _cycle(self, run: _Run, *, rejoin: Rejoin) -> SyncResult:
        self._commit(run)
        if not self._remote:
            return self._result(run, "no remote configured; committed locally", reached=False)
        if has_unused_password(self._remote):
            run.remarks.append(UNUSED_LOGIN)
        remote = Remote(self._repo, self._remote, silence=self._silence, progress=run.progress)
        for attempt in range(ATTEMPTS):
            fetched, run.replaces = screen.apply_purges(
                self._repo, remote, remote.fetch(), run.remarks, locked=self._locked
            )
            lost = screen.lost_history(self._repo, remote, fetched.commit)
            if lost and not fetched.failure and not self._is_accepted(rejoin, remote, fetched.commit):
                save_failure(self._repo.own, seen_ref(self._remote), lost)
                raise SyncError(lost.text, kind=lost.kind)
            # Without news from the remote, there may still be no branch, or held notes to merge again.
            has_work = not remote.is_unchanged(fetched.commit) or self._repo.main() is None
            has_work = has_work or attempt > 0 or bool(load_held(self._repo))
            if has_work and self._may_integrate(remote, fetched, bool(rejoin)):
                self._integrate(run, remote, fetched.commit)
            if fetched.failure:
                run.failure = fetched.failure
                return self._result(run)
            withheld = screen.withhold(self._repo, fetched.commit, run.remarks, locked=self._locked)
            run.waiting = run.waiting if withheld is None else withheld
            if self._push(run, remote, fetched.commit):
                if run.failure is None:
                    screen.finish_purges(self._repo, locked=self._locked)
                return self._result(run)
            # Two machines that lost the same race must not retry at the same time.
            time.sleep((0.02 + os.urandom(1)[0] / 3000) * (attempt + 1))
        if run.failure and run.failure.kind != "locked":
            run.failure = None
        return self._result(run, f"other machines keep pushing; {self._unpushed_text()}")

    def _is_accepted(self, rejoin: Rejoin, remote: Remote, theirs: str | None) -> bool:
        """Whether to go on with a remote that lost history; a question is asked with counts."""
        if isinstance(rejoin, bool):
            return rejoin
        return rejoin(rejoin_text(self._repo, theirs, remote.lost(theirs)))

    def recover(self, name: str) -> list[str]:
        """Write the notes again that a rejoin removed with the commit `name`; returns their paths."""
        with self._local() as local:
            removed = load_removed(self._repo.own)
            commit = next((each for each in removed if len(name) > 3 and each.startswith(name)), None)
            if commit is None or not self._repo.has_commit(commit):
                known = ", ".join(each[:10] for each in removed) or "none"
                raise SyncError(f"no notes were removed with commit {name!r}; such commits: {known}")
            written = local.tree.complete(commit, only=removed.pop(commit))
            save_removed(self._repo.own, removed)
            return written

    def _commit(self, run: _Run) -> None:
        run.progress("commit", 0, 0)
        with self._locked() as local:
            if self._repo.main() is not None or local.adopt_shared() or not self._remote:
                # A new machine without notes starts from the remote's history, so there is nothing to merge.
                has_history = self._repo.main() is not None
                local.commit(heartbeat=has_history and is_heartbeat_due(self._repo, held=len(local.held)))
            run.changed += local.catch_up()
            run.remarks += local.remarks
            run.staying, run.waiting = local.left_out, local.waiting()

    def _may_integrate(self, remote: Remote, fetched: Fetched, rejoin: bool) -> bool:
        """Whether the remote's last known commit may be integrated; always, if the remote just answered."""
        if not fetched.failure:
            return True
        # A store without a branch must first fetch the history that its files belong to.
        is_waiting = fetched.commit is None and self._repo.main() is None
        return not is_waiting and (rejoin or remote.lost(fetched.commit) is None)

    def _integrate(self, run: _Run, remote: Remote, theirs: str | None) -> None:
        """Integrate what was fetched, and start over if a file changes at the last moment."""
        if theirs and theirs == self._repo.main() and not load_held(self._repo):
            return
        run.progress("integrate", 0, 0)
        seen = remote.lost(theirs) if theirs else None
        for _ in range(ATTEMPTS):
            with self._locked() as local:
                if self._repo.main() is None:
                    local.adopt_shared()
                ours = local.commit()
                if seen and ours:
                    self._repo.keep(ours)
                run.staying = local.left_out
                try:
                    progress = partial(run.progress, "integrate")
                    is_new = self._heartbeat and ours is None
                    result = local.integrate(ours, theirs, seen=seen, heartbeat=is_new, progress=progress)
                except TreeChanged:
                    continue
                if theirs and result.head != ours:
                    run.pulled += self._repo.count(ours, theirs)
                run.changed += result.changed
                run.remarks += result.remarks
                is_empty = self._repo.main() is None
                if local.was_shared or is_empty:
                    local.commit(heartbeat=is_empty)  # with what was written in between
                if seen and ours:
                    remote.remember(theirs)
                    run.remarks += record_removed(self._repo, ours, result.head)
                run.waiting = local.waiting()
                return
        raise too_busy(self._repo)

    def _push(self, run: _Run, remote: Remote, theirs: str | None) -> bool:
        """Push what the remote lacks; returns False if another machine pushed first."""
        head = self._repo.main()
        run.failure = None
        if head is None or (head == theirs and not run.replaces):
            remote.remember(theirs)
            save_shared(self._repo, head)
            return True
        pushed = remote.push(head, replaces=run.replaces)
        if pushed.outcome == "done":
            remote.remember(head)
            save_shared(self._repo, head)
            run.pushed = True
        run.failure = pushed.failure
        return pushed.outcome != "raced"

    def _unpushed_text(self) -> str:
        return ahead_text(*unpushed(self._repo, self._remote or "")) or "nothing is waiting to be pushed"

    def _result(self, run: _Run, detail: str = "synced", *, reached: bool = True) -> SyncResult:
        held, unreported = load_held(self._repo), take_unreported(self._repo.git)
        save_failure(self._repo.own, seen_ref(self._remote) if self._remote else HERE, run.failure)
        if run.failure:
            detail, reached = f"{run.failure.text}; {self._unpushed_text()}", False
        if held:
            detail = conflict_text(held.values()) + ("" if detail == "synced" else f"; {detail}")
        absent = left_out(self._repo, run.staying)
        said = [waiting_text(run.waiting), detail, *dict.fromkeys(run.remarks)]
        said += [screen.unreported_text(unreported), left_out_text(absent)]
        return SyncResult(
            pushed=run.pushed,
            pulled=run.pulled,
            conflicted=bool(held),
            head=self._repo.short_main(),
            detail="; ".join(filter(None, said)),
            reached=reached,
            held=tuple(sorted(record.id for record in held.values())),
            changed=tuple(dict.fromkeys(run.changed)),
            failure=run.failure.kind if run.failure else "",
            left_out=absent,
            waiting=run.waiting,
            purged=unreported,
        )
