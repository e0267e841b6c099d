"""The overview: is the memory healthy, in sync, growing; what did each machine learn last."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from anamnesis import __version__
from anamnesis.dashboard.answers import shown_path, summary, sync_state
from anamnesis.dashboard.call import Call, Json
from anamnesis.index import figures
from anamnesis.index.database import Database
from anamnesis.index.figures import Created
from anamnesis.notes.record import TYPES
from anamnesis.operations import upkeep
from anamnesis.store import MemoryStore

WEEKS = 26
_RECENT = 8


def overview(call: Call) -> Json:
    """Everything the first page shows."""
    space = call.workspace
    return {
        **upkeep.captures(space.store),
        "root": shown_path(space.store.root),
        "version": __version__,
        "machine_id": space.machine_id,
        **space.answers.overview.get(space.mark(), lambda: _known(space.store)),
        "sync": sync_state(space.state()),
    }


def status(call: Call) -> Json:
    """The status that every page shows: how much waits where, and the state of sync."""
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


def _known(store: MemoryStore) -> Json:
    """Figures from the index, and the files that are not notes."""
    problems = [{"path": problem.path, "reason": problem.reason} for problem in store.problems()]
    return {"problems": problems, **store.ask(_figures)}


def _figures(db: Database) -> Json:
    """How many notes there are, as Browse counts them: those that no other note replaces."""
    now, counts = _now(), figures.current_by(db, "type", "project")
    days = figures.created(db, since=_first_week(now.date()), fresh=now - timedelta(days=7))
    return {
        "total": sum(counts["type"].values()),
        "by_type": counts["type"],
        "by_project": counts["project"],
        "superseded": figures.count_superseded(db),
        "growth": growth(days, today=now.date()),
        "new_this_week": sum(each.fresh for each in days),
        "review": figures.count_unseen(db),
        "recent": [summary(note, hidden=()) for note in figures.latest(db, limit=_RECENT)],
    }


def _first_week(today: date) -> date:
    """The Monday that the growth starts with."""
    return today - timedelta(days=today.weekday(), weeks=WEEKS - 1)


def _now() -> datetime:
    return datetime.now(UTC)
