"""Sessions for a person to review: what each was about, was told, searched for and wrote; its note.

Combines this machine's receipts and ledger with the notes that any machine captured.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anamnesis.errors import SessionNotFound
from anamnesis.index import listing
from anamnesis.notes.record import Memory, epoch
from anamnesis.notes.vocabulary import timestamp
from anamnesis.project import keys_of
from anamnesis.session import receipts
from anamnesis.session.ledger import TRIVIAL, Ledger, read_ledger
from anamnesis.session.receipts import TOLD, USED, listed_ids, read_counts
from anamnesis.store import MemoryStore

Entry = dict[str, object]
OFTEN = 10  # sessions


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
    return [_receipt(home, session) for session in receipts.sessions(home)]


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


def last_folder(receipts: Sequence[Receipt], keys: Sequence[str]) -> str:
    """The folder in which a session of a project last started on this machine; "" if it is gone."""
    folders = (each.folder for each in receipts if each.project in keys)
    return next((folder for folder in folders if os.path.isdir(folder)), "")


def titles_of(store: MemoryStore, ids: Sequence[str]) -> Mapping[str, tuple[str, str]]:
    """Type and title of the notes that still exist."""
    wanted = list(dict.fromkeys(ids))
    return store.ask(lambda db: listing.titles(db, wanted))


def _receipt(home: str, session: str) -> Receipt:
    return Receipt(session, tuple(receipts.read_entries(home, session)))


def _session(name: str, moment: int, receipt: Receipt | None, note: Memory | None, ledger: Ledger) -> Session:
    entry = ledger.sessions.get(name)
    state = "captured" if note else "trivial" if entry is not None and entry.note == TRIVIAL else "open"
    return Session(name, moment, receipt, note, state)


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
