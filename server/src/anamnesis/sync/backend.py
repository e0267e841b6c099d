"""GitSyncBackend: one store, its repository and its remote. The cycle is commit, fetch, integrate, push.

Locks, always taken in this order: the sync lock inside the repository for a whole sync, the store's write
lock for each local step (never while the network is waited for). A caller must hold neither.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from anamnesis.address import has_unused_password
from anamnesis.errors import (
    GitError,
    NotHeld,
    StoreUnavailable,
    SyncError,
)
from anamnesis.files import Turn, lock, make_folder, turns
from anamnesis.notes.record import utcnow
from anamnesis.purge.record import Purge
from anamnesis.settings import resolve_number
from anamnesis.sync.failure import Failure, save_failure
from anamnesis.sync.heartbeat import Pulse
from anamnesis.sync.held import load_held
from anamnesis.sync.held_texts import describe
from anamnesis.sync.left_out import left_out, left_out_text
from anamnesis.sync.local import LocalHalf
from anamnesis.sync.memo import Runs, has_journal, load_runs, save_memo, save_runs
from anamnesis.sync.origin import adopt_origin, note_origin
from anamnesis.sync.purges import Purges
from anamnesis.sync.recover import recover
from anamnesis.sync.remote import Fetched, Remote, address_refusal, explain
from anamnesis.sync.repo import Repo, seen_ref
from anamnesis.sync.resolution import chosen_version, conflict_text, removed_text
from anamnesis.sync.results import Choice, HeldNote, SyncResult, SyncState, WaitingFile
from anamnesis.sync.state import ahead_text, read_state, unpushed
from anamnesis.sync.waiting import waiting_text
from anamnesis.sync.worktree import TreeChanged
from anamnesis.text import StepProgress, silent

_WRITE_WAIT = 20.0  # seconds for the store's write lock, which is only ever held briefly
_ATTEMPTS = 6
_SET_UP = "1"
_BACKGROUND_SILENCE = 600.0  # seconds; nobody waits for a sync in the background
_UNUSED_LOGIN = (
    "the password in the remote's address was not used: only http and https take one from there;"
    " `anamnesis config set remote URL` sets the address without it"
)


@dataclass(slots=True)
class _Run:
    """What one sync has done so far."""

    progress: StepProgress
    pulled: int = 0
    pushed: bool = False
    failure: Failure | None = None
    changed: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    staying: dict[str, str] = field(default_factory=dict)  # files that do not travel
    waiting: tuple[WaitingFile, ...] = ()
    replaces: str | None = None  # the commit of the remote that a purge makes away with


class GitSyncBackend:
    """Syncs the notes under `repo_dir` with a git remote; without one it keeps their history here."""

    def __init__(
        self,
        repo_dir: str | Path,
        *,
        remote: str | None,
        machine_id: str,
        timeout: float | None = None,
        background: bool = False,
        heartbeat: bool = False,
    ) -> None:
        self.repo_dir = Path(repo_dir).absolute()
        self.remote = remote or None
        self.machine_id = machine_id
        self._timeout = timeout
        self._background = background
        self._repo = Repo(self.repo_dir, machine_id=machine_id)
        self._pulse = Pulse(self._repo) if heartbeat else None
        self._purges = Purges(self._repo, partial(self._local, is_sync=True))

    def init(self) -> None:
        """Make the folder a repository that can be synced; harmless when it is one."""
        with self._local():
            pass

    def state(self) -> SyncState:
        """Where the store stands, from its files; asks no remote and never raises."""
        return read_state(self._repo, self.remote)

    def held(self) -> list[HeldNote]:
        """The notes whose versions clash, with their texts."""
        if not self._repo.exists():
            return []
        try:
            half = LocalHalf(self._repo)
            return [
                describe(self._repo, *half.versions.local_version(held))
                for _, held in sorted(half.held.items())
            ]
        except GitError as exc:
            raise explain(exc, self._repo) from exc

    def commit(self, message: str | None = None) -> bool:
        """Commit what changed, here only; whether there was anything."""
        with self._local() as half:
            before = self._repo.main()
            if before is None and not adopt_origin(half):
                return False
            return half.commit(message) != before

    def sync(self, *, rejoin: bool = False, progress: StepProgress = silent) -> SyncResult:
        """One cycle: commit, fetch, integrate, push. A remote that is away is a result, not an error.

        `progress` hears of each step by its name, and how far it is where that can be counted.
        """
        if refusal := address_refusal(self.remote):
            self.commit()
            raise SyncError(f"{refusal}. Nothing was sent; your changes are committed here")
        make_folder(self.repo_dir)
        remarks = self._repo.clear_way()
        make_folder(self._repo.own)
        asked = load_runs(self._repo.own).started
        with self._turn() as is_mine:
            if not is_mine:
                self.commit()
                return self._leave_it("another sync of this store is still running", reached=False)
            runs = load_runs(self._repo.own)
            # Numbers, not times: a clock that was ahead once would make every later sync leave it.
            if runs.finished > asked:
                return self._leave_it("another sync of this store did the work meanwhile", runs.reached)
            return self._count(runs, partial(self._cycle, _Run(progress, remarks=remarks), rejoin=rejoin))

    def _count(self, runs: Runs, cycle: Callable[[], SyncResult]) -> SyncResult:
        """Run one sync under the sync lock and number it, so that one that waits knows what it missed."""
        started = replace(runs, started=max(runs.started, runs.finished) + 1)
        save_runs(self._repo.own, started)
        result = cycle()
        last = utcnow() if result.reached else runs.last_sync
        save_runs(
            self._repo.own,
            replace(started, finished=started.started, reached=result.reached, last_sync=last),
        )
        return result

    def resolve(self, note_id: str, *, choice: Choice = "mine", text: str | None = None) -> None:
        """End a clash: keep this machine's version, the other, both, or `text`. The next sync sends it."""
        with self._local() as half:
            key = next((key for key, held in half.held.items() if note_id in (held.id, key)), None)
            if key is None:
                known = ", ".join(held.name for held in half.held.values()) or "none"
                raise NotHeld(f"{note_id!r} is not a held note; held are: {known}")
            record = half.versions.refreshed(half.held[key], self._repo.main() or "")
            half.settle(key, *chosen_version(half, record, choice, text))

    def allow_secret(self, name: str) -> bool:
        """Let the present version of a waiting note or file be committed; False when none waits so."""
        with self._local() as half:
            return half.allow_secret(name)

    def purge(self, purge: Purge) -> None:
        """Remove notes and texts from every version on this machine; the next sync takes it to the others."""
        self.init()
        with self._turn() as is_mine:
            self._purges.start(purge, is_mine=is_mine)

    @property
    def _silence(self) -> float:
        """How long a silent remote is waited for: a little less than the promise, which is about the call."""
        wanted = resolve_number("sync_timeout") if self._timeout is None else self._timeout
        return max(0.2, wanted * 0.9, _BACKGROUND_SILENCE if self._background else 0.0)

    @contextmanager
    def _turn(self) -> Iterator[bool]:
        """Hold the sync lock for the block; whether it was had.

        In the background one sync at a time waits for its turn: it will take along what came after it.
        """
        with ExitStack() as turn:
            alone = lock(self._repo.own / "next.lock", timeout=0) if self._background else nullcontext(True)
            with alone as is_next:
                own = lock(self._repo.own / "sync.lock", timeout=self._silence)
                is_mine = is_next and turn.enter_context(own)
            yield is_mine

    def _leave_it(self, why: str, reached: bool) -> SyncResult:
        held, waiting = load_held(self._repo), self.state().waiting
        if not reached and self.remote:
            why = f"{why}; {self._unpushed_text()}"
        clash = conflict_text(held.values()) if held else ""
        detail = "; ".join(part for part in (clash, waiting_text(waiting), why) if part)
        return SyncResult(
            conflicted=bool(held),
            head=_short(self._repo.main()),
            detail=detail,
            reached=reached,
            held=tuple(sorted(record.id for record in held.values())),
            waiting=waiting,
        )

    @contextmanager
    def _local(self, *, is_sync: bool = False) -> Iterator[LocalHalf]:
        """The local half, recovered and under the store's write lock; `is_sync` with the sync lock held."""
        make_folder(self.repo_dir)
        with self._writing(is_sync) as turn:
            try:
                self._repo.clear_way()
                turn_or_none = turn if is_sync else None
                half = LocalHalf(self._repo, turn=turn_or_none, pulse=self._pulse)
                self._set_up(half)
                recover(half)
                if self._purges.resume():
                    half = LocalHalf(self._repo, turn=turn_or_none, pulse=self._pulse)
                yield half
            except GitError as exc:
                raise explain(exc, self._repo) from exc
            except OSError as exc:
                raise StoreUnavailable(
                    f"{exc.filename or self.repo_dir}: {exc.strerror}; your notes are untouched"
                ) from exc

    @contextmanager
    def _writing(self, is_sync: bool) -> Iterator[Turn]:
        """Hold the write lock, after a landing of another process: it shares the lock with writers only."""
        deadline = time.monotonic() + _WRITE_WAIT
        while True:
            with turns(self.repo_dir.parent / "write.lock", timeout=_WRITE_WAIT) as turn:
                if turn is None:
                    raise StoreUnavailable(
                        f"{self.repo_dir.parent} is being written by another process; try again"
                    )
                if is_sync or not self._is_landing():
                    yield turn
                    return
            if time.monotonic() >= deadline:
                raise StoreUnavailable(
                    f"a sync is bringing in many notes of {self.repo_dir.parent}; try again when it is done"
                )
            time.sleep(0.05)

    def _is_landing(self) -> bool:
        """Whether another process is in the middle of a landing; one that died there holds no lock."""
        if not has_journal(self._repo.own):
            return False
        with lock(self._repo.own / "sync.lock", timeout=0) as is_free:
            return not is_free

    def _set_up(self, half: LocalHalf) -> None:
        if half.memo.ready != _SET_UP or not self._repo.exists():
            self._repo.create()
            half.memo.ready = _SET_UP
            save_memo(self._repo.own, half.memo)
        self._repo.forbid_filters()
        if self.remote and not address_refusal(self.remote):
            self._repo.set_remote(self.remote)

    def _cycle(self, run: _Run, *, rejoin: bool) -> SyncResult:
        run.progress("commit", 0, 0)
        with self._local(is_sync=True) as half:
            adopted = self._repo.main() is not None or adopt_origin(half)
            if adopted or not self.remote:
                half.commit()
                half.speak()
            run.changed += half.catch_up()
            run.remarks += half.remarks
            run.staying, run.waiting = half.left_out, half.waiting()
        if not self.remote:
            return self._result(run, "no remote configured; committed locally", reached=False)
        if has_unused_password(self.remote):
            run.remarks.append(_UNUSED_LOGIN)
        remote = Remote(self._repo, self.remote, silence=self._silence, progress=run.progress)
        for attempt in range(_ATTEMPTS):
            fetched, run.replaces = self._purges.meet(remote, remote.fetch(), run.remarks)
            lost = None if rejoin else self._purges.lost_history(remote, fetched.commit)
            if lost and not fetched.failure:
                save_failure(self._repo.own, seen_ref(self.remote), lost)
                raise SyncError(lost.text)
            if self._may_take_in(remote, fetched, rejoin) and (
                attempt or self._is_news(remote, fetched.commit)
            ):
                self._take_in(run, remote, fetched.commit)
            if fetched.failure:
                run.failure = fetched.failure
                return self._result(run)
            if self._hand_over(run, remote, fetched.commit):
                self._purges.finish(run.failure)
                return self._result(run)
            # Two machines that lost the same race must not meet again at once.
            time.sleep((0.02 + os.urandom(1)[0] / 3000) * (attempt + 1))
        if run.failure and run.failure.kind != "locked":
            run.failure = None
        return self._result(run, f"other machines keep pushing; {self._unpushed_text()}")

    def _may_take_in(self, remote: Remote, fetched: Fetched, rejoin: bool) -> bool:
        """Whether what is known of the remote may be integrated: always, when it has just answered."""
        if not fetched.failure:
            return True
        # Without a branch of its own a store waits for the history that its files belong to.
        is_waiting = fetched.commit is None and self._repo.main() is None
        return not is_waiting and (rejoin or remote.lost(fetched.commit) is None)

    def _is_news(self, remote: Remote, theirs: str | None) -> bool:
        """Whether there is anything to take in: what the last sync saw is part of the branch already."""
        return not remote.is_as_left(theirs) or self._repo.main() is None or bool(load_held(self._repo))

    def _take_in(self, run: _Run, remote: Remote, theirs: str | None) -> None:
        """Integrate what was fetched, starting over when a file changes at the last moment."""
        if theirs and theirs == self._repo.main() and not load_held(self._repo):
            return
        run.progress("integrate", 0, 0)
        seen = remote.lost(theirs) if theirs else None
        for _ in range(_ATTEMPTS):
            with self._local(is_sync=True) as half:
                if self._repo.main() is None:
                    adopt_origin(half, fetched=theirs)
                ours = half.commit()
                if seen and ours:
                    self._repo.keep(ours)
                run.staying = half.left_out
                try:
                    told = partial(run.progress, "integrate")
                    landed = half.join_and_land(ours, theirs, seen=seen, progress=told)
                except TreeChanged:
                    continue
                if theirs and landed.head != ours:
                    run.pulled += self._repo.count(ours, theirs)
                run.changed += landed.changed
                run.remarks += landed.remarks
                if half.was_shared:
                    half.commit()  # what others wrote in between
                if seen and ours:
                    remote.remember(theirs)
                    run.remarks += removed_text(self._repo, ours, landed.head)
                run.waiting = half.waiting()
                return
        raise SyncError(f"files under {self.repo_dir} change faster than they can be synced; try again later")

    def _hand_over(self, run: _Run, remote: Remote, theirs: str | None) -> bool:
        """Push what the remote lacks; False when another machine was quicker."""
        head = self._repo.main()
        run.failure = None
        if head is None or (head == theirs and not run.replaces):
            remote.remember(theirs)
            note_origin(self._repo, head)
            return True
        pushed = remote.push(head, replaces=run.replaces)
        if pushed.outcome == "done":
            remote.remember(head)
            note_origin(self._repo, head)
            run.pushed = True
        run.failure = pushed.failure
        return pushed.outcome != "raced"

    def _unpushed_text(self) -> str:
        return ahead_text(*unpushed(self._repo, self.remote or "")) or "nothing is waiting to be pushed"

    def _result(self, run: _Run, detail: str = "synced", *, reached: bool = True) -> SyncResult:
        held = load_held(self._repo)
        if self.remote:
            save_failure(self._repo.own, seen_ref(self.remote), run.failure)
        if run.failure:
            detail, reached = f"{run.failure.text}; {self._unpushed_text()}", False
        if held:
            detail = conflict_text(held.values()) + ("" if detail == "synced" else f"; {detail}")
        self._repo.tidy()
        absent = left_out(self._repo, run.staying)
        said = [waiting_text(run.waiting), detail, *dict.fromkeys(run.remarks), left_out_text(absent)]
        return SyncResult(
            pushed=run.pushed,
            pulled=run.pulled,
            conflicted=bool(held),
            head=_short(self._repo.main()),
            detail="; ".join(filter(None, said)),
            reached=reached,
            held=tuple(sorted(record.id for record in held.values())),
            changed=tuple(dict.fromkeys(run.changed)),
            failure=run.failure.kind if run.failure else "",
            left_out=absent,
            waiting=run.waiting,
        )


def _short(oid: str | None) -> str | None:
    return oid[:7] if oid else None
