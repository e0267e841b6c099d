"""`make bench`: speed and size, each as a ratio to its floor in the same run.

python server/bench/run.py [SIZE ...]        default sizes: 1000 10000 20000
"""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import chain, count
from pathlib import Path
from uuid import uuid4

from corpus import make_store
from measure import Row, child_cpu, in_turn, median, own_cpu, peak_memory, quantile, run_process, seconds

from anamnesis.recall import _fts_query
from anamnesis.store import MemoryStore

_RUNS = 15
_CAPTURES = 5
_ONE_SHOT = (["search", "some words"], ["status"], ["list"], ["doctor"])


def main(sizes: list[int]) -> int:
    """Print every row for every size."""
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="anamnesis-bench-") as folder:
            home = Path(folder) / "store"
            queries = make_store(home, count=size)
            rows = (_index_rows(home, size), _search_rows(home, size, queries), _command_rows(home, size))
            for row in chain.from_iterable(rows):
                sys.stdout.write(row.text() + "\n")
                sys.stdout.flush()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"peak memory of this process, all sizes: {peak:.0f} MiB\n")
    return 0


def _index_rows(home: Path, size: int) -> Iterator[Row]:
    runs = 3 if size <= 10_000 else 1
    with MemoryStore(home) as store:
        rebuild, floor = in_turn(
            lambda: store.reindex(full=True),
            lambda: _bulk_insert(home, home / "floor.db"),
            runs=runs,
            clock=own_cpu,
        )
        yield Row("full rebuild (CPU) / reading and inserting", size, rebuild, floor, 2.0)
        note = store.list(bodies=False)[0]
        path = store.path_of(note.id)
        if path is None:
            return

        def _touch_and_refresh() -> None:
            path.write_text(path.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
            store.reindex()

        stats = median(lambda: _stat_all(home), runs=5)
        yield Row(
            "incremental refresh after one change / a stat each",
            size,
            median(_touch_and_refresh, runs=5),
            stats,
            None,
        )
        bare = median(lambda: _bare_write(home), runs=_RUNS)
        write = median(lambda: store.write(type="semantic", title="One more", body="word " * 150), runs=_RUNS)
        yield Row("one write / a synced, renamed file", size, write, bare, None)


def _search_rows(home: Path, size: int, queries: list[str]) -> Iterator[Row]:
    floor_db = sqlite3.connect(home / "floor.db")
    with MemoryStore(home) as store:
        store.search("warm up")
        # Alternating, so that load affects both equally.
        pairs = [
            (seconds(partial(store.search, query)), seconds(partial(_bare_query, floor_db, query)))
            for query in queries
        ]
    ours, bare = zip(*pairs, strict=True)
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        bar = 1.0 if name == "p50" and size >= 10_000 else None
        yield Row(
            f"search {name} / bare FTS5, all words by OR",
            size,
            quantile(ours, share),
            quantile(bare, share),
            bar,
        )


def _command_rows(home: Path, size: int) -> Iterator[Row]:
    work = home.parent / "proj-00"
    work.mkdir(exist_ok=True)
    env = {
        "ANAMNESIS_HOME": str(home),
        "HOME": str(home.parent),
        "CLAUDE_CONFIG_DIR": str(home.parent / "claude"),
    }
    command = str(Path(sys.executable).with_name("anamnesis"))
    bare = run_process([sys.executable, "-c", "pass"], env=env)
    payload = f'{{"cwd": "{work}"}}'.encode()

    def _taken(*words: str) -> tuple[float, float]:
        ours = run_process([command, *words], env=env, stdin=payload, cwd=str(work))
        return in_turn(ours, bare, runs=_RUNS, clock=child_cpu)

    commands = {
        "inject": (["inject"], (6.0, 7.2)),
        "search": (["search", "some words"], (6.0, 8.0)),
        "search without a hit": (["search", "xyzzyplugh"], (6.0, 8.0)),
        "status": (["status"], (8.0, 11.0)),
    }
    for name, (words, bars) in commands.items():
        yield Row(
            f"anamnesis {name} (CPU) / bare interpreter",
            size,
            *_taken(*words),
            bars[size > 1000],
        )
    if run_process([command, "sync"], env=env)():
        raise SystemExit(f"the first sync of {size:,} notes failed, so `status` with git cannot be measured")
    yield Row(
        "anamnesis status with git (CPU) / bare interpreter",
        size,
        *_taken("status"),
        {1000: 8.0, 10_000: 11.0}.get(size),  # above, it may grow as `git status` does
    )
    payloads = (_session(work, number) for number in count())
    cpu = statistics.median(
        child_cpu(run_process([command, "capture"], env=env, stdin=next(payloads), cwd=str(work)))
        for _ in range(_CAPTURES)
    )
    yield Row("anamnesis capture (CPU) / 0.3 s", size, cpu, 0.3, 1.0)
    for words in _ONE_SHOT:
        memory = peak_memory([command, *words], env=env, cwd=str(work))
        yield Row(f"memory of anamnesis {words[0]} / 100 MiB", size, memory, 100.0, 1.0, "MiB")


def _session(work: Path, number: int) -> bytes:
    """The SessionEnd payload of a new session with its own content."""
    session = str(uuid4())
    transcript = work.parent / f"{session}.jsonl"
    shared = {"sessionId": session, "cwd": str(work), "version": "2.1.0"}
    lines = []
    for turn in range(15):
        at = f"2026-01-01T10:{turn:02}"
        asked = (
            f"Make case {number}.{turn} of the ledger import keep its trailing comma, and say why it did not"
        )
        told = f"The tokenizer dropped the comma in case {turn}; `parse_row` in ledger/parse.py keeps it now."
        said = [{"type": "text", "text": told}]
        for role, content, seconds_ in (("user", asked, "00"), ("assistant", said, "30")):
            message = {"role": role, "content": content}
            line = {**shared, "type": role, "uuid": str(uuid4()), "timestamp": f"{at}:{seconds_}.000Z"}
            lines.append(json.dumps({**line, "message": message}))
    transcript.write_text("\n".join(lines) + "\n")
    payload = {"session_id": session, "transcript_path": str(transcript), "cwd": str(work)}
    return json.dumps({**payload, "hook_event_name": "SessionEnd", "reason": "exit"}).encode()


def _bulk_insert(home: Path, target: Path) -> None:
    """The floor of a rebuild: read every file, insert title, body and tags in one transaction."""
    target.unlink(missing_ok=True)
    db = sqlite3.connect(target)
    db.execute("CREATE VIRTUAL TABLE f USING fts5(title, body, tags, tokenize='porter unicode61')")
    with db:
        for path in sorted((home / "memory").rglob("*.md")):
            head, _, body = path.read_text(encoding="utf-8")[4:].partition("\n---\n")
            title = head.partition("\ntitle: ")[2].partition("\n")[0]
            tags = head.partition("\ntags:\n")[2].replace("- ", "")
            db.execute("INSERT INTO f VALUES (?, ?, ?)", (title, body, tags))
    db.close()


def _bare_query(db: sqlite3.Connection, query: str) -> None:
    db.execute(
        "SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f) LIMIT 8", (_fts_query(query),)
    ).fetchall()


def _stat_all(home: Path) -> None:
    for path in (home / "memory").rglob("*.md"):
        path.stat()


def _bare_write(home: Path) -> None:
    target = home / "memory" / "semantic" / "bare"
    with open(f"{target}.tmp", "wb") as handle:
        handle.write(b"word " * 180)
        handle.flush()
        os.fsync(handle.fileno())
    os.replace(f"{target}.tmp", target)


if __name__ == "__main__":
    sys.exit(main([int(size) for size in sys.argv[1:]] or [1000, 10_000, 20_000]))
