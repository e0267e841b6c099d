"""Sessions: capture one, or all past ones; sync when one starts; review what each was told and wrote.

A review combines this machine's receipts and ledger with the notes that any machine captured.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from anamnesis import state
from anamnesis.address import mask
from anamnesis.capture import (
    CaptureOutcome,
    CatchUp,
    HeuristicSummarizer,
    capture_past,
    capture_session,
    catch_up,
    project_of,
)
from anamnesis.config import resolve_claude_dir, resolve_entrypoint
from anamnesis.errors import AnamnesisError, SessionNotFound, UnknownProject
from anamnesis.index import listing
from anamnesis.index.refresh import count_notes
from anamnesis.notes.record import Memory, epoch
from anamnesis.notes.vocabulary import since_moment, timestamp
from anamnesis.project import current_key, is_silenced, keys_of, place_of
from anamnesis.project.names import spelled
from anamnesis.session import receipts
from anamnesis.session.ledger import TRIVIAL, Ledger, past_sessions, read_ledger
from anamnesis.session.receipts import HOW_TOLD, TOLD, USED, Item, listed_ids, read_counts, read_items
from anamnesis.store import MemoryStore
from anamnesis.sync import backend_for
from anamnesis.text import Progress

if TYPE_CHECKING:
    from anamnesis.sync import SyncBackend, SyncResult

Entry = dict[str, object]
OFTEN = 10  # sessions
_MANY_NOTES = 20_000  # each commit rewrites git's tree of a folder's files


def capture_transcript(
    store: MemoryStore,
    transcript: str,
    *,
    machine_id: str,
    source: str,
    payload: Mapping[str, str] | None = None,
    is_sync_next: bool = False,
    report: Callable[[str], None],
) -> CaptureOutcome:
    """Turn a transcript into its session's one note, and commit it; why it was not is passed to `report`.

    `payload` has the hook's `session_id` and `cwd`. A hook must be quick: the model is asked afterwards, and
    in a large store the commit is left to the sync that comes next.
    """
    given = payload or {}
    outcome = capture_session(
        store,
        transcript=transcript,
        machine_id=machine_id,
        session_id=given.get("session_id", ""),
        cwd=given.get("cwd", ""),
        entrypoint=resolve_entrypoint() if payload else "",
        source=source,
        summarizer=HeuristicSummarizer() if payload else None,
    )
    commits_later = payload and is_sync_next and store.ask(count_notes, thorough=False) > _MANY_NOTES
    if outcome.status == "written" and not commits_later:
        try:
            _commit_note(store, outcome.note_id, machine_id=machine_id)
        except AnamnesisError as exc:
            report(f"capture: the note is written, but not committed yet: {exc}")
    return outcome


def _commit_note(store: MemoryStore, note_id: str, *, machine_id: str) -> None:
    """Commit the note; the next sync commits other changes."""
    if note := store.path_of(note_id, thorough=False):
        backend_for(store.memory_dir, remote=None, machine_id=machine_id).commit(only=[note])


def capture_past_sessions(
    store: MemoryStore,
    *,
    machine_id: str,
    since: str = "",
    project: str = "",
    progress: Progress | None = None,
) -> CatchUp:
    """Capture the sessions on disk that have no note yet, newest first, and commit their notes."""
    start = datetime.fromisoformat(since_moment(since)).timestamp() if since else 0.0
    transcripts = past_sessions(store.root, resolve_claude_dir(), since=start)
    if project:
        transcripts = _of_project(transcripts, project, home=store.root)
    past = capture_past(store, transcripts, machine_id=machine_id, progress=progress)
    if past.count("written"):
        backend_for(store.memory_dir, remote=None, machine_id=machine_id).commit()
    return past


def _of_project(transcripts: list[Path], project: str, *, home: Path) -> list[Path]:
    """The sessions of one project, given by any spelling of its key."""
    keys = {path: project_of(path, root=home) for path in transcripts}
    known = sorted(set(keys.values()))
    key = current_key(spelled(project, known=known, here=place_of(".", home=str(home)).key))
    if key not in known:
        there = f"there are: {', '.join(known)}" if known else "every session was captured or skipped before"
        raise UnknownProject(f"no new session on disk is of the project {mask(project)!r}; {there}")
    return [path for path in transcripts if keys[path] == key]


@dataclass(frozen=True, slots=True)
class StartSync:
    """What the sync at the start of a session brought, and what the session is told of it."""

    result: SyncResult
    captured: int  # sessions that had ended without a note
    arrived: list[Item]
    told: dict[str, int]  # notes that the session was told when it started: full, cut, titles
    context: str = ""  # what it is told now, and of how many notes
    told_now: int = 0
    rules: tuple[str, ...] = ()  # the user's rules that no earlier session here was told


def sync_at_start(
    store: MemoryStore,
    backend: SyncBackend,
    *,
    session: str,
    folder: str,
    machine_id: str,
    report: Callable[[str], None],
) -> StartSync:
    """Sync as a session starts: first capture sessions that ended without a note, then tell what came in.

    Without a `folder`, the session is told nothing.
    """
    from anamnesis.operations.exchange import sync_store

    home = str(store.root)
    # Even if `inject` failed, this shows that our hooks ran in this session.
    receipts.add_entry(home, session, "synced")
    caught = catch_up(
        store,
        claude_dir=resolve_claude_dir(),
        machine_id=machine_id,
        current=session,
        summarizer=HeuristicSummarizer(),
    )
    known = read_items(home)
    result = sync_store(store, backend, machine_id=machine_id, report=report)
    arrived = [item for item in read_items(home) if item not in known]
    told = _told_at_start(home, session) if arrived else {}
    context, count = "", 0
    rules: tuple[str, ...] = ()
    if folder and session and not is_silenced(folder):
        rules = _new_rules(home, folder, session)
        if arrived:
            context, count = _tell_arrivals(home, folder, session, [item["id"] for item in arrived])
    return StartSync(result, caught.count("written"), arrived, told, context, count, rules)


def _new_rules(home: str, folder: str, session: str) -> tuple[str, ...]:
    from anamnesis.inject.start import Start, new_rules

    return tuple(rule.line for rule in new_rules(Start(home=home, folder=folder, session=session)))


def _told_at_start(home: str, session: str) -> dict[str, int]:
    """How many notes the last briefing told a session, by how they were shown."""
    entries = [entry for entry in receipts.read_entries(home, session) if entry["kind"] == "told"]
    shown = entries[-1] if entries else {}
    return {how: len(listed_ids(shown.get(how))) for how in HOW_TOLD}


def _tell_arrivals(home: str, folder: str, session: str, ids: list[str]) -> tuple[str, int]:
    """What the session is told about notes that just came in, and how many of them."""
    from anamnesis.inject.start import Start, tell_arrivals

    briefing = tell_arrivals(Start(home=home, folder=folder, session=session, source="sync"), ids)
    return briefing.text, len(briefing.full) + len(briefing.cut)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What this machine recorded about a session while it ran."""

    session: str
    entries: tuple[Entry, ...]

    @property
    def told(self) -> list[Entry]:
        """The entries that record what it was told, in order."""
        return [entry for entry in self.entries if entry["kind"] == "told"]

    @property
    def moment(self) -> int:
        """The time of its last entry, in seconds."""
        return max((epoch(str(entry.get("at", ""))) for entry in self.entries), default=0)

    @property
    def project(self) -> str:
        """The project that it was told about last; "" when unknown."""
        return next((str(entry["project"]) for entry in reversed(self.told) if entry.get("project")), "")

    @property
    def folder(self) -> str:
        """The folder that it last started in; "" when unknown."""
        return next((str(entry["folder"]) for entry in reversed(self.told) if entry.get("folder")), "")

    @property
    def characters(self) -> int | None:
        """How many characters of its context the notes took."""
        sizes = [size for entry in self.told if isinstance(size := entry.get("characters"), int)]
        return sum(sizes) if sizes else None

    @property
    def told_ids(self) -> list[str]:
        """The notes that it was told in full or in part."""
        return [each for entry in self.told for key in ("full", "cut") for each in listed_ids(entry.get(key))]

    def count(self, kind: str) -> int:
        """How many entries are of one kind."""
        return sum(entry["kind"] == kind for entry in self.entries)

    def ids(self, kind: str) -> list[str]:
        """The ids in entries of one kind, each once."""
        return receipts.ids_in(self.entries, kind, "ids")


