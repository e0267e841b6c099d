"""The overview: is the memory healthy, in sync, growing; what did each machine learn last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from anamnesis import __version__
from anamnesis.dashboard.answers import shown_path, summary, sync_state
from anamnesis.dashboard.api.review import waiting
from anamnesis.dashboard.call import Call, Json
from anamnesis.notes.record import TYPES, Memory, epoch
from anamnesis.operations import upkeep

WEEKS = 26
_RECENT = 8
_TAKEN_OVER = (
    "problems",
    "last_capture",
    "uncaptured",
)


def overview(call: Call) -> Json:
    """Everything the first page shows."""
    space = call.workspace
    state = space.backend.state()
    known = upkeep.overview(space.store, state)
    notes, hidden = space.store.list(bodies=False), space.store.superseded_ids()
    current = [note for note in notes if note.id not in hidden]
    now = _now()
    return {
        **{name: known[name] for name in _TAKEN_OVER},
        "root": shown_path(space.store.root),
        "version": __version__,
        "machine_id": space.machine_id,
        **_figures(current),
        "superseded": len(notes) - len(current),
        "growth": growth(current, today=now.date()),
        "new_this_week": _new_since(current, now - timedelta(days=7)),
        "review": len(waiting(notes, hidden)),
        "recent": [summary(note, hidden=hidden) for note in current[:_RECENT]],
        "sync": sync_state(state),
    }


def _figures(current: Sequence[Memory]) -> Json:
    """How many notes there are, as Browse counts them: those that no other note replaces."""
    return {
        "total": len(current),
        "by_type": dict(Counter(note.type for note in current).most_common()),
        "by_project": dict(Counter(note.project for note in current).most_common()),
    }


def growth(notes: Sequence[Memory], *, today: date) -> list[Json]:
    """How many notes of each type were written in each of the last weeks, oldest first."""
    this_week = today - timedelta(days=today.weekday())
    starts = [this_week - timedelta(weeks=ago) for ago in range(WEEKS - 1, -1, -1)]
    weeks: dict[date, dict[str, int]] = {start: dict.fromkeys(TYPES, 0) for start in starts}
    for note in notes:
        written = datetime.fromtimestamp(epoch(note.created_at), UTC).date()
        week = weeks.get(written - timedelta(days=written.weekday()))
        if week is not None:
            week[note.type] += 1
    return [{"week": start.isoformat(), **numbers} for start, numbers in weeks.items()]


def _now() -> datetime:
    return datetime.now(UTC)


def _new_since(notes: Sequence[Memory], moment: datetime) -> int:
    return sum(epoch(note.created_at) >= moment.timestamp() for note in notes)
