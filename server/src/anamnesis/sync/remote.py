"""The remote half of a sync: fetch, push, and what the remote's answers mean. Touches no file of a store."""

from __future__ import annotations

import re
from functools import partial
from typing import Literal, NamedTuple

from anamnesis.address import is_local_remote, mask, split_login
from anamnesis.errors import GitError, GitTimeout, SyncError
from anamnesis.git import reason
from anamnesis.progress import StepProgress, silent
from anamnesis.sync.repo import MAIN, TRACKING, Repo, seen_ref

_RACED = re.compile(
    r"\[rejected\]|fetch first|non-fast-forward|cannot lock ref|failed to (?:update|lock)|"
    r"incorrect old value|but expected|reference already exists|unable to create .*\.lock",
    re.IGNORECASE,
)
_EMPTY = "couldn't find remote ref"


class Fetched(NamedTuple):
    """What the remote's branch is at; with `trouble` it did not answer and this is what was seen last."""

    commit: str | None
    trouble: str = ""


class Pushed(NamedTuple):
    """How a push ended; `trouble` says why when it did not go through."""

    outcome: Literal["done", "raced", "failed"]
    trouble: str = ""


class Remote:
    """The other side of a store's repository."""

    def __init__(self, repo: Repo, url: str, *, silence: float, progress: StepProgress = silent) -> None:
        self._repo = repo
        self._git = repo.git
        self._silence = silence
        self._progress = progress
        self._seen = seen_ref(url)
        self._shown = mask(url)
        self._login = split_login(url)[1]
        # A remote on this machine is served by our own git: the user's hooks have no say there, its own have.
        self._receiver = (
            ("--receive-pack=git -c core.hooksPath=hooks receive-pack",) if is_local_remote(url) else ()
        )

    def fetch(self) -> Fetched:
        """Ask the remote for its branch."""
        self._progress("fetch", 0, 0)
        order = (
            "fetch",
            "--progress",
            "--no-tags",
            "--no-prune",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
        )
        try:
            answer = self._git.ask(
                *order,
                "--no-auto-gc",
                "--refmap=",
                "--",
                "origin",
                f"+{MAIN}:{TRACKING}",
                silence=self._silence,
                progress=partial(self._progress, "fetch"),
                login=self._login,
            )
        except GitTimeout as exc:
            return Fetched(self._git.ref(TRACKING), f"the remote did not answer ({exc})")
        if answer.code == 0:
            return Fetched(self._git.ref(TRACKING))
        if _EMPTY in answer.err:
            if self._git.ref(TRACKING):
                self._repo.point(TRACKING, None)
            return Fetched(None)
        return Fetched(self._git.ref(TRACKING), reason(answer.err) or "git gave no reason")

    def is_as_left(self, commit: str | None) -> bool:
        """Whether the remote is where the last sync left it."""
        return commit is not None and self._git.ref(self._seen) == commit

    def check_history(self, commit: str | None, *, rejoin: bool) -> None:
        """Raise SyncError when the remote no longer has what it had, unless the user said to join it anew."""
        seen = self.lost(commit)
        if rejoin or seen is None:
            return
        if commit is None:
            raise SyncError(
                f"the remote {self._shown} is empty but was not when last seen; nothing was changed. "
                "If that is meant, `anamnesis sync --rejoin` fills it again from this machine"
            )
        raise SyncError(
            f"the history of {self._shown} was rewritten: it no longer holds commit {seen[:7]}; "
            "nothing was changed. If that is meant, `anamnesis sync --rejoin` joins this machine's notes "
            "with what is there"
        )

    def lost(self, commit: str | None) -> str | None:
        """What the remote was at when last seen, if `commit`, which it is at now, no longer holds that."""
        seen = self._git.ref(self._seen)
        if seen is None or seen == commit:
            return None
        return seen if commit is None or not self._repo.is_ancestor(seen, commit) else None

    def remember(self, commit: str | None) -> None:
        """Note what the remote is known to have."""
        if commit and self._git.ref(self._seen) != commit:
            self._repo.point(self._seen, commit)

    def push(self, commit: str) -> Pushed:
        """Offer `commit` as the remote's branch; never by force."""
        self._progress("push", 0, 0)
        order = (
            "push",
            "--porcelain",
            "--progress",
            "--no-verify",
            "--no-recurse-submodules",
            "--no-follow-tags",
        )
        try:
            answer = self._git.ask(
                *order,
                *self._receiver,
                "--",
                "origin",
                f"{commit}:{MAIN}",
                silence=self._silence,
                progress=partial(self._progress, "push"),
                login=self._login,
            )
        except GitTimeout as exc:
            return Pushed("failed", f"the remote did not answer ({exc})")
        if answer.code == 0:
            if self._git.ref(TRACKING) != commit:
                self._repo.point(TRACKING, commit)
            return Pushed("done")
        said = answer.out.decode("utf-8", "replace") + answer.err
        if _RACED.search(said) and "denyCurrentBranch" not in said:
            return Pushed("raced", reason(said) or "git gave no reason")
        if "checked out" in said or "denyCurrentBranch" in said:
            return Pushed(
                "failed", "the remote has its branch checked out; use a bare repository as the remote"
            )
        return Pushed("failed", reason(said) or "git gave no reason")


def explain(error: GitError, repo: Repo) -> SyncError:
    """A failure of local git as something the user can act on."""
    text = str(error)
    damaged = re.search(
        r"corrupt|is empty|loose object|bad object|missing|unable to read|invalid object|inflate|bad tree",
        text,
    )
    if not damaged:
        return SyncError(f"{text}; your notes are untouched, run `anamnesis doctor`")
    return SyncError(
        f"the git repository in {repo.git.dir} is damaged ({text}); your notes are untouched. "
        "Move that folder away and sync again: the history comes back from the remote"
    )
