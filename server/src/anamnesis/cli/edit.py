"""`edit`: a note's markdown in the user's editor, checked before it is saved."""

from __future__ import annotations

import argparse

from anamnesis.cli.editor import edit_until_saved
from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.parser import add_id, add_json
from anamnesis.cli.terminal import say, say_json, tell
from anamnesis.notes.record import note_dict
from anamnesis.operations import details, reading, writing


def add_edit(parser: argparse.ArgumentParser) -> None:
    """Arguments of `edit`."""
    add_id(parser)
    add_json(parser, "the note as `list --json` shows it")
    parser.epilog = "Example:\n  EDITOR=nano anamnesis edit 01J9Z8YPM7Q3X2V4WT6B5N0KGD"


def cmd_edit(args: argparse.Namespace) -> int:
    """Open a note in the editor and save what came of it."""
    with open_store() as store:
        note_id = reading.find_id(store, args.id)
        known = details.read_note(store, note_id)
        saved = edit_until_saved(
            store.text_of(note_id) or "",
            name=note_id,
            root=store.root,
            save=lambda text: writing.revise_note(
                store, note_id, text, base=known.version, backend=open_backend(store)
            ),
        )
    if saved is None:
        tell("nothing was changed")
    if args.json:
        say_json(note_dict(saved or known.note, include_body=False))
    elif saved:
        say(f"saved {saved.id}")
    return 0
