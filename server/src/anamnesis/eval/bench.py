"""Measures any corpus with queries, in a temporary store.

A set is two files of JSON lines. `corpus.jsonl`: {"id", "title", "body", "tags", "project", "created_at"};
`queries.jsonl`: {"text", "relevant": [ids], "project"}; only ids, texts and `relevant` are required.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from anamnesis.errors import AnamnesisError
from anamnesis.eval import RecallReport, recall_at_k
from anamnesis.eval.cases import parse_line, read_lines
from anamnesis.layout import GLOBAL, MEMORY
from anamnesis.notes.record import Memory, note_path, serialize
from anamnesis.store import MemoryStore
from anamnesis.store.meaning import enable_meaning
from anamnesis.text import Progress

CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"


@dataclass(frozen=True, slots=True)
class BenchSet:
    """A corpus and its queries."""

    name: str
    corpus: Path
    queries: Path


def find_sets(paths: Sequence[Path]) -> list[BenchSet]:
    """The sets in the given folders or their subfolders, or the one given as two files."""
    if len(paths) == 2 and all(path.is_file() for path in paths):
        return [BenchSet(paths[0].resolve().parent.name, paths[0], paths[1])]
    folders = [folder for path in paths for folder in (path, *sorted(path.glob("*/")))]
    sets = [
        BenchSet(folder.resolve().name, folder / CORPUS, folder / QUERIES)
        for folder in folders
        if (folder / CORPUS).is_file() and (folder / QUERIES).is_file()
    ]
    if not sets:
        shown = ", ".join(map(str, paths))
        raise AnamnesisError(
            f"{shown}: no {CORPUS} next to a {QUERIES} there; name a folder with both, or both files"
        )
    return sets


def run_bench(
    bench: BenchSet,
    *,
    limit: int | None = None,
    progress: Progress | None = None,
    model_of: Path | None = None,
) -> RecallReport:
    """Measure one set; `limit` uses only the first queries, `model_of` is the store whose model to use."""
    cases = [parse_line(bench.queries, number, entry) for number, entry in read_lines(bench.queries)]
    with bench_store(bench) as (store, ids):
        if model_of is not None:
            enable_meaning(store, root=model_of, progress=progress)
        translated = [
            replace(case, relevant=tuple(ids.get(name, name) for name in case.relevant))
            for case in cases[:limit]
        ]
        return recall_at_k(store, translated, progress=progress)


@contextmanager
def bench_store(bench: BenchSet) -> Iterator[tuple[MemoryStore, dict[str, str]]]:
    """A temporary store with the notes of a set, and the note id for each id in the set."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-bench-") as folder:
        root = Path(folder)
        ids = _lay_out(root / MEMORY, bench)
        with MemoryStore(root) as store:
            yield store, ids


def _lay_out(tree: Path, bench: BenchSet) -> dict[str, str]:
    # Plain writes: this store need not survive a power cut, and opening it builds the index.
    ids: dict[str, str] = {}
    for number, entry in read_lines(bench.corpus):
        note = _note(bench.corpus, number, entry)
        ids[str(entry["id"])] = note.id
        path = tree / note_path(note)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(serialize(note).encode(errors="replace"))
    return ids


def _note(path: Path, number: int, entry: dict[str, object]) -> Memory:
    tags = entry.get("tags") or []
    if (
        not isinstance(entry.get("id"), str)
        or not isinstance(entry.get("body"), str)
        or not isinstance(tags, list)
    ):
        raise AnamnesisError(f"{path}, line {number}: a note needs the strings `id` and `body`; fix the line")
    return Memory(
        id=f"N{number:08d}",
        type="semantic",
        title=str(entry.get("title") or ""),
        body=str(entry["body"]),
        project=str(entry.get("project") or GLOBAL),
        tags=[str(tag) for tag in tags],
        created_at=str(entry.get("created_at") or ""),
        updated_at=str(entry.get("created_at") or ""),
    )
