"""The versions of notes: `history` lists and restores them, `resolve` settles a clash, `purge` erases."""

from __future__ import annotations

import argparse
import difflib
import re
from dataclasses import asdict

from anamnesis.cli.editor import edit_until_saved
from anamnesis.cli.parser import add_flag, add_id, add_json, open_backend, open_store, read_body, usage_error
from anamnesis.cli.terminal import Output, confirmed, one_line, row, tell
from anamnesis.config import resolve_machine_id, resolve_remote
from anamnesis.errors import NoteNotFound, SyncError
from anamnesis.fleet.purge_preview import Survey
from anamnesis.fleet.purge_preview import described as survey_lines
from anamnesis.history import Version
from anamnesis.notes.record import note_dict
from anamnesis.notes.vocabulary import local_time
from anamnesis.operations import versions
from anamnesis.operations.notes import read_note, successors
from anamnesis.operations.reading import only_id
from anamnesis.store import MemoryStore
from anamnesis.sync import HeldNote, HoldingBackend
from anamnesis.sync.merge import merge_note
from anamnesis.text import named

_SHAPE = (
    "{id, uncommitted, versions: [{version, at, machine_id, action, message, path}]}, action one of added,"
    " edited, moved, deleted, replaced; with --diff {id, diff}, with --restore the note as `list --json`"
    " shows it"
)
_LAST = "the last text"
_SENDS = "`anamnesis sync` sends it to your other machines"
_CHOICES: tuple[versions.Settlement, ...] = ("mine", "theirs", "both", "two")
_SHOWN = ("id", "title", "path", "since", "machine", "moment", "private", "mine", "theirs")
_AT_HOST = "what the host keeps until its own clean-up (`git gc --prune=now` there), "
_REACH = (
    "Not reached: {host}backups, exports, clones without Anamnesis, the client's transcripts."
    " Change a leaked password in any case."
)


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
    add_flag(parser, "--allow-secret", help="restore a version even if it contains a credential")
    add_json(parser, _SHAPE)
    parser.epilog = "Example:\n  anamnesis history 01J9Z8YPM7Q3X2V4WT6B5N0KGD --restore 3237e8f"


def cmd_history(args: argparse.Namespace) -> int:
    """Print a note's versions, compare two, or restore one."""
    with open_store() as store:
        backend = open_backend(store)
        args.id = versions.find_id_ever(store, args.id, backend=backend)
        known = versions.note_history(store, args.id, backend=backend)
        if args.diff:
            _show_diff(store, backend, args)
        elif args.restore is not None:
            _restore_version(store, backend, args)
        else:
            _show_versions(store, backend, args, known)
    return 0


def _show_versions(
    store: MemoryStore, backend: HoldingBackend, args: argparse.Namespace, known: list[Version]
) -> None:
    out: Output = args.out
    uncommitted = versions.is_uncommitted(store, args.id, known, backend=backend)
    names = ("at", "machine_id", "action", "message", "path")
    shown = [{"version": each.commit, **{name: getattr(each, name) for name in names}} for each in known]
    rows = [(each.commit[:12], each.at, each.machine_id, each.action, each.message) for each in known]
    headings = ("version", "when", "machine", "what", "message")
    out.result(
        {"id": args.id, "uncommitted": uncommitted, "versions": shown},
        (row(*fields) for fields in rows),
        (lambda pretty: pretty.table(headings, [_brief(*fields) for fields in rows])) if rows else None,
    )
    if uncommitted and not out.as_json:
        out.hint(_why_uncommitted(store, backend, args.id))


def _why_uncommitted(store: MemoryStore, backend: HoldingBackend, note_id: str) -> str:
    if read_note(store, note_id).note.scope == "machine-local":
        return f"machine-local notes are not in {backend.kind}; replaced texts are kept on this machine"
    if why := next((each.why for each in backend.state().waiting if each.id == note_id), ""):
        return f"the current text waits {why} and is not committed; `anamnesis status` says where"
    return f"the current text is not in {backend.kind} yet; `anamnesis sync` commits it"


def _brief(version: str, at: str, machine_id: str, action: str, message: str) -> tuple[str, ...]:
    """A row for a terminal: local time, and the message without time and machine."""
    older = re.sub(r" from .+? at \d{4}-\d\d-\d\dT\S+", "", message.removeprefix("anamnesis: "))
    return version, local_time(at), machine_id, action, older.removeprefix(f"{machine_id}: ")


