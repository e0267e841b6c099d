"""What sessions were told: receipts, counts, and the news that no session was told yet.

A receipt is one small file per session, on this machine: what it was told, searched for and wrote, in ids and
numbers, never the text of a note. Writing one never fails and never waits; an unreadable file counts as
empty. The counts, how often notes were told and used, are one file per machine, synced with the notes: each
machine writes only its own, and its numbers only grow, so syncing never clashes. The news, notes from other
machines, are written by sync. The SessionStart hook uses this module, so it imports next to nothing.
"""

from __future__ import annotations

import json
import os
import stat
import time

from anamnesis.files import entries_in, lock, open_private, parse_object, read_object, write_atomic
from anamnesis.layout import MEMORY, NEWS_NAME, RECEIPTS_FOLDER, USE_FOLDER
from anamnesis.text import plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

PURGED = "purged"  # kind of news: a note was purged with changes made only here
_LAST = "last"  # subfolder with one file per folder: the last session that started in it
_MAX_BYTES = 256_000  # of one receipt, so that a session that searches endlessly does not fill the disk
_MAX_SESSIONS = 400
_MAX_NAME = 100
_MAX_FOLDERS = 1000
_MOST_MACHINES = 100
_MAX_COUNTS = 4_000_000  # bytes of a machine's counts
_MAX_MACHINE = 120  # characters of the name of its file
_LOCK_SECONDS = 2.0
TOLD, USED = "told", "used"
# The lists of notes in a `told` entry, and how each was told, in words.
HOW_TOLD = {"full": "in full", "cut": "cut short", "titles": "by title"}
_NEWS_TOLD = "news-told.json"
_MAX_NEWS = 400_000  # bytes
_MOST_LINES = _MOST_TITLES = 3
_MOST_PROJECTS = 500
_NEWS_TITLE = 60

Item = dict[str, str]


