"""The commands that change notes: write, edit, delete, undo, supersede.

The editor is $VISUAL, else $EDITOR, else vi. The last text that could not be saved is kept in `undo/`.
"""

from __future__ import annotations

import argparse
import os
import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from anamnesis.cli.opening import open_backend, open_store, read_body, split_tags
from anamnesis.cli.output import Output, can_ask, confirmed, one_line, tell
from anamnesis.config import environment, resolve_machine_id
from anamnesis.errors import AnamnesisError, ConfigError, StaleNote
from anamnesis.files import make_folder, write_atomic
from anamnesis.layout import UNDO_FOLDER
from anamnesis.notes.record import decode, note_dict
from anamnesis.operations import notes, reading
from anamnesis.operations.notes import NewNote
from anamnesis.programs import run_in_terminal
from anamnesis.project import place_of
from anamnesis.session.receipts import remember
from anamnesis.text import named

Saved = TypeVar("Saved")
_ON_SCREEN = ("vi", "vim", "nvim", "nano", "micro", "hx")  # editors that wait forever without a terminal
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
        note, is_new = notes.write_note(store, new, place, args.project)
        similar = notes.similar_notes(store, note, k=1)
        if note.project == place.key:
            remember(str(store.root), ".", project=place.key)  # in case the folder is renamed
    if is_new:
        out.hint(f"{note.project} is a new project")
    elif args.project is None and not place.is_known:
        out.hint(f"it is in {note.project}, because this folder is not a project; --project names another")
    for other in similar:
        out.hint(f"similar: {other.id} {one_line(other.title)}")
    out.result(note_dict(note, include_body=True), note.id)
    return 0


def _first_words(text: str) -> str:
    """A title from the first line of a text, cut at a word."""
    line = next((line.strip("#*->` ") for line in text.splitlines() if line.strip("#*->` ")), "")
    if len(line) <= _TITLE_CHARACTERS:
        return line
    return line[:_TITLE_CHARACTERS].rpartition(" ")[0] or line[:_TITLE_CHARACTERS]


def cmd_supersede(args: argparse.Namespace) -> int:
    """Write a note that replaces another and print its id."""
    out: Output = args.out
    body = read_body(args.body)
    with open_store() as store:
        old = notes.read_note(store, reading.find_id(store, args.id)).note
        here = resolve_machine_id()
        new = NewNote(args.title or old.title, body, old.type, old.project, old.tags, here, old.scope, old.id)
        note = notes.create_note(store, new)
    out.hint(f"it replaces {one_line(named(old.id, old.title))}, which searches no longer show")
    out.result(note_dict(note, include_body=True), note.id)
    return 0


def cmd_edit(args: argparse.Namespace) -> int:
    """Open a note in the editor and save the result."""
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
    if saved and saved.scope != known.note.scope == "portable":
        tell("what was synced of it stays in the history; `anamnesis purge --text` erases that")
    args.out.result(note_dict(saved or known.note, include_body=False), lines)
    return 0


def cmd_delete(args: argparse.Namespace) -> int:
    """Delete a note; asks on a terminal, and always asks if it cannot be undone."""
    out: Output = args.out
    with open_store() as store:
        note = notes.read_note(store, reading.find_id(store, args.id)).note
        is_asking = can_ask() and not args.yes  # else the start of an id is probably a mistake
        is_whole = args.id.upper() == note.id.upper()
        if not (confirmed(f"delete {named(note.id, note.title)}?") if is_asking else is_whole):
            tell(f"nothing was deleted; `anamnesis delete {note.id} --yes` deletes without asking")
            return 1
        notes.delete_note(store, note.id, backend=open_backend(store))
    done = f"deleted {note.id}; `anamnesis undo {note.id}` brings it back"
    out.result(note_dict(note, include_body=False), done)
    return 0


def cmd_undo(args: argparse.Namespace) -> int:
    """Undo the last change to a note: an edit, a deletion, or the note itself; twice undoes the undoing."""
    from anamnesis.operations import versions  # git's history, which only this command needs

    with open_store() as store:
        backend = open_backend(store)
        change = versions.last_change(store, args.id, backend=backend)
        name = one_line(named(change.note.id, change.note.title))
        if can_ask() and not confirmed(f"{change.about} {name}: undo that?"):
            tell("nothing was changed")
            return 1
        note = versions.undo_change(store, change, backend=backend)
    args.out.result(note_dict(note, include_body=False), f"{change.result} {name}")
    return 0


def edit_until_saved(text: str, *, name: str, root: Path, save: Callable[[str], Saved]) -> Saved | None:
    """Open `text` in the editor and pass the result to `save`; None if nothing was changed, or all removed.

    If `save` refuses the text, the user can open it again; if they give up, it is kept under the store's
    `undo/`, and its path is printed.
    """
    with tempfile.TemporaryDirectory(prefix="anamnesis-edit-") as folder:
        path = Path(folder, "note.md")
        write_atomic(path, text.encode())
        while True:
            edited = ""
            try:
                _open_editor(path)
                edited = decode(path.read_bytes())
                # As with a commit message, an empty text means that the user changed their mind.
                return None if edited == text or not edited.strip() else save(edited)
            except AnamnesisError as exc:
                # Editing a stale note again would overwrite the newer version.
                if edited and not isinstance(exc, StaleNote) and confirmed(f"{exc}; open it again?"):
                    continue
                _keep_unsaved(path, text, root / UNDO_FOLDER / name.replace("/", "-")[:100])
                raise


def _keep_unsaved(path: Path, text: str, folder: Path) -> None:
    if path.is_file() and (data := path.read_bytes()) != text.encode():
        kept = folder / "unsaved.md"
        make_folder(folder)
        write_atomic(kept, data)
        tell(f"your text is kept in {kept}; copy it from there when you edit again")


def _open_editor(path: Path) -> None:
    chosen = environment("VISUAL") or environment("EDITOR") or "vi"
    if os.path.basename(chosen) in _ON_SCREEN and not can_ask():
        raise ConfigError(f"the editor {chosen!r} needs a terminal; in a script, set EDITOR to another one")
    try:
        status = run_in_terminal([*shlex.split(chosen), os.fspath(path)])
    except (OSError, ValueError) as exc:
        raise ConfigError(f"the editor {chosen!r} cannot be started; set EDITOR to one that exists") from exc
    if status != 0:
        raise ConfigError(f"the editor {chosen!r} exited with status {status}; nothing was saved")
