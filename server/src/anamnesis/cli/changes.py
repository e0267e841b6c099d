"""The commands that change notes: write, supersede, edit, delete."""

from __future__ import annotations

import argparse

from anamnesis.cli.parser import (
    NOTE,
    add_flag,
    add_id,
    add_json,
    open_backend,
    open_store,
    read_body,
    split_tags,
)
from anamnesis.cli.terminal import Output, can_ask, confirmed, one_line, tell
from anamnesis.config import resolve_machine_id
from anamnesis.notes.record import SCOPES, TYPES, Memory, note_dict
from anamnesis.operations import notes, reading
from anamnesis.operations.notes import similar_notes
from anamnesis.project import Place, place_of
from anamnesis.session.receipts import remember_project
from anamnesis.text import named


def add_write(parser: argparse.ArgumentParser) -> None:
    """Arguments of `write`."""
    parser.add_argument(
        "--type",
        required=True,
        choices=TYPES,
        help="procedural: how to do something; semantic: a fact; episodic: what happened",
    )
    parser.add_argument("--title", required=True, metavar="TEXT", help="one line that says what it is about")
    parser.add_argument("--body", metavar="TEXT", help="the text (default: read from standard input)")
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
        help="the note that this one replaces; several in quotes, separated by spaces",
    )
    add_json(parser, f"{NOTE}, body}}")
    parser.epilog = "Example:\n  echo 'Run make.' | anamnesis write --type procedural --title 'Before a push'"


def cmd_write(args: argparse.Namespace) -> int:
    """Write a note and print its id."""
    out: Output = args.out
    body = read_body(args.body)
    with open_store(create=True) as store:
        place = place_of(".", home=str(store.root))
        written = notes.write_note(
            store,
            type=args.type,
            title=args.title,
            body=body,
            place=place,
            project=args.project,
            tags=split_tags(args.tags),
            machine_id=resolve_machine_id(),
            scope=args.scope,
            supersedes=args.supersedes,
        )
        similar = similar_notes(store, str(written.note["id"]), k=1)
        if written.note["project"] == place.key:
            remember_project(str(store.root), ".", place.key)  # in case the folder is renamed
    if hint := _about_project(args.project, place, written):
        out.hint(hint)
    out.result(written.note, str(written.note["id"]))
    for other in similar:
        out.hint(f"similar: {other.id} {one_line(other.title)}")
    return 0


def _about_project(asked: str | None, place: Place, written: notes.Written) -> str:
    """What a person may not expect about the project of a new note."""
    if asked is None and not place.is_known:
        return f"it is in global: this folder is not a project; `--project .` would name it {place.key}"
    return f"{written.note['project']} is a new project" if written.is_new_project else ""


def add_supersede(parser: argparse.ArgumentParser) -> None:
    """Arguments of `supersede`."""
    add_id(parser, "the note to replace, which `list` still shows and recall no longer does")
    parser.add_argument("--title", required=True, metavar="TEXT", help="title of the new note")
    parser.add_argument("--body", metavar="TEXT", help="the text (default: read from standard input)")
    parser.add_argument("--type", choices=TYPES, help="type of the new note (default: that of the old one)")
    parser.add_argument("--tags", metavar="A,B", help="tags of the new note (default: those of the old one)")
    add_json(parser, f"{NOTE}, body}}")
    parser.epilog = 'Example:\n  anamnesis supersede 01J9Z8YPM7Q3 --title "Use spaces" --body "Four."'


def cmd_supersede(args: argparse.Namespace) -> int:
    """Write a note that replaces another and print its id."""
    out: Output = args.out
    body = read_body(args.body)
    with open_store() as store:
        old = notes.read_note(store, reading.find_id(store, args.id)).note
        note = notes.supersede_note(
            store,
            old.id,
            title=args.title,
            body=body,
            machine_id=resolve_machine_id(),
            type=args.type,
            tags=split_tags(args.tags),
        )
    out.hint(f"it replaces {one_line(named(old.id, old.title))}, which searches no longer show")
    out.result(note_dict(note, include_body=True), note.id)
    return 0


def add_edit(parser: argparse.ArgumentParser) -> None:
    """Arguments of `edit`."""
    add_id(parser)
    add_json(parser, "the note as `list --json` shows it")
    parser.epilog = "Example:\n  EDITOR=nano anamnesis edit 01J9Z8YPM7Q3X2V4WT6B5N0KGD"


def cmd_edit(args: argparse.Namespace) -> int:
    """Open a note in the editor and save the result."""
    from anamnesis.cli.editor import edit_until_saved  # only this command needs it

    out: Output = args.out
    with open_store() as store:
        note_id = reading.find_id(store, args.id)
        known = notes.read_note(store, note_id)
        saved = edit_until_saved(
            store.text_of(note_id) or "",
            name=note_id,
            root=store.root,
            save=lambda text: notes.revise_note(
                store, note_id, text, base=known.version, backend=open_backend(store)
            ),
        )
    if saved is None:
        tell("nothing was changed")
    out.result(
        note_dict(saved or known.note, include_body=False),
        [f"saved {one_line(named(saved.id, saved.title))}"] if saved else [],
    )
    return 0


def add_delete(parser: argparse.ArgumentParser) -> None:
    """Arguments of `delete`."""
    add_id(parser)
    add_flag(parser, "--yes", help="do not ask; ID must then be the full id")
    add_json(parser, f"{NOTE}}}, the deleted note")
    parser.epilog = "Example:\n  anamnesis delete 01J9Z8YPM7Q3X2V4WT6B5N0KGD --yes"


def cmd_delete(args: argparse.Namespace) -> int:
    """Delete a note; asks on a terminal, and always asks if it cannot be undone."""
    out: Output = args.out
    with open_store() as store:
        note = notes.read_note(store, reading.find_id(store, args.id)).note
        backend, is_local = open_backend(store), note.scope == "machine-local"
        waiting_reason = next((each.why for each in backend.state().waiting if each.id == note.id), "")
        if not _is_confirmed(args, note, final=is_local or bool(waiting_reason)):
            return 1
        notes.delete_note(store, note.id, backend=backend)
        again = notes.current_of(store, note.supersedes.split())
    after = f"deleted {note.id}; `anamnesis history {note.id} --restore` brings it back"
    if is_local:
        after = f"deleted {note.id} for good; machine-local notes have no history"
    elif waiting_reason:
        after = f"deleted {note.id}; its last text waited {waiting_reason} and is not in the history"
    out.result(note_dict(note, include_body=False), after)
    for each in again:
        out.hint(f"searches show {one_line(named(each.id, each.title))} again, which it had replaced")
    return 0


def _is_confirmed(args: argparse.Namespace, note: Memory, *, final: bool) -> bool:
    """Whether to delete this note; asks if someone can answer, and always if it cannot be undone."""
    is_whole = args.id.upper() == note.id.upper()
    if not is_whole and (args.yes or not can_ask()):
        # In a script, the start of an id is probably a mistake.
        tell(f"anamnesis: nothing was deleted; to delete without being asked, give the full id: {note.id}")
        return False
    if args.yes or not (final or can_ask()):
        return True
    what = repr(note.title) if is_whole else f"{note.id} {note.title!r}"
    if confirmed(f"delete {what}{' for good' if final else ''}?"):
        return True
    tell(f"nothing was deleted; `anamnesis delete {note.id} --yes` deletes without asking")
    return False
