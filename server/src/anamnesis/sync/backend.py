"""GitSyncBackend: a store's notes in a git repository, synced through a git remote.

Committing single files and the doctor's checks are here; they do not load the sync cycle and the merge.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from anamnesis.config import has_program
from anamnesis.errors import GitError
from anamnesis.files import lock, read_regular
from anamnesis.git import commit_file, remedy_for
from anamnesis.layout import MAIN, SYNC_NAME, TRACKING, WRITE_LOCK
from anamnesis.notes.vocabulary import read_id
from anamnesis.sync.paths import refusal
from anamnesis.sync.repo import Repo, find_damage, hash_of
from anamnesis.sync.results import Choice, Finding, HeldNote, Machine, Rejoin, SyncResult, SyncState, Undo
from anamnesis.sync.state import load_state, paths_of, save_state
from anamnesis.sync.waiting import Search, harmless_title
from anamnesis.text import StepProgress, plural, silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.history import History
    from anamnesis.purge import Purge
    from anamnesis.sync.cycle import Cycle
    from anamnesis.undo import UndoTexts

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
        self._tools: Finding | None = None

    def init(self) -> None:
        """Make the folder a repository that can be synced; does nothing if it already is one."""
        self._cycle().act(lambda _: None)

    def sync(self, *, rejoin: Rejoin = False, progress: StepProgress = silent) -> SyncResult:
        """Run one sync: commit, fetch, integrate, push. An unreachable remote is a result, not an error.

        `progress` is called with each step's name, and with counts if there are any.
        """
        return self._cycle().sync(rejoin=rejoin, progress=progress)

    def recover(self, name: str) -> list[str]:
        """Write the notes again that a rejoin removed with the commit `name`; returns their paths."""
        return self._cycle().act(lambda session: session.recover(name))

    def state(self) -> SyncState:
        """The sync state, from local files; does not contact the remote and never raises."""
        from anamnesis.sync.status import read_state

        return read_state(self._repo, self.remote)

    def commit(self, message: str | None = None, *, only: Collection[Path] = ()) -> bool:
        """Commit all changes, or those in these files, on this machine; returns whether there were any.

        If anything is unusual about these files or the repository, all changes are committed.
        """
        folder = self.repo_dir
        named = [path.relative_to(folder).as_posix() for path in only if path.is_relative_to(folder)]
        if only and not named:
            return False
        done = self._commit_files(message, named) if named else None
        return self._cycle().act(lambda session: session.commit_all(message)) if done is None else done

    def _commit_files(self, message: str | None, paths: list[str]) -> bool | None:
        """Commit a few files without looking at the others; None if anything is unusual or must wait."""
        repo = self._repo
        with lock(self.repo_dir.parent / WRITE_LOCK, timeout=1.0) as is_mine:
            state = load_state(self.repo_dir)
            is_usual = is_mine and state.head and not state.landing and repo.main() == state.head
            is_ready = is_usual and repo.is_on_main() and not repo.is_unfinished()
            if not is_ready or any(path in paths_of(state.held) for path in paths):
                return None
            try:
                texts = {path: self._plain_note(path, frozenset(state.allowed)) for path in paths}
                known = repo.blobs_at(state.head, paths)
                edits = {path: data for path, data in texts.items() if hash_of(data) != known.get(path)}
                if edits:
                    titles = ", ".join(f"'{harmless_title(data, ())}'" for data in edits.values())
                    verb = "edited" if known else "session" if paths[0].startswith("episodic/") else "added"
                    state.head = commit_file(
                        repo.git, state.head, edits, message or f"{repo.machine}: {verb} {titles}"
                    )
                    save_state(self.repo_dir, state)
                return bool(edits)
            except (GitError, OSError, ValueError):
                return None

    def _plain_note(self, path: str, allowed: frozenset[str]) -> bytes:
        """The content of a note's file; ValueError if it is not one, or must wait."""
        data = read_regular(self.repo_dir / path)
        is_inside = (self.repo_dir / path).resolve() == self.repo_dir.resolve() / path
        must_wait = (
            refusal(path) is not None or not read_id(data) or Search(self.repo_dir, allowed)(path, data)
        )
        if must_wait or not is_inside:
            raise ValueError(path)
        return data

    def held(self) -> list[HeldNote]:
        """The notes whose versions clash, with their texts."""
        if not load_state(self.repo_dir).held:
            return []
        return self._cycle().act(lambda session: session.describe_held())

    def resolve(self, note_id: str, *, choice: Choice = "mine", text: str | None = None) -> Undo | None:
        """Resolve a held note: this machine's version, the other, both, or `text`; the next sync sends it."""
        cycle = self._cycle()
        done = cycle.act(lambda session: session.resolve(note_id, choice, text))
        return None if done[0].private else lambda: cycle.act(lambda session: session.hold_again(*done))

    def allow_secret(self, name: str) -> bool:
        """Allow a waiting note or file to be committed as it is now; returns False if none has that name."""
        return self._cycle().act(lambda session: session.allow_secret(name))

    def purge(self, purge: Purge) -> None:
        """Remove notes and texts from every version on this machine; the next sync purges them elsewhere."""
        self._cycle().purge(purge)

    def history(self, kept: UndoTexts | None = None) -> History:
        """The versions of the notes in git's log, merged with the texts `kept` on this machine."""
        from anamnesis.sync.log import GitHistory

        return GitHistory(self.repo_dir, kept=kept)

    def machines(self) -> Iterator[Machine]:
        """Every machine that has reported, this one first; each is read when it is reached."""
        from anamnesis.sync.heartbeat import read_machines

        return read_machines(self._repo)

    def count_left(self, purge: Purge) -> int:
        """How many objects in this repository still contain what a purge removes."""
        from anamnesis.purge import count_left

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
        if version and (int(version[1]), int(version[2])) >= _OLDEST_GIT:
            return Finding("git", "ok", said)
        return Finding("git", "bad", f"{said} is too old", remedy)

    def examine_storage(self) -> Finding:
        """Whether the repository has all reachable objects, and what a rejoin removed."""
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
        if not self._repo.is_on_main() or self._repo.is_unfinished():
            remedy = "`anamnesis sync` returns to the branch"
            return Finding("repository", "warn", "a git operation in memory/ is not finished", remedy)
        return Finding("repository", "ok", "everything in it can be read, nothing half-done")

    def examine_remote(self) -> Finding:
        """Whether the remote answers."""
        from anamnesis.sync.remote import check_remote_answers

        return check_remote_answers(self.repo_dir, self.remote, timeout=self._timeout)

    def watched(self) -> list[Path]:
        """The references that a sync moves, and the file of its state."""
        git = self._repo.git.dir
        return [git / MAIN, git / TRACKING, git / "packed-refs", self.repo_dir.parent / SYNC_NAME]

    def _cycle(self) -> Cycle:
        from anamnesis.sync.cycle import Cycle

        return Cycle(
            self._repo,
            remote=self.remote,
            timeout=self._timeout,
            background=self._background,
            heartbeat=self._heartbeat,
        )
