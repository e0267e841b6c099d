"""Commands that tidy: reflect, merge, dedup, migrate, backfill-provenance. Dry runs unless --apply."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from dataclasses import asdict

from anamnesis.cli.opening import open_backend, open_store, open_to_search
from anamnesis.cli.parser import USAGE, add_json
from anamnesis.cli.terminal import one_line, progress, say, say_json, tell
from anamnesis.config import home_folder, resolve_aliases, resolve_machine_id
from anamnesis.counted import counted
from anamnesis.curate import (
    Applied,
    Plan,
    Step,
    apply_plan,
    plan_backfill,
    plan_dedup,
    plan_merge,
    plan_migrate,
)
from anamnesis.model import ModelClient, resolve_endpoint
from anamnesis.notes import Memory, note_dict
from anamnesis.operations import check_project
from anamnesis.project.choose import write_alias
from anamnesis.project.names import spelled
from anamnesis.project.place import place_of
from anamnesis.reflect import Outcome, reflect
from anamnesis.settings import resolve_number
from anamnesis.similar import alike_pairs
from anamnesis.store import MemoryStore
from anamnesis.usage import Usage

_PLAN_SHAPE = "{command, applied, steps: [{action, id, title, project, why, ...}], left: [ids]}"
_ALIKE_SHAPE = f"{_PLAN_SHAPE[:-1]}, alike: [{{ids, titles, cosine}}]}}"
_DRY = "dry run: nothing was changed; --apply does exactly this"
_SIGNS = {"write": "+", "update": "~", "delete": "-"}


def add_reflect(parser: argparse.ArgumentParser) -> None:
    """Arguments of `reflect`."""
    parser.add_argument("--project", metavar="KEY", help="only this project (default: every one that is due)")
    _add_apply(parser, "write the notes, tag their sources, commit")
    add_json(parser, "{applied, projects: [{project, sources, notes, applied, problem}], usage}")
    parser.epilog = "Example:\n  anamnesis reflect --project my-shop --apply"


def cmd_reflect(args: argparse.Namespace) -> int:
    """Ask the configured model what a project's sessions taught; exit 1 when an answer could not be used."""
    with open_store() as store, progress("reflecting") as bar:
        client = ModelClient(resolve_endpoint(home=store.root), root=store.root)
        outcomes = reflect(
            store,
            open_backend(store),
            client,
            machine_id=resolve_machine_id(),
            minimum=int(resolve_number("reflect_min_episodics", home=store.root)),
            project=args.project,
            apply=args.apply,
            progress=bar,
        )
    if args.json:
        say_json(_reflect_dict(outcomes, client.spent, applied=args.apply))
    else:
        _say_outcomes(outcomes, client.spent, applied=args.apply)
    return 1 if any(one.problem for one in outcomes) else 0


def _reflect_dict(outcomes: Sequence[Outcome], used: Usage, *, applied: bool) -> dict[str, object]:
    projects = [{**asdict(one), "notes": [_note_dict(note) for note in one.notes]} for one in outcomes]
    return {"applied": applied, "projects": projects, "usage": asdict(used)}


def _note_dict(note: Memory) -> dict[str, object]:
    supersedes = note.supersedes.split()
    return {**note_dict(note, include_body=True), "prov_model": note.prov_model, "supersedes": supersedes}


def _say_outcomes(outcomes: Sequence[Outcome], used: Usage, *, applied: bool) -> None:
    for one in outcomes:
        project = one_line(one.project)
        if one.problem:
            tell(f"{project}: {one.problem}")
        elif not one.notes:
            say(f"{project}: nothing in {counted(len(one.sources), 'session')} is worth a note")
        else:
            state = "written" if one.applied else "proposed"
            origin = counted(len(one.sources), "session")
            say(f"{project}: {counted(len(one.notes), 'note')} {state}, from {origin}")
            for note in one.notes:
                _say_note(note)
    _say_end(bool(outcomes), "no project has enough new sessions to reflect", applied=applied)
    calls = counted(used.calls, "call")
    tell(f"model: {calls}, {used.characters_sent:,} characters sent, {used.seconds:.1f} s")


def _say_note(note: Memory) -> None:
    replaced = f" (replaces {note.supersedes})" if note.supersedes else ""
    say(f"  + {note.id} {note.type}: {one_line(note.title)}{replaced}")
    say("\n".join(f"      {line}" for line in note.body.splitlines()))


def add_merge(parser: argparse.ArgumentParser) -> None:
    """Arguments of `merge`."""
    parser.add_argument("--project", metavar="KEY", help="only this project")
    _add_semantic(parser)
    _add_apply(parser, "write the merged notes; the old ones are superseded, not deleted")
    add_json(parser, _ALIKE_SHAPE)
    parser.epilog = "Example:\n  anamnesis merge --project my-shop"


def cmd_merge(args: argparse.Namespace) -> int:
    """Propose one note for each group of notes that say the same."""
    with open_to_search(by_meaning=args.semantic) as store:
        with progress("comparing") as bar:
            plan = plan_merge(
                store.list(project=args.project),
                superseded=store.superseded_ids(),
                machine_id=resolve_machine_id(),
                progress=bar,
            )
        return _finish(
            store, plan, args, nothing="no notes say the same", alike=alike_pairs(store, project=args.project)
        )


