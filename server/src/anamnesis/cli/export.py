"""`export` and `import`: all notes out, and in again; Claude Code's own memory files in."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.parser import USAGE, add_json
from anamnesis.cli.terminal import progress, say, say_json, tell
from anamnesis.config import resolve_claude_dir, resolve_machine_id
from anamnesis.export import Filing, bring_in, export_folder, export_json, read_export
from anamnesis.export.writing import collect, document
from anamnesis.native import import_native
from anamnesis.operations.writing import check_project
from anamnesis.store import Problem
from anamnesis.text import plural


def add_export(parser: argparse.ArgumentParser) -> None:
    """Arguments of `export`."""
    parser.add_argument(
        "path",
        nargs="?",
        type=Path,
        metavar="PATH",
        help="a new .json file or folder (default: JSON on stdout)",
    )
    parser.add_argument(
        "--format", choices=("json", "markdown"), help="what to write (default: as PATH ends)"
    )
    add_json(parser, "{path, format, notes, unreadable: [{path, reason}]}; without PATH, the export itself")
    parser.epilog = "Example:\n  anamnesis export notes.json"


def cmd_export(args: argparse.Namespace) -> int:
    """Write all notes to one JSON file or one folder of markdown."""
    if args.path is None and args.format == "markdown":
        tell("anamnesis export: markdown goes to a folder; name one as PATH; see: anamnesis export --help")
        return USAGE
    with open_store() as store, progress("exporting") as bar:
        if args.path is None:
            say_json(document(collect(store, progress=bar)))
            return 0
        form = args.format or ("json" if args.path.suffix.lower() == ".json" else "markdown")
        write = export_json if form == "json" else export_folder
        done = write(store, args.path, progress=bar)
    if args.json:
        unreadable = [{"path": problem.path, "reason": problem.reason} for problem in done.unreadable]
        say_json({"path": str(args.path), "format": form, "notes": done.notes, "unreadable": unreadable})
    else:
        say(f"{plural(done.notes, 'note')} in {args.path}")
        _tell_problems(done.unreadable, "left out, because it is no readable note")
    return 0


def add_import(parser: argparse.ArgumentParser) -> None:
    """Arguments of `import`."""
    parser.add_argument(
        "path",
        nargs="?",
        type=Path,
        metavar="PATH",
        help="an export, or any folder of markdown (default: Claude Code's own memory files)",
    )
    parser.add_argument(
        "--project",
        default="global",
        help="with PATH: project of notes from other tools (default %(default)s)",
    )
    parser.add_argument("--dry-run", action="store_true", help="with PATH: only say what would be done")
    add_json(
        parser,
        "{added, updated, unchanged, kept, redacted, problems, dry_run};"
        " without PATH {folders, files, added: [id], updated: [id], unchanged, kept, problems}",
    )
    parser.epilog = "Example:\n  anamnesis import ~/vault --dry-run"


def cmd_import(args: argparse.Namespace) -> int:
    """Bring notes in; what is newer in the store stays. Exit 1 when something could not be brought in."""
    if args.path is not None:
        return _import_export(args)
    if args.dry_run:
        tell("anamnesis import: --dry-run needs the PATH of an export; see: anamnesis import --help")
        return USAGE
    return _import_native(args)


def _import_export(args: argparse.Namespace) -> int:
    check_project(args.project)
    export = read_export(args.path, Filing(args.project, resolve_machine_id()))
    with open_store(create=True) as store, progress("importing") as bar:
        done = bring_in(store, open_backend(store), export, dry_run=args.dry_run, progress=bar)
    if args.json:
        say_json({**asdict(done), "dry_run": args.dry_run})
    else:
        say(
            f"{'would be ' if args.dry_run else ''}added {len(done.added)}, updated {len(done.updated)}, "
            f"unchanged {len(done.unchanged)}, kept {len(done.kept)}"
        )
        for name in done.kept:
            tell(f"{name}: kept, because the one in the store is as new or newer")
        for name in done.redacted:
            tell(f"{name}: a credential was taken out")
        _tell_problems(done.problems, "not imported")
    return 1 if done.problems else 0


def _import_native(args: argparse.Namespace) -> int:
    with open_store(create=True) as store:
        done = import_native(store, claude_dir=resolve_claude_dir(), machine_id=resolve_machine_id())
        if done.added or done.updated:
            open_backend(store).commit(f"import: {len(done.added)} added, {len(done.updated)} updated")
    if args.json:
        say_json(asdict(done))
    else:
        if done.folders:
            say(f"looked in {' and '.join(done.folders)}: {plural(done.files, 'file')}")
        say(
            f"added {len(done.added)}, updated {len(done.updated)}, "
            f"unchanged {done.unchanged}, kept {done.kept}"
        )
        for problem in done.problems:
            tell(problem)
    return 1 if done.problems else 0


def _tell_problems(problems: Sequence[Problem], what: str) -> None:
    for problem in problems:
        tell(f"{problem.path}: {what} ({problem.reason})")
