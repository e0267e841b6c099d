"""Endpoints of activity: sessions, edits, deletions and arrivals; one session with what it was told."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice

from anamnesis.dashboard.call import Call, Json
from anamnesis.dashboard.notes import end_of_day, summary
from anamnesis.index import listing
from anamnesis.index.query import digests
from anamnesis.notes.vocabulary import TYPES
from anamnesis.operations import sessions
from anamnesis.operations.sessions import Entry, Session
from anamnesis.project import keys_of
from anamnesis.session.receipts import ids_in, listed_ids
from anamnesis.text import epoch, plural, since_moment

KINDS = ("session", "added", "edited", "deleted")
_LISTS = ("full", "cut", "titles", "ids")
_FACTS = ("kind", "at", "source", "characters", "rules", "query")

Titles = Mapping[str, tuple[str, str]]


def activity(call: Call) -> Json:
    """A page of what happened, latest first, by machine, project, kind and day; `next` is the next offset."""
    limit, offset = call.page(60)
    page = list(islice(_wanted_events(call), offset, offset + limit + 1))
    return {"events": page[:limit], "next": offset + limit if len(page) > limit else None}


def _wanted_events(call: Call) -> Iterator[Json]:
    """The events that match the filters, latest first; reads only as many commits as are asked for."""
    kind, machine, project = call.param("kind"), call.param("machine"), call.project()
    since = epoch(since_moment(call.param("since") or ""))
    until = epoch(end_of_day(call.param("until")) or "9999-12-31")
    keys = keys_of(project) if project else None
    changes = _removed(call) if kind == "deleted" else iter(()) if kind == "session" else _changes(call)
    told = _sessions(call) if kind in (None, "session") else iter(())
    for row in heapq.merge(told, changes, key=lambda row: -epoch(str(row["at"]))):
        if (
            kind in (None, row["kind"])
            and machine in (None, row["machine_id"])
            and (keys is None or row["project"] in keys)
            and since <= epoch(str(row["at"])) < until
        ):
            yield row


def _sessions(call: Call) -> Iterator[Json]:
    for each in sessions.list_sessions(call.store, project=call.project()):
        machine = each.note.machine_id if each.note else call.machine_id
        yield _event("session", each.at, session=session_row(each), project=each.project, machine_id=machine)


def _removed(call: Call) -> Iterator[Json]:
    for each in call.backend.history(call.store.undo).removed(present=set(call.store.ask(digests))):
        facts = {name: getattr(each.note, name) for name in ("id", "title", "type", "project")}
        yield _event("deleted", each.at, machine_id=each.machine_id, **facts)


def _changes(call: Call) -> Iterator[Json]:
    """The notes that commits changed; a session's own note is shown with the session."""
    history, before = call.backend.history(call.store.undo), None
    while commits := history.log(limit=100, before=before, most=20):
        ids = [file.id for _, files in commits for file in files if file.id]
        notes = call.store.ask(partial(listing.named, ids=ids, titles=[])) if ids else []
        known = {note.id: note for note in notes}
        for commit, files in commits:
            facts = {"machine_id": commit.machine, "commit": commit.oid}
            for file in files:
                note, folder = known.get(file.id), file.path.partition("/")[0]
                is_session = note and note.prov_source == "session-end" and file.action == "added"
                if file.id and not is_session:
                    yield _event(
                        file.action,
                        commit.at,
                        id=file.id,
                        title=file.title,
                        type=folder if folder in TYPES else None,
                        project=note.project if note else "",
                        **facts,
                    )
            if rest := commit.notes[len(files) :]:
                more = f"{plural(len(rest), 'more note')} in the same change"
                yield _event(rest[0].action, commit.at, title=more, **facts)
        before = commits[-1][0].oid


def _event(kind: str, at: str, **fields: object) -> Json:
    """One event; `session` is filled in only for a session, `commit` only for a change."""
    empty = {"id": "", "title": "", "type": None, "project": "", "machine_id": "", "commit": None}
    return {"kind": "edited" if kind == "moved" else kind, "at": at, **empty, "session": None, **fields}


def session_row(session: Session) -> Json:
    """A session in a list."""
    entries, note = session.entries, session.note
    return {
        "id": session.id,
        "at": session.at,
        "project": session.project,
        "machine_id": note.machine_id if note else "",
        "state": session.state,
        "note": {"id": note.id, "title": note.title} if note else None,
        "given": len(ids_in(entries, "told", "full", "cut")) if entries else None,
        "searched": sum(entry["kind"] == "searched" for entry in entries),
        "wrote": len(ids_in(entries, "wrote", "ids")),
        "used": len(ids_in(entries, "used", "ids")),
    }


def one_session(call: Call) -> Json:
    """One session: its receipt entry by entry, and the notes written in it."""
    store = call.store
    session, left = sessions.read_session(store, call.path["session"])
    shown = [
        each
        for entry in session.entries
        for ids in (*(listed_ids(entry.get(name)) for name in _LISTS), _map(entry, "left_out"))
        for each in ids
    ]
    titles, hidden = store.ask(lambda db: listing.titles(db, shown)), store.superseded_ids()
    return {
        **session_row(session),
        "folder": sessions.told_last(session.entries, "folder"),
        "entries": [_entry(entry, titles) for entry in session.entries],
        "left": [summary(note, hidden=hidden) for note in left],
        "body": note.body if session.note and (note := store.get(session.note.id)) else "",
    }


def _entry(entry: Entry, titles: Titles) -> Json:
    why = _map(entry, "why")
    return {
        **{name: entry.get(name) for name in _FACTS},
        **{name: [_named(each, titles, why) for each in listed_ids(entry.get(name))] for name in _LISTS},
        "left_out": [
            {**_named(each, titles, why), "how": how} for each, how in _map(entry, "left_out").items()
        ],
    }


def _map(entry: Entry, name: str) -> dict[str, object]:
    found = entry.get(name)
    return found if isinstance(found, dict) else {}


def _named(note_id: str, titles: Titles, why: Mapping[str, object]) -> Json:
    """A note in a session, with the reasons for it; its title and type are empty if it was deleted."""
    type, title = titles.get(note_id, ("", ""))
    return {"id": note_id, "type": type or None, "title": title, "why": why.get(note_id, [])}
