"""`resolve`: list the notes whose two versions clash, or settle one."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from anamnesis.cli.diffs import unified
from anamnesis.cli.editor import edit_until_saved
from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.parser import USAGE, add_json
from anamnesis.cli.terminal import on_terminal, one_line, pretty, say, say_json, tell
from anamnesis.errors import NoteNotFound, SyncError
from anamnesis.operations.exchange import resolve_with
from anamnesis.operations.reading import only_id
from anamnesis.sync import Choice, HeldNote, HoldingBackend
from anamnesis.sync.merge import merge_note
from anamnesis.sync.state import named

_CHOICES: tuple[Choice, ...] = ("mine", "theirs", "both")
_SHOWN = ("id", "title", "path", "since", "machine", "moment", "private", "mine", "theirs")


def add_resolve(parser: argparse.ArgumentParser) -> None:
    """Arguments of `resolve`."""
    parser.add_argument(
        "id",
        nargs="?",
        metavar="ID",
        help="the held note to settle, or enough of its beginning; without it all are listed",
    )
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--mine", action="store_true", help="keep this machine's text")
    choice.add_argument("--theirs", action="store_true", help="take the other machine's text")
    choice.add_argument(
        "--both",
        action="store_true",
        help="keep every line of both texts, also what one of them had deleted or changed",
    )
    choice.add_argument(
        "--edit", action="store_true", help="put both into your editor and save what is right"
    )
    add_json(parser, f"[{{{', '.join(_SHOWN)}}}]; when one was settled, {{id, choice}}")
    parser.epilog = "Example:\n  anamnesis resolve 01J9Z8YPM7Q3X2V4WT6B5N0KGD --theirs"


def cmd_resolve(args: argparse.Namespace) -> int:
    """List held notes, or settle one."""
    choice = next((name for name in (*_CHOICES, "edit") if getattr(args, name)), "")
    if choice and not args.id:
        tell(f"anamnesis resolve: --{choice} needs the id of a held note; `anamnesis resolve` lists them")
        return USAGE
    with open_store() as store:
        backend = open_backend(store)
        held = backend.held() if args.id is None else [_find(backend.held(), args.id)]
        if not choice:
            _show(held, as_json=args.json)
        elif _settle(backend, held[0], choice, root=store.root):
            _say_settled(held[0], choice, as_json=args.json)
    return 0


def _find(held: list[HeldNote], text: str) -> HeldNote:
    try:
        found = only_id(text, [(note.id, note.title) for note in held])
    except NoteNotFound as exc:
        raise SyncError(f"note {text!r} is not held; `anamnesis resolve` lists those that are") from exc
    return next(note for note in held if note.id == found)


def _settle(backend: HoldingBackend, note: HeldNote, choice: str, *, root: Path) -> bool:
    for known in _CHOICES:
        if choice == known:
            backend.resolve(note.id, choice=known)
            return True
    if note.private:
        raise SyncError(
            f"{_name(note)} is machine-local here and shared elsewhere; choose --mine or --theirs"
        )
    if not note.is_text:
        raise SyncError(f"{_name(note)} is not text and cannot be edited; choose --mine or --theirs")
    text = merge_note(note.base, note.mine or "", note.theirs or "").text
    save = partial(_resolve_with, backend, note.id)
    return edit_until_saved(text, name=note.id.replace("/", "-"), root=root, save=save) is not None


def _resolve_with(backend: HoldingBackend, note_id: str, text: str) -> bool:
    resolve_with(backend, note_id, text)
    return True


def _say_settled(note: HeldNote, choice: str, *, as_json: bool) -> None:
    if as_json:
        say_json({"id": note.id, "choice": choice})
    else:
        say(f"resolved {_name(note)}; `anamnesis sync` sends it to your other machines")


def _show(held: list[HeldNote], *, as_json: bool) -> None:
    if as_json:
        say_json([_dict(note) for note in held])
        return
    if not held:
        tell("no note is held")
    for note in held:
        difference = unified(note.theirs or "", note.mine or "", old="theirs", new="mine")
        if on_terminal():
            pretty().held(note.id, note.title, _story(note), difference, ways=_ways(note))
        else:
            # The ids are what a script wants; the rest is for whoever reads along.
            say(one_line(note.id))
            tell(f"{_name(note)}: {_story(note)}\n{difference}")


def _name(note: HeldNote) -> str:
    return one_line(named(note.id, note.title))


def _story(note: HeldNote) -> str:
    """Since when a note is held and why, in one line."""
    there = f"changed on {note.machine} at {note.moment}" if note.machine else "changed elsewhere"
    here = "; machine-local here: mine removes it elsewhere, theirs shares it again" if note.private else ""
    return one_line(f"held since {note.since}, {there}{here}")


def _ways(note: HeldNote) -> str:
    return "--mine | --theirs" if note.private or not note.is_text else "--mine | --theirs | --both | --edit"


def _dict(note: HeldNote) -> dict[str, object]:
    return {name: getattr(note, name) for name in _SHOWN}
