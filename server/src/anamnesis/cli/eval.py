"""`eval`: build cases, run them, try a change on a copy of the store, bench any corpus."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from anamnesis.cli.opening import open_store, open_to_search
from anamnesis.cli.parser import add_json, add_semantic, add_verb, positive
from anamnesis.cli.terminal import Output, one_line, progress, tell
from anamnesis.config import resolve_home, resolve_machine_id
from anamnesis.curate import Plan
from anamnesis.errors import AnamnesisError
from anamnesis.eval import RecallReport, build_eval_candidates, compare, find_sets, recall_at_k, run_bench
from anamnesis.eval.cases import EvalCase, read_cases, write_cases
from anamnesis.inject.start import Start, start_session
from anamnesis.model.client import ModelClient
from anamnesis.model.endpoint import resolve_endpoint
from anamnesis.notes.record import utcnow
from anamnesis.operations.curation import carry_out, propose_dedup, propose_merge
from anamnesis.store import MemoryStore
from anamnesis.sync import backend_for
from anamnesis.text import plural

_REPORT = "{cases, recall: {k: share}, mrr, ndcg, p50_ms, p95_ms, hit_tokens, working_set_tokens}"


def add_eval(parser: argparse.ArgumentParser) -> None:
    """Arguments of `eval`."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    build = add_verb(verbs, "build", "have the configured model write one query per sampled note")
    build.add_argument("file", type=Path, metavar="FILE", help="where the cases go, one JSON object per line")
    build.add_argument(
        "--count", type=positive, default=50, metavar="N", help="notes to sample (default %(default)s)"
    )
    build.add_argument("--seed", default="0", metavar="TEXT", help="another seed gives another sample")
    build.add_argument("--project", metavar="KEY", help="only notes of this project")
    add_json(build, "{file, cases, problems, usage}")
    run = add_verb(verbs, "run", "search the store for every case")
    run.add_argument(
        "file", type=Path, metavar="FILE", help="cases: {query, relevant: [ids], project} per line"
    )
    add_semantic(run)
    add_json(run, f"{{at, name, {_REPORT[1:]}")
    trial = add_verb(verbs, "experiment", "measure before and after a change, on a copy of the store")
    trial.add_argument("file", type=Path, metavar="FILE", help="the cases")
    trial.add_argument(
        "--with", dest="change", choices=tuple(_PLANS), required=True, help="the change to try"
    )
    add_json(trial, f"{{change, before, after, notes_before, notes_after}}, both {_REPORT}")
    bench = add_verb(verbs, "bench", "measure any corpus.jsonl with queries.jsonl in a temporary store")
    bench.add_argument(
        "paths", type=Path, nargs="+", metavar="PATH", help="a folder with both, or both files"
    )
    bench.add_argument("--limit", type=positive, metavar="N", help="only the first N queries of each set")
    add_semantic(bench)
    add_json(bench, f"[{{at, name, {_REPORT[1:]}]")
    parser.epilog = "Example:\n  anamnesis eval run cases.jsonl"


def cmd_eval(args: argparse.Namespace) -> int:
    """Run one verb of `eval`."""
    return _VERBS[args.verb](args)


def _build(args: argparse.Namespace) -> int:
    out: Output = args.out
    if args.file.exists():
        raise AnamnesisError(f"{args.file} already exists; name another file, or remove it first")
    with open_store() as store, progress("asking") as bar:
        client = ModelClient(resolve_endpoint(home=store.root), root=store.root)
        candidates = build_eval_candidates(
            store, client, count=args.count, seed=args.seed, project=args.project, progress=bar
        )
    if candidates.cases:
        write_cases(args.file, candidates.cases)
    answer = {
        "file": str(args.file),
        "cases": len(candidates.cases),
        "problems": list(candidates.problems),
        "usage": asdict(client.spent),
    }
    written = f"{plural(len(candidates.cases), 'case')} in {args.file}"
    for problem in candidates.problems:
        out.hint(problem)
    out.result(answer, written if candidates.cases else "no cases were written")
    out.hint("read them before you trust them: a model wrote the queries")
    return 0 if candidates.cases and not candidates.problems else 1


