"""Checks of git and sync: the version, and what is committed, held, pushed."""

from __future__ import annotations

import re
from functools import partial

from anamnesis.counted import counted
from anamnesis.doctor.finding import Finding, Patient, some
from anamnesis.doctor.repository import can_read_branch, check_repository
from anamnesis.errors import GitError
from anamnesis.git import Git

_OLDEST_GIT = (2, 30)
_UNKNOWN = "cannot be told: git cannot read the last commit"
_SEE_REPOSITORY = "see `repository`"


def check_git(patient: Patient) -> Finding:
    """Git is there and new enough."""
    cure = "install git 2.30 or newer"
    try:
        said = Git(patient.store.memory_dir).line("version")
    except GitError as exc:
        return Finding("git", "bad", str(exc), cure)
    found = re.search(r"(\d+)\.(\d+)", said)
    if found is None or (int(found[1]), int(found[2])) < _OLDEST_GIT:
        return Finding("git", "bad", f"{said} is too old", cure)
    return Finding("git", "ok", said)


def check_committed(patient: Patient) -> Finding:
    """Every change of a portable note is in git."""
    state = patient.state
    if not can_read_branch(Git(patient.store.memory_dir)):
        return Finding("history", "warn", _UNKNOWN, _SEE_REPOSITORY)
    if state.initialized and not state.dirty:
        kept = f"every portable note is in git, at {state.head}"
        return Finding("history", "ok", kept if state.head else "no portable note to keep yet")
    since = f", since {state.uncommitted_since}" if state.uncommitted_since else ""
    evidence = f"some changes are not in git yet{since}"
    if not state.initialized:
        evidence = "there is no git repository yet"
    cure = "the next `anamnesis sync` commits them, or --fix"
    if state.waiting:
        cure = "see `waiting`; the next `anamnesis sync` commits the others, or --fix"
    return Finding(
        "history",
        "bad" if state.late_commit else "warn",
        evidence,
        cure,
        partial(_commit, patient),
    )


def _commit(patient: Patient) -> str:
    # A repository that was made anew takes nothing before the next sync has fetched what it goes on from.
    return "committed the changes" if patient.backend.commit() else ""


def check_held(patient: Patient) -> Finding:
    """No note waits for a decision between two versions."""
    held = patient.state.held_names
    if held:
        return Finding("held notes", "bad", f"conflict in {some(list(held), most=10)}", "`anamnesis resolve`")
    return Finding("held notes", "ok", "none")


def check_pushed(patient: Patient) -> Finding:
    """Every commit has reached the remote."""
    state = patient.state
    if state.remote is None:
        return Finding("pushed", "ok", "no remote: the notes stay on this machine")
    if not can_read_branch(Git(patient.store.memory_dir)):
        return Finding("pushed", "warn", _UNKNOWN, _SEE_REPOSITORY)
    if state.ahead or state.failure:
        since = f" since {state.unpushed_since}" if state.unpushed_since else ""
        waiting = f"{counted(state.ahead, 'commit')} not pushed{since}" if state.ahead else ""
        evidence = "; ".join(part for part in (waiting, state.failure_text) if part)
        is_bad = state.late_push or state.is_stuck
        return Finding("pushed", "bad" if is_bad else "warn", evidence, "`anamnesis sync`")
    return Finding("pushed", "ok", f"all, last sync {state.last_sync or 'unknown'}")


CHECKS = (check_git, check_repository, check_committed, check_held, check_pushed)
