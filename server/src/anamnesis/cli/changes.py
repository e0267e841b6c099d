"""The commands that change notes: write, supersede, delete."""

from __future__ import annotations

import argparse

from anamnesis import operations
from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.parser import NOTE, add_json
from anamnesis.cli.reading import read_body, split_tags
from anamnesis.cli.terminal import can_ask, confirmed, say, say_json, tell
from anamnesis.config import resolve_machine_id
from anamnesis.notes import SCOPES, TYPES, note_dict


def add_write(parser: argparse.ArgumentParser) -> None:
    """Arguments of `write`."""
    parser.add_argument(
        "--type",
        required=True,
        choices=TYPES,
        help="procedural: how to do something; semantic: what is so; episodic: what happened",
    )
    parser.add_argument("--title", required=True, metavar="TEXT", help="one line that says it all")
    parser.add_argument("--body", metavar="TEXT", help="the text; read from standard input when left out")
    parser.add_argument(
        "--project",
        default="global",
        metavar="KEY",
        help="project key, such as github.com/you/app (default %(default)s: every project)",
    )
    parser.add_argument("--tags", metavar="A,B", help="tags, separated by commas")
    parser.add_argument(
        "--scope",
        choices=SCOPES,
        default="portable",
        help="portable notes sync, machine-local ones stay here (default %(default)s)",
    )
    parser.add_argument("--supersedes", default="", metavar="ID", help="the note that this one replaces")
    add_json(parser, f"{NOTE}, body}}")
    parser.epilog = (
        'Example:\n  echo "Run make test." | anamnesis write --type procedural --title "Before a push"'
    )


def cmd_write(args: argparse.Namespace) -> int:
    """Write a note and print its id."""
    body = read_body(args.body)
    with open_store(create=True) as store:
        written = operations.write_memory(
            store,
            type=args.type,
            title=args.title,
            body=body,
            project=args.project,
            tags=split_tags(args.tags),
            machine_id=resolve_machine_id(),
            scope=args.scope,
            supersedes=args.supersedes,
        )
    _say_written(written, as_json=args.json)
    return 0


def add_supersede(parser: argparse.ArgumentParser) -> None:
    """Arguments of `supersede`."""
    parser.add_argument("id", metavar="ID", help="the note to replace; it stays in `list`, not in recall")
    parser.add_argument("--title", required=True, metavar="TEXT", help="title of the new note")
    parser.add_argument("--body", metavar="TEXT", help="the text; read from standard input when left out")
    parser.add_argument("--type", choices=TYPES, help="type of the new note (default: that of the old one)")
    parser.add_argument("--tags", metavar="A,B", help="tags of the new note (default: those of the old one)")
    add_json(parser, f"{NOTE}, body}}")
    parser.epilog = (
        'Example:\n  anamnesis supersede 01J9Z8YPM7Q3X2V4WT6B5N0KGD --title "Use spaces" --body "Four."'
    )


def cmd_supersede(args: argparse.Namespace) -> int:
    """Write a note that replaces another and print its id."""
    body = read_body(args.body)
    with open_store() as store:
        note = operations.supersede_note(
            store,
            args.id,
            title=args.title,
            body=body,
            machine_id=resolve_machine_id(),
            type=args.type,
            tags=split_tags(args.tags),
        )
    _say_written(note_dict(note, include_body=True), as_json=args.json)
    return 0


def _say_written(note: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        say_json(note)
    else:
        say(str(note["id"]))


def add_delete(parser: argparse.ArgumentParser) -> None:
    """Arguments of `delete`."""
    parser.add_argument("id", metavar="ID", help="the note's id")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_json(parser, f"{NOTE}}}, the note that is gone")
    parser.epilog = "Example:\n  anamnesis delete 01J9Z8YPM7Q3X2V4WT6B5N0KGD --yes"


def cmd_delete(args: argparse.Namespace) -> int:
    """Delete a note: after asking on a terminal, and never without a word when there is no history of it."""
    with open_store() as store:
        note = operations.read_note(store, args.id).note
        final = note.scope == "machine-local"
        asks = not args.yes and (final or can_ask())
        if asks and not confirmed(f"delete {note.title!r}{' for good' if final else ''}?"):
            tell("nothing was deleted; --yes deletes without asking")
            return 1
        operations.delete_note(store, args.id, backend=open_backend(store))
    if args.json:
        say_json(note_dict(note, include_body=False))
    elif final:
        say(f"deleted {note.id} for good; machine-local notes have no history")
    else:
        say(f"deleted {note.id}; `anamnesis history {note.id} --restore` brings it back")
    return 0
