"""GitSyncBackend: a store's notes in a git repository, synced through a git remote.

The doctor's checks are here; they do not load the sync cycle and the merge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from anamnesis.errors import GitError
from anamnesis.git import remedy_for
from anamnesis.layout import MAIN, SYNC_NAME, TRACKING
from anamnesis.purge import Purge, count_left
from anamnesis.sync.heartbeat import read_machines
from anamnesis.sync.repo import Repo, find_damage
from anamnesis.sync.results import Choice, Finding, HeldNote, Machine, Rejoin, SyncResult, SyncState, Undo
from anamnesis.sync.state import load_state
from anamnesis.text import StepProgress, plural, silent
from anamnesis.undo import UndoTexts

if TYPE_CHECKING:
    from anamnesis.history import History
    from anamnesis.sync.cycle import Cycle

_OLDEST_GIT = (2, 30)


class GitSyncBackend:
    """Syncs the notes under `repo_dir` with a git remote; without one, it only keeps their history."""

    kind = "git"

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
        self._heartbeat = heartbeat
        self._repo = Repo(self.repo_dir, machine_id=machine_id)

    def init(self) -> None:
        """Make the folder a repository that can be synced; does nothing if it already is one."""
        self._cycle().act(lambda _: None)

    def sync(self, *, rejoin: Rejoin = False, progress: StepProgress = silent) -> SyncResult:
        """Run one sync: commit, fetch, integrate, push. An unreachable remote is a result, not an error.

        `rejoin` accepts a remote that lost history it had. `progress` is called with each step's name, and
        with counts if there are any.
        """
        return self._cycle().sync(rejoin=rejoin, progress=progress)

    def recover(self, name: str) -> list[str]:
        """Write the notes again that a rejoin removed with the commit `name`; returns their paths."""
        return self._cycle().act(lambda session: session.recover(name))

    def state(self) -> SyncState:
        """The sync state, from local files; does not contact the remote and never raises."""
        from anamnesis.sync.status import read_state

        return read_state(self._repo, self.remote)

    def commit(self, message: str | None = None) -> bool:
        """Commit all changes on this machine; returns whether there were any."""
        return self._cycle().act(lambda session: session.commit_all(message))

    def held(self) -> list[HeldNote]:
        """The notes whose versions clash, with their texts."""
        if not load_state(self.repo_dir).held:
            return []
        return self._cycle().act(
            lambda session: [session.versions.describe(held) for held in sorted(session.state.held.values())]
        )

    def resolve(self, note_id: str, *, choice: Choice = "mine", text: str | None = None) -> Undo | None:
        """Resolve a held note: this machine's version, the other, both, or `text`; the next sync sends it.

        Returns a function that holds the note again with both versions; None if that is not possible.
        """
        cycle = self._cycle()
        done = cycle.act(lambda session: session.resolve(note_id, choice, text))
        return None if done[0].private else lambda: cycle.act(lambda session: session.hold_again(*done))

    def allow_secret(self, name: str) -> bool:
        """Allow a credential in a waiting or committed file, by note id or path; False if none has one."""
        return self._cycle().act(lambda session: session.allow_secret(name))

    def purge(self, purge: Purge) -> None:
        """Remove notes and texts from every version on this machine; the next sync purges them elsewhere."""
        self._cycle().purge(purge)

    def history(self, kept: UndoTexts | None = None) -> History:
        """The versions of the notes in git's log, merged with the texts `kept` on this machine."""
        from anamnesis.history import History

        return History(self.repo_dir, kept=kept)

    def machines(self) -> Iterator[Machine]:
        """Every machine that has reported, this one first; each is read when it is reached."""
        return read_machines(self._repo)

    def count_left(self, purge: Purge) -> int:
        """How many objects in this repository still contain what a purge removes."""
        return count_left(self._repo.git, [purge])

    def examine_tools(self) -> Finding:
        """Whether the programs that this needs are installed and new enough; quick."""
        remedy = "install git 2.30 or newer"
        try:
            said = self._repo.git.line("version")
        except GitError as exc:
            return Finding("git", "bad", str(exc).removesuffix(f"; {remedy}"), remedy)
        version = re.search(r"(\d+)\.(\d+)", said)
        if version and (int(version[1]), int(version[2])) >= _OLDEST_GIT:
            return Finding("git", "ok", said)
        return Finding("git", "bad", f"{said} is too old", remedy)

    def examine_storage(self) -> Finding:
        """Whether the data here is intact, and what a rejoin removed; may read all of it."""
        git = self._repo.git
        if not git.dir.exists():
            return Finding("repository", "ok", "there is none yet")
        try:
            damage = find_damage(git)
        except GitError as exc:
            remedy = remedy_for(exc, "fix what git says, then `anamnesis doctor` again")
            return Finding("repository", "bad", str(exc), remedy)
        if damage:
            source = "the history comes back from the remote" if self.remote else "the notes are untouched"
            remedy = f"`anamnesis doctor --fix` sets it aside and rebuilds it; {source}"
            return Finding("repository", "bad", f"damaged: {damage}", remedy, self._cycle().rebuild)
        for commit, paths in load_state(self.repo_dir).removed_notes().items():
            what = f"{plural(len(paths), 'note')} that `sync --rejoin` removed can be brought back"
            return Finding("repository", "warn", what, f"`anamnesis sync --recover {commit[:10]}`")
        if not self._repo.git.is_on_main() or self._repo.git.is_unfinished():
            remedy = "`anamnesis sync` returns to the branch"
            return Finding("repository", "warn", "a git operation in memory/ is not finished", remedy)
        return Finding("repository", "ok", "everything in it can be read, nothing half-done")

    def examine_remote(self) -> Finding:
        """Whether the remote answers; the only check that may wait for a network."""
        from anamnesis.sync.remote import check_remote_answers

        return check_remote_answers(self.repo_dir, self.remote, timeout=self._timeout)

    def watched(self) -> list[Path]:
        """Files of which at least one changes whenever `state` may have changed."""
        git = self._repo.git.dir
        return [git / MAIN, git / TRACKING, git / "packed-refs", self.repo_dir.parent / SYNC_NAME]

    def _cycle(self) -> Cycle:
        from anamnesis.sync.cycle import Cycle

        return Cycle(self._repo, self.remote or "", self._timeout, self._background, self._heartbeat)
