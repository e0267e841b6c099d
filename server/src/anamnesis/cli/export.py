"""`export` and `import`: all notes to a folder and back; Claude Code's own memory files."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from anamnesis.cli.commands import usage_error
from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.output import Output, progress, say_json
from anamnesis.config import resolve_claude_dir, resolve_machine_id
from anamnesis.export import Filing, export_folder, import_notes, read_export, states_rules, undo_import
from anamnesis.layout import GLOBAL
from anamnesis.native import import_native
from anamnesis.notes.record import Memory
from anamnesis.notes.vocabulary import REFERENCE
from anamnesis.operations.notes import check_project
from anamnesis.operations.reading import project_to_write
from anamnesis.project import place_of
from anamnesis.redact import redact
from anamnesis.text import first_few, named, plural


def cmd_export(args: argparse.Namespace) -> int:
    """Write all notes to a folder of markdown, or print them as JSON."""
    path: Path | None = args.path
    with open_store() as store:
        if path is None:
            say_json([asdict(note) for note in store.list()])
            return 0
        count, unreadable = export_folder(store, path), store.problems()
    left_out = [each._asdict() for each in unreadable]
    answer = {"path": str(path), "notes": count, "unreadable": left_out}
    args.out.result(answer, f"{plural(count, 'note')} in {path}")
    for each in unreadable:
        args.out.hint(f"{each.path}: left out, because it cannot be read as a note ({each.reason})")
    return 0


def cmd_import(args: argparse.Namespace) -> int:
    """Import notes; a newer note in the store stays. Exit 1 when something could not be imported."""
    if args.undo:
        return _undo(args.out)
    if args.path is not None:
        return _import_path(args)
    if args.dry_run:
        return usage_error("import", "--dry-run needs a PATH: an export, or a folder of markdown")
    return _import_native(args.out)


def _import_path(args: argparse.Namespace) -> int:
    out: Output = args.out
    with open_store(create=True) as store, progress() as bar:
        here = place_of(".", home=str(store.root))
        project, _ = project_to_write(store, args.project or GLOBAL, default=here.default, here=here.key)
        check_project(project)
        is_told = args.tell or args.project is not None
        export = read_export(args.path, Filing(project, resolve_machine_id(), tell=is_told))
        backend = open_backend(store)
        done = import_notes(
            store, backend, export, dry_run=args.dry_run, refile=is_told, trust=args.tell, progress=bar
        )
    notes = {name: entry.note for name, entry in export.entries.items()}
    lines = [_counts(len(done.added), len(done.updated), len(done.unchanged), len(done.kept))]
    if args.dry_run:
        written = {*done.added, *done.updated}
        lines[0] = f"dry run: {lines[0]}"
        lines += [f"  {_name(note)}" for note in notes.values() if note.id in written]
    if export.skipped:
        lines.append(f"left out (template, empty or symlink): {first_few(export.skipped)}")
    answer = {**asdict(done), "dry_run": args.dry_run}
    out.result(answer, lines)
    if not args.tell and any(REFERENCE in notes[name].tags for name in done.added):
        out.hint("for search only; --project KEY or --tell also tells imported notes to sessions")
    for name in done.kept:
        out.hint(f"{_name(notes[name])}: skipped, because the note in the store is as new or newer")
    if not args.tell and any(states_rules(notes[name]) for name in done.added):
        out.hint("the rules and pins in these notes count for nothing; --tell takes them over")
    for name in done.redacted:
        out.hint(f"{_name(notes[name])}: contains a credential, which is removed")
    for problem in done.problems:
        out.hint(f"{problem.path}: not imported ({problem.reason})")
    return 1 if done.problems else 0


def _counts(added: int, updated: int, unchanged: int, kept: int) -> str:
    return f"added {added}, updated {updated}, unchanged {unchanged}, kept {kept}"


def _name(note: Memory) -> str:
    """A note's name in messages, redacted, because its title may contain the credential."""
    return named(note.id, redact(note.title))


def _undo(out: Output) -> int:
    with open_store() as store:
        undone, kept = undo_import(store, open_backend(store))
    changed = f"; {plural(len(kept), 'note')} changed since stay" if kept else ""
    out.result({"undone": undone, "kept": kept}, f"{plural(len(undone), 'note')} taken back{changed}")
    return 0


def _import_native(out: Output) -> int:
    with open_store(create=True) as store:
        done = import_native(store, claude_dir=resolve_claude_dir(), machine_id=resolve_machine_id())
        open_backend(store).commit()
    looked = f"looked in {' and '.join(done.folders) or 'no folder'}: {plural(done.files, 'file')}"
    out.result(asdict(done), (looked, _counts(len(done.added), len(done.updated), done.unchanged, done.kept)))
    for problem in done.problems:
        out.hint(problem)
    return 1 if done.problems else 0
