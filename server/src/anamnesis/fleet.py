"""All machines of a person: which have the same notes, and what came from the others.

Two machines agree if everything except the heartbeats is the same. What a machine did after its last commit
that reached us is unknown. `collect_news` records what other machines wrote and deleted, for sessions.
Everything here asks the backend, and works with any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from anamnesis import __version__, state
from anamnesis.errors import GitError, NoteFormatError, SyncError
from anamnesis.files import read_regular
from anamnesis.git import machine_name
from anamnesis.history import Commit, History
from anamnesis.layout import MEMORY
from anamnesis.notes.record import decode, parse
from anamnesis.session.receipts import Item
from anamnesis.state import Mark, News
from anamnesis.sync.heartbeat import RETIRED_SECONDS, load_heartbeats
from anamnesis.sync.results import Heartbeat, Machine, SyncState
from anamnesis.text import epoch, local_time, plural, timestamp

_SILENT_SECONDS = 7 * 86_400  # without a hook
TWIN_REMEDY = "give one of them another name: `anamnesis config set machine_id NAME`, then `anamnesis init`"
_TAKEN = "news"  # the cursor with the commit that news were last taken from
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
    states = tuple(_state(machine, state, now or datetime.now(UTC)) for machine in machines)
    tree = states[0].tree
    agree = tuple(machine.name for machine in states if machine.tree == tree)
    return Fleet(states, agree, tree, state.last_sync or "")


def described(fleet: Fleet) -> list[str]:
    """The report as lines for people, most important first."""
    others = [machine for machine in fleet.machines if machine.name not in fleet.agree]
    if len(fleet.agree) > 1:
        held = sum(machine.held for machine in fleet.machines if machine.name in fleet.agree)
        same = f"have the same notes ({fleet.tree}) except for {plural(held, 'held note')}"
        lines = [f"{', '.join(fleet.agree)} {same if held else f'agree ({fleet.tree})'}"]
    else:
        alone = "" if others else ", no other machine is known"
        own = f"is at {fleet.tree}" if fleet.tree else "has nothing in git yet"
        lines = [f"{fleet.agree[0]} {own}{alone}"]
    lines += [_lag(machine) for machine in others]
    lines += [
        f"{machine.name}: {count}" for machine in fleet.machines if machine.here for count in _counts(machine)
    ]
    lines += [f"{machine.name}: {remark}" for machine in fleet.machines for remark in machine.remarks]
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
        counts = (len(state.held), len({file.path for file in state.waiting}), len(state.left_out))
    remarks = [f"two stores report under this name; {TWIN_REMEDY}"] if machine.has_twin else []
    return MachineState(
        name=beat.machine,
        here=here,
        heard=now.isoformat(timespec="seconds") if here else beat.at,
        tree=machine.tree,
        behind=len(machine.lacks),
        behind_since=timestamp(machine.lacks[-1]) if machine.lacks else "",
        version=__version__ if here else beat.version,
        # A heartbeat is written before it is pushed, so it has the time of the sync before.
        last_sync=beat.last_sync if here else max(beat.last_sync, beat.at, key=epoch),
        last_capture=beat.last_capture,
        last_inject=beat.last_inject,
        held=counts[0],
        waiting=counts[1],
        problems=counts[2],
        remarks=(*remarks, *(() if here else _remarks(beat, machine.arrived, now))),
    )


def _lag(state: MachineState) -> str:
    if not state.tree:
        return f"{state.name} has not synced since the remote's history was replaced"
    if not state.behind:
        return f"{state.name} has other notes ({state.tree}), as of {local_time(state.heard)}"
    lacking, first = plural(state.behind, "commit"), local_time(state.behind_since)
    start = f", the first from {first}" if state.behind > 1 else f" from {first}"
    return f"{state.name} may lack {lacking}{start}; it last reported {local_time(state.heard)}"


def _remarks(beat: Heartbeat, arrived: float | None, now: datetime) -> list[str]:
    """What needs attention in a machine's last heartbeat."""
    reported, injected = epoch(beat.at), epoch(beat.last_inject)
    remarks = []
    # A machine with a wrong clock is not silent as long as its heartbeats arrive.
    if reported and now.timestamp() - max(reported, arrived or 0) > RETIRED_SECONDS:
        remedy = f"`anamnesis fleet --forget {beat.machine}` removes it"
        remarks.append(f"silent since {local_time(beat.at)}; {remedy}")
    elif reported and injected and reported - injected > _SILENT_SECONDS:
        since = local_time(beat.last_inject)
        remarks.append(f"its hooks have not run since {since}; `anamnesis doctor` there says why")
    if beat.version and beat.version != __version__:
        remarks.append(f"runs version {beat.version}, here it is {__version__}")
    return remarks + [f"{count} at its last report, {local_time(beat.at)}" for count in _counts(beat)]


def _counts(found: Heartbeat | MachineState) -> list[str]:
    files = {"waiting": found.waiting, "not synced": found.problems}
    held = [f"{plural(found.held, 'note')} held"] if found.held else []
    return [*held, *(f"{plural(count, 'file')} {what}" for what, count in files.items() if count)]


def collect_news(root: Path, history: History, *, machine: str, held: Collection[str] = ()) -> None:
    """Record the notes that came from other machines since the last call; cheap if nothing is new.

    The files of the `held` notes have this machine's versions.
    """
    head, last = history.head(), state.mark(root, _TAKEN)
    if head is None or head == last:
        return
    # To the microsecond: what arrives in the same second as a briefing belongs to the next one.
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    fresh: dict[str, News] = {}
    changes = _changes(history, last, me=machine_name(machine)) if last else {}
    for path, (kind, commit, blob) in changes.items():
        is_gone = not (root / MEMORY / path).exists()
        try:
            data = history.blob(blob) if is_gone else read_regular(root / MEMORY / path)
            note = parse(decode(data))[0]
            if note.id in held and kind != "deleted":
                note = parse(decode(history.blob(blob)))[0]
        except (OSError, GitError, NoteFormatError):
            continue
        if not is_gone or (kind == "deleted" and note.id not in fresh):  # otherwise it only moved
            title = " ".join(note.title.split())
            fields = (title, note.project, note.type, kind, commit.machine, commit.at)
            fresh[note.id] = News(note.id, *fields, seen=now)
    state.try_save(root, Mark(_TAKEN, head), *fresh.values())


def _changes(history: History, last: str, *, me: str) -> dict[str, tuple[str, Commit, str]]:
    """What others did to each path since the commit `last`: the kind, the last commit, and its blob.

    Deleted notes come last, so that a note that moved is known by its new place. What was written and deleted
    in between was never here.
    """
    found: dict[str, tuple[str, Commit, str]] = {}
    for commit in reversed(history.since(last)):
        for row in commit.files if commit.machine != me else ():
            is_new = row.path in found and found[row.path][0] == "wrote"
            if is_new and row.action == "deleted":
                del found[row.path]
            elif row.path.endswith(".md"):
                found[row.path] = ("wrote" if is_new else _KINDS[row.action], commit, row.blob)
    return dict(sorted(found.items(), key=lambda item: item[1][0] == "deleted"))


def from_whom(items: list[Item]) -> str:
    """Which machines the notes came from, as the end of a sentence that says how many came."""
    machines = Counter(item["machine"] for item in items)
    if len(machines) == 1:
        return f" from {next(iter(machines))}"
    return ": " + ", ".join(f"{count} from {name}" for name, count in machines.items())
