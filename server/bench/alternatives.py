"""Anamnesis compared with other MCP memories: the same notes and queries through each one's own tools.

python server/bench/alternatives.py SIZE NAME=COMMAND ...

    python server/bench/alternatives.py 1000 anamnesis="anamnesis serve" \\
        mcp-memory-service="memory server" server-memory="mcp-server-memory"

Install the others in separate environments; the commands are theirs. Each gets an empty home. "found" is
the share of queries (six words of one note, out of order) whose answer contains that note's title. A server
that reads files of its own gets all but the last notes of a large store as files. The processor time is
that of the server's own process, and the load the one after its last query.
"""

from __future__ import annotations

import json
import os
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus import make_store
from measure import quantile, seconds, size_of
from serve import Served

from anamnesis.notes.record import Memory, deserialize, serialize

Arguments = dict[str, object]
_STARTS = 3
_BY_TOOL = 1000  # notes that every server gets through its own tool
_LAST = 200  # of a larger store
_TIMED = 100  # the last writes
_QUIET_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Rival:
    """How to write a note to one server and how to query it."""

    write: tuple[str, Callable[[Memory], Arguments]]
    search: tuple[str, Callable[[str], Arguments]]
    settings: Mapping[str, str]  # {home} stands for its folder
    fill: Callable[[Path, Sequence[Memory]], None] | None = None  # writes notes into the files that it reads


def _put_notes(home: Path, notes: Sequence[Memory]) -> None:
    for note in notes:
        path = home / "memory" / note.type / f"{note.id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(serialize(note), encoding="utf-8")


