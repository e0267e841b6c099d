"""Endpoints of the overview, projects, machines, health and settings."""

from __future__ import annotations

import os
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from anamnesis import settings
from anamnesis.address import mask
from anamnesis.capture import excluding
from anamnesis.dashboard.activity import session_row
from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.dashboard.inbox import waiting_counts
from anamnesis.dashboard.notes import summary
from anamnesis.doctor import CHECKS, Context, check_up, checks_of, examine
from anamnesis.fleet import read_fleet
from anamnesis.index import figures
from anamnesis.index.figures import note_counts
from anamnesis.index.query import Filter
from anamnesis.inject.briefing import client_length
from anamnesis.inject.start import Start, prepare
from anamnesis.layout import CONFIG_NAME, GLOBAL
from anamnesis.notes.vocabulary import TYPES
from anamnesis.operations import sessions
from anamnesis.operations.reading import captures
from anamnesis.operations.sessions import Session
from anamnesis.operations.versions import forget_machine, sync_store
from anamnesis.project import current_branch, keys_of
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncState
from anamnesis.text import since_moment

_WEEKS = 26  # of the growth chart
_EXCLUDED = "capture_exclude"
_NOWHERE = "/"  # a folder outside any project, for a session without a branch


def status(call: Call) -> Json:
    """What every page shows: how much waits in the inbox, the sync state, the store."""
    state = call.backend.state()  # read once: it looks at every file
    return {
        "waiting": sum(waiting_counts(call, state).values()),
        "sync": _sync_state(state),
        "root": str(call.store.root),
    }


def _sync_state(state: SyncState) -> Json:
    """The sync state of the store; a password in the address is masked."""
    shown = "initialized dirty ahead behind unpushed_since late_push late_commit remote last_sync".split()
    return {**{name: getattr(state, name) for name in shown}, "failure": state.failure_text}


def overview(call: Call) -> Json:
    """Everything the first page shows."""
    store, today = call.store, _now().date()
    week = (today - timedelta(days=today.weekday())).isoformat()
    counts = store.ask(lambda db: note_counts(db, ("type", "machine_id")))
    last_capture, uncaptured = captures(store)
    return {
        "root": _shown_path(store.root),
        "last_capture": last_capture,
        "uncaptured": uncaptured,
        "total": counts.total,
        "superseded": counts.superseded,
        "by_type": counts.current["type"],
        "authors": len(counts.current["machine_id"]),
        "growth": _growth(store, today),
        "week": week,
        "changed_this_week": store.page(Filter(since=since_moment(week), superseded=False), limit=0).total,
        "recent": [summary(note) for note in store.page(Filter(superseded=False), limit=8).notes],
        "machines": _machines(call, call.backend.state()),
    }


def _growth(store: MemoryStore, today: date) -> list[Json]:
    """How many notes of each type were written in each of the last weeks, oldest first."""
    first = today - timedelta(days=today.weekday(), weeks=_WEEKS - 1)
    weeks = {(first + timedelta(weeks=each)).isoformat(): dict.fromkeys(TYPES, 0) for each in range(_WEEKS)}
    for week, kind, number in store.ask(lambda db: figures.created(db, since=first)):
        if week in weeks:
            weeks[week][kind] = number
    return [{"week": week, **numbers} for week, numbers in weeks.items()]


def _now() -> datetime:
    return datetime.now(UTC).astimezone()


def _shown_path(path: Path) -> str:
    """A path as people write it: `~` for the home folder."""
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


def list_projects(call: Call) -> Json:
    """Every project with its number of notes, the largest first, and whether its sessions are captured."""
    excluded = settings.resolve(_EXCLUDED, home=call.store.root).value
    return {
        "projects": [
            {"name": name, "count": number, "captured": not excluding(excluded, project=name)}
            for name, number in call.store.ask(figures.facets)["projects"]
        ]
    }


def one_project(call: Call) -> Json:
    """Everything the page of a project shows: what Claude is told there and why, its sessions, its size."""
    key, store = call.project("key") or call.here, call.store
    keys = keys_of(key)
    found = sessions.list_sessions(store, project=key)
    wanted = Filter(project=keys)
    counts = store.ask(lambda db: note_counts(db, ("type", "machine_id"), wanted=wanted))
    return {
        "by_type": counts.current["type"],
        "by_machine": counts.current["machine_id"],
        "superseded": counts.superseded,
        **store.ask(lambda db: figures.extent(db, wanted)),
        "key": key,
        "aliases": keys[1:],
        "total": counts.total,
        "sessions": [session_row(each) for each in found[:5]],
        "session_count": len(found),
        "briefing": _briefing(store, key, found),
    }


