"""The small files that sync keeps inside the repository: hints, the count of syncs, the journal of a landing.

Hints (`state.json`, written under the store's write lock) and the count of syncs (`runs.json`, written under
the sync lock) may vanish without harm; the journal and the list of unwritten files are written durably,
because the next run continues from them.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

from anamnesis.files import TEMP_PREFIX, make_folder, read_object, write_atomic


@dataclass(slots=True)
class Memo:
    """What the last run left to make the next one cheap."""

    head: str | None = None  # the commit that the index file matched
    index: list[int] = field(default_factory=list)  # inode, size and time of the index file then
    ready: str = ""  # the set-up that was made, so that it is not made again


def load_memo(own: Path) -> Memo:
    """The hints; an empty set when there are none."""
    found = read_object(own / "state.json")
    memo = Memo()
    for key, kind in (("head", str), ("index", list), ("ready", str)):
        if isinstance(found.get(key), kind):
            setattr(memo, key, found[key])
    return memo


def save_memo(own: Path, memo: Memo) -> None:
    """Leave hints for the next run."""
    _replace_soon(own / "state.json", asdict(memo))


@dataclass(frozen=True, slots=True)
class Runs:
    """The syncs of this store, numbered: the last to start, the last to finish, and how that one ended."""

    started: int = 0
    finished: int = 0
    reached: bool = True  # whether the remote answered the sync that finished last
    last_sync: str | None = None  # when the remote last answered


def load_runs(own: Path) -> Runs:
    """The count of syncs; it starts at zero when there is none that can be read."""
    found = read_object(own / "runs.json")
    started, finished, last = found.get("started"), found.get("finished"), found.get("last_sync")
    return Runs(
        started=started if isinstance(started, int) else 0,
        finished=finished if isinstance(finished, int) else 0,
        reached=found.get("reached") is not False,
        last_sync=last if isinstance(last, str) else None,
    )


def save_runs(own: Path, runs: Runs) -> None:
    """Write the count of syncs; the caller holds the sync lock."""
    for leftover in own.glob("runs.*.tmp"):
        leftover.unlink(missing_ok=True)
    _replace_soon(own / "runs.json", asdict(runs))


def clear_leftovers(own: Path) -> None:
    """Remove the temporary files of processes that died; the caller holds the store's write lock."""
    for folder in (own, own.parent, own.parent / "info"):
        with suppress(FileNotFoundError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith((TEMP_PREFIX, "state.")) and entry.name != "state.json":
                    Path(entry.path).unlink(missing_ok=True)


def _replace_soon(path: Path, content: dict[str, object]) -> None:
    """Replace a file that nothing depends on, without waiting for the disk."""
    make_folder(path.parent)
    temp = path.with_suffix(f".{os.getpid()}.tmp")
    temp.touch(mode=0o600)
    temp.write_text(json.dumps(content))
    temp.replace(path)


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


def has_journal(own: Path) -> bool:
    """Whether a landing is under way, or was cut short."""
    return (own / "journal.json").exists()


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