@dataclass(frozen=True, slots=True)
class Session:
    """One session: its time, its receipt on this machine, and its note."""

    id: str
    moment: int
    receipt: Receipt | None
    note: Memory | None
    state: str  # captured, trivial (nothing worth keeping), or open (no note yet)

    @property
    def at(self) -> str:
        """When it last did something, as a timestamp."""
        return timestamp(self.moment)

    @property
    def project(self) -> str:
        """What it was about; "" when unknown."""
        return self.note.project if self.note else self.receipt.project if self.receipt else ""


def read_receipts(store: MemoryStore) -> list[Receipt]:
    """Every receipt on this machine, latest first; there are a few hundred at most."""
    home = str(store.root)
    return [_receipt(home, session) for session in state.sessions(home)]


def list_sessions(
    store: MemoryStore, *, project: str | None = None, limit: int = 50, offset: int = 0
) -> tuple[list[Session], int]:
    """A page of sessions, latest first, and how many there are."""
    keys = keys_of(project) if project else None
    known = {each.session: each for each in read_receipts(store) if keys is None or each.project in keys}
    notes = {session: (moment, n) for session, moment, n in store.ask(lambda db: listing.captured(db, keys))}
    moments = {name: notes[name][0] if name in notes else 0 for name in known.keys() | notes.keys()}
    moments |= {name: max(moments[name], receipt.moment) for name, receipt in known.items()}
    ranked = sorted(moments, key=lambda name: (moments[name], name), reverse=True)
    page = ranked[offset : offset + limit]
    numbers = [notes[name][1] for name in page if name in notes]
    by_row, ledger = store.ask(lambda db: listing.notes_at(db, numbers)), read_ledger(store.root)
    shown = [
        _session(
            name,
            moments[name],
            known.get(name),
            by_row.get(notes[name][1]) if name in notes else None,
            ledger,
        )
        for name in page
    ]
    return shown, len(ranked)


