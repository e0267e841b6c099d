"""Other machines and earlier versions: sync, fleet, news; history, resolve, purge."""

from __future__ import annotations

import argparse
import difflib
import json
from dataclasses import asdict
from typing import Literal

from anamnesis.cli.changes import edit_until_saved
from anamnesis.cli.commands import usage_error
from anamnesis.cli.opening import existing_home, open_backend, open_store, read_body
from anamnesis.cli.output import (
    Output,
    as_hook,
    ask,
    can_ask,
    clean,
    confirmed,
    one_line,
    progress,
    read_payload,
    report,
    say_json,
    tell,
    text_of,
)
from anamnesis.config import resolve_home, resolve_machine_id, resolve_remote
from anamnesis.errors import NoteNotFound, SyncError
from anamnesis.fleet import described as fleet_lines
from anamnesis.fleet import read_fleet
from anamnesis.notes.record import note_dict
from anamnesis.notes.vocabulary import TYPES
from anamnesis.operations import versions
from anamnesis.operations.notes import successors
from anamnesis.operations.reading import only_id
from anamnesis.programs import spawn
from anamnesis.semantic.installed import is_installed
from anamnesis.session.receipts import read_items
from anamnesis.store import MemoryStore
from anamnesis.sync import Choice, HeldNote, SyncBackend, SyncResult, backend_for
from anamnesis.sync.merge import merge_note
from anamnesis.sync.purges import Survey
from anamnesis.sync.purges import described as survey_lines
from anamnesis.sync.results import Rejoin, as_dict
from anamnesis.text import local_time, named, plural

_SENDS = "`anamnesis sync` sends it to your other machines"
Way = Choice | Literal["edit"]  # to resolve a held note
_WAYS: tuple[Way, ...] = ("mine", "theirs", "both", "edit")
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_REACH = (
    "Not reached: what a host keeps until its own clean-up (`git gc --prune=now` there), backups, exports,"
    " clones without Anamnesis, the client's transcripts. Change a leaked password in any case."
)


def cmd_sync(args: argparse.Namespace) -> int:
    """Exchange notes with the other machines; exit 1 if a person must do something."""
    payload = read_payload()
    if payload and args.detach:
        # The output of the background process is lost, so without a folder it tells the session nothing.
        kept = json.dumps({**payload, "cwd": ""}).encode()
        return as_hook("sync", lambda: spawn(resolve_home(), "sync", stdin=kept))
    if payload:
        return as_hook("sync", lambda: _sync_as_hook(payload))
    result = _sync_from_args(args)
    line = f"sync: {describe_result(result)}"
    args.out.result(as_dict(result), () if args.quiet or result.needs_attention else line)
    if result.needs_attention:
        args.out.hint(line)
    return int(result.needs_attention)


def _sync_from_args(args: argparse.Namespace) -> SyncResult:
    remote = resolve_remote()
    # The remote may have notes for a machine without any.
    with MemoryStore(resolve_home() if remote else existing_home()) as store:
        if args.allow_secret:
            versions.allow_secrets(open_backend(store), args.allow_secret)
        if args.recover:
            args.out.hint(f"{plural(len(open_backend(store).recover(args.recover)), 'note')} brought back")
            store.reindex()
        return sync_now(
            store,
            machine_id=resolve_machine_id(),
            remote=remote,
            rejoin=args.rejoin and (args.yes or _asked),
            timeout=args.timeout,
            background=args.background,
        )


def _asked(what: str) -> bool:
    """Whether a person agrees to what a rejoin will do; SyncError if not, or if there is no one to ask."""
    if not confirmed(f"{what}. Go on?"):
        raise SyncError(
            f"nothing was changed: {what}; `anamnesis sync --rejoin --yes` goes on", kind="history"
        )
    return True


