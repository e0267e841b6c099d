"""One sync of a store: commit, fetch, integrate, push; and local operations under the same locks.

Locks, always taken in this order: the sync lock for a whole sync, then the store's write lock for each
session, never while waiting for the network. A caller must hold neither.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from anamnesis.address import address_refusal, has_unused_password
from anamnesis.errors import GitError, StoreUnavailable, SyncError
from anamnesis.files import lock, make_folder
from anamnesis.layout import SYNC_LOCK, WRITE_LOCK
from anamnesis.notes.record import utcnow
from anamnesis.purge import Purge
from anamnesis.purge.apply import apply
from anamnesis.settings import resolve_number
from anamnesis.sync.failure import Failure, damaged_here
from anamnesis.sync.heartbeat import find_namesake, is_heartbeat_due
from anamnesis.sync.held import conflict_text
from anamnesis.sync.paths import left_out_text
from anamnesis.sync.purges import apply_purges, finish_purges, is_unsettled
from anamnesis.sync.remote import UNUSED_LOGIN, Remote
from anamnesis.sync.repo import Repo, is_damage, remote_key
from anamnesis.sync.results import Choice, HeldNote, LeftOut, Rejoin, SyncResult, Undo, WaitingFile
from anamnesis.sync.session import Session
from anamnesis.sync.state import HERE, load_state
from anamnesis.sync.status import ahead_text, read_state, unpushed
from anamnesis.sync.tree import TreeChanged
from anamnesis.sync.trees import rejoin_base, rejoin_text
from anamnesis.sync.waiting import waiting_text
from anamnesis.text import StepProgress, plural

_WRITE_WAIT = 20.0  # seconds to wait for the store's write lock, which is only held briefly
_BACKGROUND_SILENCE = 600.0  # seconds; no person waits for a background sync
_ATTEMPTS = 6  # to land while files change, and to push while others do
T = TypeVar("T")


@dataclass(slots=True)
class _Run:
    """What one sync has done so far."""

    progress: StepProgress
    pulled: int = 0
    pushed: bool = False
    failure: Failure | None = None
    changed: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    left_out: tuple[LeftOut, ...] = ()
    waiting: tuple[WaitingFile, ...] = ()
    shared: str = ""  # the commit that the remote has now, too


class Damaged(Exception):
    """The store's repository cannot be used; it is rebuilt and the sync starts over, once."""


