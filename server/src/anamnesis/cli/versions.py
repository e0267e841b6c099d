"""The versions of notes: `history` lists and restores them, `resolve` settles a clash, `purge` erases."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterator
from dataclasses import asdict

from anamnesis.cli.changes import edit_until_saved
from anamnesis.cli.commands import usage_error
from anamnesis.cli.opening import open_backend, open_store, read_body
from anamnesis.cli.output import Output, Styled, ask, can_ask, confirmed, one_line, tell
from anamnesis.config import resolve_machine_id, resolve_remote
from anamnesis.errors import NoteNotFound, SyncError
from anamnesis.notes.record import note_dict
from anamnesis.notes.vocabulary import local_time
from anamnesis.operations import versions
from anamnesis.operations.notes import successors
from anamnesis.operations.reading import only_id
from anamnesis.store import MemoryStore
from anamnesis.sync import HeldNote, SyncBackend
from anamnesis.sync.merge import merge_note
from anamnesis.sync.purges import Survey
from anamnesis.sync.purges import described as survey_lines
from anamnesis.text import named

_SENDS = "`anamnesis sync` sends it to your other machines"
_CHOICES: dict[str, versions.Settlement] = {"mine": "mine", "theirs": "theirs", "both": "both"}
_HELD_FIELDS = ("id", "title", "path", "since", "machine", "moment", "private", "mine", "theirs")
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_REACH = (
    "Not reached: what a host keeps until its own clean-up (`git gc --prune=now` there), backups, exports,"
    " clones without Anamnesis, the client's transcripts. Change a leaked password in any case."
)


def cmd_history(args: argparse.Namespace) -> int:
    """Print a note's versions, compare two, or restore one."""
    with open_store() as store:
        backend = open_backend(store)
        note_id = versions.find_id_ever(store, args.id, backend=backend)
        if args.diff:
            _show_diff(store, backend, note_id, args)
        elif args.restore is not None:
            _restore_version(store, backend, note_id, args)
        else:
            _show_versions(store, backend, note_id, args.out)
    return 0


def _show_versions(store: MemoryStore, backend: SyncBackend, note_id: str, out: Output) -> None:
    known = versions.note_history(store, note_id, backend=backend)
    uncommitted = versions.is_uncommitted(store, note_id, known, backend=backend)
    names = ("at", "machine_id", "action", "message", "path")
    value = [{"version": each.commit, **{name: getattr(each, name) for name in names}} for each in known]
    when = local_time if out.is_pretty else str
    rows = [(each.commit[:12], when(each.at), each.machine_id, each.action, each.message) for each in known]
    headings = ("version", "when", "machine", "what", "message")
    out.table({"id": note_id, "uncommitted": uncommitted, "versions": value}, headings, rows)
    if uncommitted:
        out.hint(
            "the current text is not in git yet; `anamnesis sync` commits it, unless it stays or waits here"
        )


def _show_diff(store: MemoryStore, backend: SyncBackend, note_id: str, args: argparse.Namespace) -> None:
    old, new = (versions.note_version(store, note_id, name, backend=backend) for name in args.diff)
    lines = versions.history_of(store, backend).diff(old, new)
    args.out.result({"id": note_id, "diff": lines}, lines.removesuffix("\n"), _diff_lines(lines))


def _diff_lines(text: str) -> Iterator[Styled]:
    return ((line, _DIFF_STYLES.get(line[:1], "")) for line in text.splitlines())


def _restore_version(
    store: MemoryStore, backend: SyncBackend, note_id: str, args: argparse.Namespace
) -> None:
    restored = versions.restore_note(
        store, note_id, backend=backend, name=args.restore, allow_secret=args.allow_secret
    )
    done = f"restored {one_line(named(restored.id, restored.title))}; {_SENDS}"
    args.out.result(note_dict(restored, include_body=False), done)
    for newer in successors(store, restored.id):
        args.out.hint(f"searches still hide it: {one_line(named(newer.id, newer.title))} replaces it")


def cmd_resolve(args: argparse.Namespace) -> int:
    """List held notes, or resolve one; on a terminal, ask for each."""
    out: Output = args.out
    choice = next((name for name in (*_CHOICES, "edit") if getattr(args, name)), "")
    if choice and not args.id:
        return usage_error(
            "resolve", f"--{choice} needs the id of a held note; `anamnesis resolve` lists them"
        )
    with open_store() as store:
        backend = open_backend(store)
        held = [_find_held(backend.held(), args.id)] if args.id else backend.held()
        if choice:
            return _resolve(store, backend, out, held[0], choice)
        _show_held(out, held)
        if not (held and can_ask() and out.is_pretty):
            return 0
        for note in held:
            ways = _ways(note)
            named_ways = ", ".join(f"[{way[0]}]{way[1:]}" for way in ways)
            answer = ask(f"{_name(note)}: {named_ways}, or Enter to leave it:").strip().lower()
            if answer and (way := next((way for way in ways if way.startswith(answer)), "")):
                _resolve(store, backend, out, note, way)
        return 1 if backend.held() else 0


