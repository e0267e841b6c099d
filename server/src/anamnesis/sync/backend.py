"""GitSyncBackend: a store's notes in a git repository, synced through a git remote.

Reading the state does not load the sync cycle and the merge. The doctor's checks of the repository are here
too. A damaged repository is never repaired in place: it is set aside whole and rebuilt, because no note
exists only there.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from anamnesis.config import has_program
from anamnesis.errors import AnamnesisError, GitError, StoreUnavailable, SyncError
from anamnesis.files import lock
from anamnesis.git import Git, is_oid, reason, remedy_for
from anamnesis.layout import MAIN, SYNC_LOCK, TRACKING, WRITE_LOCK
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import (
    Choice,
    Finding,
    HeldNote,
    Machine,
    Rejoin,
    Since,
    SyncResult,
    SyncState,
    Undo,
)
from anamnesis.sync.state import load_removed
from anamnesis.sync.status import QuickScan, read_state
from anamnesis.text import StepProgress, plural, silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.history import History
    from anamnesis.purge import Purge
    from anamnesis.sync.cycle import Cycle
    from anamnesis.sync.log import LogTail
    from anamnesis.undo import UndoTexts

_OLDEST_GIT = (2, 30)
# What git leaves behind if it is killed, or if a user's own git operation is unfinished.
_HALF_DONE = ("index.lock", "HEAD.lock", "MERGE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge", "rebase-apply")
# Git's messages about damage that every sync repairs: HEAD, the configuration, the shallow file.
_RECOVERS = re.compile(r"not a git repository|bad config|shallow")
_LOCK_SECONDS = 10.0


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
        self._quick_scan = QuickScan()
        self._tail: LogTail | None = None
        self._tools: Finding | None = None

    def init(self) -> None:
        """Make the folder a repository that can be synced; does nothing if it already is one."""
        self._cycle().init()

    def sync(self, *, rejoin: Rejoin = False, progress: StepProgress = silent) -> SyncResult:
        """Run one sync: commit, fetch, integrate, push. An unreachable remote is a result, not an error.

        `progress` is called with each step's name, and with counts if there are any.
        """
        return self._cycle().sync(rejoin=rejoin, progress=progress)

    def recover(self, name: str) -> list[str]:
        """Write the notes again that a rejoin removed with the commit `name`; returns their paths."""
        return self._cycle().recover(name)

    def state(self, since: Since | None = None) -> SyncState:
        """The sync state, from local files; does not contact the remote and never raises.

        `since` returns the files written since a time, which avoids scanning a large tree.
        """
        return read_state(self._repo, self.remote, quick_scan=self._quick_scan, since=since)

    def commit(self, message: str | None = None, *, only: Collection[Path] = ()) -> bool:
        """Commit all changes, or those in these files, on this machine; returns whether there were any."""
        return self._cycle().commit(message, only=only)

    def held(self) -> list[HeldNote]:
        """The notes whose versions clash, with their texts."""
        return self._cycle().held()

    def resolve(self, note_id: str, *, choice: Choice = "mine", text: str | None = None) -> Undo | None:
        """Resolve a held note: this machine's version, the other, both, or `text`; the next sync sends it."""
        return self._cycle().resolve(note_id, choice=choice, text=text)

    def allow_secret(self, name: str) -> bool:
        """Allow a waiting note or file to be committed as it is now; returns False if none has that name."""
        return self._cycle().allow_secret(name)

    def purge(self, purge: Purge) -> None:
        """Remove notes and texts from every version on this machine; the next sync purges them elsewhere."""
        self._cycle().purge(purge)

    def history(self, kept: UndoTexts | None = None) -> History:
        """The versions of the notes in git's log, merged with the texts `kept` on this machine."""
        from anamnesis.sync.log import GitHistory

        return GitHistory(self.repo_dir, kept=kept, tail=self._log_tail())

    def machines(self) -> Iterator[Machine]:
        """Every machine that has reported, this one first; each is read when it is reached."""
        from anamnesis.sync.heartbeat import read_machines

        return read_machines(self._repo, self._log_tail())

    def _log_tail(self) -> LogTail:
        from anamnesis.sync.log import LogTail

        if self._tail is None:
            self._tail = LogTail()
        return self._tail

    def count_left(self, purge: Purge) -> int:
        """How many objects in this repository still contain what a purge removes."""
        from anamnesis.purge.apply import count_left

        return count_left(self._repo.git, [purge])

    def examine_tools(self) -> Finding:
        """Whether git is installed and new enough; a long-running process asks for its version once."""
        if self._tools is None or self._tools.state != "ok" or not has_program("git"):
            self._tools = self._examine_git()
        return self._tools

    def _examine_git(self) -> Finding:
        remedy = "install git 2.30 or newer"
        try:
            said = self._repo.git.line("version")
        except GitError as exc:
            return Finding("git", "bad", str(exc).removesuffix(f"; {remedy}"), remedy)
        version = re.search(r"(\d+)\.(\d+)", said)
        if version is None or (int(version[1]), int(version[2])) < _OLDEST_GIT:
            return Finding("git", "bad", f"{said} is too old", remedy)
        return Finding("git", "ok", said)

    def examine_storage(self) -> Finding:
        """Whether the repository has all reachable objects, and no unfinished operation."""
        git = self._repo.git
        recovers = "`anamnesis sync` recovers from it"
        if not git.dir.exists():
            return Finding("repository", "ok", "there is none yet")
        try:
            damage = _damage(git)
        except GitError as exc:
            remedy = remedy_for(exc, "fix what git says, then `anamnesis doctor` again")
            return Finding("repository", "bad", str(exc), remedy)
        if damage and _RECOVERS.search(damage):
            return Finding("repository", "warn", damage, recovers)
        if damage:
            # A `.git` file that points elsewhere was put there by a person and may have another purpose.
            dot = self.repo_dir / ".git"
            fix = self._set_aside if dot.is_dir() and not dot.is_symlink() else None
            choice = ", or --fix" if fix else ""
            remedy = f"move {git.dir} away and `anamnesis sync`{choice}: {self._outlook}"
            return Finding("repository", "bad", f"damaged: {damage}", remedy, fix)
        leftovers = [name for name in _HALF_DONE if (git.dir / name).exists()]
        if leftovers:
            return Finding("repository", "warn", f"half-done: {', '.join(leftovers)}", recovers)
        for commit, paths in load_removed(self._repo.own).items():
            what = f"{plural(len(paths), 'note')} that `sync --rejoin` removed can be brought back"
            return Finding("repository", "warn", what, f"`anamnesis sync --recover {commit[:10]}`")
        return Finding("repository", "ok", "everything in it can be read, nothing half-done")

    @property
    def _outlook(self) -> str:
        if self.remote:
            return "the history comes back from the remote"
        return "a new history starts, the notes are untouched"

    def _set_aside(self) -> str:
        """Set a damaged repository aside and start a new one; returns what was done."""
        aside = self.repo_dir.parent / f"git.damaged-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}"
        _move_repository(self._repo, aside)
        try:
            self.commit()
        except AnamnesisError as exc:
            raise SyncError(f"{exc}; the damaged repository is kept as {aside}") from exc
        return f"set the damaged repository aside as {aside}; with the next `anamnesis sync` {self._outlook}"

    def examine_remote(self) -> Finding:
        """Whether the remote answers."""
        from anamnesis.sync.remote import check_remote_answers

        return check_remote_answers(self.repo_dir, self.remote, timeout=self._timeout)

    def can_read_head(self) -> bool:
        """Whether the last commit is readable, by a quick check; true if there is none."""
        try:
            main = self._repo.main()
            return main is None or self._repo.git.has(f"{main}^{{tree}}")
        except GitError:
            return False

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


