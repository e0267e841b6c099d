"""The curation commands: tidy, merge, dedup, migrate, backfill-provenance. Dry runs unless --apply."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Mapping

from anamnesis.cli.commands import usage_error
from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.output import one_line, progress
from anamnesis.config import home_folder, resolve_aliases, resolve_machine_id
from anamnesis.curate import Applied, Plan, Step, plan_backfill, plan_dedup, plan_merge, plan_migrate
from anamnesis.errors import ConfigError
from anamnesis.operations import curation
from anamnesis.operations.reading import known_projects, project_to_read
from anamnesis.project import place_of, spelled
from anamnesis.store import MemoryStore
from anamnesis.text import plural

_SIGNS = {"write": "+", "update": "~", "delete": "-"}


def cmd_merge(args: argparse.Namespace) -> int:
    """Propose one merged note for each group of notes that say the same."""
    with open_store() as store:
        return _say(args, "merge", _apply(store, _merge(store, args), args))


def _project(store: MemoryStore, wanted: str | None) -> str | None:
    return project_to_read(store, wanted, here=place_of(".", home=home_folder()).key)


def _merge(store: MemoryStore, args: argparse.Namespace, *, without: Collection[str] = ()) -> Plan:
    project = _project(store, args.project)
    return plan_merge(store, machine_id=resolve_machine_id(), project=project, without=without)


def cmd_dedup(args: argparse.Namespace) -> int:
    """Collapse notes with identical bodies."""
    with open_store() as store:
        return _say(args, "dedup", _apply(store, plan_dedup(store), args))


def cmd_tidy(args: argparse.Namespace) -> int:
    """Collapse identical notes, then merge those that say the same."""
    with open_store() as store:
        same = plan_dedup(store, project=_project(store, args.project))
        applied = _apply(store, same, args)
        # Applied, they are gone; in a dry run they are left out of the comparison.
        gone = {step.note.id for step in same.steps if step.action == "delete"}
        rest = _apply(store, _merge(store, args, without=gone), args)
    return _say(args, "tidy", Applied((*applied.done, *rest.done), (*applied.left, *rest.left)))


def cmd_migrate(args: argparse.Namespace) -> int:
    """Move notes from one project key to another."""
    if args.aliases == (args.new is not None) or (args.aliases and args.old is not None):
        return usage_error("migrate", "give OLD and NEW, or --aliases")
    with open_store() as store:
        keys = known_projects(store)
        renames = resolve_aliases() if args.aliases else _rename(args.old, args.new, keys)
        plan = plan_migrate(store, renames)
        if not plan.steps:
            args.out.hint(f"no note has an old key; known keys: {', '.join(sorted(keys)) or 'none'}")
        return _say(args, "migrate", _apply(store, plan, args, renames=renames))


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
        return _say(args, "backfill-provenance", _apply(store, plan, args))


def _apply(
    store: MemoryStore, plan: Plan, args: argparse.Namespace, *, renames: Mapping[str, str] | None = None
) -> Applied:
    """Apply the plan; in a dry run, all of it counts as done."""
    if not args.apply:
        return Applied(plan.steps, ())
    with progress(plan.name) as bar:
        return curation.carry_out(store, open_backend(store), plan, renames=renames, progress=bar)


def _say(args: argparse.Namespace, name: str, applied: Applied) -> int:
    """Print what was done, or would be."""
    answer = {
        "command": name,
        "applied": args.apply,
        "steps": [step.as_dict() for step in applied.done],
        "left": [step.note.id for step in applied.left],
    }
    args.out.result(answer, (line for step in applied.done for line in _step_lines(step)))
    for step in applied.left:
        args.out.hint(f"not changed, because it was edited meanwhile: {step.note.id} {step.note.title}")
    dry = "" if args.apply else "; this was a dry run, --apply does it"
    args.out.hint(f"{name}: {plural(len(applied.done), 'change')}{dry}")
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
