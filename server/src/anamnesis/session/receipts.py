"""What the hooks did on this machine: receipts, counts, news to tell, the ledger and the log.

A receipt says what a session was told, searched for and wrote, in ids and numbers, never the text of a note.
Writing one never fails and never waits. The counts, how often notes were told and used, are one file per
machine, synced with the notes: each machine writes only its own, and its numbers only grow, so syncing never
clashes. If the ledger is lost, recent transcripts are read again, and no note is lost. The SessionStart hook
uses this module, so it imports next to nothing.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from anamnesis import state
from anamnesis.files import append_line, entries_in, lock, parse_object, read_object, write_atomic
from anamnesis.layout import MEMORY, USE_FOLDER, WRITE_LOCK
from anamnesis.notes.record import Memory, note_path
from anamnesis.state import Captured, Entry, Home, Mark, News, Place
from anamnesis.text import first_few, plural, utcnow

if TYPE_CHECKING:
    from anamnesis.session.transcript import ParsedSession
    from anamnesis.store import MemoryStore

_MAX_COUNTS = 4_000_000  # bytes of a machine's counts
TOLD, USED = "told", "used"
# The lists of notes in a `told` entry, and how each was told, in words.
HOW_TOLD = {"full": "in full", "cut": "cut short", "titles": "by title"}
_WAITING = "waiting"  # the ids of notes with a credential
_TOLD_NEWS = "news/"  # with a project: when its last told item arrived
_MOST_LINES = 3

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


def last_in(home: str, folder: str) -> Place:
    """The last session that started in `folder`, and the project whose notes it was told; "" if unknown."""
    try:
        path = os.path.abspath(folder)
    except FileNotFoundError:  # the working directory was deleted
        path = folder
    return state.latest(home, Place, folder=path) or Place(path, "", "", "")


def remember(home: str, folder: str, **known: str) -> None:
    """Record the `session` that started in `folder`, or the `project` whose notes it was told or wrote."""
    state.try_save(home, last_in(home, folder)._replace(inode=_inode(folder), **known))


def project_before_a_move(home: str, folder: str) -> str:
    """The project named after `folder` when it had another path; "" if unknown."""
    inode = _inode(folder)
    places = state.read(home, Place, inode=inode) if inode else []
    # A project with a remote keeps its key when its folder moves; then a new folder just has an old inode.
    own = (place for place in places if "/" not in place.project and not os.path.lexists(place.folder))
    return next((place.project for place in own), "")


def _inode(folder: str) -> str:
    """The inode of a folder, which it keeps when it is renamed or moved on its disk; "" if it is gone."""
    try:
        return str(os.stat(folder).st_ino)
    except (OSError, ValueError):
        return ""


def read_counts(home: str, name: str) -> dict[str, int]:
    """How many sessions were told each note, or used it, on all machines together: `name` is TOLD or USED."""
    total: Counter[str] = Counter()
    for file in entries_in(os.path.join(home, MEMORY, USE_FOLDER)):
        if file.name.endswith(".json") and file.name[0] != ".":
            total.update(_numbers(read_object(file.path, most=_MAX_COUNTS).get(name)))
    return total


def count_use(home: str, machine_id: str, *, told: Iterable[str], used: Iterable[str]) -> None:
    """Add one session to this machine's counts: the notes that it was told, and those it used."""
    # The special characters of the machine's name as their code points.
    plain = (c if c.isascii() and (c.isalnum() or c == "-") else f"_{ord(c):x}" for c in machine_id)
    path = os.path.join(home, MEMORY, USE_FOLDER, f"{''.join(plain)[:120] or 'unknown'}.json")
    with suppress(OSError), lock(os.path.join(home, WRITE_LOCK), timeout=2.0) as is_mine:
        if is_mine:  # a count that is one too low is better than a waiting hook
            _count_use(path, machine_id, {TOLD: told, USED: used})


def _count_use(path: str, machine_id: str, more: dict[str, Iterable[str]]) -> None:
    stored = read_object(path, most=_MAX_COUNTS)
    counts = {name: Counter(_numbers(stored.get(name))) + Counter(ids) for name, ids in more.items()}
    # One line per note, sorted, so that git stores only changed lines.
    text = json.dumps({"machine": machine_id, **counts}, indent=0, sort_keys=True, ensure_ascii=False)
    write_atomic(path, text.encode() + b"\n")


def _numbers(value: object) -> dict[str, int]:
    """The counts in a file; anything else in it is ignored."""
    pairs = value.items() if isinstance(value, dict) else ()
    return {
        note_id: count
        for note_id, count in pairs
        if isinstance(note_id, str) and isinstance(count, int) and not isinstance(count, bool) and count > 0
    }


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
    machines = list(dict.fromkeys(item["machine"] for item in reversed(items)))
    shown = machines if len(machines) <= _MOST_LINES else machines[: _MOST_LINES - 1]
    lines = [_news_line(name, [item for item in items if item["machine"] == name]) for name in shown]
    if rest := sum(item["machine"] not in shown for item in items):
        lines.append(f"{plural(rest, 'note')} more from {len(machines) - len(shown)} other machines")
    return [f"While you were away: {line}." for line in lines]