class Cycle:
    """Syncs one store's repository with its remote; without a remote, it only commits."""

    def __init__(
        self, repo: Repo, *, remote: str | None, timeout: float | None, background: bool, heartbeat: bool
    ) -> None:
        self._repo = repo
        self._remote = remote
        self._timeout = timeout
        self._background = background
        self._heartbeat = heartbeat
        self._is_rebuilt = False

    def init(self) -> None:
        """Make the folder a repository that can be synced; does nothing if it already is one."""
        self._act(lambda _: None)

    def held(self) -> list[HeldNote]:
        """The held notes with their texts."""
        if not load_state(self._repo.folder).held:
            return []
        return self._act(
            lambda session: [
                session.versions.describe(held) for _, held in sorted(session.state.held.items())
            ]
        )

    def commit(self, message: str | None = None, *, only: Collection[str] = ()) -> bool:
        """Commit all changes, or those in these files, on this machine; returns whether there were any."""
        return self._act(lambda session: session.adopt_shared() and session.commit(message, only=only))

    def resolve(self, note_id: str, *, choice: Choice, text: str | None) -> Undo | None:
        """Resolve a held note with one of its versions or with `text`; the next sync sends it."""
        done = self._act(lambda session: session.resolve(note_id, choice, text))
        if done[0].private:
            return None
        return lambda: self._act(lambda session: session.hold_again(*done))

    def allow_secret(self, name: str) -> bool:
        """Allow a waiting note or file to be committed as it is now; returns False if none has that name."""
        return self._act(lambda session: session.allow_secret(name))

    def recover(self, name: str) -> list[str]:
        """Write the notes again that a rejoin removed with the commit `name`; returns their paths."""

        def _recover(session: Session) -> list[str]:
            removed = session.state.removed_notes()
            commit = next((each for each in removed if len(name) > 3 and each.startswith(name)), None)
            if commit is None or not self._repo.has_commit(commit):
                known = ", ".join(each[:10] for each in removed) or "none"
                raise SyncError(f"no notes were removed with commit {name!r}; such commits: {known}")
            return session.recover(commit, removed[commit])

        return self._act(_recover)

    def purge(self, purge: Purge) -> None:
        """Remove notes and texts from every version on this machine; the next sync purges them elsewhere."""
        with self._sync_lock() as is_mine:
            if not is_mine:
                raise SyncError("another sync of this store is still running; purge again when it is done")

            def _purge(session: Session) -> None:
                session.save()
                apply(self._repo.git, [purge])
                session.reload()

            self._act(_purge, is_sync=True)

    def rebuild(self, *, is_sync: bool = False) -> str:
        """Set the repository aside and rebuild it; returns what was done."""

        def _rebuild(session: Session) -> str:
            session.rebuild()
            return "; ".join(session.remarks)

        return self._act(_rebuild, is_sync=is_sync, opened=False)

    def sync(self, *, rejoin: Rejoin, progress: StepProgress) -> SyncResult:
        """Run one sync, or leave the work to another one that is running or has just finished."""
        if self._remote and (refusal := address_refusal(self._remote)):
            self.commit()
            raise SyncError(f"{refusal}. Nothing was sent; your changes are committed here", kind="address")
        make_folder(self._repo.folder)
        asked = load_state(self._repo.folder).started
        with self._sync_lock() as is_mine:
            if not is_mine:
                self.commit()
                return self._skipped("another sync of this store is still running", reached=False)
            state = load_state(self._repo.folder)
            # Numbers, not times: a clock that was once ahead would make every later sync skip its work.
            if state.finished > asked:
                return self._skipped("another sync of this store did the work meanwhile", state.reached)
            number = max(state.started, state.finished) + 1
            try:
                result = self._cycle(_Run(progress), number, rejoin=rejoin)
            except Damaged:
                self._is_rebuilt = True
                run = _Run(progress, remarks=[self.rebuild(is_sync=True)])
                result = self._cycle(run, number, rejoin=rejoin)
            self._repo.tidy(number)
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
        root = self._repo.folder.parent
        with ExitStack() as stack:
            alone = lock(root / "sync-next.lock", timeout=0) if self._background else nullcontext(True)
            with alone as is_next:
                own = lock(root / SYNC_LOCK, timeout=self._silence)
                is_mine = is_next and stack.enter_context(own)
            yield is_mine

    def _skipped(self, why: str, reached: bool) -> SyncResult:
        held, state = load_state(self._repo.folder).held, read_state(self._repo, self._remote)
        if not reached and self._remote:
            why = f"{why}; {self._unpushed_text()}"
        said = (conflict_text(held.values()) if held else "", waiting_text(state.waiting), why)
        return SyncResult(
            conflicted=bool(held),
            head=state.head,
            detail="; ".join(filter(None, said)),
            reached=reached,
            held=state.held,
            waiting=state.waiting,
        )

    def _act(self, act: Callable[[Session], T], *, is_sync: bool = False, opened: bool = True) -> T:
        """Act in a session under the write lock; a repository that git cannot use is rebuilt first.

        `is_sync`: we hold the sync lock.
        """
        make_folder(self._repo.folder)
        with self._writing(is_sync) as write_lock:
            remarks: list[str] = []
            for attempt in range(2):
                session = Session(
                    self._repo,
                    remote=None if address_refusal(self._remote or "") else self._remote,
                    heartbeat=self._heartbeat,
                    write_lock=write_lock if is_sync else None,
                )
                try:
                    if attempt:
                        session.rebuild()
                    if opened:
                        session.open()
                    session.remarks[:0] = remarks
                    done = act(session)
                    session.save()
                    return done
                except (GitError, OSError) as exc:
                    if is_damage(exc) and is_sync and not self._is_rebuilt:
                        raise Damaged from exc  # what was fetched is lost with it
                    if attempt or is_sync or not is_damage(exc):
                        raise self._failed(session, exc) from exc
        raise AssertionError  # the loop returns or raises

    def _failed(self, session: Session, error: GitError | OSError) -> SyncError | StoreUnavailable:
        """A failure of this machine as an error; `status` shows it until a sync succeeds."""
        if isinstance(error, OSError):
            what = f"{error.filename or self._repo.folder}: {error.strerror}"
            failure = Failure("other", what, "your notes are untouched")
        elif is_damage(error):
            failure = damaged_here(str(error), self._repo.git.dir)
        else:
            failure = Failure("other", str(error), "your notes are untouched, run `anamnesis doctor`")
        try:
            session.reload()
            session.state.failure = [HERE, *failure]
            session.save()
        except OSError:
            pass  # the failure may be a full disk; not being able to save it must not hide it
        if isinstance(error, OSError):
            return StoreUnavailable(failure.text)
        return SyncError(failure.text, kind=failure.kind)

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
        if not load_state(self._repo.folder).landing:
            return False
        with lock(self._repo.folder.parent / SYNC_LOCK, timeout=0) as is_free:
            return not is_free

    def _locked(self, act: Callable[[Session], T]) -> T:
        return self._act(act, is_sync=True)

    def _cycle(self, run: _Run, number: int, *, rejoin: Rejoin) -> SyncResult:
        self._locked(partial(self._commit, run, number))
        if not self._remote:
            return self._result(run, number, "no remote configured; committed locally", reached=False)
        if has_unused_password(self._remote):
            run.remarks.append(UNUSED_LOGIN)
        key, state = remote_key(self._remote), load_state(self._repo.folder)
        is_first = key not in state.remotes
        remote = Remote(
            self._repo, self._remote, silence=self._silence, is_first=is_first, progress=run.progress
        )
        for attempt in range(_ATTEMPTS):
            fetched = remote.fetch()
            run.failure = fetched.failure
            if run.failure:
                break
            theirs = fetched.commit
            state = load_state(self._repo.folder)
            is_new = theirs is None or theirs != state.remotes.get(key) or is_unsettled(self._repo)
            if theirs and is_new:
                theirs = apply_purges(self._repo, theirs, run.remarks, locked=self._locked)
                state = load_state(self._repo.folder)
            base = self._rejoined(remote, theirs, state.remotes.get(key, ""), rejoin) if is_new else ""
            if is_new or not state.head or state.held or attempt:
                self._integrate(run, theirs, base, key)
            replaces = fetched.commit if fetched.commit != theirs else None
            if self._push(run, remote, theirs, replaces):
                if run.failure is None:
                    finish_purges(self._repo, locked=self._locked)
                return self._result(run, number)
            # Two machines that lost the same race must not retry at the same time.
            time.sleep((0.02 + os.urandom(1)[0] / 3000) * (attempt + 1))
        else:
            if run.failure and run.failure.kind != "locked":
                run.failure = None
            return self._result(run, number, f"other machines keep pushing; {self._unpushed_text()}")
        return self._result(run, number)

    def _commit(self, run: _Run, number: int, session: Session) -> None:
        """The first session of a sync: what changed here is committed."""
        run.progress("commit", 0, 0)
        session.state.started = number
        if session.adopt_shared():
            # A new machine without notes starts from the remote's history, so there is nothing to merge.
            is_due = bool(session.state.head) and is_heartbeat_due(self._repo, session.state)
            session.commit(heartbeat=is_due and self._heartbeat)
        run.changed += session.catch_up()
        self._note(run, session)

    def _note(self, run: _Run, session: Session) -> None:
        run.remarks += session.remarks
        run.left_out, run.waiting = session.not_synced, session.waiting

    def _rejoined(self, remote: Remote, theirs: str | None, seen: str, rejoin: Rejoin) -> str:
        """The base for joining a remote that lost history, if that is accepted; "" if it lost none."""
        # A purge rewrites the history.
        lost = None if theirs and is_unsettled(self._repo) else remote.history_failure(theirs, seen)
        if lost is None:
            return ""
        known = seen if self._repo.has_commit(seen) else ""
        is_accepted = (
            rejoin
            if isinstance(rejoin, bool)
            else rejoin(rejoin_text(self._repo, self._repo.main(), theirs, known))
        )
        if not is_accepted:
            self._locked(partial(_record_failure, remote_key(self._remote or ""), lost))
            raise SyncError(lost.text, kind=lost.kind)
        return rejoin_base(self._repo, theirs, known).commit if theirs and known else ""

    def _integrate(self, run: _Run, theirs: str | None, base: str, key: str) -> None:
        """Integrate what was fetched, and start over if a file changes at the last moment."""
        run.progress("integrate", 0, 0)

        def _once(session: Session) -> bool:
            if not session.adopt_shared():
                session.state.shared = ""  # the remote does not have it either
            session.commit()
            ours, session.has_met = session.state.head, True
            if theirs:
                session.state.namesake = find_namesake(self._repo, session.state, theirs)
                if base and ours:
                    self._repo.keep(ours)
                try:
                    done = session.integrate(
                        theirs, base=base or None, progress=partial(run.progress, "integrate")
                    )
                except TreeChanged:
                    # Unless someone is typing, git's index hides a change.
                    (self._repo.git.dir / "index").unlink(missing_ok=True)
                    return False
                if session.state.head != ours:
                    run.pulled += self._repo.count(
                        self._repo.merge_base(ours, theirs) if ours else None, theirs
                    )
                run.changed += done.changed
                run.remarks += done.remarks
                if base and ours:
                    session.state.remotes[key] = theirs
                    run.remarks += self._record_removed(session, ours)
            # What was written meanwhile, and held notes that the new text settles.
            is_due = self._heartbeat and is_heartbeat_due(self._repo, session.state)
            session.commit(heartbeat=is_due)
            self._note(run, session)
            return True

        if not any(self._locked(_once) for _ in range(_ATTEMPTS)):
            where = self._repo.folder
            raise SyncError(f"files under {where} change faster than they can be synced; try again later")

    def _record_removed(self, session: Session, before: str) -> list[str]:
        """Record the notes that were removed because a rewritten remote lacks them; returns a remark."""
        gone = [change.path for change in self._repo.changes(before, session.state.head) if not change.new]
        notes = [path for path in gone if path.endswith(".md")]
        if not notes:
            return []
        session.state.removed = {**session.state.removed_notes(), before: notes}
        session.state.removed_at = int(time.time())
        was = "was" if len(notes) == 1 else "were"
        return [
            f"{plural(len(notes), 'note')} that the remote no longer has {was} removed here;"
            f" `anamnesis sync --recover {before[:10]}` brings back what was removed"
        ]

    def _push(self, run: _Run, remote: Remote, theirs: str | None, replaces: str | None) -> bool:
        """Push what the remote lacks; returns False if another machine pushed first."""
        head = load_state(self._repo.folder).head
        run.failure = None
        if head and (head != theirs or replaces):
            pushed = remote.push(head, replaces=replaces)
            run.failure = pushed.failure
            if pushed.outcome != "done":
                return pushed.outcome != "raced"
            run.pushed = True
        run.shared = head
        return True

    def _unpushed_text(self) -> str:
        state = load_state(self._repo.folder)
        return (
            ahead_text(*unpushed(self._repo, state, self._remote or "")) or "nothing is waiting to be pushed"
        )

    def _result(self, run: _Run, number: int, detail: str = "synced", *, reached: bool = True) -> SyncResult:
        """Save how the sync ended, and say so."""
        if run.failure and run.failure.kind == "damaged here" and not self._is_rebuilt:
            raise Damaged
        if run.failure:
            detail, reached = f"{run.failure.text}; {self._unpushed_text()}", False

        def _finish(session: Session) -> None:
            state = session.state
            state.finished, state.reached = number, reached
            state.last_sync = utcnow() if reached else state.last_sync
            state.failure = [remote_key(self._remote or ""), *run.failure] if run.failure else []
            if run.shared:
                state.shared = state.remotes[remote_key(self._remote or "")] = run.shared

        self._act(_finish, is_sync=True, opened=False)
        state = load_state(self._repo.folder)
        if state.held:
            detail = conflict_text(state.held.values()) + ("" if detail == "synced" else f"; {detail}")
        if state.namesake == self._repo.machine:
            run.remarks.append(
                f"another store reports as {self._repo.machine!r}, too: give this machine another name with"
                " `anamnesis config set machine_id NAME`"
            )
        said = [waiting_text(run.waiting), detail, *dict.fromkeys(run.remarks), left_out_text(run.left_out)]
        return SyncResult(
            pushed=run.pushed,
            pulled=run.pulled,
            conflicted=bool(state.held),
            head=state.head[:7] or None,
            detail="; ".join(filter(None, said)),
            reached=reached,
            held=tuple(sorted(record.id for record in state.held.values())),
            changed=tuple(dict.fromkeys(run.changed)),
            failure=run.failure.kind if run.failure else "",
            left_out=run.left_out,
            waiting=run.waiting,
        )


def _record_failure(key: str, failure: Failure, session: Session) -> None:
    session.state.failure = [key, *failure]
