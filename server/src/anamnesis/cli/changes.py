"""The commands that change notes: write, edit, delete, undo, supersede."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from anamnesis.cli.opening import open_backend, open_store, read_body, split_tags
from anamnesis.cli.output import Output, can_ask, confirmed, one_line, tell
from anamnesis.config import resolve_machine_id
from anamnesis.errors import SupersededAlready
from anamnesis.notes.record import Memory, note_dict
from anamnesis.operations import notes, reading
from anamnesis.operations.notes import NewNote
from anamnesis.project import Place, place_of
from anamnesis.session.receipts import remember_project
from anamnesis.text import named

Written = TypeVar("Written")
_TITLE_CHARACTERS = 60  # of a title that is made from the first words


def cmd_write(args: argparse.Namespace) -> int:
    """Write a note and print its id."""
    out: Output = args.out
    body = args.text or read_body(args.body)
    new = NewNote(
        _first_words(body) if args.title is None else args.title,
        body,
        args.type,
        tags=split_tags(args.tags) or (),
        machine_id=resolve_machine_id(),
        scope=args.scope,
        supersedes=args.supersedes or "",
    )
    with open_store(create=True) as store:
        place = place_of(".", home=str(store.root))
        note, is_new = _write(new, lambda new: notes.write_note(store, new, place, args.project))
        similar = notes.similar_notes(store, note.id, k=1)
        if note.project == place.key:
            remember_project(str(store.root), ".", place.key)  # in case the folder is renamed
    if hint := _about_project(args.project, place, note, is_new=is_new):
        out.hint(hint)
    out.result(note_dict(note, include_body=True), note.id)
    for other in similar:
        out.hint(f"similar: {other.id} {one_line(other.title)}")
    return 0


def _first_words(text: str) -> str:
    """A title from the first line of a text, cut at a word."""
    line = next((line.strip("#*->` ") for line in text.splitlines() if line.strip("#*->` ")), "")
    if len(line) <= _TITLE_CHARACTERS:
        return line
    return line[:_TITLE_CHARACTERS].rpartition(" ")[0] or line[:_TITLE_CHARACTERS]


def _about_project(asked: str | None, place: Place, note: Memory, *, is_new: bool) -> str:
    """What a person may not expect about the project of a new note."""
    if asked is None and not place.is_known:
        return f"it is in global: this folder is not a project; `--project .` would name it {place.key}"
    return f"{note.project} is a new project" if is_new else ""


def _write(new: NewNote, write: Callable[[NewNote], Written]) -> Written:
    """Write a note; if what it replaces has a successor already, offer to replace that one."""
    try:
        return write(new)
    except SupersededAlready as exc:
        ids = " ".join(note_id for note_id, _ in exc.successors)
        if not confirmed(f"{exc}; do that now?"):
            raise
        return write(replace(new, supersedes=f"{new.supersedes} {ids}"))


def cmd_supersede(args: argparse.Namespace) -> int:
    """Write a note that replaces another and print its id."""
    out: Output = args.out
    body = read_body(args.body)
    with open_store() as store:
        old = notes.read_note(store, reading.find_id(store, args.id)).note
        new = NewNote(
            args.title,
            body,
            args.type or old.type,
            old.project,
            split_tags(args.tags) or old.tags,
            resolve_machine_id(),
            old.scope,
            old.id,
        )
        note = _write(new, lambda new: notes.create_note(store, new))
    out.hint(f"it replaces {one_line(named(old.id, old.title))}, which searches no longer show")
    out.result(note_dict(note, include_body=True), note.id)
    return 0


def cmd_edit(args: argparse.Namespace) -> int:
    """Open a note in the editor and save the result."""
    from anamnesis.cli.editor import edit_until_saved  # only this command needs it

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
    lines = [f"saved {one_line(named(saved.id, saved.title))}"] if saved else []
    args.out.result(note_dict(saved or known.note, include_body=False), lines)
    return 0


def cmd_delete(args: argparse.Namespace) -> int:
    """Delete a note; asks on a terminal, and always asks if it cannot be undone."""
    out: Output = args.out
    with open_store() as store:
        note = notes.read_note(store, reading.find_id(store, args.id)).note
        if not _is_confirmed(args, note):
            return 1
        notes.delete_note(store, note.id, backend=open_backend(store))
    done = f"deleted {note.id}; `anamnesis undo {note.id}` brings it back"
    out.result(note_dict(note, include_body=False), done)
    return 0


def _is_confirmed(args: argparse.Namespace, note: Memory) -> bool:
    """Whether to delete this note; asks if someone can answer."""
    is_whole = args.id.upper() == note.id.upper()
    if not is_whole and (args.yes or not can_ask()):
        # In a script, the start of an id is probably a mistake.
        tell(f"anamnesis: nothing was deleted; to delete without being asked, give the full id: {note.id}")
        return False
    if args.yes or not can_ask() or confirmed(f"delete {named(note.id, note.title)}?"):
        return True
    tell(f"nothing was deleted; `anamnesis delete {note.id} --yes` deletes without asking")
    return False


def cmd_undo(args: argparse.Namespace) -> int:
    """Undo the last change to a note: an edit, a deletion, or the note itself; twice undoes the undoing."""
    from anamnesis.operations import versions  # git's history, which only this command needs

    with open_store() as store:
        backend = open_backend(store)
        change = versions.last_change(store, args.id, backend=backend, machine_id=resolve_machine_id())
        name = one_line(named(change.note.id, change.note.title))
        if can_ask() and not confirmed(f"{change.about} {name}: undo that?"):
            tell("nothing was changed")
            return 1
        note = versions.undo_change(store, change, backend=backend)
    args.out.result(note_dict(note, include_body=False), f"{change.result} {name}")
    return 0
