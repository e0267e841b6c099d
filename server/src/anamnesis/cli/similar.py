"""`similar`: notes like another one."""

from __future__ import annotations

import argparse

from anamnesis.cli.opening import open_to_search
from anamnesis.cli.parser import add_id, add_json, positive
from anamnesis.cli.terminal import say_json, say_row, tell
from anamnesis.operations.reading import find_id
from anamnesis.operations.similar import related_notes


def add_similar(parser: argparse.ArgumentParser) -> None:
    """Arguments of `similar`."""
    add_id(parser)
    parser.add_argument(
        "-k", type=positive, default=8, metavar="N", help="at most this many notes (default %(default)s)"
    )
    parser.add_argument(
        "--semantic", action="store_true", help="also by meaning, with the model of `semantic install`"
    )
    add_json(parser, "[{id, title, project, likeness}], most alike first")
    parser.epilog = "Example:\n  anamnesis similar 01J9Z8YPM7Q3X2V4WT6B5N0KGD"


def cmd_similar(args: argparse.Namespace) -> int:
    """Print the notes that are like one, most alike first."""
    with open_to_search(by_meaning=args.semantic) as store:
        found = related_notes(store, find_id(store, args.id), k=args.k)
    if args.json:
        say_json(found)
    elif not found:
        tell("no other note is like it")
    for note in [] if args.json else found:
        say_row(str(note["id"]), str(note["likeness"]), str(note["project"]), str(note["title"]))
    return 0
