"""What sessions were told: receipts, counts, and the news that no session was told yet.

A receipt says what a session was told, searched for and wrote, in ids and numbers, never the text of a note.
Writing one never fails and never waits. The counts, how often notes were told and used, are one file per
machine, synced with the notes: each machine writes only its own, and its numbers only grow, so syncing never
clashes. The news, notes from other machines, are written by sync. The SessionStart hook uses this module.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterable, Sequence

from anamnesis import state
from anamnesis.files import entries_in, lock, parse_object, read_object, write_atomic
from anamnesis.layout import MEMORY, USE_FOLDER, WRITE_LOCK
from anamnesis.state import Entry, Home, Mark, News, Place
from anamnesis.text import plural

_MAX_COUNTS = 4_000_000  # bytes of a machine's counts
TOLD, USED = "told", "used"
# The lists of notes in a `told` entry, and how each was told, in words.
HOW_TOLD = {"full": "in full", "cut": "cut short", "titles": "by title"}
_WAITING = "waiting"  # the ids of notes with a credential
_TOLD_NEWS = "news/"  # with a project: when its last told item arrived
_MOST_LINES = _MOST_TITLES = 3
_NEWS_TITLE = 60

Item = dict[str, str]


def add_entry(home: str, session: str, kind: str, **fields: object) -> None:
    """Add one line to a session's receipt: `kind` is `told`, `searched`, `wrote` or `used`."""
    if 0 < len(session) <= 200:
        at = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
        state.try_save(home, Entry(session, kind, at, json.dumps(fields, separators=(",", ":"))))


def read_entries(home: str, session: str) -> list[dict[str, object]]:
    """The entries of a session's receipt, oldest first."""
    rows = state.read(home, Entry, session=session) if session else []
    return [{"kind": row.kind, "at": row.at, **(parse_object(row.fields) or {})} for row in rows]


def ids_in(entries: Iterable[dict[str, object]], kind: str, *fields: str) -> list[str]:
    """The ids in these fields of a receipt's entries of one kind, each once."""
    of_kind = [entry for entry in entries if entry["kind"] == kind]
    ids = (name for entry in of_kind for field in fields for name in listed_ids(entry.get(field)))
    return list(dict.fromkeys(ids))


def listed_ids(value: object) -> list[str]:
    """The ids in a field of a receipt, where each is alone or with the version that was shown."""
    rows = value if isinstance(value, list) else []
    names = (row[0] if isinstance(row, list) and row else row for row in rows)
    return [name for name in names if isinstance(name, str)]


def remember_session(home: str, folder: str, session: str, *, project: str = "") -> None:
    """Record that `session` is the last one started in `folder`, and which project's notes it was told."""
    if session:
        state.try_save(home, Place(os.path.abspath(folder), session, project, _inode(folder)))


def remember_project(home: str, folder: str, project: str) -> None:
    """Record that a note of this project was written in `folder`, without a session."""
    known = _place(home, folder)
    if known.project != project:
        state.try_save(home, known._replace(project=project))


def project_before_a_move(home: str, folder: str) -> str:
    """The project recorded for `folder` when it had another path; "" if unknown."""
    inode = _inode(folder)
    places = state.read(home, Place, inode=inode) if inode else []
    return next(
        (place.project for place in places if place.project and not os.path.lexists(place.folder)), ""
    )


def last_session(home: str, folder: str) -> str:
    """The session that last started in `folder`; "" if unknown."""
    return _place(home, folder).session


def last_project(home: str, folder: str) -> str:
    """The project whose notes the last session in `folder` was told; "" if unknown."""
    return _place(home, folder).project


def _place(home: str, folder: str) -> Place:
    try:
        path = os.path.abspath(folder)
    except FileNotFoundError:  # the working directory was deleted
        path = folder
    return state.latest(home, Place, folder=path) or Place(path, "", "", _inode(folder))


def _inode(folder: str) -> str:
    """The inode of a folder, which it keeps when it is renamed or moved on its disk; "" if it is gone."""
    try:
        return str(os.stat(folder).st_ino)
    except (OSError, ValueError):
        return ""


def read_counts(home: str, name: str) -> dict[str, int]:
    """How many sessions were told each note, or used it, on all machines together: `name` is TOLD or USED."""
    total: dict[str, int] = {}
    folder = os.path.join(home, MEMORY, USE_FOLDER)
    files = [entry for entry in entries_in(folder) if entry.name.endswith(".json") and entry.name[0] != "."]
    for file in sorted(files, key=lambda entry: entry.name)[:100]:
        for note_id, count in _numbers(read_object(file.path, most=_MAX_COUNTS).get(name)).items():
            total[note_id] = total.get(note_id, 0) + count
    return total