def read_session(store: MemoryStore, session: str) -> tuple[Session, list[Memory]]:
    """One session and the notes written in it; SessionNotFound if nothing is known about it."""
    receipt = _receipt(str(store.root), session)
    left = store.ask(lambda db: listing.notes_from(db, session))
    if not receipt.entries and not left:
        raise SessionNotFound(session[:80])
    note = next((each for each in left if each.prov_source == "session-end"), None)
    moment = max(receipt.moment, *(epoch(each.updated_at) for each in left), 0)
    shown = receipt if receipt.entries else None
    return _session(session, moment, shown, note, read_ledger(store.root)), left


def _receipt(home: str, session: str) -> Receipt:
    return Receipt(session, tuple(receipts.read_entries(home, session)))


def _session(name: str, moment: int, receipt: Receipt | None, note: Memory | None, ledger: Ledger) -> Session:
    entry = ledger.get(name)
    outcome = "captured" if note else "trivial" if entry is not None and entry.note == TRIVIAL else "open"
    return Session(name, moment, receipt, note, outcome)


def last_folder(receipts: Sequence[Receipt], keys: Sequence[str]) -> str:
    """The folder in which a session of a project last started on this machine; "" if it is gone."""
    folders = (each.folder for each in receipts if each.project in keys)
    return next((folder for folder in folders if os.path.isdir(folder)), "")


def titles_of(store: MemoryStore, ids: Sequence[str]) -> Mapping[str, tuple[str, str]]:
    """Type and title of the notes that still exist."""
    wanted = list(dict.fromkeys(ids))
    return store.ask(lambda db: listing.titles(db, wanted))


def unused_notes(store: MemoryStore, *, often: int = OFTEN) -> list[dict[str, object]]:
    """Current notes that at least `often` sessions were told in full and none used, most often told first."""
    home = str(store.root)
    used = read_counts(home, USED)
    told = {note_id: count for note_id, count in read_counts(home, TOLD).items() if count >= often}
    hidden = store.superseded_ids()
    rows: list[dict[str, object]] = []
    for note_id, count in sorted(told.items(), key=lambda item: (-item[1], item[0])):
        note = None if used.get(note_id) or note_id in hidden else store.get(note_id)
        if note is not None:
            rows.append({"id": note.id, "title": note.title, "project": note.project, "told": count})
    return rows
