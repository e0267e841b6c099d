"""The commands that change notes: write, supersede, delete."""

from __future__ import annotations

import argparse

from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.parser import NOTE, add_id, add_json
from anamnesis.cli.reading import read_body, split_tags
from anamnesis.cli.terminal import can_ask, confirmed, say, say_json, tell
from anamnesis.config import resolve_machine_id
from anamnesis.notes.record import SCOPES, TYPES, Memory, note_dict
from anamnesis.operations import details, reading, writing
from anamnesis.project.place import place_of


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
        metavar="KEY",
        help="a key such as github.com/you/app, or global (default: this project; global outside of one)",
    )
    parser.add_argument("--tags", metavar="A,B", help="tags, separated by commas")
    parser.add_argument(
        "--scope",
        choices=SCOPES,
        default="portable",
        help="portable notes sync, machine-local ones stay here (default %(default)s)",
    )
    parser.add_argument(
        "--supersedes",
        default="",
        metavar="ID",
        help="the note that this one replaces; several in quotes, with blanks between",
    )
    add_json(parser, f"{NOTE}, body}}")
    parser.epilog = (
        'Example:\n  echo "Run make test." | anamnesis write --type procedural --title "Before a push"'
    )


def cmd_write(args: argparse.Namespace) -> int:
    """Write a note and print its id."""
    body = read_body(args.body)
    with open_store(create=True) as store:
        replaced = [reading.find_id(store, text) for text in args.supersedes.split()]
        place = place_of(".", home=str(store.root))
        project, is_new = reading.project_to_write(store, args.project, default=place.default, here=place.key)
        written = writing.write_memory(
            store,
            type=args.type,
            title=args.title,
            body=body,
            project=project,
            tags=split_tags(args.tags),
            machine_id=resolve_machine_id(),
            scope=args.scope,
            supersedes=" ".join(replaced),
        )
    if is_new and not args.json:
        tell(f"{project} is a new project")
    _say_written(written, as_json=args.json)
    return 0


def add_supersede(parser: argparse.ArgumentParser) -> None:
    """Arguments of `supersede`."""
    add_id(parser, "the note to replace, which stays in `list` but not in recall")
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
        note = writing.supersede_note(
            store,
            reading.find_id(store, args.id),
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
    add_id(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask; ID must then be a whole id")
    add_json(parser, f"{NOTE}}}, the note that is gone")
    parser.epilog = "Example:\n  anamnesis delete 01J9Z8YPM7Q3X2V4WT6B5N0KGD --yes"


def cmd_delete(args: argparse.Namespace) -> int:
    """Delete a note: after asking on a terminal, and never without a word when there is no history of it."""
    with open_store() as store:
        note = details.read_note(store, reading.find_id(store, args.id)).note
        backend, final = open_backend(store), note.scope == "machine-local"
        waits = any(each.id == note.id for each in backend.state().waiting)
        if not _is_meant(args, note, final=final or waits):
            return 1
        writing.delete_note(store, note.id, backend=backend)
    if args.json:
        say_json(note_dict(note, include_body=False))
    elif final:
        say(f"deleted {note.id} for good; machine-local notes have no history")
    elif waits:
        say(f"deleted {note.id}; its last text held a credential and is in no history")
    else:
        say(f"deleted {note.id}; `anamnesis history {note.id} --restore` brings it back")
    return 0


def _is_meant(args: argparse.Namespace, note: Memory, *, final: bool) -> bool:
    """Whether this note is to go: asked where somebody can answer, and where a slip could not be undone."""
    is_whole = args.id.upper() == note.id.upper()
    if not is_whole and (args.yes or not can_ask()):
        # In a script the beginning of an id is a slip sooner than a wish.
        tell(f"anamnesis: nothing was deleted; without a question the whole id is needed: {note.id}")
        return False
    if args.yes or not (final or can_ask()):
        return True
    what = repr(note.title) if is_whole else f"{note.id} {note.title!r}"
    if confirmed(f"delete {what}{' for good' if final else ''}?"):
        return True
    tell("nothing was deleted; --yes deletes without asking")
    return False