def describe_result(result: SyncResult) -> str:
    """The result of a sync, in one line."""
    parts = []
    if result.failure == "slow":
        parts.append("a background process keeps waiting")
    if arrived := [path for path in result.changed if path.partition("/")[0] in TYPES]:
        parts.append(f"changes to {plural(len(arrived), 'note')} came in")
    if result.pushed:
        parts.append("the rest was sent to the remote" if result.held else "sent to the remote")
    is_plain = result.detail == "synced" and parts  # the counts show that it worked
    return "; ".join(parts if is_plain else [result.detail, *parts])


def sync_now(
    store: MemoryStore,
    *,
    machine_id: str,
    remote: str | None,
    rejoin: Rejoin = False,
    timeout: float | None = None,
    background: bool = False,
) -> SyncResult:
    """Sync a store, with a progress bar on a terminal.

    A silent remote is waited for `timeout` seconds (None: the setting), or minutes in the `background`.
    """
    backend = backend_for(
        store.memory_dir, remote=remote, machine_id=machine_id, timeout=timeout, background=background
    )
    with progress() as bar:
        result = versions.sync_store(
            store,
            backend,
            rejoin=rejoin,
            in_background=background,
            progress=bar,
            report=report,
        )
    if is_installed(store.root):
        spawn(store.root, "semantic", "update")  # the vectors of what came
    return result


def _sync_as_hook(payload: dict[str, object]) -> None:
    """The background sync at the start of a session; says what is new."""
    from anamnesis.operations.sessions import sync_at_start  # loads capture, which a plain sync does without

    with MemoryStore(resolve_home()) as store:
        news, context = sync_at_start(
            store,
            open_backend(store),
            session=text_of(payload, "session_id"),
            folder=text_of(payload, "cwd"),
            report=report,
        )
    if not news:
        return
    # The client ignores plain text from an asynchronous hook, but shows this to the user and passes the
    # context on with the next request.
    answer: dict[str, object] = {"systemMessage": f"Anamnesis: {'; '.join(news)}"}
    if context:
        specific = {"hookEventName": "SessionStart", "additionalContext": clean(context)}
        answer["hookSpecificOutput"] = specific
    say_json(answer)


def cmd_fleet(args: argparse.Namespace) -> int:
    """Print which machines agree, which are behind, and what each last reported; or forget one."""
    with open_store() as store:
        backend = open_backend(store)
        if args.forget:
            versions.forget_machine(store, backend, args.forget)
            said = "is removed everywhere after the next sync; a later sync of its own adds it again"
            args.out.result({"forgotten": args.forget}, f"{args.forget} {said}")
            return 0
        fleet = read_fleet(backend.machines(), state=backend.state())
    args.out.result(fleet.as_dict(), fleet_lines(fleet))
    return 0


def cmd_news(args: argparse.Namespace) -> int:
    """List what other machines wrote, edited and deleted, the latest first."""
    with open_store() as store:
        known = read_items(str(store.root), deleted=True)
    items = [item for item in reversed(known) if item["seen"] >= (args.since or "")]
    out: Output = args.out
    when = local_time if out.is_pretty else str
    columns = ("machine", "kind", "id", "project", "title")
    rows = [(when(item["at"]), *(item[name] for name in columns)) for item in items]
    out.table(items, ("when", *columns), rows)
    if not items:
        out.hint("nothing new came from other machines")
    return 0


def cmd_history(args: argparse.Namespace) -> int:
    """Print a note's versions, compare two, or restore one."""
    with open_store() as store:
        backend = open_backend(store)
        note_id = versions.find_id_ever(store, args.id, backend=backend)
        if args.diff:
            old, new = (versions.note_version(store, note_id, name, backend=backend) for name in args.diff)
            lines = backend.history(store.undo).diff(old, new)
            styled = [(line, _DIFF_STYLES.get(line[:1], "")) for line in lines.splitlines()]
            args.out.result({"id": note_id, "diff": lines}, lines.removesuffix("\n"), styled)
        elif args.restore is not None:
            restored = versions.restore_note(store, note_id, backend=backend, name=args.restore)
            done = f"restored {one_line(named(restored.id, restored.title))}; {_SENDS}"
            args.out.result(note_dict(restored, include_body=False), done)
            for newer in successors(store, restored.id):
                args.out.hint(f"searches still hide it: {one_line(named(newer.id, newer.title))} replaces it")
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


