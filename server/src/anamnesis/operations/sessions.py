"""Sessions: capture all past ones; sync when one starts; review what each was told and wrote.

A review combines this machine's receipts and ledger with the notes that any machine captured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from anamnesis import state
from anamnesis.address import mask
from anamnesis.capture import CaptureOutcome, HeuristicSummarizer, capture_session, catch_up
from anamnesis.config import resolve_claude_dir
from anamnesis.errors import SessionNotFound, StoreUnavailable, SyncError, UnknownProject
from anamnesis.fleet import from_whom
from anamnesis.index import listing
from anamnesis.notes.record import Memory
from anamnesis.notes.vocabulary import REFERENCE
from anamnesis.project import current_key, is_silenced, keys_of, place_of, spelled
from anamnesis.session import receipts
from anamnesis.session.agents import folder_of, past_sessions
from anamnesis.session.receipts import TOLD, TRIVIAL, USED, Ledger, read_counts, read_items, read_ledger
from anamnesis.session.transcript import first_cwd
from anamnesis.store import MemoryStore
from anamnesis.sync import backend_for
from anamnesis.text import StepProgress, epoch, plural, silent, since_moment, timestamp

if TYPE_CHECKING:
    from anamnesis.sync import SyncBackend

Entry = dict[str, object]
OFTEN = 10  # sessions


def capture_past_sessions(
    store: MemoryStore,
    *,
    machine_id: str,
    since: str = "",
    project: str = "",
    progress: StepProgress = silent,
) -> list[CaptureOutcome]:
    """Capture the sessions on disk that have no note yet, newest first, and commit their notes."""
    start = datetime.fromisoformat(since_moment(since)).timestamp() if since else 0.0
    transcripts = past_sessions(store.root, resolve_claude_dir(), since=start)
    if project:
        transcripts = _of_project(transcripts, project, home=store.root)
    plain = HeuristicSummarizer()
    past: list[CaptureOutcome] = []
    for path in transcripts:
        past.append(capture_session(store, transcript=path, machine_id=machine_id, summarizer=plain))
        progress("sessions", len(past), len(transcripts))
    if any(each.status == "written" for each in past):
        backend_for(store.memory_dir, remote=None, machine_id=machine_id).commit()
    return past


def _of_project(transcripts: list[Path], project: str, *, home: Path) -> list[Path]:
    """The sessions of one project, given by any spelling of its key."""
    folders = {path: first_cwd(path) or folder_of(path) or "/" for path in transcripts}
    keys = {path: place_of(folder, home=str(home)).key for path, folder in folders.items()}
    known = sorted(set(keys.values()))
    key = current_key(spelled(project, known=known, here=place_of(".", home=str(home)).key))
    if key not in known:
        there = f"there are: {', '.join(known)}" if known else "every session was captured or skipped before"
        raise UnknownProject(f"no new session on disk is of the project {mask(project)!r}; {there}")
    return [path for path in transcripts if keys[path] == key]


def sync_at_start(
    store: MemoryStore,
    backend: SyncBackend,
    *,
    session: str,
    folder: str,
    report: Callable[[str], None],
) -> tuple[list[str], str]:
    """Sync as a session starts; returns the news for the user, and what the session is told of them.

    Sessions that ended without a note are captured first. Without a `folder`, the session is told nothing.
    """
    from anamnesis.inject.start import Start, new_rules, tell_arrivals
    from anamnesis.operations.versions import sync_store

    home = str(store.root)
    # Even if `inject` failed, this shows that our hooks ran in this session.
    receipts.add_entry(home, session, "synced")
    caught = catch_up(store, claude_dir=resolve_claude_dir(), machine_id=backend.machine_id, current=session)
    known = read_items(home)
    try:
        result = sync_store(store, backend, report=report)
        attention = result.detail if result.needs_attention else ""
    except (SyncError, StoreUnavailable) as exc:
        report(f"sync: {exc}")
        attention = str(exc)
    arrived = [item for item in read_items(home) if item not in known]
    news: list[str] = []
    context, told, rules = "", 0, []
    if folder and session and not is_silenced(folder):
        start = Start(home=home, folder=folder, session=session, source="sync")
        rules = new_rules(start)
        if arrived:
            briefing = tell_arrivals(start, [item["id"] for item in arrived])
            context, told = briefing.text, len(briefing.full) + len(briefing.cut)
    if arrived:
        now = f"; Claude is told {told} of them now" if told else ""
        news.append(f"{plural(len(arrived), 'note')} came in{from_whom(arrived)}{now}")
    if rules:
        first = f"{plural(len(rules), 'new rule')}, first: {rules[0].line!r}"
        news.append(f"{first}; `anamnesis why --rules` lists and drops them")
    if count := sum(each.status == "written" for each in caught):
        news.append(f"{plural(count, 'session')} captured that had ended without a note")
    if attention:
        news.append(attention)
    return news, context


@dataclass(frozen=True, slots=True)
class Session:
    """One session: the entries of its receipt on this machine, and its note."""

    id: str
    entries: list[Entry]
    note: Memory | None
    state: str  # captured, trivial (nothing worth keeping), or open (no note yet)

    @property
    def at(self) -> str:
        """When it last did something, as a timestamp."""
        times = [epoch(str(entry["at"])) for entry in self.entries]
        return timestamp(max([*times, epoch(self.note.updated_at) if self.note else 0]))

    @property
    def project(self) -> str:
        """What it was about; "" when unknown."""
        return self.note.project if self.note else told_last(self.entries, "project")


def told_last(entries: Sequence[Entry], name: str) -> str:
    """The `project` or `folder` of the last entry that records what a session was told; "" when unknown."""
    told = [str(entry[name]) for entry in entries if entry["kind"] == "told" and entry.get(name)]
    return told[-1] if told else ""


def list_sessions(store: MemoryStore, *, project: str | None = None) -> list[Session]:
    """All sessions, latest first; there are receipts of a few hundred."""
    home, keys = str(store.root), keys_of(project) if project else None
    known = {name: receipts.read_entries(home, name) for name in state.sessions(home)}
    numbers = {name: number for name, _, number in store.ask(lambda db: listing.captured(db, keys))}
    notes = store.ask(lambda db: listing.notes_at(db, list(numbers.values())))
    ledger = read_ledger(store.root)
    captured = [
        _session(name, known.get(name, []), notes.get(number), ledger) for name, number in numbers.items()
    ]
    others = [
        _session(name, entries, None, ledger)
        for name, entries in known.items()
        if name not in numbers and (keys is None or told_last(entries, "project") in keys)
    ]
    return sorted([*captured, *others], key=lambda each: (each.at, each.id), reverse=True)


def read_session(store: MemoryStore, session: str) -> tuple[Session, list[Memory]]:
    """One session and the notes written in it; SessionNotFound if nothing is known about it."""
    entries = receipts.read_entries(str(store.root), session)
    left = store.ask(lambda db: listing.notes_from(db, session))
    if not entries and not left:
        raise SessionNotFound(session[:80])
    note = next((each for each in left if each.prov_source == "session-end"), None)
    return _session(session, entries, note, read_ledger(store.root)), left


def _session(name: str, entries: list[Entry], note: Memory | None, ledger: Ledger) -> Session:
    entry = ledger.get(name)
    outcome = "captured" if note else "trivial" if entry is not None and entry.note == TRIVIAL else "open"
    return Session(name, entries, note, outcome)


def unused_notes(store: MemoryStore, *, often: int = OFTEN) -> list[dict[str, object]]:
    """Current notes that at least `often` sessions were told in full and none used, most often told first.

    A note that is no longer told is settled.
    """
    home = str(store.root)
    used = read_counts(home, USED)
    told = {note_id: count for note_id, count in read_counts(home, TOLD).items() if count >= often}
    hidden = store.superseded_ids()
    rows: list[dict[str, object]] = []
    for note_id, count in sorted(told.items(), key=lambda item: (-item[1], item[0])):
        note = None if used.get(note_id) or note_id in hidden else store.get(note_id)
        if note is not None and REFERENCE not in note.tags:
            rows.append({"id": note.id, "title": note.title, "project": note.project, "told": count})
    return rows