def _news_line(machine: str, items: Sequence[Item]) -> str:
    parts = []
    for kind in ("wrote", "edited"):
        titles = [item["title"] for item in reversed(items) if item["kind"] == kind]
        short = [text if len(text) < 60 else f"{text[:60].rsplit(None, 1)[0]}…" for text in titles]
        parts += [f"{kind} {first_few([*map(repr, short)])}"] if titles else []
    return f"{machine} {' and '.join(parts)}"


# -- which of the told notes a session used ---------------------------------------------------------------

_WORD = re.compile(r"[^\W_][\w./:@+-]*[^\W_]|[^\W_]")
_CODE = re.compile(r"`([^`\n]{6,120})`")


def close_receipt(store: MemoryStore, session: ParsedSession, *, machine_id: str) -> None:
    """Add the used notes to the session's receipt, and count them, each note once."""
    home = str(store.root)
    entries = read_entries(home, session.session_id)
    told, shown = ids_in(entries, "told", "full", "cut"), ids_in(entries, "searched", "ids")
    if not told and not shown:
        return
    named = [store.get(name, thorough=False) for name in dict.fromkeys([*told, *shown])]
    notes = [note for note in named if note and note.prov_session != session.session_id]
    own = {note.id for note in named if note and note not in notes}  # told back after a compaction
    told = [name for name in told if name not in own]
    texts = [text for turn in session.turns for text in turn.texts]
    asked = [text for turn in session.turns for text in (turn.ask, *turn.remarks)]
    used = find_used(notes, done="\n".join([*texts, *session.actions]), asked="\n".join(asked))
    new_told = [name for name in told if name not in ids_in(entries, "used", "told")]
    new_used = [name for name in used if name not in ids_in(entries, "used", "ids")]
    if new_told or new_used:
        add_entry(home, session.session_id, "used", ids=new_used, told=new_told)
        count_use(home, machine_id, told=new_told, used=new_used)


def find_used(notes: Sequence[Memory], *, done: str, asked: str) -> list[str]:
    """The ids of the notes that were used, by what the assistant wrote and did, not by what was asked.

    They are quoted, or two names or figures appear that neither the user nor another told note mentions.
    """
    done, asked = done.lower(), asked.lower()
    names = {note.id: _names(f"{note.title}\n{note.body}") for note in notes}
    counts = Counter(name for own in names.values() for name in own)
    known = _names(asked) | {name for name, count in counts.items() if count > 1}
    said = _names(done)
    return [
        note.id for note in notes if _is_quoted(note, done, asked) or len(names[note.id] & said - known) >= 2
    ]


def _is_quoted(note: Memory, done: str, asked: str) -> bool:
    """Whether the note's id, file or whole title appears, or a piece of its code."""
    if note.id[:10].lower() in done or note_path(note).lower() in done:
        return True
    spans = {span.strip().lower() for span in _CODE.findall(note.body)}
    spans = {span for span in spans if " " in span or not span.isalpha()}
    if len(note.title.split()) >= 3:
        spans.add(note.title.lower())
    return any(span in done and span not in asked for span in spans)


def _names(text: str) -> set[str]:
    """The words that are not plain prose: paths, identifiers, versions, figures with their units."""
    words = set(_WORD.findall(text.lower()))
    return {word for word in words if len(word) > 3 and not word.replace("-", "").isalpha()}


# -- the ledger of captured sessions, and the hooks' log --------------------------------------------------

TRIVIAL = "trivial"
LOG_NAME, _OLD_LOG_NAME = "anamnesis.log", "anamnesis.log.1"
MAX_LOG_BYTES = 256 * 1024
_MAX_LOG_LINE = 2000

Ledger = dict[str, Captured]


def read_ledger(root: Path, *, is_hook: bool = False) -> Ledger:
    """What is known about each captured session of the store at `root`, the last captured one last."""
    return {row.session: row for row in state.read(root, Captured, is_hook=is_hook)}


def log_line(root: Path, text: str) -> None:
    """Append one line with the time to the hooks' log; never fails, never waits. A full file is rotated.

    Every line is redacted, and the environment, which contains the client's keys, is never logged.
    """
    from anamnesis.redact import redact  # most starts of a session log nothing

    # Cut roughly before redaction, to limit the search, and exactly after it, so that no key is cut in half.
    lines = redact(text[: 8 * _MAX_LOG_LINE]).splitlines()
    shown = "".join(char if char.isprintable() else "?" for char in " | ".join(lines))[:_MAX_LOG_LINE]
    line, path = f"{utcnow()} {shown}\n".encode(), os.path.join(root, LOG_NAME)
    # A full disk or a read-only store is reported elsewhere.
    with suppress(OSError, ValueError):
        if not append_line(path, line, most=MAX_LOG_BYTES):
            os.replace(path, os.path.join(root, _OLD_LOG_NAME))
            append_line(path, line, most=MAX_LOG_BYTES)
