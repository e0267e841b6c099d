"""`history`: a note's versions, how they differ, and bringing one back."""

from __future__ import annotations

import argparse
import re

from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.parser import add_id, add_json
from anamnesis.cli.terminal import on_terminal, pretty, say, say_json, say_row, tell
from anamnesis.history import History, Version
from anamnesis.notes.record import note_dict
from anamnesis.operations import details
from anamnesis.operations.versions import find_id_ever, history_of, note_history, note_version, restore_note
from anamnesis.store import MemoryStore
from anamnesis.sync import HoldingBackend

_SHAPE = (
    "{id, uncommitted, versions: [{version, at, machine_id, action, message, path}]}, action one of added,"
    " edited, moved, deleted, replaced; with --diff {id, diff}, with --restore the note as `list --json`"
    " shows it"
)
_LAST = "the last text"


def add_history(parser: argparse.ArgumentParser) -> None:
    """Arguments of `history`."""
    add_id(parser, "the note, also a deleted one")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--diff", nargs=2, metavar=("A", "B"), help="how version B differs from A")
    what.add_argument(
        "--restore",
        nargs="?",
        const=_LAST,
        metavar="VERSION",
        help="make a version the note's text again; without one, bring a deleted note back."
        " A version is named by 4 or more characters of its name in the list",
    )
    parser.add_argument(
        "--allow-secret", action="store_true", help="restore a version although it holds a credential"
    )
    add_json(parser, _SHAPE)
    parser.epilog = "Example:\n  anamnesis history 01J9Z8YPM7Q3X2V4WT6B5N0KGD --restore 3237e8f"


def cmd_history(args: argparse.Namespace) -> int:
    """Print a note's versions, compare two, or restore one."""
    with open_store() as store:
        backend = open_backend(store)
        args.id = find_id_ever(store, args.id, backend=backend)
        versions = note_history(store, args.id, backend=backend)
        if args.diff:
            _show_diff(store, backend, args)
        elif args.restore is not None:
            _restore(store, backend, args)
        else:
            _show_versions(store, backend, args, versions)
    return 0


def _show_versions(
    store: MemoryStore, backend: HoldingBackend, args: argparse.Namespace, versions: list[Version]
) -> None:
    uncommitted = _is_uncommitted(store, history_of(store, backend), args.id, versions)
    if args.json:
        say_json({"id": args.id, "uncommitted": uncommitted, "versions": [_dict(each) for each in versions]})
        return
    rows = [(each.commit[:12], each.at, each.machine_id, each.action, each.message) for each in versions]
    if on_terminal() and rows:
        headings = ("version", "when (UTC)", "machine", "what", "message")
        pretty().table(headings, [_brief(*row) for row in rows])
    else:
        for row in rows:
            say_row(*row)
    if uncommitted and details.read_note(store, args.id).note.scope == "machine-local":
        tell(
            f"machine-local notes are not in {backend.kind};"
            " the texts that were replaced are kept on this machine"
        )
    elif uncommitted and any(each.id == args.id for each in backend.state().waiting):
        tell("the text of now waits with a credential; `anamnesis status` says where it is")
    elif uncommitted:
        tell(f"the text of now is not in {backend.kind} yet; `anamnesis sync` commits it")


def _brief(version: str, at: str, machine_id: str, action: str, message: str) -> tuple[str, ...]:
    """A row that fits a terminal: the message without the time and machine that have columns of their own."""
    older = re.sub(r" from .+? at \d{4}-\d\d-\d\dT\S+", "", message.removeprefix("anamnesis: "))
    said = older.removeprefix(f"{machine_id}: ")
    return version, at[:16].replace("T", " "), machine_id, action, said


def _is_uncommitted(store: MemoryStore, history: History, note_id: str, versions: list[Version]) -> bool:
    text, committed = store.text_of(note_id), [each for each in versions if each.action != "replaced"]
    return text is not None and not (committed and text == history.text(committed[0]))


def _show_diff(store: MemoryStore, backend: HoldingBackend, args: argparse.Namespace) -> None:
    old, new = (note_version(store, args.id, name, backend=backend) for name in args.diff)
    difference = history_of(store, backend).diff(old, new)
    if args.json:
        say_json({"id": args.id, "diff": difference})
    elif on_terminal():
        pretty().diff(difference)
    else:
        say(difference.removesuffix("\n"))


def _restore(store: MemoryStore, backend: HoldingBackend, args: argparse.Namespace) -> None:
    name = "" if args.restore == _LAST else args.restore
    restored = restore_note(store, args.id, backend=backend, name=name, allow_secret=args.allow_secret)
    if args.json:
        say_json(note_dict(restored, include_body=False))
    else:
        say(f"restored {restored.id}")


def _dict(version: Version) -> dict[str, object]:
    names = ("at", "machine_id", "action", "message", "path")
    return {"version": version.commit, **{name: getattr(version, name) for name in names}}