def _put_entities(home: Path, notes: Sequence[Memory]) -> None:
    lines = (json.dumps({"type": "entity", **_entity(note)}) for note in notes)
    (home / "memory.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _put_markdown(home: Path, notes: Sequence[Memory]) -> None:
    for note in notes:
        path = home / "notes" / note.type / f"{note.title.replace('/', '-')[:80]}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        heading = f"---\ntitle: {json.dumps(note.title)}\ntype: note\n---\n\n"
        path.write_text(f"{heading}{note.body}\n", encoding="utf-8")


def _entity(note: Memory) -> Arguments:
    return {"name": note.title, "entityType": note.type, "observations": [note.body]}


RIVALS = {
    "anamnesis": Rival(
        ("memory_write", lambda note: {"type": note.type, "title": note.title, "body": note.body}),
        ("memory_search", lambda query: {"query": query, "k": 8}),
        {},
        _put_notes,
    ),
    "mcp-memory-service": Rival(
        ("memory_store", lambda note: {"content": f"{note.title}\n\n{note.body}"}),
        ("memory_search", lambda query: {"query": query, "limit": 8, "mode": "hybrid"}),
        # Its model would have to be downloaded; the hashes it uses instead outweigh the words that match.
        {
            "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec",
            "MCP_MEMORY_SQLITE_PATH": "{home}/memory.db",
            "MCP_HYBRID_KEYWORD_WEIGHT": "1",
            "MCP_HYBRID_SEMANTIC_WEIGHT": "0",
            "MCP_MEMORY_OFFLINE": "1",
        },
    ),
    "server-memory": Rival(
        ("create_entities", lambda note: {"entities": [_entity(note)]}),
        ("search_nodes", lambda query: {"query": query}),
        {"MEMORY_FILE_PATH": "{home}/memory.jsonl"},
        _put_entities,
    ),
    "basic-memory": Rival(
        (
            "write_note",
            lambda note: {"project": "main", "title": note.title, "content": note.body, "folder": note.type},
        ),
        ("search_notes", lambda query: {"project": "main", "query": query, "page_size": 8}),
        # Its model would have to be downloaded, and it would look for updates.
        {
            "BASIC_MEMORY_HOME": "{home}/notes",
            "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
            "BASIC_MEMORY_AUTO_UPDATE": "false",
            "BASIC_MEMORY_NO_PROMOS": "1",
            "FASTMCP_CHECK_FOR_UPDATES": "off",
        },
        _put_markdown,
    ),
}


def measure(
    rival: Rival, command: Sequence[str], notes: Sequence[Memory], queries: Sequence[tuple[str, str]]
) -> str:
    """One line: start, write, search, found, memory, disk, processor time of a write and of a search."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-rival-") as folder:
        home = Path(folder) / "store"
        home.mkdir()
        settings = {name: text.format(home=home) for name, text in rival.settings.items()}
        starts = [_start(home, command, settings) for _ in range(_STARTS)]
        if rival.fill and len(notes) > _BY_TOOL:
            rival.fill(home, notes[:-_LAST])
            notes = notes[-_LAST:]
        served = Served(home, command, settings)
        served.ask("tools/list", {})
        _wait_until_idle(served)
        try:
            return _line(rival, served, notes, queries, statistics.median(starts), home)
        finally:
            served.process.kill()
            served.process.communicate()


def _line(
    rival: Rival,
    served: Served,
    notes: Sequence[Memory],
    queries: Sequence[tuple[str, str]],
    start: float,
    home: Path,
) -> str:
    tool, told = rival.write
    for note in notes[:-_TIMED]:
        _told(served, tool, told(note))
    last, before_writes = notes[-_TIMED:], served.cpu()
    writes = [seconds(lambda note=note: _told(served, tool, told(note))) for note in last]  # type: ignore[misc]
    found, times, before_searches = 0, [], served.cpu()
    tool, asked = rival.search
    for query, title in queries:
        before = time.perf_counter()
        answer = served.call(tool, **asked(query))
        times.append(time.perf_counter() - before)
        found += json.dumps(title)[1:-1] in answer
    write_cpu = (before_searches - before_writes) / len(writes)
    search_cpu = (served.cpu() - before_searches) / len(times)
    size = size_of(home.parent) / 2**20
    write, search = statistics.median(writes), statistics.median(times)
    return (
        f"{start * 1e3:>10.0f} ms {write * 1e3:>9.1f} ms {search * 1e3:>9.1f} ms"
        f" {quantile(times, 0.95) * 1e3:>9.1f} ms {found / len(queries):>7.0%}"
        f" {served.resident():>7.0f} MiB {size:>7.1f} MiB"
        f" {write_cpu * 1e3:>6.0f} ms {search_cpu * 1e3:>6.0f} ms"
    )


def _wait_until_idle(served: Served) -> None:
    """Wait until the server has indexed what it found at its start."""
    before = -1.0
    while (now := served.cpu()) - before > _QUIET_SECONDS / 10:
        before = now
        time.sleep(_QUIET_SECONDS)


def _told(served: Served, tool: str, note: Arguments) -> None:
    answer = served.call(tool, **note)
    if '"isError":true' in answer:
        raise SystemExit(f"a note was refused: {answer[:300]}")


def _start(home: Path, command: Sequence[str], settings: Mapping[str, str]) -> float:
    before = time.perf_counter()
    served = Served(home, command, settings)
    served.ask("tools/list", {})
    taken = time.perf_counter() - before
    served.process.kill()
    served.process.communicate()
    return taken


def corpus(size: int) -> tuple[list[Memory], list[tuple[str, str]]]:
    """The notes, and queries with the title of the note their words come from."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-rival-") as folder:
        queries = make_store(Path(folder), count=size)
        files = sorted(Path(folder).rglob("*.md"), key=lambda path: path.name)
        notes = [deserialize(path.read_text(encoding="utf-8")) for path in files]
    step = max(size // 200, 1)
    return notes, [(query, notes[number * step].title) for number, query in enumerate(queries)]


def main(argv: Sequence[str]) -> int:
    """Print a line for each server."""
    notes, queries = corpus(int(argv[0]))
    load = os.getloadavg()[0]
    sys.stdout.write(f"{len(notes):,} notes, {len(queries)} queries, load {load:.1f} at the start\n")
    heads = f"{'until list':>13} {'one write':>12} {'search p50':>12} {'p95':>12} {'found':>7}"
    sys.stdout.write(
        f"{'':<20}{heads} {'memory':>11} {'disk':>11} {'write CPU':>9} {'search':>9} {'load':>6}\n"
    )
    for word in argv[1:]:
        name, _, command = word.partition("=")
        line = measure(RIVALS[name], shlex.split(command), notes, queries)
        sys.stdout.write(f"{name:<20}{line} {os.getloadavg()[0]:>6.1f}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
