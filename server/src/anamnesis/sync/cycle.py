"""One sync of a store: commit, fetch, integrate, push; and local operations under the same locks.

Locks, always taken in this order: the sync lock for a whole sync, then the store's write lock for each
session, never while waiting for the network. A caller must hold neither.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from anamnesis import purge as purging
from anamnesis.address import address_refusal
from anamnesis.errors import GitError, StoreUnavailable, SyncError
from anamnesis.files import lock, make_folder
from anamnesis.layout import OWN_REFS, SYNC_LOCK, TRACKING, WRITE_LOCK
from anamnesis.purge import Purge
from anamnesis.settings import resolve_number
from anamnesis.sync.heartbeat import is_heartbeat_due
from anamnesis.sync.remote import Remote
from anamnesis.sync.repo import Repo, damaged_here, find_damage, is_damage, remote_key
from anamnesis.sync.results import LeftOut, Rejoin, SyncResult, WaitingFile
from anamnesis.sync.session import Session
from anamnesis.sync.state import HERE, Failure, clash_text, load_state
from anamnesis.sync.status import ahead_text, unpushed
from anamnesis.sync.tree import TreeChanged
from anamnesis.sync.trees import rejoin_base, rejoin_text
from anamnesis.sync.waiting import waiting_text
from anamnesis.text import StepProgress, first_few, utcnow

_WRITE_WAIT = 60.0  # seconds to wait for the store's write lock, which a landing of thousands of notes holds
_BACKGROUND_SILENCE = 600.0  # seconds; no person waits for a background sync
_MOST_NAMED = 5  # files, or notes of a purge
_DAMAGED = "the store's repository cannot be used"  # so it is rebuilt and the work starts over, once
_ATTEMPTS = 6  # to land while files change, and to push while others do
T = TypeVar("T")


@dataclass(slots=True)
class _Run:
    """What one sync has done so far."""

    pulled: int = 0
    pushed: bool = False
    failure: Failure | None = None
    changed: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    left_out: tuple[LeftOut, ...] = ()
    waiting: tuple[WaitingFile, ...] = ()
    shared: str = ""  # the commit that the remote has now, too


@dataclass(slots=True)
class Cycle:
    """Syncs one store's repository with its remote; without a remote, it only commits."""

    _repo: Repo
    _remote: str
    _timeout: float | None  # seconds for a silent remote; None: the setting
    _background: bool
    _heartbeat: bool
    _run: _Run = field(default_factory=_Run)
    _rebuilt: str = ""  # what was said when the repository was rebuilt

    @property
    def _key(self) -> str:
        return remote_key(self._remote)

    def act(self, act: Callable[[Session], T]) -> T:
        """Act in a session under the write lock; a repository that git cannot use is rebuilt first."""
        return self._twice(lambda: self._locked(act))

    def rebuild(self) -> str:
        """Set the repository aside and rebuild it; returns what was done."""
        return self._locked(Session.rebuild, opened=False) or "the repository was rebuilt"

    def purge(self, purge: Purge) -> None:
        """Remove notes and texts from every version on this machine; the next sync purges them elsewhere."""

        def _purge(session: Session) -> None:
            session.save()
            purging.apply(self._repo.git, [purge])
            session.reload()

        with lock(self._repo.folder.parent / SYNC_LOCK, timeout=self._silence) as is_mine:
            if not is_mine:
                raise SyncError("another sync of this store is still running; purge again when it is done")
            self.act(_purge)

    def sync(self, *, rejoin: Rejoin, progress: StepProgress) -> SyncResult:
        """Run one sync, or leave the work to another one that is running or has just finished."""
        if self._remote and (refusal := address_refusal(self._remote)):
            self.act(Session.commit_all)
            raise SyncError(f"{refusal}. Nothing was sent; your changes are committed here", kind="address")
        make_folder(self._repo.folder)
        asked = load_state(self._repo.folder).started
        with lock(self._repo.folder.parent / SYNC_LOCK, timeout=self._silence) as is_mine:
            if not is_mine:
                self.act(Session.commit_all)
                waits = f"; {self._unpushed_text()}" if self._remote else ""
                return self._answer(f"another sync of this store is still running{waits}", reached=False)
            state = load_state(self._repo.folder)
            # Numbers, not times: a clock that was once ahead would make every later sync skip its work.
            if state.finished > asked:
                return self._answer(
                    "another sync of this store did the work meanwhile", reached=state.reached
                )
            number = max(state.started, state.finished) + 1
            detail, reached = self._twice(partial(self._cycle, number, rejoin, progress))
            self._repo.tidy(number)
            return self._answer(detail, reached=reached)

    def _twice(self, work: Callable[[], T]) -> T:
        """Do the work; if the repository is damaged, rebuild it and do it again."""
        try:
            return work()
        except GitError as exc:
            if self._rebuilt or not is_damage(exc):
                raise
            self._rebuilt = self.rebuild()
            return work()

    @property
    def _silence(self) -> float:
        """Seconds to wait for a silent remote: a little less than the caller waits, so that we report it."""
        wanted = resolve_number("sync_timeout") if self._timeout is None else self._timeout
        return max(0.2, wanted * 0.9, _BACKGROUND_SILENCE if self._background else 0.0)

    def _locked(self, act: Callable[[Session], T], *, opened: bool = True) -> T:
        """Act in a session under the write lock; GitError once if git cannot use the repository."""
        root = self._repo.folder.parent
        make_folder(self._repo.folder)
        with lock(root / WRITE_LOCK, timeout=_WRITE_WAIT) as is_mine:
            if not is_mine:
                raise StoreUnavailable(f"{root} is being written by another process; try again")
            remote = None if address_refusal(self._remote) else self._remote
            session = Session(self._repo, remote=remote, heartbeat=self._heartbeat)
            try:
                if opened:
                    session.open()
                done = act(session)
                session.save()
            except (GitError, OSError) as exc:
                if opened and is_damage(exc) and not self._rebuilt:
                    raise GitError(_DAMAGED) from exc
                raise self._failed(session, exc) from exc
            return done

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

    def _cycle(self, number: int, rejoin: Rejoin, progress: StepProgress) -> tuple[str, bool]:
        """One sync; returns what to say of it, and whether the remote was reached."""
        run = self._run = _Run(remarks=[self._rebuilt] if self._rebuilt else [])
        progress("commit", 0, 0)
        self._locked(partial(self._commit, number))
        if not self._remote:
            return self._finished(number, "no remote configured; committed locally", reached=False)
        is_first = self._key not in load_state(self._repo.folder).remotes
        silence = self._silence
        remote = Remote(self._repo, self._remote, silence=silence, is_first=is_first, progress=progress)
        for attempt in range(_ATTEMPTS):
            fetched = remote.fetch()
            if isinstance(fetched, Failure):
                run.failure = fetched
                break
            theirs, run.failure = fetched, None
            state = load_state(self._repo.folder)
            is_new = theirs is None or theirs != state.remotes.get(self._key) or self._is_unsettled()
            base = ""
            if is_new:
                if theirs:
                    theirs = self._apply_purges(theirs)
                base = self._rejoined(remote, theirs, rejoin)
            if is_new or not state.head or state.held or attempt:
                progress("integrate", 0, 0)
                self._integrate(theirs, base)
            if self._push(remote, theirs, replaces=fetched if fetched != theirs else None):
                if run.failure is None:
                    self._finish_purges()
                break
            # Two machines that lost the same race must not retry at the same time.
            time.sleep((0.02 + os.urandom(1)[0] / 3000) * (attempt + 1))
        else:
            if run.failure and run.failure.kind != "locked":
                run.failure = None
            return self._finished(number, f"other machines keep pushing; {self._unpushed_text()}")
        return self._finished(number, "synced")

    def _commit(self, number: int, session: Session) -> None:
        """The first session of a sync: what changed here is committed."""
        session.state.started = number
        if session.adopt_shared():
            # A new machine without notes starts from the remote's history, so there is nothing to merge.
            session.commit(heartbeat=bool(session.state.head) and self._is_heartbeat_due(session))
        self._run.changed += session.catch_up()
        self._note(session)

    def _is_heartbeat_due(self, session: Session, *, joins: bool = False) -> bool:
        # Another history may have no commit of this machine, by which the others see what it has.
        return self._heartbeat and (joins or is_heartbeat_due(self._repo, session.state))

    def _note(self, session: Session) -> None:
        self._run.remarks += session.remarks
        self._run.left_out, self._run.waiting = session.not_synced, session.waiting

    def _rejoined(self, remote: Remote, theirs: str | None, rejoin: Rejoin) -> str:
        """The base for joining a remote that lost history, if that is accepted; "" if it lost none."""
        seen = load_state(self._repo.folder).remotes.get(self._key, "")
        # A purge rewrites the history.
        lost = None if theirs and self._is_unsettled() else remote.history_failure(theirs, seen)
        if lost is None:
            return ""
        if theirs and not self._rebuilt and find_damage(self._repo.git):
            raise GitError(_DAMAGED)  # a broken object here looks like lost history there
        known = seen if self._repo.has_commit(seen) else ""
        if callable(rejoin):
            rejoin = rejoin(rejoin_text(self._repo, self._repo.main(), theirs, known))
        if not rejoin:
            self._locked(partial(self._record_failure, lost))
            raise SyncError(lost.text, kind=lost.kind)
        return rejoin_base(self._repo, theirs, known)[0] if theirs and known else ""

    def _record_failure(self, failure: Failure, session: Session) -> None:
        session.state.failure = [self._key, *failure]

    def _is_unsettled(self) -> bool:
        """Whether the remote may still have the history before a purge, or another one's after it."""
        return purging.load_state(self._repo.folder.parent).unsettled

    def _apply_purges(self, theirs: str) -> str:
        """Apply the purges of the remote's commit here, and ours to it; returns it without purged text."""
        repo, root = self._repo, self._repo.folder.parent
        there, known = purging.purges_in(repo.git, theirs), purging.load_state(root).known
        here = {**known, **purging.purges_among_files(repo.folder)}
        if there.keys() == here.keys() == known.keys():
            return theirs

        def _apply(session: Session) -> str:
            fresh = [purge for name, purge in {**here, **there}.items() if name not in known]
            unknown = [purge for name, purge in here.items() if name not in there]
            # A record in its tree does not prove that its history is without purged content.
            session.save()
            rewritten = purging.rewrite_commit(repo.git, theirs, [*fresh, *unknown])
            if rewritten != theirs:
                purging.record_settled(root, False)
                # As long as this reference names the old commit, git would keep all old objects.
                repo.point(TRACKING, rewritten)
            if fresh:
                is_new_machine = not repo.main()  # it never had what was purged before
                purging.apply(repo.git, fresh)
                self._run.remarks += [] if is_new_machine else map(_purged_text, fresh)
            session.reload()
            return rewritten

        return self._locked(_apply)

    def _finish_purges(self) -> None:
        """After a successful sync, remove the pre-purge objects that it fetched."""
        git, root = self._repo.git, self._repo.folder.parent
        state = purging.load_state(root)
        if any(not (git.folder / purging.file_of(purge)[0]).exists() for purge in state.known.values()):
            # Someone deleted a record; the next sync sends it again.
            self._locked(lambda _: purging.restore_records(git))
        elif state.known and state.unsettled:

            def _finish(_: Session) -> None:
                purging.remove_unreachable(git)
                purging.record_settled(root, True)

            self._locked(_finish)

    def _integrate(self, theirs: str | None, base: str) -> None:
        """Integrate what was fetched, and start over if a file changes at the last moment."""

        def _once(session: Session) -> bool:
            if not session.adopt_shared():
                session.state.shared = ""  # the remote does not have it either
            session.commit()
            session.has_met = True
            if theirs:
                try:
                    self._take_in(session, theirs, base)
                except TreeChanged:
                    # Unless someone is typing, git's index hides a change.
                    (self._repo.git.dir / "index").unlink(missing_ok=True)
                    return False
            # What was written meanwhile, and held notes that the new text settles.
            session.commit(heartbeat=self._is_heartbeat_due(session, joins=bool(base)))
            self._note(session)
            return True

        if not any(self._locked(_once) for _ in range(_ATTEMPTS)):
            where = self._repo.folder
            raise SyncError(f"files under {where} change faster than they can be synced; try again later")

    def _take_in(self, session: Session, theirs: str, base: str) -> None:
        """Integrate a commit; a rewritten history may remove notes, which are recorded."""
        ours, run = session.state.head, self._run
        run.changed += session.integrate(theirs, base=base or None)
        if session.state.head != ours:
            run.pulled += self._repo.count(self._repo.merge_base(ours, theirs) if ours else None, theirs)
        if base and ours:
            self._repo.point(f"{OWN_REFS}recovered/{ours}", ours)
            session.state.remotes[self._key] = theirs
            session.record_removed(ours)

    def _push(self, remote: Remote, theirs: str | None, *, replaces: str | None) -> bool:
        """Push what the remote lacks; returns False if another machine pushed first."""
        head = load_state(self._repo.folder).head
        if head and (head != theirs or replaces):
            self._run.failure, was_raced = remote.push(head, replaces=replaces)
            if self._run.failure:
                return not was_raced
            self._run.pushed = True
        self._run.shared = head
        return True

    def _unpushed_text(self) -> str:
        waits = ahead_text(*unpushed(self._repo, load_state(self._repo.folder), self._remote))
        return waits or "nothing is waiting to be pushed"

    def _finished(self, number: int, detail: str, *, reached: bool = True) -> tuple[str, bool]:
        """Save how the sync ended; returns that in words, and whether the remote was reached."""
        failure = self._run.failure
        if failure and failure.kind == "damaged here" and not self._rebuilt:
            raise GitError(_DAMAGED)
        if failure:
            detail, reached = f"{failure.text}; {self._unpushed_text()}", False

        def _finish(session: Session) -> None:
            state = session.state
            state.finished, state.reached = number, reached
            state.last_sync = utcnow() if reached else state.last_sync
            state.failure = [self._key, *failure] if failure else []
            if self._run.shared:
                state.shared = state.remotes[self._key] = self._run.shared

        self._locked(_finish, opened=False)
        return detail, reached

    def _answer(self, detail: str, *, reached: bool) -> SyncResult:
        """What the caller is told."""
        run, state = self._run, load_state(self._repo.folder)
        if state.held:
            clash = f"{clash_text(state.held.values())} (`anamnesis resolve` shows both versions)"
            detail = clash if detail == "synced" else f"{clash}; {detail}"
        if state.namesake == self._repo.machine:
            run.remarks.append(
                f"another store reports as {self._repo.machine!r}, too: give this machine another name with"
                " `anamnesis config set machine_id NAME`, then `anamnesis init`"
            )
        left_out = [f"{each.path} was left out: {each.reason}" for each in run.left_out]
        others = first_few(left_out, most=_MOST_NAMED, between="; ")
        said = [waiting_text(run.waiting), detail, *dict.fromkeys(run.remarks), others]
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


def _purged_text(purge: Purge) -> str:
    what = [*purge.ids[:_MOST_NAMED], *(["a text"] if purge.texts else [])]
    return f"{purge.machine or 'another machine'} purged {', '.join(what)}; nothing of it is left here"
