"""What each page of the dashboard costs the server, as a ratio to a page of 50 notes.

python server/bench/pages.py [SIZE ...]        default sizes: 1000 10000
python server/bench/pages.py FOLDER            an existing store; a few notes are written to it

Processor time of the request and of the git it runs, median of several requests: repeated with no
change, first after a note was written, and first after a note was written and committed.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

from corpus import make_store
from measure import Row

from anamnesis import __version__
from anamnesis.dashboard import activity, inbox, notes, upkeep
from anamnesis.dashboard.call import Call, Endpoint
from anamnesis.index.query import Filter
from anamnesis.store import MemoryStore
from anamnesis.sync import backend_for
from anamnesis.sync.heartbeat import heartbeat_path
from anamnesis.sync.results import Heartbeat

_RUNS = 7
_CHANGED = 3  # how often the store is changed before a request
_TITLE = "A note of the bench"
_FLOOR = (notes.list_notes, "limit=50")
_PAGES: dict[str, tuple[Endpoint, str]] = {
    "status, on every page": (upkeep.status, ""),
    "health, on every page": (upkeep.health, ""),
    "Overview": (upkeep.overview, ""),
    "Notes, their filters": (notes.facets, ""),
    "Notes, one project": (notes.list_notes, "limit=50&project=proj-00"),
    "Note": (notes.whole_note, ""),
    "Note, its links": (notes.note_links, ""),
    "Note, its versions": (notes.note_history, ""),
    "Inbox": (inbox.inbox, ""),
    "Inbox, duplicates": (inbox.duplicates, ""),
    "Activity": (activity.activity, ""),
    "Activity, deleted notes": (activity.activity, "kind=deleted"),
    "Projects": (upkeep.list_projects, ""),
    "Project": (upkeep.one_project, "key=proj-00"),
    "Machines": (upkeep.machines, ""),
    "Settings": (upkeep.list_settings, ""),
    "Health": (upkeep.health, "all=1"),
}


def page_rows(space: Call, size: int) -> Iterator[Row]:
    """Every page's request compared with a page of notes: repeated, and first after a change."""
    floor = _again(space, *_FLOOR)
    for name, question in _PAGES.items():
        again = _again(space, *question)
        yield Row(f"pages: {name}", size, again, floor, None)
        for what, change in _CHANGES.items():
            yield Row(f"pages: {name}, after {what}", size, _after(space, change, *question), floor, None)
        _let_time_pass(space)


def _again(space: Call, act: Endpoint, query: str) -> float:
    """Processor seconds for a repeated request."""
    _cpu(space, act, query)
    return statistics.median(_cpu(space, act, query) for _ in range(_RUNS))


def _after(space: Call, change: Callable[[Call], None], act: Endpoint, query: str) -> float:
    """Processor seconds for the first request after a change."""
    found = []
    for _ in range(_CHANGED):
        change(space)
        found.append(_cpu(space, act, query))
    return statistics.median(found)


def _write(space: Call) -> None:
    """Write one more note; each has another second, and so another place in every list."""
    space.store.write(type="semantic", title=_TITLE, body="Text", project="proj-00")


def _let_time_pass(space: Call) -> None:
    """Make the benchmark's notes an hour old: no user writes a hundred in a minute."""
    written = [
        path
        for note in space.store.page(Filter(project="proj-00"), limit=200).notes
        if note.title == _TITLE and (path := space.store.path_of(note.id)) is not None
    ]
    _age(written)
    space.store.reindex()
    space.backend.state()


def _age(paths: Iterable[Path]) -> None:
    """Make files an hour old; of a store that was written just now, every file would count as changed."""
    hour_ago = time.time() - 3600
    for path in paths:
        os.utime(path, (hour_ago, hour_ago))


def _commit(space: Call) -> None:
    _write(space)
    space.backend.commit()


_CHANGES = {"a note": _write, "a commit": _commit}


def _cpu(space: Call, act: Endpoint, query: str) -> float:
    call = replace(space, path={"id": _oldest_id(space)}, query=dict(parse_qsl(query)))
    before = _used()
    json.dumps(act(call))
    return _used() - before


def _used() -> float:
    """Processor time of this process so far, and of the programs it ran."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def _oldest_id(space: Call) -> str:
    """The note for the pages about one note: always the same, as on a page that stays open."""
    return space.store.page(Filter(), limit=1, sort="oldest").notes[0].id


def _add_machines(memory: Path) -> None:
    """The heartbeats of three other machines."""
    for name in ("machine-0", "machine-1", "machine-2"):
        path = memory / heartbeat_path(name)
        path.parent.mkdir(exist_ok=True)
        beat = Heartbeat(machine=name, at="2026-01-01T00:00:00+00:00", version=__version__)
        path.write_text(json.dumps(beat._asdict()), encoding="utf-8")


def _open(home: Path, remote: Path) -> Call:
    store = MemoryStore(home)
    backend = backend_for(store.memory_dir, remote=str(remote), machine_id="bench")
    return Call(store, backend, "bench", {}, {}, {}, {})


def main(arguments: list[str]) -> int:
    """Print every page for every size, or for one store."""
    for argument in arguments:
        if argument.isdigit():
            with tempfile.TemporaryDirectory(prefix="anamnesis-bench-") as folder:
                make_store(Path(folder) / "store", count=int(argument))
                _age(path for path in Path(folder).rglob("*.md"))
                _print_rows(Path(folder) / "store")
        else:
            _print_rows(Path(argument).resolve())
    return 0


def _print_rows(home: Path) -> None:
    folder = home.parent
    os.environ.update(
        {"ANAMNESIS_HOME": str(home), "HOME": str(folder), "CLAUDE_CONFIG_DIR": f"{folder}/claude"}
    )
    space = _open(home, folder / "remote.git")
    with closing(space.store):
        _add_machines(space.store.memory_dir)
        space.backend.commit()
        size = space.store.page(Filter(), limit=1).total
        for row in page_rows(space, size):
            sys.stdout.write(row.text() + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["1000", "10000"]))
