"""The overview of all notes (healthy, in sync, growing?), and the page of one project."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from anamnesis import __version__
from anamnesis.dashboard.api import NOWHERE, shown_path, summary, sync_state
from anamnesis.dashboard.api.sessions import session_row
from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.index import figures
from anamnesis.index.database import Database
from anamnesis.index.figures import Created
from anamnesis.index.query import note_counts
from anamnesis.inject.start import Start, rank_notes
from anamnesis.layout import GLOBAL
from anamnesis.notes.record import TYPES
from anamnesis.operations import sessions, upkeep
from anamnesis.project import keys_of
from anamnesis.store import MemoryStore

WEEKS = 26
_RECENT = 8
_FUNDAMENTALS = 8
_SESSIONS = 5
_REVIEWS = 5
_BASIC = ("pinned", "basic")


def session(call: Call) -> Json:
    """The store, the machine and the version."""
    space = call.workspace
    return {"machine_id": space.machine_id, "version": __version__, "root": str(space.store.root)}


def overview(call: Call) -> Json:
    """Everything the first page shows."""
    space = call.workspace
    last_capture, uncaptured = upkeep.captures(space.store)
    return {
        "last_capture": last_capture,
        "uncaptured": uncaptured,
        "root": shown_path(space.store.root),
        "version": __version__,
        "machine_id": space.machine_id,
        "problems": upkeep.problem_dicts(space.store.problems()),
        **space.answers.overview.get(space.mark(), lambda: space.store.ask(_figures)),
        "sync": sync_state(space.state()),
    }


def status(call: Call) -> Json:
    """The status that every page shows: how many notes need attention, and the sync state."""
    space, state = call.workspace, call.workspace.state()
    return {
        "review": space.answers.review.get(space.mark(), lambda: space.store.ask(figures.count_unseen)),
        "held": len(state.held),
        "sync": sync_state(state),
    }


def growth(days: Iterable[Created], *, today: date) -> list[Json]:
    """How many notes of each type were written in each of the last weeks, oldest first."""
    weeks: dict[date, dict[str, int]] = {
        _first_week(today) + timedelta(weeks=number): dict.fromkeys(TYPES, 0) for number in range(WEEKS)
    }
    for each in days:
        if week := weeks.get(each.day - timedelta(days=each.day.weekday())):
            week[each.type] += each.number
    return [{"week": start.isoformat(), **numbers} for start, numbers in weeks.items()]


def _figures(db: Database) -> Json:
    """How many notes there are, and what is new among them."""
    now, notes = _now(), note_counts(db, ("type", "project"))
    days = figures.created(db, since=_first_week(now.date()), fresh=now - timedelta(days=7))
    return {
        "total": notes.total,
        "by_type": notes.current["type"],
        "by_project": notes.current["project"],
        "superseded": notes.superseded,
        "growth": growth(days, today=now.date()),
        "new_this_week": sum(each.fresh for each in days),
        "review": figures.count_unseen(db),
        "recent": [summary(note, hidden=()) for note in figures.latest(db, limit=_RECENT)],
    }


def _first_week(today: date) -> date:
    """The Monday on which the growth chart starts."""
    return today - timedelta(days=today.weekday(), weeks=WEEKS - 1)


def _now() -> datetime:
    return datetime.now(UTC)


def one_project(call: Call) -> Json:
    """Everything the page of a project shows."""
    key, store = call.project("key"), call.workspace.store
    if key is None:
        raise BadCall("`key` must name a project; GET /api/facets lists them")
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
    """What the index knows about a project."""
    project = store.ask(lambda db: figures.project(db, keys))
    reviews, waiting = store.ask(lambda db: figures.unseen(db, keys, limit=_REVIEWS))
    return {
        "by_type": project.by_type,
        "by_machine": project.by_machine,
        "superseded": project.superseded,
        "size": project.size,
        "first": project.first,
        "last": project.last,
        "total": sum(project.by_type.values()),
        "fundamentals": _fundamentals(store, key),
        "reviews": [summary(note, hidden=()) for note in reviews],
        "review_count": waiting,
    }


def _fundamentals(store: MemoryStore, key: str) -> list[Json]:
    """The project's own notes that are pinned or basic, highest worth first."""
    ranked, _ = rank_notes(Start(home=str(store.root), folder=NOWHERE, project=key))
    own = [each for each in ranked if each.note.project != GLOBAL or key == GLOBAL]
    basic = [each for each in own if any(part in each.parts for part in _BASIC)][:_FUNDAMENTALS]
    return [
        {"id": note.id, "type": note.type, "title": note.title, "pinned": "pinned" in parts}
        for note, parts in ((each.note, each.parts) for each in basic)
    ]


def _use(store: MemoryStore, keys: list[str]) -> Json:
    """How many notes of this project the sessions on this machine were told, and how many they wrote."""
    told = [each for each in sessions.read_receipts(store) if each.project in keys and each.told]
    sizes = [each.characters or 0 for each in told]
    return {
        "sessions": len(told),
        "characters": round(sum(sizes) / len(sizes)) if sizes else 0,
        "searches": sum(each.count("searched") for each in told),
        "written": sum(len(each.ids("wrote")) for each in told),
    }
