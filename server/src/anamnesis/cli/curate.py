"""The curation commands: reflect, merge, dedup, migrate, backfill-provenance. Dry runs unless --apply."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict

from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.output import Output, one_line, progress
from anamnesis.cli.parser import usage_error
from anamnesis.config import home_folder, resolve_aliases, resolve_machine_id
from anamnesis.curate import Applied, Plan, Step, plan_backfill, plan_dedup, plan_merge, plan_migrate
from anamnesis.errors import ConfigError
from anamnesis.model import Usage
from anamnesis.notes.record import Memory, note_dict
from anamnesis.operations import curation
from anamnesis.operations.reading import known_projects, project_to_read
from anamnesis.project import place_of, spelled
from anamnesis.reflect import Outcome
from anamnesis.store import MemoryStore
from anamnesis.text import plural

_NO_ALIASES = "config.json has no `project_aliases`, so there is nothing to move"
_DRY = "dry run: nothing was changed; --apply does exactly this"
_SIGNS = {"write": "+", "update": "~", "delete": "-"}
_DONE = {"write": "written", "update": "changed", "delete": "deleted"}


def cmd_reflect(args: argparse.Namespace) -> int:
    """Reflect with the configured model; exit 1 if an answer could not be used."""
    out: Output = args.out
    with open_store() as store, progress("reflecting") as bar:
        outcomes, usage = curation.reflect_store(
            store,
            open_backend(store),
            machine_id=resolve_machine_id(),
            project=_project(store, args.project),
            apply=args.apply,
            progress=bar,
        )
    problems = [(one_line(each.project), each.problem) for each in outcomes if each.problem]
    for project, problem in problems:
        out.hint(f"{project}: {problem}")
    answer = {
        "applied": args.apply,
        "projects": [{**asdict(each), "notes": list(map(_note_dict, each.notes))} for each in outcomes],
        "usage": usage._asdict(),
    }
    out.result(answer, (line for outcome in outcomes for line in _outcome_lines(outcome)))
    _hint_end(out, bool(outcomes), "no project has enough new sessions to reflect", applied=args.apply)
    _hint_usage(out, usage)
    return 1 if problems else 0


def _hint_usage(out: Output, used: Usage) -> None:
    calls = plural(used.calls, "call")
    out.hint(f"model: {calls}, {used.characters_sent:,} characters sent, {used.seconds:.1f} s")


def _project(store: MemoryStore, wanted: str | None) -> str | None:
    return project_to_read(store, wanted, here=place_of(".", home=home_folder()).key)


def _note_dict(note: Memory) -> dict[str, object]:
    supersedes = note.supersedes.split()
    return {**note_dict(note, include_body=True), "prov_model": note.prov_model, "supersedes": supersedes}


def _outcome_lines(outcome: Outcome) -> Iterator[str]:
    project, origin = one_line(outcome.project), plural(len(outcome.sources), "session")
    if outcome.problem:
        return
    if not outcome.notes:
        yield f"{project}: nothing in {origin} is worth a note"
        return
    state = "written" if outcome.applied else "proposed"
    yield f"{project}: {plural(len(outcome.notes), 'note')} {state}, from {origin}"
    for note in outcome.notes:
        replaced = f" (replaces {note.supersedes})" if note.supersedes else ""
        yield f"  + {note.id} {note.type}: {one_line(note.title)}{replaced}"
        yield from (f"      {line}" for line in note.body.splitlines())


def cmd_merge(args: argparse.Namespace) -> int:
    """Propose one merged note for each group of notes that say the same."""
    with open_store() as store:
        return _finish(store, _merge(store, args), args, nothing="no notes say the same")


def _merge(store: MemoryStore, args: argparse.Namespace, *, without: Collection[str] = ()) -> Plan:
    project = _project(store, args.project)
    with progress("comparing") as bar:
        return plan_merge(
            store, machine_id=resolve_machine_id(), project=project, without=without, progress=bar
        )


def cmd_dedup(args: argparse.Namespace) -> int:
    """Collapse notes with identical bodies."""
    with open_store() as store:
        return _finish(store, plan_dedup(store), args, nothing="no notes are identical")


def cmd_tidy(args: argparse.Namespace) -> int:
    """Collapse identical notes, then merge those that say the same."""
    with open_store() as store:
        same = plan_dedup(store, project=_project(store, args.project))
        applied = _apply(store, same, args)
        # Applied, they are gone; in a dry run they are left out of the comparison.
        gone = {step.note.id for step in same.steps if step.action == "delete"}
        merged = _merge(store, args, without=gone)
        rest = _apply(store, merged, args)
    both = Applied((*applied.done, *rest.done), (*applied.left, *rest.left))
    return _say_plan(args, "tidy", both, nothing="no notes are identical or say the same")


def cmd_migrate(args: argparse.Namespace) -> int:
    """Move notes from one project key to another."""
    if args.aliases == (args.new is not None) or (args.aliases and args.old is not None):
        return usage_error("migrate", "give OLD and NEW, or --aliases")
    with open_store() as store:
        keys = known_projects(store)
        renames = resolve_aliases() if args.aliases else _rename(args.old, args.new, keys)
        plan = plan_migrate(store, renames)
        nothing = f"no note has that project key; known keys: {', '.join(sorted(keys)) or 'none'}"
        if args.aliases:
            nothing = "no note has the old key of an alias" if renames else _NO_ALIASES
        return _finish(store, plan, args, nothing=nothing, renames=renames)


def _rename(old: str, new: str, keys: Collection[str]) -> dict[str, str]:
    here = place_of(".", home=home_folder()).key
    before, after = (spelled(key, known=keys, here=here) for key in (old, new))
    if before == after:
        raise ConfigError(f"OLD and NEW both mean {after!r}; give two project keys")
    return {before: after}


def cmd_backfill_provenance(args: argparse.Namespace) -> int:
    """Fill in where notes came from, as far as there is evidence."""
    with open_store() as store:
        plan = plan_backfill(store, open_backend(store))
        return _finish(store, plan, args, nothing="there is nothing to fill in")


def _finish(
    store: MemoryStore,
    plan: Plan,
    args: argparse.Namespace,
    *,
    nothing: str,
    renames: Mapping[str, str] | None = None,
) -> int:
    """Apply the plan if asked to, and print it."""
    applied = _apply(store, plan, args, renames=renames)
    return _say_plan(args, plan.name, applied, nothing=nothing)


def _apply(
    store: MemoryStore, plan: Plan, args: argparse.Namespace, *, renames: Mapping[str, str] | None = None
) -> Applied:
    """Apply the plan; in a dry run, all of it counts as done."""
    if not args.apply:
        return Applied(plan.steps, ())
    with progress(plan.name) as bar:
        return curation.carry_out(store, open_backend(store), plan, renames=renames, progress=bar)


def _say_plan(
    args: argparse.Namespace,
    name: str,
    applied: Applied,
    *,
    nothing: str,
) -> int:
    out: Output = args.out
    answer = {
        "command": name,
        "applied": args.apply,
        "steps": [step.as_dict() for step in applied.done],
        "left": [step.note.id for step in applied.left],
    }
    out.result(answer, (line for step in applied.done for line in _step_lines(step)))
    for step in applied.left:
        out.hint(f"not changed, because it was edited meanwhile: {step.note.id} {one_line(step.note.title)}")
    has_work = bool(applied.done or applied.left)
    _hint_end(out, has_work, nothing, applied=args.apply, done=applied.done)
    return 0


def _step_lines(step: Step) -> Iterator[str]:
    yield f"{_SIGNS[step.action]} {step.note.id} {one_line(step.note.title)}: {one_line(step.why)}"
    for name, value in step.changes.items():
        if value == getattr(step.note, name):
            continue  # it is only the value that must not have changed
        yield f"    {name}: {_text(getattr(step.note, name))} -> {_text(value)}"
    if step.action == "write":
        yield from (f"    {line}" for line in step.note.body.splitlines())


def _text(value: object) -> str:
    return one_line(", ".join(map(str, value)) if isinstance(value, list) else str(value))


def _hint_end(out: Output, has_work: bool, if_none: str, *, applied: bool, done: Sequence[Step] = ()) -> None:
    if not has_work:
        out.hint(if_none)
    elif not applied:
        out.hint(_DRY)
    elif done:
        counts = ((verb, sum(step.action == action for step in done)) for action, verb in _DONE.items())
        out.hint("done: " + ", ".join(f"{plural(count, 'note')} {verb}" for verb, count in counts if count))
