"""`history`: a note's versions, how they differ, and restoring one."""

from __future__ import annotations

import argparse
import re

from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.parser import add_id, add_json
from anamnesis.cli.terminal import Output, row
from anamnesis.history import History, Version
from anamnesis.notes.record import note_dict
from anamnesis.notes.vocabulary import local_time
from anamnesis.operations import writing
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
    add_id(parser, "the note, which may be deleted")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--diff", nargs=2, metavar=("A", "B"), help="show how version B differs from A")
    what.add_argument(
        "--restore",
        nargs="?",
        const=_LAST,
        metavar="VERSION",
        help="make a version the note's text again; without one, restore a deleted note."
        " 4 or more characters of a version's name are enough",
    )
    parser.add_argument(
        "--allow-secret", action="store_true", help="restore a version even if it contains a credential"
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
    out: Output = args.out
    uncommitted = _is_uncommitted(store, history_of(store, backend), args.id, versions)
    rows = [(each.commit[:12], each.at, each.machine_id, each.action, each.message) for each in versions]
    headings = ("version", "when", "machine", "what", "message")
    out.result(
        {"id": args.id, "uncommitted": uncommitted, "versions": [_dict(each) for each in versions]},
        (row(*fields) for fields in rows),
        (lambda pretty: pretty.table(headings, [_brief(*fields) for fields in rows])) if rows else None,
    )
    if uncommitted and not out.as_json:
        out.hint(_why_uncommitted(store, backend, args.id))


def _why_uncommitted(store: MemoryStore, backend: HoldingBackend, note_id: str) -> str:
    if writing.read_note(store, note_id).note.scope == "machine-local":
        return f"machine-local notes are not in {backend.kind}; replaced texts are kept on this machine"
    if any(each.id == note_id for each in backend.state().waiting):
        return "the current text is not committed because of a credential; `anamnesis status` says where"
    return f"the current text is not in {backend.kind} yet; `anamnesis sync` commits it"


def _brief(version: str, at: str, machine_id: str, action: str, message: str) -> tuple[str, ...]:
    """A row that fits a terminal: local time, and the message without the time and machine."""
    older = re.sub(r" from .+? at \d{4}-\d\d-\d\dT\S+", "", message.removeprefix("anamnesis: "))
    return version, local_time(at), machine_id, action, older.removeprefix(f"{machine_id}: ")


def _is_uncommitted(store: MemoryStore, history: History, note_id: str, versions: list[Version]) -> bool:
    text, committed = store.text_of(note_id), [each for each in versions if each.action != "replaced"]
    return text is not None and not (committed and text == history.text(committed[0]))


def _show_diff(store: MemoryStore, backend: HoldingBackend, args: argparse.Namespace) -> None:
    out: Output = args.out
    old, new = (note_version(store, args.id, name, backend=backend) for name in args.diff)
    difference = history_of(store, backend).diff(old, new)
    out.result(
        {"id": args.id, "diff": difference},
        difference.removesuffix("\n"),
        lambda pretty: pretty.diff(difference),
    )


def _restore(store: MemoryStore, backend: HoldingBackend, args: argparse.Namespace) -> None:
    out: Output = args.out
    name = "" if args.restore == _LAST else args.restore
    restored = restore_note(store, args.id, backend=backend, name=name, allow_secret=args.allow_secret)
    out.result(note_dict(restored, include_body=False), f"restored {restored.id}")


def _dict(version: Version) -> dict[str, object]:
    names = ("at", "machine_id", "action", "message", "path")
    return {"version": version.commit, **{name: getattr(version, name) for name in names}}