def add_entry(home: str, session: str, kind: str, **fields: object) -> None:
    """Add one line to a session's receipt: `kind` is `told`, `searched`, `wrote` or `used`."""
    path = _path(home, session)
    if not path:
        return
    entry = {"kind": kind, "at": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()), **fields}
    line = json.dumps(entry, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        append_line(path, line, most=_MAX_BYTES)
    except (OSError, ValueError):
        return  # a read-only store must not delay a session


def append_line(path: str, line: bytes, *, most: int) -> bool:
    """Append a line to a regular file without waiting; False if the file would grow beyond `most` bytes."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        state = os.fstat(descriptor)
        if state.st_size + len(line) > most:
            return False
        if stat.S_ISREG(state.st_mode):
            os.write(descriptor, line)
        return True
    finally:
        os.close(descriptor)


def read_entries(home: str, session: str) -> list[dict[str, object]]:
    """The entries of a session's receipt, oldest first; damaged lines are skipped."""
    path = _path(home, session)
    entries = map(parse_object, _read(path).splitlines() if path else ())
    return [entry for entry in entries if entry is not None and isinstance(entry.get("kind"), str)]


def ids_in(entries: Iterable[dict[str, object]], kind: str, *fields: str) -> list[str]:
    """The ids in these fields of a receipt's entries of one kind, each once."""
    of_kind = [entry for entry in entries if entry["kind"] == kind]
    ids = (name for entry in of_kind for field in fields for name in listed_ids(entry.get(field)))
    return list(dict.fromkeys(ids))


def listed_ids(value: object) -> list[str]:
    """The ids in a field of a receipt, where each is alone or with the version that was shown."""
    rows = value if isinstance(value, list) else []
    names = (each[0] if isinstance(each, list) and each else each for each in rows)
    return [name for name in names if isinstance(name, str)]


def remember_session(home: str, folder: str, session: str, *, project: str = "") -> None:
    """Record that `session` is the last one started in `folder`, and which project's notes it was told."""
    if _path(home, session):
        _remember(home, folder, session, project)


def remember_project(home: str, folder: str, project: str) -> None:
    """Record that a note of this project was written in `folder`, without a session."""
    session, known = _remembered(home, folder)
    if known != project:
        _remember(home, folder, session, project)


def _remember(home: str, folder: str, session: str, project: str) -> None:
    try:
        path = os.path.join(home, RECEIPTS_FOLDER, _LAST, _folder_name(folder))
        text = f"{session}\n{project}\n{_inode(folder)}\n{os.path.abspath(folder)}\n"
        write_atomic(path, text.encode(), durable=False)
    except (OSError, ValueError):
        return


def project_before_a_move(home: str, folder: str) -> str:
    """The project recorded for `folder` when it had another path; "" if unknown."""
    inode = _inode(folder)
    for entry in _scan(os.path.join(home, RECEIPTS_FOLDER, _LAST))[:_MAX_FOLDERS] if inode else ():
        _, project, known, place = (_read(entry.path).split("\n") + [""] * 3)[:4]
        if project and known == inode and not os.path.lexists(place):
            return project
    return ""


def _inode(folder: str) -> str:
    """The inode of a folder, which it keeps when it is renamed or moved on its disk; "" if it is gone."""
    try:
        return str(os.stat(folder).st_ino)
    except (OSError, ValueError):
        return ""


def last_session(home: str, folder: str) -> str:
    """The session that last started in `folder`; "" if unknown."""
    return _remembered(home, folder)[0]


def last_project(home: str, folder: str) -> str:
    """The project whose notes the last session in `folder` was told; "" if unknown."""
    return _remembered(home, folder)[1]


def _remembered(home: str, folder: str) -> tuple[str, str]:
    lines = _read(os.path.join(home, RECEIPTS_FOLDER, _LAST, _folder_name(folder))).split("\n")
    return lines[0].strip(), lines[1].strip() if len(lines) > 1 else ""


def sessions(home: str) -> list[str]:
    """The sessions that have a receipt, latest first."""
    return [entry.name.removesuffix(".jsonl") for entry in _receipts(home)]


def _receipts(home: str) -> list[os.DirEntry[str]]:
    files = _latest_first(os.path.join(home, RECEIPTS_FOLDER))
    return [entry for entry in files if entry.name.endswith(".jsonl")]


def prune(home: str) -> None:
    """Remove the oldest receipts, and the folders of the oldest sessions, if there are too many."""
    folders = _latest_first(os.path.join(home, RECEIPTS_FOLDER, _LAST))
    for entry in (*_receipts(home)[_MAX_SESSIONS:], *folders[_MAX_FOLDERS:]):
        try:
            os.unlink(entry.path)
        except OSError:
            continue


def _latest_first(folder: str) -> list[os.DirEntry[str]]:
    return sorted(
        _scan(folder),
        key=lambda entry: (entry.stat(follow_symlinks=False).st_mtime_ns, entry.name),
        reverse=True,
    )


def _path(home: str, session: str) -> str:
    """The path of a session's receipt; "" for an invalid session name."""
    is_name = session.replace("-", "").replace("_", "").isalnum() and session.isascii()
    return (
        os.path.join(home, RECEIPTS_FOLDER, f"{session}.jsonl")
        if is_name and len(session) <= _MAX_NAME
        else ""
    )


def _folder_name(folder: str) -> str:
    """A folder as a file name; only very long paths with the same end share one."""
    return _plain(os.path.abspath(folder))[-2 * _MAX_NAME :]


def _read(path: str) -> str:
    try:
        with open(path, "rb", opener=open_private) as handle:
            return handle.read(_MAX_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def _scan(folder: str) -> list[os.DirEntry[str]]:
    return [entry for entry in entries_in(folder) if entry.is_file(follow_symlinks=False)]


def read_counts(home: str, name: str) -> dict[str, int]:
    """How many sessions were told each note, or used it, on all machines together: `name` is TOLD or USED."""
    total: dict[str, int] = {}
    folder = os.path.join(home, MEMORY, USE_FOLDER)
    files = [entry for entry in entries_in(folder) if entry.name.endswith(".json") and entry.name[0] != "."]
    for file in sorted(files, key=lambda entry: entry.name)[:_MOST_MACHINES]:
        for note_id, count in _numbers(read_object(file.path, most=_MAX_COUNTS).get(name)).items():
            total[note_id] = total.get(note_id, 0) + count
    return total


def count_use(home: str, machine_id: str, *, told: Iterable[str], used: Iterable[str]) -> None:
    """Add one session to this machine's counts: the notes that it was told, and those it used."""
    path = use_file(home, machine_id)
    with lock(os.path.join(home, "use.lock"), timeout=_LOCK_SECONDS) as is_mine:
        if not is_mine:
            return  # a count that is one too low is better than a waiting hook
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
    return f"{_plain(machine_id)[:_MAX_MACHINE] or 'unknown'}.json"


def _plain(text: str) -> str:
    """A text as part of a file name, with special characters as their code points."""
    return "".join(
        char if char.isascii() and (char.isalnum() or char == "-") else f"_{ord(char):x}" for char in text
    )


def read_items(home: str, *, deleted: bool = False) -> list[Item]:
    """The notes that other machines wrote or edited, oldest first; with `deleted` also those they removed."""
    items = read_object(os.path.join(home, NEWS_NAME), most=_MAX_NEWS).get("items")
    valid = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    valid = [item for item in valid if all(isinstance(value, str) for value in item.values())]
    return valid if deleted else [item for item in valid if item.get("kind") not in ("deleted", PURGED)]


def untold(home: str, project: str, keys: Collection[str]) -> list[Item]:
    """The items for a project that none of its sessions was told; `keys` are all keys of the project."""
    told = read_object(os.path.join(home, _NEWS_TOLD), most=_MAX_NEWS).get(project)
    seen = told if isinstance(told, str) else ""
    return [item for item in read_items(home) if item.get("project") in keys and item.get("seen", "") > seen]


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


def mark_told(home: str, project: str, items: Sequence[Item]) -> None:
    """Record that a session in this project was told these items."""
    path = os.path.join(home, _NEWS_TOLD)
    told = read_object(path, most=_MAX_NEWS)
    told.pop(project, None)
    told[project] = max(item.get("seen", "") for item in items)
    kept = dict(list(told.items())[-_MOST_PROJECTS:])
    try:
        write_atomic(path, json.dumps(kept).encode(), durable=False)
    except (OSError, ValueError):
        return


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
