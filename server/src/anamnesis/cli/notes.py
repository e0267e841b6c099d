"""The everyday commands on notes: search, list, show, write, supersede, delete."""

from __future__ import annotations

import argparse

from anamnesis import operations
from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.parser import add_filters, add_json, moment
from anamnesis.cli.reading import read_body, split_tags
from anamnesis.cli.terminal import confirmed, on_terminal, pretty, say, say_json, say_row, tell
from anamnesis.config import resolve_machine_id
from anamnesis.notes import SCOPES, TYPES, note_dict

_NOTE = "{id, type, title, project, machine_id, scope, tags, created_at, updated_at"

Note = dict[str, object]  # a note's JSON form, as the operations answer it


def add_search(parser: argparse.ArgumentParser) -> None:
    """Arguments of `search`."""
    parser.add_argument(
        "query", nargs="+", metavar="QUERY", help="words to look for; after -- any may begin with -"
    )
    add_filters(parser)
    parser.add_argument("--tags", metavar="A,B", help="only notes that carry all of these tags")
    parser.add_argument(
        "--since", type=moment, metavar="DATE", help="only notes updated on or after it (2026-01-31)"
    )
    parser.add_argument(
        "-k", type=int, default=8, metavar="N", help="at most so many notes (default %(default)s)"
    )
    parser.add_argument("--explain", action="store_true", help="say why each note matched")
    add_json(parser, f"[{_NOTE}, body}}], best first; with --explain also score, matched, snippet")
    parser.epilog = 'Example:\n  anamnesis search --project global "sqlite lock timeout"'


def cmd_search(args: argparse.Namespace) -> int:
    """Print the notes that match best."""
    dressed = on_terminal() and not args.json
    with open_store() as store:
        found = operations.search_memories(
            store,
            query=" ".join(args.query),
            project=args.project,
            type=args.type,
            scope=args.scope,
            k=args.k,
            tags=split_tags(args.tags),
            since=args.since,
            explain=args.explain or dressed,
        )
    if not found and not args.json:
        tell("no note matches; try other words, or `anamnesis list`")
    elif dressed:
        pretty().search_hits(found, scores=args.explain)
    else:
        _say_notes(found, as_json=args.json, more=("score", "matched", "snippet") if args.explain else ())
    return 0


def add_list(parser: argparse.ArgumentParser) -> None:
    """Arguments of `list`."""
    add_filters(parser)
    add_json(parser, f"[{_NOTE}}}], newest first")
    parser.epilog = "Example:\n  anamnesis list --type procedural --project global"


def cmd_list(args: argparse.Namespace) -> int:
    """Print notes, newest first, superseded ones included."""
    with open_store() as store:
        found = operations.list_memories(store, project=args.project, type=args.type, scope=args.scope)
    if not found and not args.json:
        tell("no notes here; `anamnesis write` makes one")
    elif on_terminal() and not args.json:
        pretty().notes_table(found)
    else:
        _say_notes(found, as_json=args.json)
    return 0


def _say_notes(notes: list[Note], *, as_json: bool, more: tuple[str, ...] = ()) -> None:
    if as_json:
        say_json(notes)
        return
    for note in notes:
        fields = [str(note[key]) for key in ("id", "type", "project", "updated_at", "title")]
        say_row(*fields, *(_text(note[key]) for key in more))


def _text(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def add_show(parser: argparse.ArgumentParser) -> None:
    """Arguments of `show`."""
    parser.add_argument("id", metavar="ID", help="the note's id")
    add_json(
        parser,
        f"{_NOTE}, body, prov_source, prov_model, prov_session, confidence, supersedes, path, version}}",
    )
    parser.epilog = "Example:\n  anamnesis show 01J9Z8YPM7Q3X2V4WT6B5N0KGD"


def cmd_show(args: argparse.Namespace) -> int:
    """Print one note: rendered on a terminal, its markdown in a pipe."""
    with open_store() as store:
        note = operations.note_details(store, args.id)
        text = store.text_of(args.id) or ""
    if args.json:
        say_json(note)
    elif on_terminal():
        pretty().note(note)
    else:
        say(text.removesuffix("\n"))
    return 0


def add_write(parser: argparse.ArgumentParser) -> None:
    """Arguments of `write`."""
    parser.add_argument("--type", required=True, choices=TYPES, help="what kind of note it is")
    parser.add_argument("--title", required=True, metavar="TEXT", help="one line that says it all")
    parser.add_argument("--body", metavar="TEXT", help="the text; read from standard input when left out")
    parser.add_argument(
        "--project", default="global", metavar="KEY", help="project key (default %(default)s)"
    )
    parser.add_argument("--tags", metavar="A,B", help="tags, separated by commas")
    parser.add_argument(
        "--scope", choices=SCOPES, default="portable", help="does it sync (default %(default)s)"
    )
    parser.add_argument("--supersedes", default="", metavar="ID", help="the note that this one replaces")
    add_json(parser, f"{_NOTE}, body}}")
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
    add_json(parser, f"{_NOTE}, body}}")
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


def _say_written(note: Note, *, as_json: bool) -> None:
    if as_json:
        say_json(note)
    else:
        say(str(note["id"]))


def add_delete(parser: argparse.ArgumentParser) -> None:
    """Arguments of `delete`."""
    parser.add_argument("id", metavar="ID", help="the note's id")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_json(parser, f"{_NOTE}}}, the note that is gone")
    parser.epilog = "Example:\n  anamnesis delete 01J9Z8YPM7Q3X2V4WT6B5N0KGD --yes"


def cmd_delete(args: argparse.Namespace) -> int:
    """Delete a note after asking."""
    with open_store() as store:
        note = operations.read_note(store, args.id).note
        final = note.scope == "machine-local"
        if not args.yes and not confirmed(f"delete {note.title!r}{' for good' if final else ''}?"):
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
