"""All machines of a person: which have the same notes, what came from the others, what a purge would remove.

    purge_preview   what a purge would remove, and reasons to refuse it

Two machines agree if everything except the heartbeats is the same. What a machine did after its last commit
that reached us is unknown. `collect_news` records what other machines wrote and deleted, for sessions.
Everything here asks the backend, and works with any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from anamnesis import __version__, state
from anamnesis.errors import GitError, NoteFormatError, SyncError
from anamnesis.files import read_regular
from anamnesis.git import machine_name
from anamnesis.history import History
from anamnesis.layout import MEMORY
from anamnesis.notes.record import decode, parse
from anamnesis.notes.vocabulary import local_time, timestamp
from anamnesis.purge import purges_among_files
from anamnesis.session.receipts import PURGED, Item
from anamnesis.state import Mark, News
from anamnesis.sync.heartbeat import load_heartbeats
from anamnesis.sync.results import Heartbeat, Machine, SyncState
from anamnesis.text import plural

_SILENT_HOOKS = timedelta(days=7)
_RETIRED = timedelta(days=30)
TWIN_REMEDY = "give one of them another name: `anamnesis config set machine_id NAME`"
_TAKEN = "news"  # the cursor with the commit that news were last taken from
_MOST_DELETED = 50
_KINDS = {"added": "wrote", "edited": "edited", "deleted": "deleted"}


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


def read_fleet(machines: Iterable[Machine], *, state: SyncState, now: datetime | None = None) -> Fleet:
    """The backend's `machines`, this one first, compared with this one, whose sync state is `state`."""
    states = tuple(_state(each, state, now or datetime.now(UTC)) for each in machines)
    tree = states[0].tree
    agree = tuple(each.name for each in states if each.tree == tree)
    return Fleet(states, agree, tree, state.last_sync or "")


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


def forget(memory: Path, name: str, *, me: str = "") -> str:
    """Remove a machine's heartbeat, everywhere after a sync; its own later syncs add it. Returns the path.

    SyncError for `me`, this machine: its next sync would add it again.
    """
    if me and machine_name(name) == machine_name(me):
        raise SyncError(
            f"{name} is this machine, and its next sync would add it again; run this on another machine"
            " when this one no longer syncs"
        )
    beats = load_heartbeats(memory)
    for path, beat in beats.items():
        if beat.machine in (name, machine_name(name)):
            (memory / path).unlink(missing_ok=True)
            return path
    known = ", ".join(sorted(beat.machine for beat in beats.values())) or "none"
    raise SyncError(f"no machine is called {name!r}; known machines: {known}")


def _state(machine: Machine, state: SyncState, now: datetime) -> MachineState:
    beat, here = machine.beat, machine.here
    counts = (beat.held, beat.waiting, beat.problems)
    if here:
        counts = (len(state.held), len({each.path for each in state.waiting}), len(state.left_out))
    return MachineState(
        name=beat.machine,
        here=here,
        heard=now.isoformat(timespec="seconds") if here else beat.at,
        tree=machine.tree(),
        behind=len(machine.lacks),
        behind_since=timestamp(machine.lacks[-1]) if machine.lacks else "",
        version=__version__ if here else beat.version,
        # A heartbeat is written before it is pushed, so it has the time of the sync before.
        last_sync=beat.last_sync if here else max(beat.last_sync, beat.at, key=_order),
        last_capture=beat.last_capture,
        last_inject=beat.last_inject,
        held=counts[0],
        waiting=counts[1],
        problems=counts[2],
        remarks=(*_about_name(machine), *(() if here else _remarks(beat, machine.arrived, now))),
    )


def _order(text: str) -> datetime:
    return _moment(text) or datetime.min.replace(tzinfo=UTC)


def _about_name(machine: Machine) -> Iterator[str]:
    """Remarks if two stores use a machine's name, or if this store reported under another one."""
    if machine.has_twin:
        yield f"two stores report under this name; {TWIN_REMEDY}"
    if machine.is_this_store and not machine.here:
        name = machine.beat.machine
        yield f"probably an earlier name of this machine; `anamnesis fleet forget {name}` removes it"


def _lag(state: MachineState) -> str:
    if not state.behind:
        return (
            f"{state.name} has other notes ({state.tree or 'nothing yet'}), as of {local_time(state.heard)}"
        )
    lacking, first = plural(state.behind, "commit"), local_time(state.behind_since)
    start = f", the first from {first}" if state.behind > 1 else f" from {first}"
    return f"{state.name} may lack {lacking}{start}; it last reported {local_time(state.heard)}"


