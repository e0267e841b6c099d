"""One project: what is basic to it, its latest sessions, what waits for review, its names, size and use."""

from __future__ import annotations

from anamnesis.dashboard.answers import summary
from anamnesis.dashboard.api.sessions import session_row
from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.index import figures
from anamnesis.inject.start import Start, rank_notes
from anamnesis.inject.worth import Ranked
from anamnesis.layout import GLOBAL
from anamnesis.operations import sessions
from anamnesis.project import keys_of
from anamnesis.store import MemoryStore

_NOWHERE = "/"  # a folder of no project: what is basic does not depend on a branch
_FUNDAMENTALS = 8
_SESSIONS = 5
_REVIEWS = 5
_BASIC = ("pinned", "basic")


def one_project(call: Call) -> Json:
    """Everything the page of a project shows."""
    key, store = call.asked("key"), call.workspace.store
    if key is None:
        raise BadCall("`key` must name a project")
    keys, space = keys_of(key), call.workspace
    latest, count = sessions.list_sessions(store, project=key, limit=_SESSIONS)
    mark = f"{space.mark()} {' '.join(keys)}"
    return {
        "key": key,
        "aliases": keys[1:],
        **space.answers.project.get(mark, lambda: _notes(store, key, keys)),
        "sessions": [session_row(each) for each in latest],
        "session_count": count,
        "use": _use(store, keys),
    }


def _notes(store: MemoryStore, key: str, keys: list[str]) -> Json:
    """What the index knows of a project."""
    found = store.ask(lambda db: figures.project(db, keys))
    reviews, waiting = store.ask(lambda db: figures.unseen(db, keys, limit=_REVIEWS))
    return {
        "by_type": found.by_type,
        "by_machine": found.by_machine,
        "superseded": found.superseded,
        "size": found.size,
        "first": found.first,
        "last": found.last,
        "total": sum(found.by_type.values()),
        "fundamentals": [_fundamental(each) for each in _fundamentals(store, key)],
        "reviews": [summary(note, hidden=()) for note in reviews],
        "review_count": waiting,
    }


def _fundamentals(store: MemoryStore, key: str) -> list[Ranked]:
    """The notes of the project itself that are pinned or basic, the most worth first."""
    ranked, _ = rank_notes(Start(home=str(store.root), folder=_NOWHERE, project=key))
    own = [each for each in ranked if each.note.project != GLOBAL or key == GLOBAL]
    return [each for each in own if any(part in each.parts for part in _BASIC)][:_FUNDAMENTALS]


def _fundamental(ranked: Ranked) -> Json:
    note = ranked.note
    return {"id": note.id, "type": note.type, "title": note.title, "pinned": "pinned" in ranked.parts}


def _use(store: MemoryStore, keys: list[str]) -> Json:
    """How much sessions on this machine were told of this project and wrote for it."""
    told = [each for each in sessions.read_receipts(store) if each.project in keys and each.told]
    sizes = [each.characters or 0 for each in told]
    return {
        "sessions": len(told),
        "characters": round(sum(sizes) / len(sizes)) if sizes else 0,
        "searches": sum(each.count("searched") for each in told),
        "written": sum(len(each.ids("wrote")) for each in told),
    }
