"""GitSyncBackend: the notes of one store in a git repository, and a git remote between machines.

Light: reading the state does not load the sync cycle, which merges.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from anamnesis.layout import MAIN, TRACKING
from anamnesis.sync.quick_scan import QuickScan
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import Choice, Finding, HeldNote, Since, SyncResult, SyncState
from anamnesis.sync.status import can_read_branch, check_git, check_repository, read_state
from anamnesis.text import StepProgress, silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.history import History, KeptTexts
    from anamnesis.history.log_tail import LogTail
    from anamnesis.purge.record import Purge
    from anamnesis.sync.cycle import Cycle


class GitSyncBackend:
    """Syncs the notes under `repo_dir` with a git remote; without one it keeps their history here."""

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
        self._quick_scan = QuickScan()
        self._tail: LogTail | None = None

    def init(self) -> None:
        """Make the folder a repository that can be synced; does nothing when it already is one."""
        self._cycle().init()

    def sync(self, *, rejoin: bool = False, progress: StepProgress = silent) -> SyncResult:
        """One cycle: commit, fetch, integrate, push. An unreachable remote is a result, not an error.

        `progress` is called with each step's name, and with counts where there are any.
        """
        return self._cycle().sync(rejoin=rejoin, progress=progress)

    def state(self, since: Since | None = None) -> SyncState:
        """The state of the store, from its files; does not contact the remote and never raises.

        A caller that can tell which files were written `since` a moment saves the scan of a large tree.
        """
        return read_state(self._repo, self.remote, quick_scan=self._quick_scan, since=since)

    def commit(self, message: str | None = None, *, only: Collection[Path] = ()) -> bool:
        """Commit all changes, or those in these files, on this machine only; whether there were any."""
        return self._cycle().commit(message, only=only)

    def held(self) -> list[HeldNote]:
        """The notes whose versions clash, with their texts."""
        return self._cycle().held()

    def resolve(self, note_id: str, *, choice: Choice = "mine", text: str | None = None) -> None:
        """Settle a held note: keep this machine's version, the other, both, or `text`; a sync sends it."""
        self._cycle().resolve(note_id, choice=choice, text=text)

    def allow_secret(self, name: str) -> bool:
        """Let a waiting note or file be committed as it is now; False when none waits by that name."""
        return self._cycle().allow_secret(name)

    def purge(self, purge: Purge) -> None:
        """Remove notes and texts from every version on this machine; the next sync takes it to the others."""
        self._cycle().purge(purge)

    def history(self, kept: KeptTexts | None = None) -> History:
        """The versions of the notes in git's log, with the texts `kept` on this machine among them."""
        from anamnesis.history.git_log import GitHistory
        from anamnesis.history.log_tail import LogTail

        if self._tail is None:
            self._tail = LogTail()
        return GitHistory(self.repo_dir, kept=kept, tail=self._tail)

    def examine_tools(self) -> Finding:
        """Whether git is new enough."""
        return check_git(self._repo.git)

    def examine_storage(self) -> Finding:
        """Whether the repository is sound."""
        return check_repository(self._repo, self.remote, commit=self.commit)

    def examine_remote(self) -> Finding:
        """Whether the remote answers."""
        from anamnesis.sync.remote import check_remote_answers

        return check_remote_answers(self.repo_dir, self.remote, timeout=self._timeout)

    def can_read_head(self) -> bool:
        """Whether the last commit is readable, by a quick check; true when there is none."""
        return can_read_branch(self._repo.git)

    def watched(self) -> list[Path]:
        """The references that a sync moves, and the folder of its small files."""
        git = self._repo.git.dir
        return [git / MAIN, git / TRACKING, git / "packed-refs", self._repo.own]

    def _cycle(self) -> Cycle:
        from anamnesis.sync.cycle import Cycle

        return Cycle(
            self._repo,
            remote=self.remote,
            timeout=self._timeout,
            background=self._background,
            heartbeat=self._heartbeat,
        )
