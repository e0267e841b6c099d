"""How often sessions were told and used each note: one small file per machine, synced with the notes.

Each machine writes only its own file and its numbers only grow, so syncing never clashes. Counts are summed
over all files; an unreadable file counts as empty. The SessionStart hook uses this module, so it imports next
to nothing.
"""

from __future__ import annotations

import json
import os

from anamnesis.files import entries_in, lock, read_object, write_atomic
from anamnesis.layout import MEMORY, USE_FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_MACHINES = 100
_MAX_BYTES = 4_000_000
_MAX_NAME = 120
_LOCK_SECONDS = 2.0
_TOLD, _USED = "told", "used"


def read_used(home: str) -> dict[str, int]:
    """How many sessions used each note, on all machines together."""
    return _summed(home, _USED)


def read_told(home: str) -> dict[str, int]:
    """How many sessions were told each note, on all machines together."""
    return _summed(home, _TOLD)


def count_use(home: str, machine_id: str, *, told: Iterable[str], used: Iterable[str]) -> None:
    """Add one session to this machine's counts: the notes that it was told, and those it used."""
    path = use_file(home, machine_id)
    with lock(os.path.join(home, "use.lock"), timeout=_LOCK_SECONDS) as is_mine:
        if not is_mine:
            return  # a count that is one too low is better than a waiting hook
        found = read_object(path, most=_MAX_BYTES)
        counts = {name: _numbers(found.get(name)) for name in (_TOLD, _USED)}
        for name, ids in ((_TOLD, told), (_USED, used)):
            for note_id in ids:
                counts[name][note_id] = counts[name].get(note_id, 0) + 1
        # One line per note, sorted, so that git stores only changed lines.
        text = json.dumps({"machine": machine_id, **counts}, indent=0, sort_keys=True, ensure_ascii=False)
        write_atomic(path, text.encode() + b"\n")


def use_file(home: str, machine_id: str) -> str:
    """The file with this machine's counts."""
    return os.path.join(home, MEMORY, USE_FOLDER, _file_name(machine_id))


def _summed(home: str, name: str) -> dict[str, int]:
    total: dict[str, int] = {}
    for path in _files(os.path.join(home, MEMORY, USE_FOLDER)):
        for note_id, count in _numbers(read_object(path, most=_MAX_BYTES).get(name)).items():
            total[note_id] = total.get(note_id, 0) + count
    return total


def _files(folder: str) -> list[str]:
    names = sorted(entry.name for entry in entries_in(folder))
    found = [name for name in names if name.endswith(".json") and name[0] != "."]
    return [os.path.join(folder, name) for name in found[:_MOST_MACHINES]]


def _numbers(value: object) -> dict[str, int]:
    """The counts in a file; anything else in it is ignored."""
    pairs = value.items() if isinstance(value, dict) else ()
    return {
        note_id: count
        for note_id, count in pairs
        if isinstance(note_id, str) and isinstance(count, int) and not isinstance(count, bool) and count > 0
    }


def _file_name(machine_id: str) -> str:
    """The name of the machine's file, with special characters as their code points."""
    plain = (
        char if char.isascii() and (char.isalnum() or char == "-") else f"_{ord(char):x}"
        for char in machine_id
    )
    return f"{''.join(plain)[:_MAX_NAME] or 'unknown'}.json"
