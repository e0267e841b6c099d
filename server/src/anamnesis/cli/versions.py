"""The versions of notes: `history` lists and restores them, `resolve` settles a clash, `purge` erases."""

from __future__ import annotations

import argparse
import difflib
import re
from dataclasses import asdict

from anamnesis.cli.editor import edit_until_saved
from anamnesis.cli.opening import open_backend, open_store, read_body
from anamnesis.cli.output import Output, ask, can_ask, confirmed, one_line, tell
from anamnesis.cli.parser import usage_error
from anamnesis.config import resolve_machine_id, resolve_remote
from anamnesis.errors import NoteNotFound, SyncError
from anamnesis.notes.record import note_dict
from anamnesis.notes.vocabulary import local_time
from anamnesis.operations import versions
from anamnesis.operations.notes import read_note, successors
from anamnesis.operations.reading import only_id
from anamnesis.store import MemoryStore
from anamnesis.sync import HeldNote, SyncBackend
from anamnesis.sync.merge import merge_note
from anamnesis.sync.purges import Survey
from anamnesis.sync.purges import described as survey_lines
from anamnesis.text import named

_SENDS = "`anamnesis sync` sends it to your other machines"
_CHOICES: tuple[versions.Settlement, ...] = ("mine", "theirs", "both")
_HELD_FIELDS = ("id", "title", "path", "since", "machine", "moment", "private", "mine", "theirs")
_AT_HOST = "what the host keeps until its own clean-up (`git gc --prune=now` there), "
_REACH = (
    "Not reached: {host}backups, exports, clones without Anamnesis, the client's transcripts."
    " Change a leaked password in any case."
)


def cmd_history(args: argparse.Namespace) -> int:
    """Print a note's versions, compare two, or restore one."""
    with open_store() as store:
        backend = open_backend(store)
        args.id = versions.find_id_ever(store, args.id, backend=backend)
        if args.diff:
            _show_diff(store, backend, args)
        elif args.restore is not None:
            _restore_version(store, backend, args)
        else:
            _show_versions(store, backend, args)
    return 0


def _show_versions(store: MemoryStore, backend: SyncBackend, args: argparse.Namespace) -> None:
    out: Output = args.out
    known = versions.note_history(store, args.id, backend=backend)
    uncommitted = versions.is_uncommitted(store, args.id, known, backend=backend)
    names = ("at", "machine_id", "action", "message", "path")
    value = [{"version": each.commit, **{name: getattr(each, name) for name in names}} for each in known]
    rows: list[tuple[object, ...]] = []
    for each in known:
        is_brief = out.is_pretty
        when, message = (local_time(each.at), _brief(each.message)) if is_brief else (each.at, each.message)
        rows.append((each.commit[:12], when, each.machine_id, each.action, message))
    headings = ("version", "when", "machine", "what", "message")
    out.table({"id": args.id, "uncommitted": uncommitted, "versions": value}, headings, rows)
    if uncommitted:
        out.hint(_why_uncommitted(store, backend, args.id))


def _brief(message: str) -> str:
    """A commit's subject for a terminal, without time and machine, which have their own columns."""
    older = re.sub(r" from .+? at \d{4}-\d\d-\d\dT\S+", "", message.removeprefix("anamnesis: "))
    return older.partition(": ")[2] or older


def _why_uncommitted(store: MemoryStore, backend: SyncBackend, note_id: str) -> str:
    if read_note(store, note_id).note.scope == "machine-local":
        return f"machine-local notes are not in {backend.kind}; replaced texts are kept on this machine"
    if why := next((each.why for each in backend.state().waiting if each.id == note_id), ""):
        return f"the current text waits {why} and is not committed; `anamnesis status` says where"
    return f"the current text is not in {backend.kind} yet; `anamnesis sync` commits it"


def _show_diff(store: MemoryStore, backend: SyncBackend, args: argparse.Namespace) -> None:
    old, new = (versions.note_version(store, args.id, name, backend=backend) for name in args.diff)
    text = versions.history_of(store, backend).diff(old, new)
    args.out.result({"id": args.id, "diff": text}, text.removesuffix("\n"), lambda pretty: pretty.diff(text))


def _restore_version(store: MemoryStore, backend: SyncBackend, args: argparse.Namespace) -> None:
    restored = versions.restore_note(
        store, args.id, backend=backend, name=args.restore, allow_secret=args.allow_secret
    )
    name = one_line(named(restored.id, restored.title))
    is_sent = "" if restored.scope == "machine-local" else f"; {_SENDS}"
    args.out.result(note_dict(restored, include_body=False), f"restored {name}{is_sent}")
    for newer in successors(store, restored.id):
        args.out.hint(f"searches still hide it: {one_line(named(newer.id, newer.title))} replaces it")


