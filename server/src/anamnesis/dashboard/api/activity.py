"""Activity: sessions, edits, deletions and arrivals, day by day; and one session with what it was told."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice

from anamnesis.dashboard.api import summary
from anamnesis.dashboard.api.notes import day_bounds
from anamnesis.dashboard.call import Call, Json
from anamnesis.history import ChangedFile, Commit
from anamnesis.index.listing import all_ids, named
from anamnesis.notes.record import TYPES, epoch
from anamnesis.operations import sessions
from anamnesis.operations.sessions import Entry, Session
from anamnesis.operations.versions import history_of
from anamnesis.project import keys_of
from anamnesis.session.note import SCRIPTED
from anamnesis.session.receipts import listed_ids

KINDS = ("session", "added", "edited", "deleted")
_PAGE = 60
_COMMITS = 100  # read from git at once
_MOST_TITLES = 20  # notes of one commit
_LISTS = ("full", "cut", "titles", "ids")
_FACTS = ("kind", "at", "source", "project", "characters", "milliseconds", "query")

Titles = Mapping[str, tuple[str, str]]


def activity(call: Call) -> Json:
    """A page of what happened, latest first, by machine, project, kind and day; `next` is the next offset."""
    limit, offset = call.page(_PAGE)
    rows = islice((row for row in _events(call) if _is_wanted(call, row)), offset, offset + limit + 1)
    page = list(rows)
    return {"events": page[:limit], "next": offset + limit if len(page) > limit else None}


def _events(call: Call) -> Iterator[Json]:
    """Every event, latest first; reads only as many commits as are asked for."""
    kind = call.param("kind")
    sources: list[Iterator[Json]] = []
    if kind in (None, "session"):
        sources.append(_sessions(call))
    if kind == "deleted":
        sources.append(_removed(call))
    elif kind != "session":
        sources.append(_changes(call))
    return heapq.merge(*sources, key=lambda row: -epoch(str(row["at"])))


def _is_wanted(call: Call, row: Json) -> bool:
    since, until = day_bounds(call)
    project = call.project()
    return (
        call.param("kind") in (None, row["kind"])
        and call.param("machine") in (None, row["machine_id"])
        and (project is None or row["project"] in keys_of(project))
        and (since is None or epoch(str(row["at"])) >= epoch(since))
        and (until is None or epoch(str(row["at"])) < epoch(until))
    )


def _sessions(call: Call) -> Iterator[Json]:
    found, _ = sessions.list_sessions(call.workspace.store, project=call.project(), limit=1_000_000)
    for each in found:
        yield _event(
            "session",
            each.at,
            session=session_row(each),
            project=each.project,
            machine_id=each.note.machine_id if each.note else call.workspace.machine_id,
        )


def _removed(call: Call) -> Iterator[Json]:
    store = call.workspace.store
    removed = history_of(store, call.workspace.backend).removed(present=set(store.ask(all_ids)))
    for each in removed:
        note = each.note
        yield _event(
            "deleted",
            each.at,
            id=note.id,
            title=note.title,
            type=note.type,
            project=note.project,
            machine_id=each.machine_id,
        )


def _changes(call: Call) -> Iterator[Json]:
    """The notes that commits changed; a session's own note is shown with the session."""
    store, before = call.workspace.store, None
    history = history_of(store, call.workspace.backend)
    while commits := history.log(limit=_COMMITS, before=before, most=_MOST_TITLES):
        ids = [file.id for _, files in commits for file in files if file.id]
        known = {note.id: note for note in store.ask(partial(named, ids=ids, titles=[]))} if ids else {}
        for commit, files in commits:
            shown = [file for file in files if file.id and file.action != "replaced"]
            for file in shown:
                note = known.get(file.id)
                if note and note.prov_source == "session-end" and file.action == "added":
                    continue
                yield _change(commit, file, project=note.project if note else "")
            if len(commit.notes) > len(files):
                more = f"and {len(commit.notes) - len(files)} more in one change"
                yield _event("edited", commit.at, title=more, machine_id=commit.machine, commit=commit.oid)
        before = commits[-1][0].oid


def _change(commit: Commit, file: ChangedFile, *, project: str) -> Json:
    folder = file.path.partition("/")[0]
    return _event(
        "edited" if file.action == "moved" else file.action,
        commit.at,
        id=file.id,
        title=file.title,
        type=folder if folder in TYPES else None,
        project=project,
        machine_id=commit.machine,
        commit=commit.oid,
    )


def _event(kind: str, at: str, **fields: object) -> Json:
    """One event; `session` is filled in only for a session, `commit` only for a change."""
    empty = {"id": "", "title": "", "type": None, "project": "", "machine_id": "", "commit": None}
    return {"kind": kind, "at": at, **empty, "session": None, **fields}


def one_session(call: Call) -> Json:
    """One session: its receipt entry by entry, and the notes written in it."""
    store = call.workspace.store
    session, left = sessions.read_session(store, call.path["session"])
    entries = session.receipt.entries if session.receipt else ()
    titles = sessions.titles_of(store, [each for entry in entries for each in _ids_in(entry)])
    hidden = store.superseded_ids()
    return {
        **session_row(session),
        "folder": session.receipt.folder if session.receipt else "",
        "entries": [_entry(entry, titles) for entry in entries],
        "left": [summary(note, hidden=hidden) for note in left],
        "body": note.body if session.note and (note := store.get(session.note.id)) else "",
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
        "given": len(receipt.told_ids) if receipt else None,
        "searched": receipt.count("searched") if receipt else 0,
        "wrote": len(receipt.ids("wrote")) if receipt else 0,
        "used": len(receipt.ids("used")) if receipt else 0,
    }


def _left_out(entry: Entry) -> dict[str, str]:
    left = entry.get("left_out")
    return {str(key): str(why) for key, why in left.items()} if isinstance(left, dict) else {}


def _ids_in(entry: Entry) -> list[str]:
    return [*(each for key in _LISTS for each in listed_ids(entry.get(key))), *_left_out(entry)]


def _entry(entry: Entry, titles: Titles) -> Json:
    reasons = entry.get("why")
    why = reasons if isinstance(reasons, dict) else {}
    return {
        **{name: entry.get(name) for name in _FACTS},
        **{name: [_named(each, titles, why) for each in listed_ids(entry.get(name))] for name in _LISTS},
        "left_out": [{**_named(each, titles, why), "how": how} for each, how in _left_out(entry).items()],
    }


def _named(note_id: str, titles: Titles, why: Mapping[str, object]) -> Json:
    """A note in a session, with the reasons for it; its title and type are empty if it was deleted."""
    type, title = titles.get(note_id, ("", ""))
    reasons = why.get(note_id)
    return {
        "id": note_id,
        "type": type or None,
        "title": title,
        "why": reasons if isinstance(reasons, list) else [],
    }