def _remarks(beat: Heartbeat, arrived: float | None, now: datetime) -> list[str]:
    """What needs attention in a machine's last heartbeat."""
    reported, injected = _moment(beat.at), _moment(beat.last_inject)
    remarks = []
    # A machine with a wrong clock is not silent as long as its heartbeats arrive.
    heard = reported and max(reported, datetime.fromtimestamp(arrived, UTC) if arrived else reported)
    if heard and now - heard > _RETIRED:
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


@dataclass(frozen=True, slots=True)
class _Arrival:
    path: str
    kind: str
    machine: str
    at: str
    blob: str
    is_new: bool  # whether this machine had no such file before


def collect_news(root: Path, history: History, *, machine: str, purged: Collection[str] = ()) -> None:
    """Record the notes that came from other machines since the last call; cheap if nothing is new.

    `purged` are notes that another machine purged although their last changes were only here.
    """
    head, last = history.head(), state.mark(root, _TAKEN)
    if head is None or (head == last and not purged):
        return
    fresh = list(_purged_items(root, purged))
    if last:
        arrivals = _arrivals(history, last, me=machine_name(machine)).values()
        there = [each for each in arrivals if each.kind != "deleted"]
        fresh += _items((each, _current_text(root / MEMORY / each.path)) for each in there)
        ids = {item.id for item in fresh}
        gone = [
            each for each in arrivals if each.kind == "deleted" and not (root / MEMORY / each.path).exists()
        ]
        deleted = _items((each, _last_text(history, each)) for each in gone[-_MOST_DELETED:])
        fresh += [item for item in deleted if item.id not in ids]  # not those that only moved
    state.try_save(root, Mark(_TAKEN, head), *fresh)


def from_whom(items: list[Item]) -> str:
    """Which machines the notes came from, as the end of a sentence that says how many came."""
    machines = Counter(item["machine"] for item in items)
    if len(machines) == 1:
        return f" from {next(iter(machines))}"
    return ": " + ", ".join(f"{count} from {name}" for name, count in machines.items())


def _arrivals(history: History, last: str, *, me: str) -> dict[str, _Arrival]:
    """The notes that others changed since the commit `last`, by path; none if the history was rewritten."""
    arrivals: dict[str, _Arrival] = {}
    for commit in reversed(history.since(last)):
        for row in commit.rows if commit.machine != me else ():
            if row.path.endswith(".md"):
                known = arrivals.get(row.path)
                is_new = known.is_new if known else row.action == "added"
                kind = "wrote" if is_new and row.action == "edited" else _KINDS[row.action]
                arrivals[row.path] = _Arrival(row.path, kind, commit.machine, commit.at, row.blob, is_new)
    # What was written and deleted in between was never here.
    return {path: each for path, each in arrivals.items() if not (each.is_new and each.kind == "deleted")}


def _current_text(path: Path) -> bytes:
    """The text of a note now; b"" when it was removed again."""
    try:
        return read_regular(path)
    except OSError:
        return b""


def _last_text(history: History, arrival: _Arrival) -> bytes:
    """The text that a deleted note had; b"" when it cannot be read."""
    try:
        return history.blob(arrival.blob)
    except GitError:
        return b""


def _purged_items(root: Path, ids: Collection[str]) -> Iterator[News]:
    """News of purged notes, without anything of their text."""
    records = purges_among_files(root / MEMORY).values() if ids else ()
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    for record in records:
        for note_id in record.ids:
            if note_id in ids:
                yield News(note_id, "", "", "", PURGED, record.machine, record.at, seen=now)


def _items(arrivals: Iterable[tuple[_Arrival, bytes]]) -> list[News]:
    items: list[News] = []
    # To the microsecond: what arrives in the same second as a briefing belongs to the next one.
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    for arrival, data in arrivals:
        try:
            note = parse(decode(data))[0]
        except NoteFormatError:
            continue  # removed again, or not a note
        title = " ".join(note.title.split())
        # Other machines' clocks differ, so `seen` is when it arrived here.
        fields = (note.id, title, note.project, note.type, arrival.kind, arrival.machine, arrival.at)
        items.append(News(*fields, seen=now))
    return items