def cmd_resolve(args: argparse.Namespace) -> int:
    """List held notes, or resolve one; on a terminal, ask for each."""
    choice = next((name for name in (*_CHOICES, "edit") if getattr(args, name)), "")
    if choice and not args.id:
        return usage_error(
            "resolve", f"--{choice} needs the id of a held note; `anamnesis resolve` lists them"
        )
    with open_store() as store:
        backend = open_backend(store)
        held = [_find_held(backend.held(), args.id)] if args.id else backend.held()
        if choice:
            return _resolve(store, backend, args.out, held[0], choice)
        if not (held and can_ask() and args.out.is_pretty):
            _show_held(args.out, held)
            return 0
        for note in held:
            if asked := _ask_choice(args.out, note):
                _resolve(store, backend, args.out, note, asked)
        return 1 if backend.held() else 0


def _ask_choice(out: Output, note: HeldNote) -> str:
    """What the user wants for a held note; "" to leave it held."""
    _show_held(out, [note])
    ways = {name: f"[{key}]{name.removeprefix(key)}" for key, name in _keys(note).items()}
    answer = ask(f"{_held_name(note)}: {', '.join(ways.values())}, or Enter to leave it:").strip().lower()
    return answer if answer in ways else _keys(note).get(answer, "")


def _keys(note: HeldNote) -> dict[str, str]:
    """The keys for the ways to resolve a note."""
    if note.private:
        return {"m": "mine", "t": "theirs"}
    return {"m": "mine", "t": "theirs", "b": "both", "e": "edit"}


def _resolve(store: MemoryStore, backend: SyncBackend, out: Output, note: HeldNote, choice: str) -> int:
    name = _held_name(note)
    if not _settle(store, backend, note, choice):
        tell(f"nothing was changed, {name} is still held; --both keeps every line of both texts")
        return 1
    out.result({"id": note.id, "title": note.title, "choice": choice}, f"resolved {name}; {_SENDS}")
    return 0


def _find_held(held: list[HeldNote], text: str) -> HeldNote:
    try:
        note_id = only_id(text, [(note.id, note.title) for note in held])
    except NoteNotFound as exc:
        raise SyncError(f"note {text!r} is not held; `anamnesis resolve` lists the held ones") from exc
    return next(note for note in held if note.id == note_id)


def _settle(store: MemoryStore, backend: SyncBackend, note: HeldNote, choice: str) -> bool:
    """Resolve a held note; False if the editor was left without a result."""
    for known in _CHOICES:
        if choice == known:
            versions.resolve_note(store, backend, note.id, choice=known)
            return True
    if note.private:
        name = _held_name(note)
        raise SyncError(f"{name} is machine-local here and shared elsewhere; choose --mine or --theirs")

    def _save(text: str) -> bool:
        versions.resolve_note(store, backend, note.id, text=text)
        return True

    both = merge_note(note.base, note.mine or "", note.theirs or "").text
    return bool(edit_until_saved(both, name=note.id, root=store.root, save=_save))


def _show_held(out: Output, held: list[HeldNote]) -> None:
    if not held:
        out.hint("no note is held")
    # Ids go to stdout, for scripts; the rest is for people.
    ids = [one_line(note.id) for note in held]
    rows = [(note.id, note.title, _description(note), _difference(note), _ways(note)) for note in held]
    value = [{name: getattr(note, name) for name in _HELD_FIELDS} for note in held]
    out.result(value, ids, lambda pretty: pretty.held(rows))
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
    return " | ".join(f"--{name}" for name in _keys(note).values())


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
        _show_plan(plan)
        if not args.yes and not confirmed("purge?"):
            tell("nothing was purged; --yes purges without asking")
            return 1
        done = versions.carry_out_purge(store, backend, plan)
    record = plan.record
    value = {"purge": record.name, "ids": list(record.ids), **asdict(plan.survey), **done._asdict()}
    args.out.result(value, _purge_line(plan, done))
    return 1 if done.left else 0


def _show_plan(plan: versions.PurgePlan) -> None:
    if plan.survey.is_empty:
        tell("no version on this machine contains it; the other machines search for it when they sync")
        return
    has_remote = resolve_remote() is not None
    tell("this removes for good:")
    for line in survey_lines(plan.survey, plan.credentials, has_remote=has_remote):
        tell(line)
    tell(_REACH.format(host=_AT_HOST if has_remote else ""))


def _purge_line(plan: versions.PurgePlan, done: versions.Purged) -> str:
    if done.left:
        return f"{done.left} objects still hold it; do other clones share them?"
    verb = "recorded as purged" if plan.survey.is_empty else "purged"
    if done.reached:
        return f"{verb} here and at the remote; other machines follow when they sync"
    why = f" only; sync: {done.detail}" if resolve_remote() else "; there is no remote"
    return f"{verb} here{why}"
