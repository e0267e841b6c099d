"""Checks of git for the doctor: its version, the repository, the remote.

A damaged repository is never repaired in place: it is set aside whole and rebuilt. No note lives in it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from anamnesis.address import check_remote, has_unused_password, mask, split_login
from anamnesis.errors import AnamnesisError, GitError, GitTimeout, StoreUnavailable, SyncError
from anamnesis.files import lock
from anamnesis.git import Git, is_oid, reason
from anamnesis.layout import MAIN, SYNC_LOCK, WRITE_LOCK
from anamnesis.settings import resolve_number
from anamnesis.sync.failure import Failure, classify
from anamnesis.sync.repo import Repo
from anamnesis.sync.results import Finding
from anamnesis.text import plural

_OLDEST_GIT = (2, 30)
# What git leaves behind when it is killed, or when a person started something by hand.
_HALF_DONE = ("index.lock", "HEAD.lock", "MERGE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge", "rebase-apply")
# Git's words for what every sync repairs by itself: HEAD, the configuration, the mark of a shallow clone.
_RECOVERS = re.compile(r"not a git repository|bad config|shallow")
_LOCK_SECONDS = 10.0
_SLOW_REMEDY = "check network and access; `anamnesis config set sync_timeout 60` waits longer"

Commit = Callable[[], bool]


def check_git(git: Git) -> Finding:
    """Git is installed and new enough."""
    remedy = "install git 2.30 or newer"
    try:
        said = git.line("version")
    except GitError as exc:
        return Finding("git", "bad", str(exc), remedy)
    found = re.search(r"(\d+)\.(\d+)", said)
    if found is None or (int(found[1]), int(found[2])) < _OLDEST_GIT:
        return Finding("git", "bad", f"{said} is too old", remedy)
    return Finding("git", "ok", said)


def check_repository(repo: Repo, remote: str | None, *, commit: Commit) -> Finding:
    """The repository holds everything that its references lead to, and nothing in it is half-done."""
    git = repo.git
    recovers = "`anamnesis sync` recovers from it"
    if not git.dir.exists():
        return Finding("repository", "ok", "there is none yet")
    try:
        damage = _damage(git)
    except GitError as exc:
        return Finding("repository", "bad", str(exc), "fix what git says, then `anamnesis doctor` again")
    if damage and _RECOVERS.search(damage):
        return Finding("repository", "warn", damage, recovers)
    if damage:
        # A `.git` that only points elsewhere was put there by a person, who knows what else it serves.
        fix = partial(_set_aside, repo, remote, commit) if _is_own(git) else None
        remedy = f"move {git.dir} away and `anamnesis sync`{', or --fix' if fix else ''}: {_outlook(remote)}"
        return Finding("repository", "bad", f"damaged: {damage}", remedy, fix)
    found = [name for name in _HALF_DONE if (git.dir / name).exists()]
    if found:
        return Finding("repository", "warn", f"half-done: {', '.join(found)}", recovers)
    return Finding("repository", "ok", "everything in it can be read, nothing half-done")


def _damage(git: Git) -> str:
    """Why git cannot read all that the references lead to, in one line; "" when it can."""
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
    # Walking the history only asks whether a text is there; this reads the head of each.
    read = git.ask("cat-file", "--batch-check", "--buffer", stdin=reached.out)
    lost = [line.split()[0] for line in read.out.decode("utf-8", "replace").splitlines() if "missing" in line]
    if read.code or lost:
        return reason(read.err) or f"object {lost[0]} is missing"
    return ""


def _is_own(git: Git) -> bool:
    dot = git.folder / ".git"
    return dot.is_dir() and not dot.is_symlink()


def _outlook(remote: str | None) -> str:
    if remote:
        return "the history comes back from the remote"
    return "a new history starts, the notes are untouched"


def _set_aside(repo: Repo, remote: str | None, commit: Commit) -> str:
    aside = repo.folder.parent / f"git.damaged-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}"
    _move(repo, aside)
    try:
        commit()
    except AnamnesisError as exc:
        raise SyncError(f"{exc}; the damaged repository is kept as {aside}") from exc
    return f"set the damaged repository aside as {aside}; with the next `anamnesis sync` {_outlook(remote)}"


def _move(repo: Repo, aside: Path) -> None:
    """Rename the repository while neither a sync nor a write is under way; locks in the order of a sync."""
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
        raise StoreUnavailable(f"{repo.git.dir} could not be set aside: {exc.strerror}") from exc


def check_remote_answers(folder: Path, remote: str | None, *, timeout: float | None = None) -> Finding:
    """The remote can be reached."""
    if not remote:
        return Finding("remote", "ok", "none set: the notes stay on this machine")
    try:
        check_remote(remote)
        found = _ask_remote(folder, remote, timeout)
    except GitTimeout as exc:
        return Finding("remote", "bad", f"{mask(remote)} did not answer: {exc}", _SLOW_REMEDY)
    except AnamnesisError as exc:
        return Finding("remote", "bad", str(exc), "`anamnesis config set remote URL`")
    if isinstance(found, Failure):
        return Finding("remote", "bad", f"{mask(remote)}: {found.what}", found.remedy or _SLOW_REMEDY)
    if has_unused_password(remote):
        remedy = "`anamnesis config set remote URL` without the password"
        return Finding("remote", "warn", f"{mask(remote)} answers, but takes no password from there", remedy)
    return Finding("remote", "ok", f"{mask(remote)} answers with {found}")


def _ask_remote(folder: Path, remote: str, timeout: float | None) -> str | Failure:
    seconds = resolve_number("sync_timeout", home=folder.parent) if timeout is None else timeout
    address, login = split_login(remote)
    # Git needs a working directory; before the first note the store has none.
    git = Git(folder if folder.is_dir() else Path("/"))
    answer = git.ask("ls-remote", "--heads", "--", address, silence=seconds, login=login)
    if answer.code:
        return classify(answer.err, remote, step="fetch", is_first=True)
    return plural(len(answer.out.splitlines()), "branch", "branches")
