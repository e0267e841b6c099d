"""`export` and `import`: all notes to a file or folder and back; Claude Code's own memory files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.output import Output, one_line, progress, say_json
from anamnesis.cli.parser import usage_error
from anamnesis.config import resolve_machine_id
from anamnesis.errors import AnamnesisError
from anamnesis.export import (
    Export,
    Filing,
    Imported,
    export_document,
    export_folder,
    export_json,
    import_notes,
    read_export,
    undo_import,
)
from anamnesis.layout import GLOBAL
from anamnesis.notes.vocabulary import REFERENCE
from anamnesis.operations.exchange import import_client_memory
from anamnesis.operations.notes import check_project
from anamnesis.operations.reading import project_to_write
from anamnesis.project import place_of
from anamnesis.redact import redact
from anamnesis.store import Problem
from anamnesis.text import first_few, plural

_SHOWN_TITLES = 20


def cmd_export(args: argparse.Namespace) -> int:
    """Write all notes to one JSON file or one folder of markdown."""
    if why := _unclear_place(args.path, args.format):
        return usage_error("export", why)
    out: Output = args.out
    with open_store() as store, progress("exporting") as bar:
        if args.path is None:
            say_json(export_document(store, progress=bar))
            return 0
        form = args.format or ("json" if args.path.suffix.lower() == ".json" else "markdown")
        write = export_json if form == "json" else export_folder
        count, unreadable = write(store, args.path, progress=bar), store.problems()
    answer: dict[str, object] = {"path": str(args.path), "format": form, "notes": count}
    out.result(
        {**answer, "unreadable": [asdict(each) for each in unreadable]},
        f"{plural(count, 'note')} in {args.path}",
    )
    _hint_problems(out, unreadable, "left out, because it cannot be read as a note")
    return 0


def _unclear_place(path: Path | None, form: str | None) -> str:
    """Why it is unclear where the export should go; "" if it is clear."""
    if path is None:
        return "markdown goes to a folder; name one as PATH" if form == "markdown" else ""
    if form is None and path.suffix.lower() == ".md":
        return (
            "markdown goes to a folder, and that is a file's name; name a folder, or give --format markdown"
        )
    parent = path.absolute().parent
    if not parent.is_dir():
        # Probably a typing error; the export would be hard to find.
        raise AnamnesisError(f"{path}: {parent} is not a folder; create it, or name another place")
    return ""


def cmd_import(args: argparse.Namespace) -> int:
    """Import notes; a newer note in the store stays. Exit 1 when something could not be imported."""
    if args.undo:
        return _undo(args)
    if args.path is not None:
        return _import_export(args)
    if args.dry_run:
        return usage_error("import", "--dry-run needs a PATH: an export, or a folder of markdown")
    return _import_native(args)


def _import_export(args: argparse.Namespace) -> int:
    out: Output = args.out
    with open_store(create=True) as store, progress("importing") as bar:
        here = place_of(".", home=str(store.root))
        project, _ = project_to_write(store, args.project or GLOBAL, default=here.default, here=here.key)
        check_project(project)
        is_told = args.tell or args.project is not None
        export = read_export(args.path, Filing(project, resolve_machine_id(), tell=is_told))
        done = import_notes(
            store,
            open_backend(store),
            export,
            dry_run=args.dry_run,
            refile=is_told,
            progress=bar,
        )
    added, updated, unchanged, kept = map(len, (done.added, done.updated, done.unchanged, done.kept))
    lines = [f"added {added}, updated {updated}, unchanged {unchanged}, kept {kept}"]
    if args.dry_run:
        would = f"dry run: would add {added}, update {updated}; unchanged {unchanged}, kept {kept}"
        lines = [would, *_titles(export, done)]
    if export.skipped:
        lines.append(f"left out (template, empty or symlink): {first_few(export.skipped)}")
    shape = {**asdict(done), "dry_run": args.dry_run}
    out.result(shape, lines)
    if args.path.is_dir() and not export.entries and not export.problems:
        out.hint(f"there is no markdown file in {args.path}")
    if found := sum(REFERENCE in export.entries[name].note.tags for name in done.added):
        out.hint(
            f"{plural(found, 'new note')} for search only; --project KEY or --tell tells them to sessions"
        )
    for name in done.kept:
        out.hint(f"{_name(export, name)}: skipped, because the note in the store is as new or newer")
    for name in done.redacted:
        out.hint(f"{_name(export, name)}: a credential {'would be' if args.dry_run else 'was'} removed")
    _hint_problems(out, done.problems, "not imported")
    return 1 if done.problems else 0


def _undo(args: argparse.Namespace) -> int:
    with open_store() as store:
        undone, kept = undo_import(store, open_backend(store))
    changed = f"; {plural(len(kept), 'note')} changed since stay" if kept else ""
    args.out.result({"undone": undone, "kept": kept}, f"{plural(len(undone), 'note')} taken back{changed}")
    return 0


def _name(export: Export, note_id: str) -> str:
    """Title and id of a note; the title is redacted, because it may contain the credential."""
    return f"{redact(one_line(export.entries[note_id].note.title))!r} ({note_id})"


def _titles(export: Export, done: Imported) -> list[str]:
    """The notes that would be written, the first of them by title."""
    fates = dict.fromkeys(done.added, "add") | dict.fromkeys(done.updated, "update")
    written = [(fates[name], name) for name in export.entries if name in fates]  # in the order of the files
    lines = [
        f"  {verb:6} {redact(one_line(export.entries[name].note.title))}"
        for verb, name in written[:_SHOWN_TITLES]
    ]
    more = len(written) - len(lines)
    return [*lines, f"  and {more} more; --json lists them all"] if more else lines


def _import_native(args: argparse.Namespace) -> int:
    out: Output = args.out
    with open_store(create=True) as store:
        done = import_client_memory(store, open_backend(store), machine_id=resolve_machine_id())
    lines = [
        f"added {len(done.added)}, updated {len(done.updated)}, unchanged {done.unchanged}, kept {done.kept}"
    ]
    if done.folders:
        lines.insert(0, f"looked in {' and '.join(done.folders)}: {plural(done.files, 'file')}")
    out.result(asdict(done), lines)
    for problem in done.problems:
        out.hint(problem)
    return 1 if done.problems else 0


def _hint_problems(out: Output, problems: Sequence[Problem], what: str) -> None:
    for problem in problems:
        out.hint(f"{problem.path}: {what} ({problem.reason})")