def _show_diff(store: MemoryStore, backend: HoldingBackend, args: argparse.Namespace) -> None:
    out: Output = args.out
    old, new = (versions.note_version(store, args.id, name, backend=backend) for name in args.diff)
    difference = versions.history_of(store, backend).diff(old, new)
    out.result(
        {"id": args.id, "diff": difference},
        difference.removesuffix("\n"),
        lambda pretty: pretty.diff(difference),
    )


def _restore_version(store: MemoryStore, backend: HoldingBackend, args: argparse.Namespace) -> None:
    out: Output = args.out
    name = "" if args.restore == _LAST else args.restore
    restored = versions.restore_note(
        store, args.id, backend=backend, name=name, allow_secret=args.allow_secret
    )
    name = one_line(named(restored.id, restored.title))
    is_sent = "" if restored.scope == "machine-local" else f"; {_SENDS}"
    out.result(note_dict(restored, include_body=False), f"restored {name}{is_sent}")
    for newer in successors(store, restored.id):
        out.hint(f"searches still hide it: {one_line(named(newer.id, newer.title))} replaces it")


def add_resolve(parser: argparse.ArgumentParser) -> None:
    """Arguments of `resolve`."""
    add_id(parser, "the held note to resolve (default: list all)", optional=True)
    choice = parser.add_mutually_exclusive_group()
    add_flag(choice, "--mine", help="keep this machine's text")
    add_flag(choice, "--theirs", help="take the other machine's text")
    add_flag(
        choice, "--both", help="keep every line of both texts, even those that one side deleted or changed"
    )
    add_flag(choice, "--two", help="keep this machine's text and write the other one as a new note")
    add_flag(choice, "--edit", help="open both in your editor and save the result")
    add_json(parser, f"[{{{', '.join(_SHOWN)}}}]; after resolving one, {{id, title, choice, written}}")
    parser.epilog = "Example:\n  anamnesis resolve 01J9Z8YPM7Q3X2V4WT6B5N0KGD --theirs"


def cmd_resolve(args: argparse.Namespace) -> int:
    """List held notes, or resolve one."""
    choice = next((name for name in (*_CHOICES, "edit") if getattr(args, name)), "")
    if choice and not args.id:
        return usage_error(
            "resolve", f"--{choice} needs the id of a held note; `anamnesis resolve` lists them"
        )
    with open_store() as store:
        backend = open_backend(store)
        held = [_find_held(backend.held(), args.id)] if args.id else backend.held()
        if not choice:
            _show_held(args.out, held)
            return 0
        note, name = held[0], _held_name(held[0])
        done = _settle(store, backend, note, choice)
        if done is None:
            tell(f"nothing was changed, {name} is still held; --both keeps every line of both texts")
            return 1
    second = f"; the other text is now {done.written}" if done.written else ""
    args.out.result(
        {"id": note.id, "title": note.title, "choice": choice, "written": done.written},
        f"resolved {name}{second}; {_SENDS}",
    )
    return 0


def _find_held(held: list[HeldNote], text: str) -> HeldNote:
    try:
        note_id = only_id(text, [(note.id, note.title) for note in held])
    except NoteNotFound as exc:
        raise SyncError(f"note {text!r} is not held; `anamnesis resolve` lists the held ones") from exc
    return next(note for note in held if note.id == note_id)


def _settle(
    store: MemoryStore, backend: HoldingBackend, note: HeldNote, choice: str
) -> versions.Resolution | None:
    """Resolve a held note; None if the editor was left without a result."""
    for known in _CHOICES:
        if choice == known:
            return versions.resolve_note(store, backend, note.id, choice=known)
    if note.private:
        raise SyncError(
            f"{_held_name(note)} is machine-local here and shared elsewhere; choose --mine or --theirs"
        )
    if not note.is_text:
        raise SyncError(f"{_held_name(note)} is not text and cannot be edited; choose --mine or --theirs")

    def _save(text: str) -> bool:
        versions.resolve_note(store, backend, note.id, text=text)
        return True

    both = merge_note(note.base, note.mine or "", note.theirs or "").text
    name = note.id.replace("/", "-")
    return (
        versions.Resolution()
        if edit_until_saved(both, name=name, root=store.root, save=_save) is not None
        else None
    )


