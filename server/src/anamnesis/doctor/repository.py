"""The check of the git repository: all that its references lead to can be read, and nothing is half-done.

A damaged repository is never mended in place: it is set aside whole and made anew. No note lives in it.
"""

from __future__ import annotations

import re
import time
from functools import partial
from pathlib import Path

from anamnesis.doctor.finding import Finding, Patient
from anamnesis.errors import AnamnesisError, GitError, StoreUnavailable, SyncError
from anamnesis.files import lock
from anamnesis.git import Git, is_oid, reason

# What git leaves behind when it is killed, or when a person began something by hand.
_HALF_DONE = ("index.lock", "HEAD.lock", "MERGE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge", "rebase-apply")
_MAIN = "refs/heads/main"
# Git's words for what every sync puts right by itself: HEAD, the configuration, the mark of a shallow clone.
_RECOVERS = re.compile(r"not a git repository|bad config|shallow")
_LOCK_SECONDS = 10.0


def check_repository(patient: Patient) -> Finding:
    """The repository holds everything that its references lead to, and nothing in it is half-done."""
    git = Git(patient.store.memory_dir)
    recovers = "`anamnesis sync` recovers from it"
    if not git.dir.exists():
        return Finding("repository", "ok", "there is none yet")
    try:
        damage = _damage(git)
    except GitError as exc:
        return Finding("repository", "bad", str(exc), "mend what git says, then `anamnesis doctor` again")
    if damage and _RECOVERS.search(damage):
        return Finding("repository", "warn", damage, recovers)
    if damage:
        # A `.git` that only points elsewhere was put there by a person, who knows what else it serves.
        fix = partial(_set_aside, patient, git.dir) if _is_own(git) else None
        return Finding("repository", "bad", f"damaged: {damage}", _cure(patient, git, fix is not None), fix)
    found = [name for name in _HALF_DONE if (git.dir / name).exists()]
    if found:
        return Finding("repository", "warn", f"half-done: {', '.join(found)}", recovers)
    return Finding("repository", "ok", "everything in it can be read, nothing half-done")


def can_read_branch(git: Git) -> bool:
    """Whether the commit that the store is at is there, as far as a quick look tells; true without one."""
    try:
        main = git.ref(_MAIN)
        return main is None or git.has(f"{main}^{{tree}}")
    except GitError:
        return False


def _damage(git: Git) -> str:
    """Why git cannot read all that the references lead to, in one line; "" when it can."""
    main = git.ref(_MAIN)
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


def _cure(patient: Patient, git: Git, is_fixable: bool) -> str:
    order = f"move {git.dir} away and `anamnesis sync`{', or --fix' if is_fixable else ''}"
    return f"{order}: {_outlook(patient)}"


def _outlook(patient: Patient) -> str:
    if patient.state.remote:
        return "the history comes back from the remote"
    return "the history begins anew, the notes are untouched"


def _set_aside(patient: Patient, damaged: Path) -> str:
    aside = patient.home / f"git.damaged-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}"
    _move(patient, damaged, aside)
    try:
        patient.backend.commit()
    except AnamnesisError as exc:
        raise SyncError(f"{exc}; the damaged repository is kept as {aside}") from exc
    return f"set the damaged repository aside as {aside}; with the next `anamnesis sync` {_outlook(patient)}"


def _move(patient: Patient, damaged: Path, aside: Path) -> None:
    """Rename the repository while neither a sync nor a write is at work, in the order that sync locks."""
    try:
        with (
            lock(damaged / "anamnesis" / "sync.lock", timeout=_LOCK_SECONDS) as no_sync,
            lock(patient.home / "write.lock", timeout=_LOCK_SECONDS) as no_write,
        ):
            if not (no_sync and no_write):
                raise StoreUnavailable(f"{patient.home} is being synced or written to; try again")
            if aside.exists():
                raise StoreUnavailable(f"{aside} is there already; try again")
            damaged.rename(aside)
    except OSError as exc:
        raise StoreUnavailable(f"{damaged} could not be set aside: {exc.strerror}") from exc
