"""The small files that sync keeps inside the repository: hints, and the journal of a landing.

Hints (`state.json`) may vanish or be wrong without harm; the journal and the list of unwritten files are
written durably, because the next run continues from them.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

from anamnesis.files import make_folder, write_atomic
from anamnesis.json_file import read_object


@dataclass(slots=True)
class Memo:
    """What the last run left to make the next one cheap."""

    head: str | None = None  # the commit that the index file matched
    index: list[int] = field(default_factory=list)  # inode, size and time of the index file then
    last_sync: str | None = None  # when the remote was last reached
    started: float = 0.0  # when the sync that finished last had begun
    ready: str = ""  # the set-up that was made, so that it is not made again


def load_memo(own: Path) -> Memo:
    """The hints; an empty set when there are none."""
    found = read_object(own / "state.json")
    memo = Memo()
    for key, kind in (("head", str), ("index", list), ("last_sync", str), ("started", float), ("ready", str)):
        if isinstance(found.get(key), kind):
            setattr(memo, key, found[key])
    return memo


def save_memo(own: Path, memo: Memo) -> None:
    """Leave hints for the next run; not worth a wait for the disk."""
    make_folder(own)
    temp = own / f"state.{os.getpid()}.tmp"
    temp.touch(mode=0o600)
    temp.write_text(json.dumps(asdict(memo)))
    temp.replace(own / "state.json")


class Write(NamedTuple):
    """One file to bring from `before` to `after` (blobs, None for "no file")."""

    path: str
    before: str | None
    after: str | None


class Journal(NamedTuple):
    """A landing under way: where it leads, each file it touches, and the held notes before it."""

    target: str
    writes: list[Write]
    held: dict[str, object]


def load_journal(own: Path) -> Journal | None:
    """The landing that a crash interrupted, None when there was none."""
    found = read_object(own / "journal.json")
    writes, target, held = found.get("writes"), found.get("target"), found.get("held")
    if not isinstance(writes, list) or not isinstance(target, str) or not isinstance(held, dict):
        return None
    return Journal(target, [Write(*item) for item in writes], held)


def save_journal(own: Path, journal: Journal) -> None:
    """Say durably what is about to be done."""
    rows = [[write.path, write.before, write.after] for write in journal.writes]
    content = {"target": journal.target, "writes": rows, "held": journal.held}
    write_atomic(own / "journal.json", json.dumps(content).encode())


def drop_journal(own: Path) -> None:
    """The landing is complete, or undone."""
    (own / "journal.json").unlink(missing_ok=True)


def load_unwritten(own: Path) -> frozenset[str]:
    """Files of the store's commit that could not be written to the work tree, and are not deleted ones."""
    paths = read_object(own / "unwritten.json").get("paths")
    return (
        frozenset(path for path in paths if isinstance(path, str)) if isinstance(paths, list) else frozenset()
    )


def save_unwritten(own: Path, paths: frozenset[str]) -> None:
    """Remember durably which files could not be written."""
    if paths != load_unwritten(own):
        write_atomic(own / "unwritten.json", json.dumps({"paths": sorted(paths)}).encode())