def _show_held(out: Output, held: list[HeldNote]) -> None:
    if not held:
        out.hint("no note is held")
    # Ids go to stdout, for scripts; the rest is for people.
    ids = [one_line(note.id) for note in held]
    rows = [(note.id, note.title, _description(note), _difference(note), _ways(note)) for note in held]
    shown = [{name: getattr(note, name) for name in _SHOWN} for note in held]
    out.result(shown, ids, lambda pretty: pretty.held(rows))
    if not out.is_pretty:
        for note in held:
            out.hint(f"{_held_name(note)}: {_description(note)}\n{_difference(note)}")
            out.hint(f"to resolve it: anamnesis resolve {one_line(note.id)} {_ways(note)}")


def _difference(note: HeldNote) -> str:
    """A unified diff between this machine's text and the other one."""
    theirs, mine = (note.theirs or "").splitlines(), (note.mine or "").splitlines()
    return "\n".join(difflib.unified_diff(theirs, mine, fromfile="theirs", tofile="mine", lineterm=""))


def _held_name(note: HeldNote) -> str:
    return one_line(named(note.id, note.title))


def _description(note: HeldNote) -> str:
    """Since when and why a note is held, in one line."""
    there = f"changed on {note.machine} at {local_time(note.moment)}" if note.machine else "changed elsewhere"
    here = "; machine-local here: mine removes it elsewhere, theirs shares it again" if note.private else ""
    return one_line(f"held since {local_time(note.since)}, {there}{here}")


def _ways(note: HeldNote) -> str:
    if note.private or not note.is_text:
        return "--mine | --theirs"
    two = " | --two" if note.mine is not None and note.theirs is not None else ""
    meaning = "both: every line of both in one note; " + (
        "two: theirs becomes a note of its own; " if two else ""
    )
    return f"--mine | --theirs | --both{two} | --edit   ({meaning}edit: in your editor)"


def add_purge(parser: argparse.ArgumentParser) -> None:
    """Arguments of `purge`."""
    parser.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help="notes to remove with all their versions, deleted ones too: ids, or quoted titles",
    )
    parser.add_argument(
        "--text",
        action="append",
        default=[],
        metavar="T",
        help="remove this text from every version of every note; `-` reads it from standard input",
    )
    add_flag(parser, "--secrets", help="remove every credential that was not allowed from all versions")
    add_flag(parser, "--yes", help="do not ask")
    add_json(parser, "{purge, ids, removed, changed, versions, left, detail, reached}")
    parser.epilog = "Example:\n  anamnesis purge --text 'hunter2-hunter2'"


def cmd_purge(args: argparse.Namespace) -> int:
    """Erase notes and texts from every version, here, at the remote, and on the other machines."""
    with open_store() as store:
        backend = open_backend(store)
        plan = versions.propose_purge(
            store,
            backend,
            machine_id=resolve_machine_id(),
            ids=args.ids,
            # Standard input keeps a text out of the shell's history.
            texts=[read_body(None).strip() if text == "-" else text for text in args.text],
            secrets=args.secrets,
            report=lambda text: tell(f"anamnesis: {text}"),
        )
        if plan is None:
            return _say_nothing_found(args)
        _show_plan(plan)
        if not args.yes and not confirmed("purge?"):
            tell("nothing was purged; --yes purges without asking")
            return 1
        done = versions.carry_out_purge(store, backend, plan)
    args.out.result(done.as_dict(), _purge_line(done))
    return 1 if done.left else 0


def _say_nothing_found(args: argparse.Namespace) -> int:
    said = "nothing found: no version of any note contains a credential that was not allowed"
    nothing = {"purge": "", "ids": [], **asdict(Survey((), (), 0))}
    args.out.result({**nothing, "left": 0, "detail": said, "reached": False}, said)
    return 0


def _show_plan(plan: versions.PurgePlan) -> None:
    if plan.survey.is_empty:
        tell("no version on this machine contains it; the other machines search for it when they sync")
        return
    has_remote = resolve_remote() is not None
    tell("this removes for good:")
    for line in survey_lines(plan.survey, plan.credentials, has_remote=has_remote):
        tell(line)
    tell(_REACH.format(host=_AT_HOST if has_remote else ""))


def _purge_line(done: versions.Purged) -> str:
    if done.left:
        return f"{done.left} objects still hold it; do other clones share them?"
    verb = "recorded as purged" if done.plan.survey.is_empty else "purged"
    if done.reached:
        return f"{verb} here and at the remote; other machines follow when they sync"
    why = f" only; sync: {done.detail}" if resolve_remote() else "; there is no remote"
    return f"{verb} here{why}"
