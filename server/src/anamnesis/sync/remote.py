"""The remote half of a sync: fetch, push, and what the remote's answers mean. Touches no file of a store."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import Literal, NamedTuple

from anamnesis.address import check_remote, is_encrypted, is_local_remote, mask, parse_address, split_login
from anamnesis.errors import GitError, GitTimeout, SyncError
from anamnesis.sync.failure import (
    Failure,
    Step,
    classify,
    damaged_here,
    emptied,
    is_damaged_here,
    missing_folder,
    rewritten,
    silent_remote,
)
from anamnesis.sync.repo import MAIN, TRACKING, Repo, seen_ref
from anamnesis.text import StepProgress, silent

_RACED = re.compile(
    r"\[rejected\]|fetch first|non-fast-forward|cannot lock ref|failed to (?:update|lock)|"
    r"incorrect old value|but expected|reference already exists|unable to create .*\.lock",
    re.IGNORECASE,
)
_EMPTY = "couldn't find remote ref"
_SHALLOW = "shallow roots are not allowed"


class Fetched(NamedTuple):
    """What the remote's branch is at; after a failure this is what was seen last."""

    commit: str | None
    failure: Failure | None = None


class Pushed(NamedTuple):
    """How a push ended, and why it did not go through."""

    outcome: Literal["done", "raced", "failed"]
    failure: Failure | None = None


class Remote:
    """The other side of a store's repository."""

    def __init__(self, repo: Repo, url: str, *, silence: float, progress: StepProgress = silent) -> None:
        self._repo = repo
        self._git = repo.git
        self._silence = silence
        self._progress = progress
        self._url = url
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
                encrypted=is_encrypted(self._url),
            )
        except GitTimeout:
            return Fetched(self._git.ref(TRACKING), silent_remote(self._silence))
        # Git leaves out a branch whose beginning is missing there, and calls that a success.
        if answer.code == 0 and _SHALLOW not in answer.err:
            return Fetched(self._git.ref(TRACKING))
        if _EMPTY in answer.err:
            if self._git.ref(TRACKING):
                self._repo.point(TRACKING, None)
            return Fetched(None)
        return Fetched(self._git.ref(TRACKING), self._failure(answer.err, "fetch"))

    def is_as_left(self, commit: str | None) -> bool:
        """Whether the remote is where the last sync left it."""
        return commit is not None and self._git.ref(self._seen) == commit

    def history_failure(self, commit: str | None) -> Failure | None:
        """Why the remote's branch cannot be integrated as it is: it no longer has what it had."""
        seen = self.lost(commit)
        if seen is None:
            return None
        return emptied(self._shown) if commit is None else rewritten(self._shown, seen)

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

    def push(self, commit: str, *, replaces: str | None = None) -> Pushed:
        """Offer `commit` as the remote's branch; never by force, unless it `replaces` exactly that commit."""
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
                *((f"--force-with-lease={MAIN}:{replaces}",) if replaces else ()),
                *self._receiver,
                "--",
                "origin",
                f"{commit}:{MAIN}",
                silence=self._silence,
                progress=partial(self._progress, "push"),
                login=self._login,
                encrypted=is_encrypted(self._url),
            )
        except GitTimeout:
            return Pushed("failed", silent_remote(self._silence))
        if answer.code == 0:
            if self._git.ref(TRACKING) != commit:
                self._repo.point(TRACKING, commit)
            return Pushed("done")
        said = answer.out.decode("utf-8", "replace") + answer.err
        failure = self._failure(said, "push")
        # Words of a race also stand around a push that was refused for good.
        is_race = failure.kind in ("other", "locked") and _RACED.search(said)
        return Pushed("raced" if is_race else "failed", failure)

    def _failure(self, said: str, step: Step) -> Failure:
        """What git's words mean, here and for this remote."""
        if is_damaged_here(said, self._git.dir, step=step):
            return damaged_here(said, self._git.dir)
        folder = parse_address(self._url).path if is_local_remote(self._url) else ""
        if folder and not os.path.exists(os.path.join(self._repo.folder, folder)):
            return missing_folder(folder)
        return classify(said, self._url, step=step, is_first=self._git.ref(self._seen) is None)


def address_refusal(url: str | None) -> str:
    """Why the address of a remote is refused; "" when it is not, or there is none."""
    try:
        if url:
            check_remote(url)
    except GitError as exc:
        return str(exc)
    return ""


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
