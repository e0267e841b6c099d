"""Records which notes other machines wrote, from the commits that a sync fetched, for later sessions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from anamnesis.errors import GitError, NoteFormatError
from anamnesis.files import read_object, read_regular, write_object
from anamnesis.git import Git, author_machine, machine_name
from anamnesis.layout import MAIN, MEMORY, NEWS_NAME
from anamnesis.notes.record import decode, parse
from anamnesis.notes.vocabulary import seconds_of, timestamp
from anamnesis.session.news import Item, read_items

_MOST_ITEMS = 300
_MOST_COMMITS = 500
_MARK = "\x02"
_ROW = re.compile(r"([AM])\0([^\0]+\.md)\0")


@dataclass(frozen=True, slots=True)
class _Arrival:
    path: str
    kind: str
    machine: str
    at: str


def collect_news(root: Path, *, machine: str) -> None:
    """Record the notes that came from other machines since the last call; cheap if nothing is new."""
    git, path = Git(root / MEMORY), root / NEWS_NAME
    head, last = git.ref(MAIN), read_object(path).get("head")
    if head is None or head == last:
        return
    fresh: list[Item] = []
    if isinstance(last, str):
        fresh = _items(root / MEMORY, _arrivals(git, last, head, me=machine_name(machine)))
    ids = {item["id"] for item in fresh}
    known = [item for item in read_items(str(root)) if item.get("id") not in ids]
    write_object(path, {"head": head, "items": [*known, *fresh][-_MOST_ITEMS:]})


def from_whom(items: list[Item]) -> str:
    """How many notes came from which machines, in a few words; "" if none did."""
    machines: dict[str, int] = {}
    for item in items:
        machines[item["machine"]] = machines.get(item["machine"], 0) + 1
    return ", ".join(f"{count} from {name}" for name, count in machines.items())


def _arrivals(git: Git, last: str, head: str, *, me: str) -> dict[str, _Arrival]:
    """The notes that others changed between two commits, by path; none if the history was rewritten."""
    try:
        if git.ask("merge-base", "--is-ancestor", last, head).code:
            return {}
        form = f"--format={_MARK}%an%x00%ae%x00%ct%x00"
        order = ("log", "-z", "--reverse", "--name-status", "--no-renames", form, f"-{_MOST_COMMITS}")
        out = git.run(*order, head, f"^{last}", "--").decode("utf-8", "replace")
    except GitError:
        return {}
    found: dict[str, _Arrival] = {}
    for arrival in _parse(out):
        if arrival.machine != me:
            is_new = arrival.kind == "wrote" or (found.get(arrival.path) or arrival).kind == "wrote"
            kind = "wrote" if is_new else "edited"
            found[arrival.path] = _Arrival(arrival.path, kind, arrival.machine, arrival.at)
    return found


def _parse(out: str) -> Iterator[_Arrival]:
    for part in out.split(_MARK)[1:]:
        name, email, seconds, rest = part.split("\0", 3)
        machine = author_machine(name, email)
        at = timestamp(seconds_of(seconds))
        for status, path in _ROW.findall(rest):
            yield _Arrival(path, "wrote" if status == "A" else "edited", machine, at)


def _items(memory: Path, arrivals: dict[str, _Arrival]) -> list[Item]:
    found: list[Item] = []
    # To the microsecond: what arrives in the same second as a briefing belongs to the next one.
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    for arrival in arrivals.values():
        try:
            note = parse(decode(read_regular(memory / arrival.path)))[0]
        except (OSError, NoteFormatError):
            continue  # removed again, or not a note
        found.append(
            {
                "id": note.id,
                "title": " ".join(note.title.split()),
                "project": note.project,
                "type": note.type,
                "kind": arrival.kind,
                "machine": arrival.machine,
                "at": arrival.at,
                "seen": now,  # when it arrived here, because other machines' clocks differ
            }
        )
    return found
