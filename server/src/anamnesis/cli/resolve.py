"""`resolve`: list the notes whose two versions clash, or resolve one."""

from __future__ import annotations

import argparse
import difflib

from anamnesis.cli.editor import edit_until_saved
from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.parser import USAGE, add_id, add_json
from anamnesis.cli.terminal import Output, one_line, tell
from anamnesis.errors import NoteNotFound, SyncError
from anamnesis.notes.vocabulary import local_time
from anamnesis.operations.exchange import resolve_note
from anamnesis.operations.reading import only_id
from anamnesis.store import MemoryStore
from anamnesis.sync import Choice, HeldNote, HoldingBackend
from anamnesis.sync.merge import merge_note
from anamnesis.text import named

_CHOICES: tuple[Choice, ...] = ("mine", "theirs", "both")
_SHOWN = ("id", "title", "path", "since", "machine", "moment", "private", "mine", "theirs")


def add_resolve(parser: argparse.ArgumentParser) -> None:
    """Arguments of `resolve`."""
    add_id(parser, "the held note to resolve (default: list all)", optional=True)
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--mine", action="store_true", help="keep this machine's text")
    choice.add_argument("--theirs", action="store_true", help="take the other machine's text")
    choice.add_argument(
        "--both",
        action="store_true",
        help="keep every line of both texts, even those that one side deleted or changed",
    )
    choice.add_argument("--edit", action="store_true", help="open both in your editor and save the result")
    add_json(parser, f"[{{{', '.join(_SHOWN)}}}]; after resolving one, {{id, title, choice}}")
    parser.epilog = "Example:\n  anamnesis resolve 01J9Z8YPM7Q3X2V4WT6B5N0KGD --theirs"


def cmd_resolve(args: argparse.Namespace) -> int:
    """List held notes, or resolve one."""
    choice = next((name for name in (*_CHOICES, "edit") if getattr(args, name)), "")
    if choice and not args.id:
        tell(f"anamnesis resolve: --{choice} needs the id of a held note; `anamnesis resolve` lists them")
        return USAGE
    with open_store() as store:
        backend = open_backend(store)
        held = [_find(backend.held(), args.id)] if args.id else backend.held()
        if not choice:
            _show(args.out, held)
        elif _settle(store, backend, held[0], choice):
            _say_settled(args.out, held[0], choice)
        else:
            tell(
                f"nothing was changed, {_name(held[0])} is still held; --both keeps every line of both texts"
            )
            return 1
    return 0


def _find(held: list[HeldNote], text: str) -> HeldNote:
    try:
        found = only_id(text, [(note.id, note.title) for note in held])
    except NoteNotFound as exc:
        raise SyncError(f"note {text!r} is not held; `anamnesis resolve` lists the held ones") from exc
    return next(note for note in held if note.id == found)


def _settle(store: MemoryStore, backend: HoldingBackend, note: HeldNote, choice: str) -> bool:
    for known in _CHOICES:
        if choice == known:
            resolve_note(store, backend, note.id, choice=known)
            return True
    if note.private:
        raise SyncError(
            f"{_name(note)} is machine-local here and shared elsewhere; choose --mine or --theirs"
        )
    if not note.is_text:
        raise SyncError(f"{_name(note)} is not text and cannot be edited; choose --mine or --theirs")

    def _save(text: str) -> bool:
        resolve_note(store, backend, note.id, text=text)
        return True

    both = merge_note(note.base, note.mine or "", note.theirs or "").text
    name = note.id.replace("/", "-")
    return edit_until_saved(both, name=name, root=store.root, save=_save) is not None


def _say_settled(out: Output, note: HeldNote, choice: str) -> None:
    out.result(
        {"id": note.id, "title": note.title, "choice": choice},
        f"resolved {_name(note)}; `anamnesis sync` sends it to your other machines",
    )


def _show(out: Output, held: list[HeldNote]) -> None:
    if not held:
        out.hint("no note is held")
    # Ids go to stdout for scripts; the rest is for people.
    ids = [one_line(note.id) for note in held]
    rows = [(note.id, note.title, _description(note), _difference(note), _ways(note)) for note in held]
    out.result([_dict(note) for note in held], ids, lambda pretty: pretty.held(rows))
    if not out.is_pretty:
        for note in held:
            out.hint(f"{_name(note)}: {_description(note)}\n{_difference(note)}")
            out.hint(f"to resolve it: anamnesis resolve {one_line(note.id)} {_ways(note)}")


def _difference(note: HeldNote) -> str:
    """How this machine's text differs from the other one, as a unified diff."""
    theirs, mine = (note.theirs or "").splitlines(), (note.mine or "").splitlines()
    return "\n".join(difflib.unified_diff(theirs, mine, fromfile="theirs", tofile="mine", lineterm=""))


def _name(note: HeldNote) -> str:
    return one_line(named(note.id, note.title))


def _description(note: HeldNote) -> str:
    """Since when and why a note is held, in one line."""
    there = f"changed on {note.machine} at {local_time(note.moment)}" if note.machine else "changed elsewhere"
    here = "; machine-local here: mine removes it elsewhere, theirs shares it again" if note.private else ""
    return one_line(f"held since {local_time(note.since)}, {there}{here}")


def _ways(note: HeldNote) -> str:
    return "--mine | --theirs" if note.private or not note.is_text else "--mine | --theirs | --both | --edit"


def _dict(note: HeldNote) -> dict[str, object]:
    return {name: getattr(note, name) for name in _SHOWN}