def _damage(git: Git) -> str:
    """Why git cannot read all reachable objects, in one line; "" if it can."""
    main = git.ref(MAIN)
    if main and not (git.dir / "objects").is_dir():
        return "its folder `objects` is gone"
    named = git.ask("for-each-ref", "--format=%(objectname)")
    if named.code:
        return reason(named.err) or "git gave no reason"
    heads = {*named.out.decode("utf-8", "replace").split(), *([main] if main else [])}
    if not heads:
        return ""
    order = "".join(f"{oid}\n" for oid in sorted(heads) if is_oid(oid)).encode()
    reached = git.ask("rev-list", "--objects", "--no-object-names", "--stdin", stdin=order)
    if reached.code:
        return reason(reached.err) or "git gave no reason"
    # Walking the history only checks that each blob exists; this also reads the header of each.
    read = git.ask("cat-file", "--batch-check", "--buffer", stdin=reached.out)
    lost = [line.split()[0] for line in read.out.decode("utf-8", "replace").splitlines() if "missing" in line]
    if read.code or lost:
        return reason(read.err) or f"object {lost[0]} is missing"
    return ""


def _move_repository(repo: Repo, aside: Path) -> None:
    """Rename the repository under both locks, taken in the same order as in a sync."""
    home = repo.folder.parent
    try:
        with (
            lock(repo.own / SYNC_LOCK, timeout=_LOCK_SECONDS) as no_sync,
            lock(home / WRITE_LOCK, timeout=_LOCK_SECONDS) as no_write,
        ):
            if not (no_sync and no_write):
                raise StoreUnavailable(f"{home} is being synced or written to; try again")
            if aside.exists():
                raise StoreUnavailable(f"{aside} exists already; try again")
            repo.git.dir.rename(aside)
    except OSError as exc:
        raise StoreUnavailable(
            f"{repo.git.dir} could not be set aside ({exc.strerror}); check who owns it"
        ) from exc