def _run(args: argparse.Namespace) -> int:
    cases = read_cases(args.file)
    with open_to_search(by_meaning=args.semantic) as store, progress("searching") as bar:
        _tell_missing(store, cases)
        report = recall_at_k(store, cases, render=_working_set, progress=bar)
    args.out.result(_run_dict(args.file.stem, report), _table([(args.file.stem, report)]))
    return 0


def _tell_missing(store: MemoryStore, cases: Sequence[EvalCase]) -> None:
    there = {note.id for note in store.list(bodies=False)}
    gone = sum(not there.intersection(case.relevant) for case in cases)
    if gone:
        all_cases = plural(len(cases), "case")
        tell(f"{gone} of {all_cases} without a note in this store; each counts as a miss")


def _experiment(args: argparse.Namespace) -> int:
    cases = read_cases(args.file)
    with open_store() as store, progress("measuring") as bar:
        comparison = compare(
            store, cases, lambda copy: _apply_to_copy(copy, args.change), render=_working_set, progress=bar
        )
    answer = {
        "change": args.change,
        "before": comparison.before.as_dict(),
        "after": comparison.after.as_dict(),
        "notes_before": comparison.notes_before,
        "notes_after": comparison.notes_after,
    }
    table = _table([("before", comparison.before), (f"after {args.change}", comparison.after)])
    before, after = comparison.notes_before, comparison.notes_after
    counts = f"current notes: {before} before, {after} after; the store was not touched"
    args.out.result(answer, (*table, counts))
    return 0


def _bench(args: argparse.Namespace) -> int:
    measured: list[tuple[str, RecallReport]] = []
    for bench in find_sets(args.paths):
        with progress(bench.name) as bar:
            model_of = resolve_home() if args.semantic else None
            report = run_bench(bench, limit=args.limit, progress=bar, model_of=model_of)
            measured.append((bench.name, report))
    args.out.result([_run_dict(name, report) for name, report in measured], _table(measured))
    return 0


def _run_dict(name: str, report: RecallReport) -> dict[str, object]:
    """A run as JSON: what was measured, when, and the results."""
    return {"at": utcnow(), "name": name, **report.as_dict()}


def _table(rows: Sequence[tuple[str, RecallReport]]) -> Iterator[str]:
    ks = list(rows[0][1].recall)
    heads = [*(f"R@{k}" for k in ks), "MRR", "nDCG", "p50 ms", "p95 ms", "hits", "told"]
    yield f"{'set':<20}{'cases':>7}" + "".join(f"{head:>8}" for head in heads)
    for name, report in rows:
        shares = [*report.recall.values(), report.mrr, report.ndcg]
        size = "-" if report.working_set_tokens is None else report.working_set_tokens
        cells = [
            f"{one_line(name)[:19]:<20}{report.cases:>7}",
            *(f"{share:>8.3f}" for share in shares),
            f"{report.p50_ms:>8.2f}{report.p95_ms:>8.2f}{report.hit_tokens:>8}{size:>8}",
        ]
        yield "".join(cells)


def _working_set(store: MemoryStore, project: str) -> str:
    return start_session(Start(home=str(store.root), project=project)).text


def _apply_to_copy(copy: MemoryStore, change: str) -> Mapping[str, str]:
    plan = _PLANS[change](copy)
    backend = backend_for(copy.memory_dir, remote=None, machine_id=resolve_machine_id())
    carry_out(copy, backend, plan)
    return {step.note.id: step.heir for step in plan.steps if step.heir}


_PLANS: dict[str, Callable[[MemoryStore], Plan]] = {
    "merge": lambda copy: propose_merge(copy, machine_id=resolve_machine_id()),
    "dedup": propose_dedup,
}
_VERBS = {"build": _build, "run": _run, "experiment": _experiment, "bench": _bench}
