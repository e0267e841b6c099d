"""Purges during a sync: applies the remote's purges here, and sends ours to the remote."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from anamnesis.layout import TRACKING
from anamnesis.purge.apply import (
    apply,
    remove_unreachable,
    restore_records,
    rewrite_commit,
)
from anamnesis.purge.record import Purge, file_of, load_state, purges_among_files, purges_in, record_settled
from anamnesis.sync.failure import Failure
from anamnesis.sync.remote import Fetched, Remote
from anamnesis.sync.repo import Repo
from anamnesis.text import plural


class Purges:
    """The purges of one store. `locked` recovers the repository and holds the write lock for a block."""

    def __init__(self, repo: Repo, locked: Callable[[], AbstractContextManager[object]]) -> None:
        self._repo = repo
        self._locked = locked

    def lost_history(self, remote: Remote, theirs: str | None) -> Failure | None:
        """Why the remote's branch cannot be integrated; not because a purge rewrote it."""
        is_expected = theirs is not None and load_state(self._repo.git).unsettled
        return None if is_expected else remote.history_failure(theirs)

    def apply_remote(
        self, remote: Remote, fetched: Fetched, remarks: list[str]
    ) -> tuple[Fetched, str | None]:
        """Apply the remote's purges; returns the fetched commit without purged text, and what it replaces.

        The second value is the remote's commit that the next push must replace; usually None.
        """
        theirs = fetched.commit
        is_known = remote.is_unchanged(theirs) and not load_state(self._repo.git).unsettled
        if fetched.failure or theirs is None or is_known:
            return fetched, None
        there, known = purges_in(self._repo.git, theirs), load_state(self._repo.git).known
        here = {**known, **purges_among_files(self._repo.folder)}
        if there.keys() == here.keys() == known.keys():
            return fetched, None
        with self._locked():
            fresh = [purge for name, purge in {**here, **there}.items() if name not in known]
            unknown = [purge for name, purge in here.items() if name not in there]
            rewritten = self._rewrite(theirs, [*fresh, *unknown])
            if fresh:
                is_new_machine = self._repo.main() is None  # it never had what was purged before
                apply(self._repo.git, fresh)
                remarks += [] if is_new_machine else map(_remark, fresh)
        return Fetched(rewritten), theirs if rewritten != theirs else None

    def _rewrite(self, theirs: str, purges: list[Purge]) -> str:
        """Rewrite the remote's commit without purged content: a record in its tree does not prove that."""
        git = self._repo.git
        rewritten = rewrite_commit(git, theirs, purges)
        if rewritten != theirs:
            record_settled(git, False)
            # As long as this reference names the old commit, git would keep all old objects.
            self._repo.point(TRACKING, rewritten)
        return rewritten

    def finish(self, failure: Failure | None) -> None:
        """After a successful sync, remove the pre-purge objects that it fetched."""
        git = self._repo.git
        state = load_state(git)
        if failure is not None or not state.known:
            return
        if any(not (git.folder / file_of(purge)[0]).exists() for purge in state.known.values()):
            with self._locked():
                restore_records(git)  # someone deleted a record; the next sync sends it again
        elif state.unsettled:
            with self._locked():
                remove_unreachable(git)
                record_settled(git, True)


def _remark(purge: Purge) -> str:
    what = [plural(len(purge.ids), "note")] if purge.ids else []
    what += ["a text"] if purge.texts else []
    return f"{purge.machine or 'another machine'} purged {' and '.join(what)}; nothing of it is left here"
