"""Records what other machines wrote and deleted, from the commits that a sync fetched, for sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from anamnesis.errors import GitError, NoteFormatError
from anamnesis.files import read_object, read_regular, write_object
from anamnesis.git import Git, machine_name
from anamnesis.history.walk import walk
from anamnesis.layout import MAIN, MEMORY, NEWS_NAME
from anamnesis.notes.record import decode, parse
from anamnesis.session.receipts import Item, read_items

_MOST_ITEMS = 300
_MOST_COMMITS = 500
_MOST_DELETED = 50
_KINDS = {"added": "wrote", "edited": "edited", "deleted": "deleted"}


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
        arrivals = _arrivals(git, last, head, me=machine_name(machine)).values()
        gone = [arrival for arrival in arrivals if arrival.kind == "deleted"][-_MOST_DELETED:]
        fresh = _items((each, _current_text(git, each.path)) for each in arrivals if each.kind != "deleted")
        ids = {item["id"] for item in fresh}
        deleted = _items((each, _last_text(git, each.path, last)) for each in gone)
        fresh += [item for item in deleted if item["id"] not in ids]  # not those that only moved
    ids = {item["id"] for item in fresh}
    known = [item for item in read_items(str(root), deleted=True) if item.get("id") not in ids]
    write_object(path, {"head": head, "items": [*known, *fresh][-_MOST_ITEMS:]})


def from_whom(items: list[Item]) -> str:
    """Which machines the notes came from, as the end of a sentence that says how many came."""
    machines = Counter(item["machine"] for item in items)
    if len(machines) == 1:
        return f" from {next(iter(machines))}"
    return ": " + ", ".join(f"{count} from {name}" for name, count in machines.items())


def _arrivals(git: Git, last: str, head: str, *, me: str) -> dict[str, _Arrival]:
    """The notes that others changed between two commits, by path; none if the history was rewritten."""
    try:
        if git.ask("merge-base", "--is-ancestor", last, head).code:
            return {}
        commits = [*walk(git, start=head, after=last, limit=_MOST_COMMITS)]
    except GitError:
        return {}
    arrivals: dict[str, _Arrival] = {}
    for commit in reversed(commits):
        for row in commit.rows if commit.machine != me else ():
            if row.path.endswith(".md"):
                known = arrivals.get(row.path)
                is_new = row.action == "edited" and known is not None and known.kind == "wrote"
                kind = "wrote" if is_new else _KINDS[row.action]
                arrivals[row.path] = _Arrival(row.path, kind, commit.machine, commit.at)
    return arrivals


def _current_text(git: Git, path: str) -> bytes:
    """The text of a note now; b"" when it was removed again."""
    try:
        return read_regular(git.folder / path)
    except OSError:
        return b""


def _last_text(git: Git, path: str, last: str) -> bytes:
    """The text that a deleted note had in the commit `last`; b"" when it had none, or is back."""
    answer = git.ask("cat-file", "blob", f"{last}:{path}")
    return b"" if answer.code or (git.folder / path).exists() else answer.out


def _items(arrivals: Iterable[tuple[_Arrival, bytes]]) -> list[Item]:
    items: list[Item] = []
    # To the microsecond: what arrives in the same second as a briefing belongs to the next one.
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    for arrival, data in arrivals:
        try:
            note = parse(decode(data))[0]
        except NoteFormatError:
            continue  # removed again, or not a note
        items.append(
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
    return items