def cmd_resolve(args: argparse.Namespace) -> int:
    """List held notes, or resolve one; on a terminal, ask for each."""
    out: Output = args.out
    choice = next((way for way in _WAYS if getattr(args, way)), None)
    if choice and not args.id:
        return usage_error("resolve", f"--{choice} needs a held note's id; `anamnesis resolve` lists them")
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
            if answer and (way := next((way for way in ways if way.startswith(answer)), None)):
                _resolve(store, backend, out, note, way)
        return 1 if backend.held() else 0


def _find_held(held: list[HeldNote], text: str) -> HeldNote:
    try:
        note_id = only_id(text, [(note.id, note.title) for note in held])
    except NoteNotFound as exc:
        raise SyncError(f"note {text!r} is not held; `anamnesis resolve` lists the held ones") from exc
    return next(note for note in held if note.id == note_id)


def _resolve(store: MemoryStore, backend: SyncBackend, out: Output, note: HeldNote, choice: Way) -> int:
    """Resolve a held note; 1 if the editor was left without a result."""

    def _save(text: str) -> bool:
        versions.resolve_note(store, backend, note.id, text=text)
        return True

    if choice not in _ways(note):
        raise SyncError(f"{_name(note)} is machine-local here and shared elsewhere; use --mine or --theirs")
    if choice != "edit":
        versions.resolve_note(store, backend, note.id, choice=choice)
    else:
        both = merge_note(note.base, note.mine or "", note.theirs or "").text
        if not edit_until_saved(both, name=note.id, root=store.root, save=_save):
            tell(f"nothing was changed, {_name(note)} is still held; --both keeps every line of both texts")
            return 1
    out.result({"id": note.id, "title": note.title, "choice": choice}, f"resolved {_name(note)}; {_SENDS}")
    return 0


def _show_held(out: Output, held: list[HeldNote]) -> None:
    """Print the ids on stdout, for scripts; what happened to each note goes to stderr."""
    out.result([note._asdict() for note in held], [one_line(note.id) for note in held], ())
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


def _ways(note: HeldNote) -> tuple[Way, ...]:
    """How a note can be resolved."""
    return ("mine", "theirs") if note.private else _WAYS


def cmd_purge(args: argparse.Namespace) -> int:
    """Erase notes and texts from every version, here, at the remote, and on the other machines."""
    with open_store() as store:
        backend = open_backend(store)
        plan = versions.propose_purge(
            store,
            backend,
            ids=args.id,
            # Standard input keeps a text out of the shell's history.
            texts=[read_body(None).strip() if text == "-" else text for text in args.text],
            secrets=args.secrets,
            report=lambda text: tell(f"anamnesis: {text}"),
        )
        if plan is None:
            what = "this text" if args.text else "a credential that was not allowed"
            none = f"nothing found, nothing purged: no version of any note contains {what}"
            value = {"purge": "", "ids": [], **asdict(Survey())}
            args.out.result({**value, "left": 0, "detail": none, "reached": False}, none)
            return 1 if args.text else 0
        tell("this removes for good, here, and on the other machines when they sync:")
        for line in survey_lines(plan.survey, plan.credentials):
            tell(line)
        tell(_REACH)
        if not args.yes and not confirmed("purge?"):
            tell("nothing was purged; --yes purges without asking")
            return 1
        done = versions.carry_out_purge(store, backend, plan)
    record = plan.record
    value = {"purge": record.name, "ids": list(record.ids), **asdict(plan.survey), **done._asdict()}
    args.out.result(value, done.detail)
    return 1 if done.left else 0
