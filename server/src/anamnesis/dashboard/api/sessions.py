"""Sessions: what each was about, was told, searched for and wrote; what the next one would be told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anamnesis.dashboard.api import NOWHERE, listed, shown_path, summary
from anamnesis.dashboard.call import Call, Json
from anamnesis.inject.start import Start, prepare
from anamnesis.inject.worth import Ranked
from anamnesis.layout import GLOBAL
from anamnesis.operations import sessions
from anamnesis.operations.sessions import Entry, Session
from anamnesis.project import current_branch, keys_of
from anamnesis.session.note import SCRIPTED
from anamnesis.session.receipts import listed_ids

_PAGE = 50
_LISTS = ("full", "cut", "titles", "ids")
_FACTS = ("kind", "at", "source", "project", "characters", "milliseconds", "query")

Titles = Mapping[str, tuple[str, str]]


def list_sessions(call: Call) -> Json:
    """A page of the sessions, the latest first."""
    limit, offset = call.page(_PAGE)
    store = call.workspace.store
    page, total = sessions.list_sessions(store, project=call.project(), limit=limit, offset=offset)
    return listed([session_row(each) for each in page], offset, total, name="sessions")


def one_session(call: Call) -> Json:
    """One session: its receipt entry by entry, and the notes written in it."""
    store = call.workspace.store
    session, left = sessions.read_session(store, call.path["session"])
    entries = session.receipt.entries if session.receipt else ()
    titles = sessions.titles_of(
        store, [each for entry in entries for key in _LISTS for each in listed_ids(entry.get(key))]
    )
    hidden = store.superseded_ids()
    folder = session.receipt.folder if session.receipt else ""
    return {
        **session_row(session),
        "folder": folder,
        "entries": [_entry(entry, titles) for entry in entries],
        "left": [summary(note, hidden=hidden) for note in left],
    }


def preview(call: Call) -> Json:
    """What a session starting in a project now would be told, and why each note is shown or left out."""
    space, project = call.workspace, call.project() or GLOBAL
    folder = sessions.last_folder(sessions.read_receipts(space.store), keys_of(project))
    start = Start(home=str(space.store.root), folder=folder or NOWHERE, project=project)
    briefing, ranked, candidates = prepare(start)
    return {
        "project": project,
        "folder": shown_path(Path(folder)) if folder else "",
        "branch": current_branch(folder) if folder else "",
        "text": briefing.text,
        "characters": start.measure(briefing.text),
        "budget": start.budget,
        "own": candidates.own,
        "everywhere": candidates.everywhere,
        "notes": [_ranked(each, briefing.how(each)) for each in ranked],
    }


def session_row(session: Session) -> Json:
    """A session in a list."""
    receipt, note = session.receipt, session.note
    return {
        "id": session.id,
        "at": session.at,
        "project": session.project,
        "machine_id": note.machine_id if note else "",
        "state": session.state,
        "note": {"id": note.id, "title": note.title} if note else None,
        "scripted": note is not None and SCRIPTED in note.tags,
        "told": len(receipt.told_ids) if receipt else None,
        "characters": receipt.characters if receipt else None,
        "searched": receipt.count("searched") if receipt else 0,
        "wrote": len(receipt.ids("wrote")) if receipt else 0,
    }


def _entry(entry: Entry, titles: Titles) -> Json:
    left = entry.get("left_out")
    why = list(left.values()) if isinstance(left, dict) else []
    return {
        **{name: entry.get(name) for name in _FACTS},
        **{name: [_named(each, titles) for each in listed_ids(entry.get(name))] for name in _LISTS},
        "no_room": why.count("room"),
        "little_worth": why.count("worth"),
    }


def _named(note_id: str, titles: Titles) -> Json:
    """A note in a session; its title and type are empty if it was deleted."""
    type, title = titles.get(note_id, ("", ""))
    return {"id": note_id, "type": type or None, "title": title}


def _ranked(ranked: Ranked, how: str) -> Json:
    note = ranked.note
    return {
        "id": note.id,
        "type": note.type,
        "title": note.title,
        "project": note.project,
        "updated_at": note.updated_at,
        "how": how,
        "worth": round(ranked.worth, 1),
        "parts": {name: round(amount, 1) for name, amount in ranked.parts.items()},
    }
