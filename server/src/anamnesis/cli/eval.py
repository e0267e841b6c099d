"""`eval`: have a model write cases, and search the store for each of them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

from anamnesis.cli.opening import open_store, open_to_search
from anamnesis.cli.output import Output, progress, tell
from anamnesis.errors import AnamnesisError
from anamnesis.eval import EvalCase, build_eval_candidates, read_cases, recall_at_k
from anamnesis.files import write_atomic
from anamnesis.model import ModelClient, resolve_endpoint
from anamnesis.notes.record import utcnow
from anamnesis.store import MemoryStore
from anamnesis.text import plural


def cmd_eval(args: argparse.Namespace) -> int:
    """Run one verb of `eval`."""
    return _build(args) if args.verb == "build" else _run(args)


def _build(args: argparse.Namespace) -> int:
    out: Output = args.out
    if args.file.exists():
        raise AnamnesisError(f"{args.file} already exists; name another file, or remove it first")
    with open_store() as store, progress("asking") as bar:
        client = ModelClient(resolve_endpoint(home=store.root), root=store.root)
        candidates = build_eval_candidates(
            store, client, count=args.count, seed=args.seed, project=args.project, progress=bar
        )
    cases, problems = candidates.cases, list(candidates.problems)
    if cases:
        lines = (json.dumps(asdict(case), ensure_ascii=False) + "\n" for case in cases)
        write_atomic(args.file, "".join(lines).encode())
    for problem in problems:
        out.hint(problem)
    out.result(
        {"file": str(args.file), "cases": len(cases), "problems": problems, "usage": client.spent._asdict()},
        f"{plural(len(cases), 'case')} in {args.file}" if cases else "no cases were written",
    )
    out.hint("read them before you trust them: a model wrote the queries")
    return 0 if cases and not problems else 1


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
    if gone := sum(not there.intersection(case.relevant) for case in cases):
        tell(f"{gone} of {plural(len(cases), 'case')} without a note in this store; each counts as a miss")
