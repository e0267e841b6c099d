"""Measuring recall: how often the right note is found, at which rank, how fast, and what reading it costs.

    cases        a case: a query with the notes that answer it; files of cases; cases that a model writes

Ranks start at 0. Recall at k is the share of queries with at least one relevant note among the first k. An
experiment measures before and after a change, on a copy of the store: the user's store is only read.

A bench measures any corpus with queries, in a temporary store. Its set is two files of JSON lines.
`corpus.jsonl`: {"id", "title", "body", "tags", "project", "created_at"}; `queries.jsonl`: {"text",
"relevant": [ids], "project"}; only ids, texts and `relevant` are required.
"""

from __future__ import annotations

import math
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from anamnesis.errors import AnamnesisError
from anamnesis.eval.cases import EvalCase, as_case, parse_line, read_lines

# The specification names this one here.
from anamnesis.eval.cases import build_eval_candidates as build_eval_candidates
from anamnesis.layout import GLOBAL, MEMORY
from anamnesis.notes.record import Memory, ids_superseded_by, note_path, serialize
from anamnesis.store import MemoryStore
from anamnesis.store.meaning import enable_meaning
from anamnesis.text import Progress

KS = (1, 3, 5, 8)
CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"
Render = Callable[[MemoryStore, str], str]
# Changes the copy; maps the ids of removed notes to the ids that replace them.
Change = Callable[[MemoryStore], Mapping[str, str]]
_DEPTH = 10  # how far down nDCG looks
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class RecallReport:
    """The results of a set of cases, with the mean size of a query's hits and of a working set."""

    cases: int
    recall: dict[int, float]
    mrr: float
    ndcg: float
    p50_ms: float
    p95_ms: float
    hit_tokens: int
    working_set_tokens: int | None = None  # None: not measured

    def as_dict(self) -> dict[str, object]:
        """The JSON form, where the keys of `recall` are strings."""
        return {**asdict(self), "recall": {str(k): value for k, value in self.recall.items()}}


@dataclass(frozen=True, slots=True)
class _CaseResult:
    ranks: tuple[int, ...]
    relevant: int
    milliseconds: float
    characters: int


def recall_at_k(
    store: MemoryStore,
    cases: Iterable[EvalCase | Mapping[str, object]],
    ks: Sequence[int] = KS,
    *,
    renamed: Mapping[str, str] | None = None,
    render: Render | None = None,
    progress: Progress | None = None,
) -> RecallReport:
    """Search the store for every case; a note that replaced a relevant one counts as relevant.

    `renamed` maps the ids of removed notes to the notes that replaced them; `render` returns the working set
    of a project, measured for every project in the cases.
    """
    wanted = [as_case(case) for case in cases]
    known = store.list(bodies=False) if store.superseded_ids() else []
    heirs = {old: note.id for note in known for old in ids_superseded_by(note)} | dict(renamed or {})
    results: list[_CaseResult] = []
    for number, case in enumerate(wanted, 1):
        results.append(_ask(store, case, heirs, ks))
        if progress is not None:
            progress(number, len(wanted))
    projects = sorted({case.project or GLOBAL for case in wanted})
    sizes = [len(render(store, project)) for project in projects] if render is not None else []
    return _report(results, ks, working_set=_tokens(_mean(sizes)) if sizes else None)


def _ask(store: MemoryStore, case: EvalCase, heirs: Mapping[str, str], ks: Sequence[int]) -> _CaseResult:
    started = time.perf_counter()
    found = store.search(case.query, project=case.project, k=max(_DEPTH, *ks))
    taken = time.perf_counter() - started
    right = {_current_id(name, heirs) for name in case.relevant}
    ranks = tuple(rank for rank, note in enumerate(found) if note.id in right)
    size = sum(len(note.title) + len(note.body) for note in found[: max(ks)])
    return _CaseResult(ranks, len(right), taken * 1000, size)


def _report(results: Sequence[_CaseResult], ks: Sequence[int], *, working_set: int | None) -> RecallReport:
    times = [result.milliseconds for result in results]
    return RecallReport(
        cases=len(results),
        recall={k: _mean([float(any(rank < k for rank in result.ranks)) for result in results]) for k in ks},
        # A first relevant note at the first rank counts 1, at the second 1/2, and so on; none counts 0.
        mrr=_mean([1 / (min(result.ranks) + 1) if result.ranks else 0.0 for result in results]),
        ndcg=_mean([_ndcg(result.ranks, result.relevant) for result in results]),
        p50_ms=_percentile(times, 0.5),
        p95_ms=_percentile(times, 0.95),
        hit_tokens=_tokens(_mean([result.characters for result in results])),
        working_set_tokens=working_set,
    )


def _current_id(name: str, heirs: Mapping[str, str]) -> str:
    seen = {name}
    while (heir := heirs.get(name)) is not None and heir not in seen:
        seen.add(heir)
        name = heir
    return name


def _ndcg(ranks: Sequence[int], relevant: int) -> float:
    """How close the order comes to all relevant notes first; 1 is perfect."""
    ideal = sum(_gain(rank) for rank in range(min(_DEPTH, relevant)))
    return sum(_gain(rank) for rank in ranks if rank < _DEPTH) / ideal if ideal else 0.0


def _gain(rank: int) -> float:
    return 1 / math.log2(rank + 2)


def _mean(values: Sequence[float]) -> float:
    """The mean to four places; 0 for no values."""
    return round(sum(values) / len(values), 4) if values else 0.0


def _percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of all values do not exceed; 0 for no values."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 3) if ordered else 0.0


def _tokens(characters: float) -> int:
    """About how many tokens a text of this many characters has."""
    return round(characters / _CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The same cases before and after a change, and how many notes there were."""

    before: RecallReport
    after: RecallReport
    notes_before: int
    notes_after: int


def compare(
    store: MemoryStore,
    cases: Sequence[EvalCase],
    change: Change,
    *,
    render: Render | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Measure a copy of the store, change it, and measure it again."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-experiment-") as folder:
        copy_trees(store, Path(folder))
        with MemoryStore(folder) as copy:
            before = recall_at_k(copy, cases, render=render, progress=progress)
            notes_before = _count_current(copy)
            renamed = change(copy)
            after = recall_at_k(copy, cases, renamed=renamed, render=render, progress=progress)
            return Comparison(before, after, notes_before, _count_current(copy))


def copy_trees(store: MemoryStore, root: Path) -> None:
    """Copy both trees of notes to `root`; links and the git repository are left out."""
    for tree in (store.memory_dir, store.local_dir):
        for path in sorted(tree.rglob("*.md")):
            inner = path.relative_to(store.root)
            if path.is_symlink() or not path.is_file() or ".git" in inner.parts:
                continue
            target = root / inner
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def _count_current(store: MemoryStore) -> int:
    hidden = store.superseded_ids()
    return sum(note.id not in hidden for note in store.list(bodies=False))


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
