"""Which machines have the same notes: each machine's last heartbeat, compared with this machine. Reads only.

Two machines agree if everything except the heartbeats is the same. What a machine did after its last commit
that reached us is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from anamnesis import __version__
from anamnesis.errors import SyncError
from anamnesis.fleet.trails import TWIN_REMEDY, Since, Trail, Trails, has_twin
from anamnesis.git import Git, machine_name
from anamnesis.notes.vocabulary import local_time, timestamp
from anamnesis.sync.heartbeat import Heartbeat, heartbeat_path, load_heartbeats, store_token
from anamnesis.sync.results import SyncState
from anamnesis.text import plural

_SILENT_HOOKS = timedelta(days=7)
_RETIRED = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class MachineState:
    """One machine: its last heartbeat, its tree at that time, and how far that is behind this machine."""

    name: str
    here: bool
    heard: str  # when its last heartbeat was written; for this machine, now
    tree: str
    behind: int  # commits with notes that it had not seen
    behind_since: str  # time of the first of them
    version: str
    last_sync: str
    last_capture: str
    last_inject: str
    held: int
    waiting: int
    problems: int
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fleet:
    """All machines, this one first, and how recent the information is."""

    machines: tuple[MachineState, ...]
    agree: tuple[str, ...]  # names of the machines with the same tree as this one, including it
    tree: str
    as_of: str  # when the remote last answered this machine

    def as_dict(self) -> dict[str, object]:
        """The JSON form."""
        return asdict(self)


def read_fleet(
    memory: Path,
    *,
    machine: str,
    state: SyncState,
    now: datetime | None = None,
    trails: Trails | None = None,
    since: Since | None = None,
) -> Fleet:
    """What is known about every machine with a heartbeat; `state` is this machine's sync state.

    A long-running process passes its `trails`, and `since`, which returns the commits after one.
    """
    git, present = Git(memory), now or datetime.now(UTC)
    beats = load_heartbeats(memory)
    name = machine_name(machine)
    own = heartbeat_path(name)
    # The heartbeat that this machine would write now.
    beats[own] = replace(
        beats.get(own) or Heartbeat(name, "", __version__),
        held=len(state.held),
        waiting=len({each.path for each in state.waiting}),
        problems=len(state.left_out),
    )
    kept = trails or Trails()
    trail_of = kept.read(
        git, {path: beat.machine for path, beat in sorted(beats.items())}, own=own, since=since
    )
    states = [
        _state(
            git, path, beats[path], trail, tree=kept.tree(git, trail.commit), here=path == own, now=present
        )
        for path, trail in trail_of.items()
    ]
    states.sort(key=lambda each: not each.here)
    tree = states[0].tree
    agree = tuple(each.name for each in states if each.tree == tree)
    return Fleet(tuple(states), agree, tree, state.last_sync or "")


def described(fleet: Fleet) -> list[str]:
    """The report as lines for people, most important first."""
    others = [each for each in fleet.machines if each.name not in fleet.agree]
    if len(fleet.agree) > 1:
        held = sum(each.held for each in fleet.machines if each.name in fleet.agree)
        same = f"have the same notes ({fleet.tree}) except for {plural(held, 'held note')}"
        lines = [f"{', '.join(fleet.agree)} {same if held else f'agree ({fleet.tree})'}"]
    else:
        alone = "" if others else ", no other machine is known"
        own = f"is at {fleet.tree}" if fleet.tree else "has nothing in git yet"
        lines = [f"{fleet.agree[0]} {own}{alone}"]
    lines += [_lag(each) for each in others]
    lines += [f"{each.name}: {count}" for each in fleet.machines if each.here for count in _counts(each)]
    lines += [f"{each.name}: {remark}" for each in fleet.machines for remark in each.remarks]
    last = f"as of the last sync here, {local_time(fleet.as_of)}"
    return [*lines, last if fleet.as_of else "no sync has reached a remote yet"]


def forget(memory: Path, name: str) -> str:
    """Remove a machine's heartbeat, everywhere after a sync; its own later syncs add it. Returns the path."""
    beats = load_heartbeats(memory)
    for path, beat in beats.items():
        if beat.machine in (name, machine_name(name)):
            (memory / path).unlink(missing_ok=True)
            return path
    known = ", ".join(sorted(beat.machine for beat in beats.values())) or "none"
    raise SyncError(f"no machine is called {name!r}; known machines: {known}")