def _briefing(store: MemoryStore, key: str, found: list[Session]) -> Json:
    """What a session starting in a project now would be told, and why each note is shown or left out."""
    folders = (sessions.told_last(each.entries, "folder") for each in found)
    folder = next((each for each in folders if os.path.isdir(each)), "")
    start = Start(home=str(store.root), folder=folder or _NOWHERE, project=key)
    briefing, ranked, candidates = prepare(start)
    return {
        "folder": _shown_path(Path(folder)) if folder else "",
        "branch": current_branch(folder) if folder else "",
        "text": briefing.text,
        "characters": client_length(briefing.text),
        "budget": start.budget,
        "only_counted": candidates.own + candidates.everywhere - len(ranked),
        "rules": list(briefing.rules),
        "notes": [
            {
                **{name: getattr(each.note, name) for name in ("id", "type", "title", "project", "tags")},
                "how": briefing.how(each),
                "parts": {name: round(amount, 1) for name, amount in each.parts.items()},
            }
            for each in ranked
        ],
    }


def set_captured(call: Call) -> Json:
    """Capture the sessions of a project, or stop capturing them."""
    key, home = call.text("key"), call.store.root
    if "," in key or key == GLOBAL or not key:
        raise BadCall("`key` must name one project; GET /api/projects lists them")
    listed = settings.resolve(_EXCLUDED, home=home).value.split(",")
    others = sorted({each.strip() for each in listed} - {"", *keys_of(key)})
    excluded = others if call.switch("captured") else [*others, key]
    settings.save(_EXCLUDED, ",".join(excluded) or None, home=home)
    return {"done": True}


def machines(call: Call) -> Json:
    """Every machine that has reported and was not removed, and this machine's sync state."""
    state = call.backend.state()
    return {"machines": _machines(call, state), "sync": _sync_state(state)}


def _machines(call: Call, state: SyncState) -> list[Json]:
    """One card per machine, this one first."""
    fleet = read_fleet(call.backend.machines(), state=state)
    history = call.backend.history(call.store.undo)
    return [
        {
            **asdict(each),
            "agrees": each.name in fleet.agree,
            "last_note": {"id": last[1].id, "title": last[1].title, "at": last[0]}
            if (last := history.last_note_of(each.name, lambda note_id: call.store.get(note_id) is not None))
            else None,
        }
        for each in fleet.machines
    ]


def forget(call: Call) -> Json:
    """Remove a machine from the list; a later sync of its own adds it again."""
    forget_machine(call.store, call.backend, call.text("name"))
    return {"done": True}


def sync(call: Call) -> Json:
    """Sync once; `held` and `waiting` are how many notes and files."""
    done = sync_store(call.store, call.backend)
    shown = {name: getattr(done, name) for name in "pushed pulled conflicted detail reached failure".split()}
    return {**shown, "held": len(done.held), "waiting": len({each.path for each in done.waiting})}


def health(call: Call) -> Json:
    """The findings of the checks that are quick and local, and the names of the others.

    With `all`, those of every check that neither reads all files nor contacts another host; with `slow`, that
    of one of the others.
    """
    names, slow = checks_of("local", "quick") if call.param("all") else checks_of("local"), checks_of("slow")
    if name := call.param("slow"):
        names = [each for each in slow if each == name]
    findings = examine(Context(call.store, call.backend, known=call.backend.state()), names)
    return {"checks": [each.as_dict() | {"place": each.place} for each in findings], "slow": slow}


def fix(call: Call) -> Json:
    """Make the safe repair of one finding; says what was done, or why that failed."""
    names = [name for name in CHECKS if name == call.text("name")]
    found = check_up(Context(call.store, call.backend), names, fix=True)
    return {"fixed": [*found.fixed, *found.failed]}


def reindex(call: Call) -> Json:
    """Rebuild the index from the files."""
    return {"indexed": call.store.reindex(full=True)}


def list_settings(call: Call) -> Json:
    """Every setting, its value and where it is set; secrets and passwords are masked."""
    home = call.store.root
    return {
        "path": _shown_path(home / CONFIG_NAME),
        "settings": [
            {
                **{name: getattr(found.setting, name) for name in ("name", "about", "kind", "secret")},
                "value": mask(found.shown),
                "source": found.source,
                "variable": found.variable or found.setting.variable,
                "choices": list(found.setting.choices),
            }
            for found in settings.resolve_all(home=home)
        ],
    }


def set_setting(call: Call) -> Json:
    """Store one setting in config.json, or remove it with null."""
    settings.save(call.path["name"], call.optional_text("value"), home=call.store.root)
    return list_settings(call)