def add_dedup(parser: argparse.ArgumentParser) -> None:
    """Arguments of `dedup`."""
    _add_semantic(parser)
    _add_apply(parser, "keep the earliest of identical notes with the tags of all, delete the rest")
    add_json(parser, _ALIKE_SHAPE)
    parser.epilog = "Example:\n  anamnesis dedup --apply"


def cmd_dedup(args: argparse.Namespace) -> int:
    """Collapse notes with identical bodies."""
    with open_to_search(by_meaning=args.semantic) as store:
        plan = plan_dedup(store.list(), superseded=store.superseded_ids())
        return _finish(store, plan, args, nothing="no notes are identical", alike=alike_pairs(store))


def add_migrate(parser: argparse.ArgumentParser) -> None:
    """Arguments of `migrate`."""
    parser.add_argument("old", nargs="?", metavar="OLD", help="the key that notes have now")
    parser.add_argument("new", nargs="?", metavar="NEW", help="the key that they are to have")
    parser.add_argument(
        "--aliases", action="store_true", help="all pairs of `project_aliases` in config.json"
    )
    _add_apply(parser, "change the notes and commit")
    add_json(parser, _PLAN_SHAPE)
    parser.epilog = "Example:\n  anamnesis migrate old-name github.com/me/new-name --apply"


def cmd_migrate(args: argparse.Namespace) -> int:
    """Move notes from one project key to another."""
    if args.aliases == (args.new is not None) or (args.aliases and args.old is not None):
        tell("anamnesis migrate: give OLD and NEW, or --aliases; see: anamnesis migrate --help")
        return USAGE
    with open_store() as store:
        keys = {note.project for note in store.list(bodies=False)}
        renames = resolve_aliases() if args.aliases else _rename(args.old, args.new, keys)
        for key in renames.values():
            check_project(key)
        plan = plan_migrate(store.list(), renames=renames)
        if args.apply:
            for old, new in renames.items():
                write_alias(store.memory_dir, old, new)
        nothing = f"no note has such a key; there are: {', '.join(sorted(keys)) or 'none'}"
        return _finish(store, plan, args, nothing=nothing)


def _rename(old: str, new: str, keys: Collection[str]) -> dict[str, str]:
    here = place_of(".", home=home_folder()).key
    return {spelled(old, known=keys, here=here): spelled(new, known=keys, here=here)}


def add_backfill_provenance(parser: argparse.ArgumentParser) -> None:
    """Arguments of `backfill-provenance`."""
    _add_apply(parser, "fill it in and commit")
    add_json(parser, _PLAN_SHAPE)
    parser.epilog = "Example:\n  anamnesis backfill-provenance"


def cmd_backfill_provenance(args: argparse.Namespace) -> int:
    """Fill in where notes came from, as far as there is evidence."""
    with open_store() as store:
        return _finish(store, plan_backfill(store), args, nothing="nothing is missing that can be known")


def _add_semantic(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--semantic",
        action="store_true",
        help="also name pairs that may say the same by their meaning; they are never changed",
    )


def _add_apply(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--apply", action="store_true", help=f"{what}; without it nothing is changed")


def _finish(
    store: MemoryStore,
    plan: Plan,
    args: argparse.Namespace,
    *,
    nothing: str,
    alike: Sequence[dict[str, object]] = (),
) -> int:
    applied = Applied(plan.steps, ())
    if args.apply:
        with progress(plan.name) as bar:
            applied = apply_plan(store, open_backend(store), plan, progress=bar)
    if args.json:
        steps = [step.as_dict() for step in applied.done]
        left = [step.note.id for step in applied.left]
        pairs = {"alike": list(alike)} if alike else {}
        say_json({"command": plan.name, "applied": args.apply, "steps": steps, "left": left, **pairs})
    else:
        for step in applied.done:
            _say_step(step)
        for step in applied.left:
            tell(f"left alone, because it changed meanwhile: {step.note.id} {one_line(step.note.title)}")
        _say_alike(alike)
        _say_end(bool(plan.steps), nothing, applied=args.apply)
    return 0


def _say_alike(pairs: Sequence[dict[str, object]]) -> None:
    """Name pairs that only a person can judge."""
    for pair in pairs:
        ids, titles = pair["ids"], pair["titles"]
        if isinstance(ids, list) and isinstance(titles, list):
            both = " | ".join(f"{name} {one_line(title)}" for name, title in zip(ids, titles, strict=True))
            say(f"? may say the same ({pair['cosine']}): {both}")


def _say_step(step: Step) -> None:
    say(f"{_SIGNS[step.action]} {step.note.id} {one_line(step.note.title)}: {one_line(step.why)}")
    for name, value in step.changes.items():
        say(f"    {name}: {_text(getattr(step.note, name))} -> {_text(value)}")
    if step.action == "write":
        say("\n".join(f"    {line}" for line in step.note.body.splitlines()))


def _text(value: object) -> str:
    return one_line(", ".join(map(str, value)) if isinstance(value, list) else str(value))


def _say_end(anything: bool, nothing: str, *, applied: bool) -> None:
    if not anything:
        tell(nothing)
    elif not applied:
        tell(_DRY)
