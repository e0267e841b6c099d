"""Checks of the store on this machine's disk, of its index, and of what sync has done with it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from anamnesis.errors import GitError
from anamnesis.files import read_regular
from anamnesis.fleet import TWIN_REMEDY
from anamnesis.history import History
from anamnesis.index.figures import note_counts
from anamnesis.index.listing import note_files
from anamnesis.layout import CONFIG_NAME, LOCAL, MEMORY
from anamnesis.operations.versions import restorable_id, restore_note
from anamnesis.store import MemoryStore, Problem
from anamnesis.sync import SyncBackend, SyncState
from anamnesis.sync.purges import find_credentials
from anamnesis.sync.results import PRIVATE, Finding, LeftOut
from anamnesis.sync.state import load_state
from anamnesis.sync.waiting import SecretInFile, find_in_file, find_unallowed, version
from anamnesis.text import and_superseded, first_few, local_time, plural

_UNKNOWN = "unknown: the last commit cannot be read"
_SEE_REPOSITORY = "see `repository`"
_SEARCHED_VERSIONS = 1000  # versions searched for credentials; `purge --secrets` searches all
_ALLOW_OR_PURGE = (
    "if it may stay, `anamnesis sync --allow-secret ID` accepts it on this machine; if not, change it, and"
    " `anamnesis purge --secrets` removes the old one from every version"
)
_OTHER_USERS = 0o077  # permission bits


@dataclass(frozen=True)
class Context:
    """What is checked: a store and its sync backend; `known` is the sync state, if it was read already."""

    store: MemoryStore
    backend: SyncBackend
    known: SyncState | None = None

    @property
    def home(self) -> Path:
        """The store root."""
        return self.store.root

    @cached_property
    def state(self) -> SyncState:
        """The sync state; read once, because that runs git."""
        return self.known or self.backend.state()


def check_store(context: Context) -> Finding:
    """The store exists and can be written to."""
    home = context.home
    folders = [home, home / MEMORY, home / LOCAL]
    if closed := [str(each) for each in folders if not os.access(each, os.R_OK | os.W_OK | os.X_OK)]:
        where = shlex.join(closed)
        remedy = f"`chmod u+rwx {where}`; if they are another user's, first `sudo chown -R $USER {where}`"
        return Finding("store", "bad", f"cannot be written to: {first_few(closed)}", remedy)
    notes = context.store.ask(note_counts)
    return Finding("store", "ok", f"{home}: {plural(notes.total, 'note')}{and_superseded(notes.superseded)}")


def check_permissions(context: Context) -> Finding:
    """No one else can read the notes or the settings."""
    # A private root protects everything below it; inside, only config.json matters, which contains keys.
    config = context.home / CONFIG_NAME
    guarded = [context.home, *([config] if config.is_file() else [])]
    open_paths = [path for path in guarded if path.lstat().st_mode & _OTHER_USERS]
    if not open_paths:
        return Finding("permissions", "ok", "readable by you alone")
    shown = first_few([str(path) for path in open_paths])

    def _close() -> str:
        for path in open_paths:
            path.chmod(0o700 if path.is_dir() else 0o600)
        return f"made private: {shown}"

    return Finding("permissions", "warn", f"readable by others: {shown}", "chmod go= them, or --fix", _close)


def check_index(context: Context) -> Finding:
    """The index matches the files."""
    health = context.store.health()
    if health.in_memory:
        return Finding("index", "bad", health.healed, "allow writing, then `anamnesis reindex --full`")
    if health.notes + len(health.problems) != health.files:
        evidence = f"{plural(health.notes, 'note')} in the index, {plural(health.files, 'file')}"

        def _rebuild() -> str:
            return f"rebuilt the index: {plural(context.store.reindex(full=True), 'note')}"

        return Finding("index", "bad", evidence, "`anamnesis reindex --full`, or --fix", _rebuild)
    healed = f"; {health.healed} and was rebuilt" if health.healed else ""
    return Finding("index", "ok", f"matches {plural(health.files, 'file')}{healed}")


def check_unreadable(context: Context) -> Finding:
    """Every file is a note, and no two files have the same id."""
    if not (problems := context.store.problems()):
        return Finding("files", "ok", "every file can be read")
    found = [restorable_id(context.store, each.path, backend=context.backend) for each in problems]
    known, remedy = [*filter(None, found)], f"correct or remove these files in {context.home}"
    if known:
        remedy += (
            f"; --fix, or `anamnesis history {known[0]} --restore`, brings the last readable version back"
        )
    fix = partial(_restore_readable, context, known) if known else None
    return Finding("files", "bad", _with_reasons(problems), remedy, fix)


def _restore_readable(context: Context, ids: list[str]) -> str:
    """Bring back the newest readable version of broken notes; returns what was done."""
    done = [restore_note(context.store, note_id, backend=context.backend).title for note_id in ids]
    return f"restored {', '.join(map(repr, done))}; the broken texts are in undo/"


def check_left_out(context: Context) -> Finding:
    """Every file in the synced tree can be synced, and every file of the other machines is here."""
    if not (files := context.state.left_out):
        return Finding("left out", "ok", "every file syncs")
    remedy = f"the others sync without it; rename, move or shrink it in `{context.store.memory_dir}`"
    return Finding("left out", "warn", _with_reasons(files), remedy)


def _with_reasons(files: Iterable[Problem | LeftOut]) -> str:
    """The first of some files, each with its reason, which may contain commas."""
    return first_few([f"{file.path}: {file.reason}" for file in files], most=20, between=" | ")


def check_waiting(context: Context) -> Finding:
    """No changed file waits, because of a credential for example."""
    if not (files := context.state.waiting):
        return Finding("waiting", "ok", "no change is held back")
    shown = first_few([f"{each.place} ({each.kind})" for each in files], most=20)
    has_one_note = len({each.id for each in files}) == 1
    reasons = {each.why: (each if has_one_note else each._replace(id="ID")).remedy for each in files}
    evidence = f"waits {' or '.join(reasons)} and is not committed: {shown}"
    return Finding("waiting", "bad", evidence, "; ".join(reasons.values()))


def check_secrets(context: Context) -> Finding:
    """No note contains a credential; one that waits with it was never committed, and `waiting` reports it."""
    waiting = {each.id for each in context.state.waiting if each.kind != PRIVATE}
    allowed = load_state(context.home / MEMORY).allowed
    found: dict[str, tuple[str, list[SecretInFile]]] = {}  # by path: the note's id, and what it contains
    for file in context.store.ask(note_files):
        with suppress(OSError):  # it was removed meanwhile
            data = b"" if file.note_id in waiting else read_regular(context.home / file.path)
            if secrets := find_unallowed(data, allowed=allowed):
                found[file.path] = file.note_id, secrets
    if found and allowed:
        accepted = _allowed_secrets(context.backend.history(), allowed)
        found = {path: each for path, each in found.items() if {row.secret for row in each[1]} - accepted}
    if not found:
        return Finding("secrets", "ok", "no note seems to contain a credential that was not allowed")
    remedy = _ALLOW_OR_PURGE
    if not any(path.startswith(f"{MEMORY}/") for path in found):
        remedy = "`anamnesis edit ID` removes it from the note, which is machine-local and in no history"
    named = [f"{note} ({first.kind}, line {first.line})" for note, (first, *_) in found.values()]
    shown = first_few(named, most=10)
    return Finding("secrets", "bad", f"{plural(len(found), 'note')}: {shown}", remedy)


def _allowed_secrets(history: History, allowed: Collection[str]) -> set[str]:
    """The credentials of the versions that were allowed; a later version of a note may have them, too."""
    with suppress(GitError):
        texts = [data for data in history.texts() if version(data) in allowed]
        return {each.secret for data in texts for each in find_in_file(data)}
    return set()


def check_old_secrets(context: Context) -> Finding:
    """No earlier version of a note contains a credential."""
    try:
        found = find_credentials(context.home, context.backend.history(), most=_SEARCHED_VERSIONS)
    except GitError:
        return Finding("old secrets", "ok", "not searched: the history cannot be read, see `repository`")
    if not found:
        return Finding("old secrets", "ok", f"none in the last {_SEARCHED_VERSIONS:,} versions")
    named = first_few([f"{each.note or 'a file'} ({each.kind})" for each in found], most=10)
    return Finding("old secrets", "warn", f"in the history: {named}", _ALLOW_OR_PURGE)


def check_committed(context: Context) -> Finding:
    """Every change to a portable note is committed."""
    state, kind = context.state, context.backend.kind
    if state.failure == "damaged here":
        return Finding("history", "warn", _UNKNOWN, _SEE_REPOSITORY)
    if not state.dirty and (state.initialized or not any(context.store.memory_dir.glob("*/*.md"))):
        return Finding("history", "ok", f"all is in {kind}" if state.head else "no portable notes yet")
    since = f", since {local_time(state.uncommitted_since)}" if state.uncommitted_since else ""
    evidence = f"some changes are not in {kind} yet{since}"
    remedy = "the next `anamnesis sync` commits them, but not what `waiting` names, or --fix"

    def _commit() -> str:
        # A rebuilt repository must not commit until a sync has fetched the history that it continues.
        return "committed the changes" if context.backend.commit() else ""

    return Finding("history", "bad" if state.late_commit else "warn", evidence, remedy, _commit)


def check_held(context: Context) -> Finding:
    """No note is held."""
    held = context.state.held_names
    if held:
        return Finding("held notes", "bad", f"conflict in {first_few(held, most=10)}", "`anamnesis resolve`")
    return Finding("held notes", "ok", "none")


def check_pushed(context: Context) -> Finding:
    """Every commit has reached the remote."""
    state = context.state
    if state.remote is None:
        return Finding("pushed", "ok", "no remote: the notes stay on this machine")
    if state.failure == "damaged here":
        return Finding("pushed", "warn", _UNKNOWN, _SEE_REPOSITORY)
    if state.ahead or state.failure:
        since = f" since {local_time(state.unpushed_since)}" if state.unpushed_since else ""
        waiting = f"not all is pushed{since}" if state.ahead else ""
        evidence = "; ".join(part for part in (waiting, state.failure_text) if part)
        # Trying again does not bring a missing folder back; the check of the remote says what does.
        remedy = "see `remote`" if state.failure == "away" else "`anamnesis sync`"
        return Finding("pushed", "bad" if state.late_push or state.is_stuck else "warn", evidence, remedy)
    return Finding("pushed", "ok", f"all, last sync {local_time(state.last_sync or 'unknown')}")


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
