"""Projects: a list, what is known about one, what Claude is told there, whether it is captured."""

from __future__ import annotations

from pathlib import Path

from anamnesis import settings
from anamnesis.dashboard.api import NOWHERE, shown_path
from anamnesis.dashboard.api.activity import session_row
from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.index import figures
from anamnesis.inject.start import Start, prepare
from anamnesis.inject.worth import Ranked
from anamnesis.layout import GLOBAL
from anamnesis.operations import sessions
from anamnesis.operations.sessions import Receipt
from anamnesis.project import current_branch, keys_of
from anamnesis.store import MemoryStore

_SESSIONS = 5
_EXCLUDED = "capture_exclude"


def list_projects(call: Call) -> Json:
    """Every project with its number of notes, the largest first, and whether its sessions are captured."""
    store = call.workspace.store
    excluded, counted = _excluded(store), store.facets(current=True)["projects"]
    return {
        "projects": [
            {"name": name, "count": number, "captured": name not in excluded} for name, number in counted
        ]
    }


def one_project(call: Call) -> Json:
    """Everything the page of a project shows: what Claude is told there and why, its sessions, its size."""
    key, store = call.project("key"), call.workspace.store
    if key is None:
        raise BadCall("`key` must name a project; GET /api/projects lists them")
    keys, receipts = keys_of(key), sessions.read_receipts(store)
    latest, count = sessions.list_sessions(store, project=key, limit=_SESSIONS)
    size = store.ask(lambda db: figures.project(db, keys))
    return {
        "key": key,
        "aliases": keys[1:],
        "captured": not set(keys) & _excluded(store),
        "by_type": size.by_type,
        "by_machine": size.by_machine,
        "superseded": size.superseded,
        "size": size.size,
        "first": size.first,
        "last": size.last,
        "total": sum(size.by_type.values()),
        "sessions": [session_row(each) for each in latest],
        "session_count": count,
        "briefing": _briefing(call, key, receipts),
    }


def _briefing(call: Call, key: str, receipts: list[Receipt]) -> Json:
    """What a session starting in a project now would be told, and why each note is shown or left out."""
    folder = sessions.last_folder(receipts, keys_of(key))
    start = Start(home=str(call.workspace.store.root), folder=folder or NOWHERE, project=key)
    briefing, ranked, candidates = prepare(start)
    return {
        "folder": shown_path(Path(folder)) if folder else "",
        "branch": current_branch(folder) if folder else "",
        "text": briefing.text,
        "characters": start.measure(briefing.text),
        "budget": start.budget,
        "own": candidates.own,
        "everywhere": candidates.everywhere,
        "rules": list(briefing.rules),
        "notes": [_ranked(each, briefing.how(each)) for each in ranked],
    }


def _ranked(ranked: Ranked, how: str) -> Json:
    note = ranked.note
    return {
        "id": note.id,
        "type": note.type,
        "title": note.title,
        "project": note.project,
        "tags": list(note.tags),
        "how": how,
        "parts": {name: round(amount, 1) for name, amount in ranked.parts.items()},
    }


def set_captured(call: Call) -> Json:
    """Capture the sessions of a project, or stop capturing them."""
    key, store = call.text("key"), call.workspace.store
    if "," in key or key == GLOBAL or not key:
        raise BadCall("`key` must name one project; GET /api/projects lists them")
    others = [each for each in sorted(_excluded(store)) if each not in keys_of(key)]
    excluded = others if call.switch("captured") else [*others, key]
    settings.save(_EXCLUDED, ",".join(excluded) or None, home=store.root)
    return {"done": True}


def _excluded(store: MemoryStore) -> set[str]:
    value = settings.resolve(_EXCLUDED, home=store.root).value
    return {each.strip() for each in value.split(",") if each.strip()}