def count_use(home: str, machine_id: str, *, told: Iterable[str], used: Iterable[str]) -> None:
    """Add one session to this machine's counts: the notes that it was told, and those it used."""
    try:
        with lock(os.path.join(home, WRITE_LOCK), timeout=2.0) as is_mine:
            if is_mine:  # a count that is one too low is better than a waiting hook
                _count_use(use_file(home, machine_id), machine_id, told, used)
    except OSError:
        return


def _count_use(path: str, machine_id: str, told: Iterable[str], used: Iterable[str]) -> None:
    stored = read_object(path, most=_MAX_COUNTS)
    counts = {name: _numbers(stored.get(name)) for name in (TOLD, USED)}
    for name, ids in ((TOLD, told), (USED, used)):
        for note_id in ids:
            counts[name][note_id] = counts[name].get(note_id, 0) + 1
    # One line per note, sorted, so that git stores only changed lines.
    text = json.dumps({"machine": machine_id, **counts}, indent=0, sort_keys=True, ensure_ascii=False)
    write_atomic(path, text.encode() + b"\n")


def use_file(home: str, machine_id: str) -> str:
    """The file with this machine's counts."""
    return os.path.join(home, MEMORY, USE_FOLDER, _file_name(machine_id))


def _numbers(value: object) -> dict[str, int]:
    """The counts in a file; anything else in it is ignored."""
    pairs = value.items() if isinstance(value, dict) else ()
    return {
        note_id: count
        for note_id, count in pairs
        if isinstance(note_id, str) and isinstance(count, int) and not isinstance(count, bool) and count > 0
    }


def _file_name(machine_id: str) -> str:
    """A machine's file, with the special characters of its name as their code points."""
    plain = (c if c.isascii() and (c.isalnum() or c == "-") else f"_{ord(c):x}" for c in machine_id)
    return f"{''.join(plain)[:120] or 'unknown'}.json"


def read_items(home: str, *, deleted: bool = False) -> list[Item]:
    """The notes that other machines wrote or edited, oldest first; with `deleted` also those they removed."""
    news = state.read(home, News)
    return [item._asdict() for item in news if deleted or item.kind != "deleted"]


def untold(home: str, project: str, keys: Collection[str]) -> list[Item]:
    """The items for a project that none of its sessions was told; `keys` are all keys of the project."""
    items = [item for item in read_items(home) if item["project"] in keys]
    seen = state.mark(home, f"{_TOLD_NEWS}{project}") if items else ""
    return [item for item in items if item["seen"] > seen]


def mark_told(home: str, project: str, items: Sequence[Item]) -> None:
    """Record that a session in this project was told these items."""
    state.try_save(home, Mark(f"{_TOLD_NEWS}{project}", max(item["seen"] for item in items)))


def mark_waiting(home: Home, ids: Iterable[str]) -> None:
    """Record which notes waited with a credential at the last sync: no session is told them."""
    waiting = " ".join(sorted(ids))
    if waiting != state.mark(home, _WAITING):
        state.try_save(home, Mark(_WAITING, waiting))


def waiting_ids(home: Home) -> set[str]:
    """The notes that waited with a credential at the last sync."""
    return set(state.mark(home, _WAITING).split())


def news_lines(items: Sequence[Item]) -> list[str]:
    """At most three lines, one per machine, latest news first."""
    machines = list(dict.fromkeys(item.get("machine", "") for item in reversed(items)))
    shown = machines[:_MOST_LINES] if len(machines) <= _MOST_LINES else machines[: _MOST_LINES - 1]
    lines = [_news_line(name, [item for item in items if item.get("machine") == name]) for name in shown]
    rest = [item for item in items if item.get("machine") not in shown]
    lines += (
        [f"{plural(len(rest), 'note')} more from {len(machines) - len(shown)} other machines"] if rest else []
    )
    return [f"While you were away: {line}." for line in lines]


def _news_line(machine: str, items: Sequence[Item]) -> str:
    parts = []
    for kind in ("wrote", "edited"):
        titles = [_short_title(item.get("title", "")) for item in reversed(items) if item.get("kind") == kind]
        if titles:
            more = f" and {len(titles) - _MOST_TITLES} more" if len(titles) > _MOST_TITLES else ""
            parts.append(f"{kind} {', '.join(repr(title) for title in titles[:_MOST_TITLES])}{more}")
    return f"{machine} {' and '.join(parts)}"


def _short_title(title: str) -> str:
    """A title that is not too long, cut at a word; "…" marks the cut."""
    return title if len(title) <= _NEWS_TITLE else f"{title[:_NEWS_TITLE].rsplit(None, 1)[0]}…"
