"""Checks of sync: the backend's own storage, and what is committed, held and pushed."""

from __future__ import annotations

from anamnesis.doctor.context import Context, Finding
from anamnesis.errors import GitError
from anamnesis.fleet import TWIN_REMEDY
from anamnesis.notes.vocabulary import local_time
from anamnesis.text import first_few, plural

_UNKNOWN = "unknown: the last commit cannot be read"
_SEE_REMOTE = "see `remote`"
_SEE_REPOSITORY = "see `repository`"


def check_tools(context: Context) -> Finding:
    """The backend's programs are installed."""
    return context.backend.examine_tools()


def check_storage(context: Context) -> Finding:
    """The backend's data is intact."""
    return context.backend.examine_storage()


def check_committed(context: Context) -> Finding:
    """Every change to a portable note is committed."""
    state, kind = context.state, context.backend.kind
    if not context.can_read_head:
        return Finding("history", "warn", _UNKNOWN, _SEE_REPOSITORY)
    if state.initialized and not state.dirty:
        kept = f"every portable note is in {kind}, at {state.head}"
        return Finding("history", "ok", kept if state.head else "no portable notes yet")
    since = f", since {local_time(state.uncommitted_since)}" if state.uncommitted_since else ""
    evidence = f"some changes are not in {kind} yet{since}"
    if not state.initialized:
        evidence = f"there is nothing in {kind} yet"
    remedy = "the next `anamnesis sync` commits them, or --fix"
    if state.waiting:
        remedy = "see `waiting`; the next `anamnesis sync` commits the others, or --fix"

    def _commit() -> str:
        # A rebuilt repository must not commit until a sync has fetched the history that it continues.
        return "committed the changes" if context.backend.commit() else ""

    return Finding("history", "bad" if state.late_commit else "warn", evidence, remedy, _commit)


def check_held(context: Context) -> Finding:
    """No note is held."""
    held = context.state.held_names
    if held:
        return Finding(
            "held notes", "bad", f"conflict in {first_few(list(held), most=10)}", "`anamnesis resolve`"
        )
    return Finding("held notes", "ok", "none")


def check_pushed(context: Context) -> Finding:
    """Every commit has reached the remote."""
    state = context.state
    if state.remote is None:
        return Finding("pushed", "ok", "no remote: the notes stay on this machine")
    if not context.can_read_head:
        return Finding("pushed", "warn", _UNKNOWN, _SEE_REPOSITORY)
    if state.ahead or state.failure:
        since = f" since {local_time(state.unpushed_since)}" if state.unpushed_since else ""
        waiting = f"{plural(state.ahead, 'commit')} not pushed{since}" if state.ahead else ""
        evidence = "; ".join(part for part in (waiting, state.failure_text) if part)
        is_bad = state.late_push or state.is_stuck
        # Trying again does not bring a missing folder back; the check of the remote says what does.
        remedy = _SEE_REMOTE if state.failure == "away" else "`anamnesis sync`"
        return Finding("pushed", "bad" if is_bad else "warn", evidence, remedy)
    last = local_time(state.last_sync) if state.last_sync else "unknown"
    return Finding("pushed", "ok", f"all, last sync {last}")


def check_name(context: Context) -> Finding:
    """No other store uses this machine's name."""
    try:
        machine = next(iter(context.backend.machines()))
    except GitError:
        return Finding("machine name", "warn", _UNKNOWN, _SEE_REPOSITORY)
    name = machine.beat.machine
    if machine.has_twin:
        evidence = f"another store reports as {name!r} too, so this one does not report"
        return Finding("machine name", "warn", evidence, TWIN_REMEDY)
    return Finding("machine name", "ok", name)


CHECKS = (check_tools, check_storage, check_committed, check_held, check_pushed, check_name)
