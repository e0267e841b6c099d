"""The overview, the status on every page, other machines, settings and health."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta

from anamnesis import __version__, settings
from anamnesis.address import mask
from anamnesis.dashboard.api import shown_path, summary, sync_state
from anamnesis.dashboard.api.inbox import waiting_counts
from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.doctor import LOCAL, QUICK, SLOW, Context, Finding, check_up, examine
from anamnesis.index import figures
from anamnesis.index.figures import Created
from anamnesis.index.query import Filter, note_counts
from anamnesis.layout import CONFIG_NAME
from anamnesis.notes.record import TYPES
from anamnesis.notes.vocabulary import since_moment
from anamnesis.operations import upkeep
from anamnesis.operations.exchange import forget_machine, known_machines, last_notes
from anamnesis.settings import Resolved

WEEKS = 26
_RECENT = 8


def status(call: Call) -> Json:
    """What every page shows: how much waits in the inbox, the sync state, the store."""
    space = call.workspace
    return {
        "waiting": sum(waiting_counts(call).values()),
        "sync": sync_state(space.state()),
        "machine_id": space.machine_id,
        "root": str(space.store.root),
        "version": __version__,
    }


def overview(call: Call) -> Json:
    """Everything the first page shows."""
    space, today = call.workspace, _now().date()
    store, week = space.store, (today - timedelta(days=today.weekday())).isoformat()
    counts = store.ask(lambda db: note_counts(db, ("type", "project")))
    days = store.ask(lambda db: figures.created(db, since=_first_week(today), fresh=_now()))
    last_capture, uncaptured = upkeep.captures(store)
    return {
        "root": shown_path(store.root),
        "machine_id": space.machine_id,
        "last_capture": last_capture,
        "uncaptured": uncaptured,
        "total": counts.total,
        "superseded": counts.superseded,
        "by_type": counts.current["type"],
        "by_project": counts.current["project"],
        "growth": growth(days, today=today),
        "week": week,
        "changed_this_week": store.page(
            Filter(since=since_moment(week), superseded=False), limit=0, offset=0
        ).total,
        "recent": [summary(note) for note in store.ask(lambda db: figures.latest(db, limit=_RECENT))],
        "machines": _machines(call),
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


def _first_week(today: date) -> date:
    """The Monday on which the growth chart starts."""
    return today - timedelta(days=today.weekday(), weeks=WEEKS - 1)


def _now() -> datetime:
    return datetime.now(UTC).astimezone()


def machines(call: Call) -> Json:
    """Every machine that has reported and was not removed, and this machine's sync state."""
    return {"machines": _machines(call), "sync": sync_state(call.workspace.state())}


def _machines(call: Call) -> list[Json]:
    """One card per machine, this one first."""
    space = call.workspace
    fleet = known_machines(space.backend, state=space.state())
    last = last_notes(space.store, space.backend, (each.name for each in fleet.machines))
    cards: list[Json] = []
    for each in fleet.machines:
        known, note = asdict(each), last.get(each.name)
        del known["tree"]  # used only to compare machines
        cards.append(
            {
                "machine_id": known.pop("name"),
                **known,
                "agrees": each.name in fleet.agree,
                "last_note": {**asdict(note[1]), "at": note[0]} if note and note[1].id else None,
            }
        )
    return cards


def forget(call: Call) -> Json:
    """Remove a machine from the list; a later sync of its own adds it again."""
    space, name = call.workspace, call.text("name")
    if all(card["machine_id"] != name for card in _machines(call)):
        raise BadCall(f"no machine is called {name[:80]!r}; GET /api/machines lists them", 404)
    forget_machine(space.store, space.backend, name)
    return {"done": True}


def health(call: Call) -> Json:
    """The findings of the checks that are quick and local, and the names of the others.

    With `all`, those of every check that neither reads all files nor contacts another host.
    """
    checks = QUICK if call.param("all") else LOCAL
    return {**_checks(examine(_context(call), checks), fixed=[]), "slow": list(SLOW)}


def one_check(call: Call) -> Json:
    """The finding of one slow check."""
    name = call.path["name"]
    if name not in SLOW:
        raise BadCall(f"no slow check is called {name[:80]!r}; the slow checks are: {', '.join(SLOW)}", 404)
    return {**_checks(examine(_context(call), [SLOW[name]]), fixed=[]), "slow": []}


def fix(call: Call) -> Json:
    """Make the safe repairs, and check again."""
    found = check_up(_context(call), fix=True)
    return {**_checks(found.findings, fixed=[*found.fixed, *found.failed]), "slow": []}


def reindex(call: Call) -> Json:
    """Rebuild the index from the files."""
    return upkeep.reindex_store(call.workspace.store, full=True)


def list_settings(call: Call) -> Json:
    """Every setting, its value and where it is set; secrets and passwords are masked."""
    home = call.workspace.store.root
    found = settings.resolve_all(home=home)
    return {"path": shown_path(home / CONFIG_NAME), "settings": [_setting(one) for one in found]}


def set_setting(call: Call) -> Json:
    """Store one setting in config.json, or remove it with null."""
    settings.save(call.path["name"], call.optional_text("value"), home=call.workspace.store.root)
    return list_settings(call)


def _context(call: Call) -> Context:
    return Context(call.workspace.store, call.workspace.backend, known=call.workspace.state())


def _checks(findings: list[Finding], *, fixed: list[str]) -> Json:
    return {"checks": [finding.as_dict() for finding in findings], "fixed": fixed}


def _setting(found: Resolved) -> Json:
    setting = found.setting
    return {
        "name": setting.name,
        "value": mask(found.shown),
        "source": found.source,
        "variable": found.variable or setting.variable,
        "about": setting.about,
        "kind": setting.kind,
        "choices": list(setting.choices),
        "secret": setting.secret,
        "editable": setting.kind != "folder",
    }
