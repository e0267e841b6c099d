"""`eval`: build cases, and run them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from anamnesis.cli.parser import add_json, add_semantic, add_verb, open_store, open_to_search, positive
from anamnesis.cli.terminal import Output, progress, tell
from anamnesis.errors import AnamnesisError
from anamnesis.eval import EvalCase, build_eval_candidates, read_cases, recall_at_k
from anamnesis.files import write_atomic
from anamnesis.model.client import ModelClient
from anamnesis.model.endpoint import resolve_endpoint
from anamnesis.notes.record import utcnow
from anamnesis.store import MemoryStore
from anamnesis.text import plural

_REPORT = "{cases, recall: {k: share}, mrr}"


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
        lines = (json.dumps(asdict(case), ensure_ascii=False) + "\n" for case in candidates.cases)
        write_atomic(args.file, "".join(lines).encode())
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
        report = recall_at_k(store, cases, progress=bar)
    shares = [*((f"R@{k}", share) for k, share in report.recall.items()), ("MRR", report.mrr)]
    line = f"{plural(report.cases, 'case')}: " + ", ".join(f"{name} {share:.3f}" for name, share in shares)
    args.out.result({"at": utcnow(), "name": args.file.stem, **report.as_dict()}, line)
    return 0


def _tell_missing(store: MemoryStore, cases: Sequence[EvalCase]) -> None:
    there = {note.id for note in store.list(bodies=False)}
    gone = sum(not there.intersection(case.relevant) for case in cases)
    if gone:
        all_cases = plural(len(cases), "case")
        tell(f"{gone} of {all_cases} without a note in this store; each counts as a miss")


_VERBS = {"build": _build, "run": _run}
