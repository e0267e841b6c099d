"""Recall on any corpus with queries: `python bench/recall.py FOLDER... [--limit N] [--model-of STORE]`.

A set is a folder with two files of JSON lines. `corpus.jsonl`: {"id", "title", "body", "tags", "project",
"created_at"}; `queries.jsonl`: {"query", "relevant": [ids], "project"}. Only ids, bodies, queries and
`relevant` are required. The notes go into a temporary store.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from semantic_store import use_model_of

from anamnesis.errors import AnamnesisError
from anamnesis.eval import EvalCase, RecallReport, as_case, recall_at_k
from anamnesis.files import parse_object
from anamnesis.layout import GLOBAL, MEMORY
from anamnesis.notes.record import Memory, note_path, serialize
from anamnesis.store import MemoryStore

CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"


def main() -> int:
    """Print one line per set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--limit", type=int, help="only the first queries of each set")
    parser.add_argument("--model-of", type=Path, help="a store whose model is used too")
    args = parser.parse_args()
    heads = "".join(f"{head:>8}" for head in ("R@1", "R@3", "R@5", "R@8", "MRR", "ms"))
    sys.stdout.write(f"{'set':<20}{'cases':>7}{heads}\n")
    for folder in find_sets(args.folders):
        report, milliseconds = run(folder, limit=args.limit, model_of=args.model_of)
        shares = "".join(f"{share:>8.3f}" for share in (*report.recall.values(), report.mrr))
        sys.stdout.write(f"{folder.resolve().name[:19]:<20}{report.cases:>7}{shares}{milliseconds:>8.2f}\n")
        sys.stdout.flush()
    return 0


def find_sets(folders: list[Path]) -> Iterator[Path]:
    """The given folders and their subfolders that contain a set."""
    for folder in (each for given in folders for each in (given, *sorted(given.glob("*/")))):
        if (folder / CORPUS).is_file() and (folder / QUERIES).is_file():
            yield folder


def run(folder: Path, *, limit: int | None, model_of: Path | None) -> tuple[RecallReport, float]:
    """The results of one set, and the milliseconds of one search."""
    cases = read_cases(folder / QUERIES)[:limit]
    with tempfile.TemporaryDirectory(prefix="anamnesis-bench-") as root:
        ids = _lay_out(Path(root, MEMORY), folder / CORPUS)
        with MemoryStore(root) as store:
            store.stats()  # builds the index
            if model_of is not None:
                use_model_of(model_of, store)
            known = [replace(case, relevant=tuple(ids.get(n, n) for n in case.relevant)) for case in cases]
            started = time.perf_counter()
            report = recall_at_k(store, known)
            return report, (time.perf_counter() - started) * 1000 / max(1, len(cases))


def read_cases(path: Path) -> list[EvalCase]:
    """The cases in a file; AnamnesisError names an invalid line."""
    cases = []
    for number, entry in read_lines(path):
        try:
            cases.append(as_case(entry))
        except ValueError as exc:
            raise AnamnesisError(f"{path}, line {number}: {exc}; fix or remove the line") from exc
    if not cases:
        raise AnamnesisError(f"{path} has no cases")
    return cases


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """The JSON objects in a file with their line numbers; blank lines are skipped."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as exc:
        raise AnamnesisError(f"{path}: {exc.strerror}; name a file of JSON lines") from exc
    for number, line in enumerate(lines, 1):
        entry = parse_object(line)
        if entry is not None:
            yield number, entry
        elif line.strip():
            raise AnamnesisError(f"{path}, line {number}: not a JSON object; fix or remove the line")


def _lay_out(tree: Path, corpus: Path) -> dict[str, str]:
    """Write the notes of a corpus; returns the note id for each id in it."""
    ids: dict[str, str] = {}
    for number, entry in read_lines(corpus):
        tags = entry.get("tags")
        at = str(entry.get("created_at") or "")
        note = Memory(
            id=f"N{number:08d}",
            type="semantic",
            title=str(entry.get("title") or ""),
            body=str(entry["body"]),
            project=str(entry.get("project") or GLOBAL),
            tags=[str(tag) for tag in tags] if isinstance(tags, list) else [],
            created_at=at,
            updated_at=at,
        )
        ids[str(entry["id"])] = note.id
        (tree / note_path(note)).parent.mkdir(parents=True, exist_ok=True)
        (tree / note_path(note)).write_bytes(serialize(note).encode(errors="replace"))
    return ids


if __name__ == "__main__":
    raise SystemExit(main())