def _state(
    git: Git, path: str, beat: Heartbeat, trail: Trail, *, tree: str, here: bool, now: datetime
) -> MachineState:
    others = () if here else _remarks(beat, _arrival(git.folder / path), now)
    return MachineState(
        name=beat.machine,
        here=here,
        heard=now.isoformat(timespec="seconds") if here else beat.at,
        tree=tree,
        behind=len(trail.lacks),
        behind_since=timestamp(trail.lacks[-1]) if trail.lacks else "",
        version=__version__ if here else beat.version,
        # A heartbeat is written before it is pushed, so it has the time of the sync before.
        last_sync=beat.last_sync if here else max(beat.last_sync, beat.at, key=_order),
        last_capture=beat.last_capture,
        last_inject=beat.last_inject,
        held=beat.held,
        waiting=beat.waiting,
        problems=beat.problems,
        remarks=(*_about_name(beat, trail, store_token(git.dir), here=here), *others),
    )


def _order(text: str) -> datetime:
    return _moment(text) or datetime.min.replace(tzinfo=UTC)


def _about_name(beat: Heartbeat, trail: Trail, token: str, *, here: bool) -> Iterator[str]:
    """Remarks if two stores use a machine's name, or if this store, with this token, reported under it."""
    if has_twin(trail.beats, token if here else ""):
        yield f"two stores report under this name; {TWIN_REMEDY}"
    # A copy of the whole store looks the same.
    if not here and beat.store and beat.store == token:
        yield f"probably an earlier name of this machine; `anamnesis fleet forget {beat.machine}` removes it"


def _lag(state: MachineState) -> str:
    if not state.behind:
        return (
            f"{state.name} has other notes ({state.tree or 'nothing yet'}), as of {local_time(state.heard)}"
        )
    lacking, first = plural(state.behind, "commit"), local_time(state.behind_since)
    start = f", the first from {first}" if state.behind > 1 else f" from {first}"
    return f"{state.name} lacks {lacking}{start}; it last reported {local_time(state.heard)}"


def _arrival(heartbeat: Path) -> datetime | None:
    """When a heartbeat arrived, by this machine's clock."""
    try:
        return datetime.fromtimestamp(heartbeat.stat().st_mtime, UTC)
    except OSError:
        return None


def _remarks(beat: Heartbeat, arrived: datetime | None, now: datetime) -> list[str]:
    """What needs attention in a machine's last heartbeat."""
    reported, injected = _moment(beat.at), _moment(beat.last_inject)
    remarks = []
    # A machine with a wrong clock is not silent as long as its heartbeats arrive.
    if reported and now - max(reported, arrived or reported) > _RETIRED:
        remarks.append(
            f"silent since {local_time(beat.at)}; `anamnesis fleet forget {beat.machine}` removes it"
        )
    elif reported and injected and reported - injected > _SILENT_HOOKS:
        since = local_time(beat.last_inject)
        remarks.append(f"its hooks have not run since {since}; `anamnesis doctor` there says why")
    if beat.version and beat.version != __version__:
        remarks.append(f"runs version {beat.version}, here it is {__version__}")
    return remarks + [f"{count} at its last report, {local_time(beat.at)}" for count in _counts(beat)]


def _counts(found: Heartbeat | MachineState) -> list[str]:
    files = {"waiting": found.waiting, "not synced": found.problems}
    held = [f"{plural(found.held, 'note')} held"] if found.held else []
    return [*held, *(f"{plural(count, 'file')} {what}" for what, count in files.items() if count)]


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