def _find_held(held: list[HeldNote], text: str) -> HeldNote:
    try:
        note_id = only_id(text, [(note.id, note.title) for note in held])
    except NoteNotFound as exc:
        raise SyncError(f"note {text!r} is not held; `anamnesis resolve` lists the held ones") from exc
    return next(note for note in held if note.id == note_id)


def _resolve(store: MemoryStore, backend: SyncBackend, out: Output, note: HeldNote, choice: str) -> int:
    """Resolve a held note; 1 if the editor was left without a result."""

    def _save(text: str) -> bool:
        versions.resolve_note(store, backend, note.id, text=text)
        return True

    if choice not in _ways(note):
        raise SyncError(
            f"{_name(note)} is machine-local here and shared elsewhere; choose --mine or --theirs"
        )
    if choice in _CHOICES:
        versions.resolve_note(store, backend, note.id, choice=_CHOICES[choice])
    else:
        both = merge_note(note.base, note.mine or "", note.theirs or "").text
        if not edit_until_saved(both, name=note.id, root=store.root, save=_save):
            tell(f"nothing was changed, {_name(note)} is still held; --both keeps every line of both texts")
            return 1
    out.result({"id": note.id, "title": note.title, "choice": choice}, f"resolved {_name(note)}; {_SENDS}")
    return 0


def _show_held(out: Output, held: list[HeldNote]) -> None:
    """Print the ids on stdout, for scripts; what happened to each note goes to stderr."""
    value = [{name: getattr(note, name) for name in _HELD_FIELDS} for note in held]
    out.result(value, [one_line(note.id) for note in held])
    if not held:
        out.hint("no note is held")
    for note in held:
        theirs, mine = (note.theirs or "").splitlines(), (note.mine or "").splitlines()
        diff = "\n".join(difflib.unified_diff(theirs, mine, fromfile="theirs", tofile="mine", lineterm=""))
        ways = " | ".join(f"--{way}" for way in _ways(note))
        out.hint(f"{_name(note)}: {_description(note)}\n{diff}")
        out.hint(f"to resolve it: anamnesis resolve {one_line(note.id)} {ways}")


def _name(note: HeldNote) -> str:
    return one_line(named(note.id, note.title))


def _description(note: HeldNote) -> str:
    """Since when and why a note is held, in one line."""
    there = f"changed on {note.machine} at {local_time(note.moment)}" if note.machine else "changed elsewhere"
    here = "; machine-local here: mine removes it elsewhere, theirs shares it again" if note.private else ""
    return one_line(f"held since {local_time(note.since)}, {there}{here}")


def _ways(note: HeldNote) -> tuple[str, ...]:
    """How a note can be resolved."""
    return ("mine", "theirs") if note.private else ("mine", "theirs", "both", "edit")


def cmd_purge(args: argparse.Namespace) -> int:
    """Erase notes and texts from every version, here, at the remote, and on the other machines."""
    with open_store() as store:
        backend = open_backend(store)
        plan = versions.propose_purge(
            store,
            backend,
            machine_id=resolve_machine_id(),
            ids=args.id,
            # Standard input keeps a text out of the shell's history.
            texts=[read_body(None).strip() if text == "-" else text for text in args.text],
            secrets=args.secrets,
            report=lambda text: tell(f"anamnesis: {text}"),
        )
        if plan is None:
            none = "nothing found: no version of any note contains a credential that was not allowed"
            value = {"purge": "", "ids": [], **asdict(Survey())}
            args.out.result({**value, "left": 0, "detail": none, "reached": False}, none)
            return 0
        tell("this removes for good, here, and on the other machines when they sync:")
        for line in survey_lines(plan.survey, plan.credentials, has_remote=resolve_remote() is not None):
            tell(line)
        tell(_REACH)
        if not args.yes and not confirmed("purge?"):
            tell("nothing was purged; --yes purges without asking")
            return 1
        done = versions.carry_out_purge(store, backend, plan)
    record = plan.record
    value = {"purge": record.name, "ids": list(record.ids), **asdict(plan.survey), **done._asdict()}
    args.out.result(value, _purge_line(done))
    return 1 if done.left else 0


def _purge_line(done: versions.Purged) -> str:
    if done.left:
        return f"{done.left} objects still hold it; do other clones share them?"
    if done.reached:
        return "purged here and at the remote; other machines follow when they sync"
    return f"purged here only; sync: {done.detail}"
