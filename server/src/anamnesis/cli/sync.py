"""Other machines: `sync`, as a command and as the SessionStart hook; `fleet` and `news`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from anamnesis.cli.hooks import as_hook, read_payload, report, text_of
from anamnesis.cli.opening import existing_home, open_backend, open_store
from anamnesis.cli.output import Output, clean, confirmed, one_line, say_json, step_progress
from anamnesis.config import resolve_home, resolve_machine_id, resolve_remote
from anamnesis.errors import SyncError
from anamnesis.fleet import described as fleet_lines
from anamnesis.fleet import from_whom
from anamnesis.layout import RECORD_FOLDERS
from anamnesis.notes.vocabulary import local_time
from anamnesis.operations import versions
from anamnesis.programs import spawn
from anamnesis.semantic.installed import is_installed
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncResult, backend_for
from anamnesis.sync.results import Rejoin
from anamnesis.text import plural, silent

if TYPE_CHECKING:
    from anamnesis.operations.sessions import StartSync


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
    if result.needs_attention:
        args.out.result(asdict(result))
        args.out.hint(line)
        return 1
    args.out.result(asdict(result), () if args.quiet else line)
    return 0


def _sync_from_args(args: argparse.Namespace) -> SyncResult:
    if args.allow_secret:
        with open_store() as store:
            versions.allow_secrets(open_backend(store), args.allow_secret)
    if args.recover:
        with open_store() as store:
            written = open_backend(store).recover(args.recover)
            store.reindex()
        args.out.hint(f"{plural(len(written), 'note')} brought back")
    remote = resolve_remote()
    # The remote may have notes for a machine without any.
    with MemoryStore(resolve_home() if remote else existing_home()) as store:
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
    if arrived := [path for path in result.changed if path.partition("/")[0] not in RECORD_FOLDERS]:
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
    with step_progress() as progress:
        result = versions.sync_store(
            store,
            backend,
            machine_id=machine_id,
            rejoin=rejoin,
            in_background=background,
            progress=progress or silent,
            report=report,
        )
    if is_installed(store.root):
        spawn(store.root, "semantic", "update")  # the vectors of what came
    return result


def _sync_as_hook(payload: dict[str, object]) -> None:
    """The background sync at the start of a session; says what is new."""
    from anamnesis.operations.sessions import sync_at_start

    machine_id = resolve_machine_id()
    with MemoryStore(resolve_home()) as store:
        done = sync_at_start(
            store,
            backend_for(store.memory_dir, remote=resolve_remote(), machine_id=machine_id),
            session=text_of(payload, "session_id"),
            folder=text_of(payload, "cwd"),
            machine_id=machine_id,
            report=report,
        )
    news = "; ".join(_start_news(done))
    if not news:
        return
    # The client ignores plain text from an asynchronous hook, but shows this to the user and passes the
    # context on with the next request.
    answer: dict[str, object] = {"systemMessage": f"Anamnesis: {news}"}
    if done.context:
        specific = {"hookEventName": "SessionStart", "additionalContext": clean(done.context)}
        answer["hookSpecificOutput"] = specific
    say_json(answer)


def _start_news(done: StartSync) -> Iterator[str]:
    """What the user is told about the sync when a session starts; nothing if nothing is new."""
    if done.arrived:
        now = f"; Claude is told {done.told_now} of them now" if done.told_now else ""
        yield f"{plural(len(done.arrived), 'note')} came in{from_whom(done.arrived)}{now}"
    if done.rules:
        first = f"first: {one_line(done.rules[0])!r}"
        yield f"{plural(len(done.rules), 'new rule')}, {first}; `anamnesis why --rules` lists and drops them"
    if done.captured:
        yield f"{plural(done.captured, 'session')} captured that had ended without a note"
    if done.result.needs_attention:
        yield done.result.detail


def cmd_fleet(args: argparse.Namespace) -> int:
    """Print which machines agree, which are behind, and what each last reported; or forget one."""
    with open_store() as store:
        backend = open_backend(store)
        if args.forget:
            versions.forget_machine(store, backend, args.forget)
            said = "is removed everywhere after the next sync; a later sync of its own adds it again"
            args.out.result({"forgotten": args.forget}, f"{args.forget} {said}")
            return 0
        fleet = versions.known_machines(backend)
    args.out.result(fleet.as_dict(), fleet_lines(fleet))
    return 0


def cmd_news(args: argparse.Namespace) -> int:
    """List what other machines wrote, edited and deleted, the latest first."""
    with open_store() as store:
        items = versions.read_news(store, since=args.since or "")
    out: Output = args.out
    when = local_time if out.is_pretty else str
    columns = ("machine", "kind", "id", "project", "title")
    rows = [(when(item["at"]), *(item[name] for name in columns)) for item in items]
    out.table(items, ("when", *columns), rows)
    if not items:
        out.hint("nothing new came from other machines")
    return 0
