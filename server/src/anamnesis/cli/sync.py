"""`sync`: exchange notes with the other machines, as a command and as the SessionStart hook."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from anamnesis.cli.hooks import as_hook, read_payload, report, text_of
from anamnesis.cli.opening import existing_home, open_backend, open_store
from anamnesis.cli.parser import add_flag, add_json, seconds
from anamnesis.cli.terminal import Output, clean, say_json, step_progress
from anamnesis.config import home_folder, resolve_claude_dir, resolve_home, resolve_machine_id, resolve_remote
from anamnesis.errors import AnamnesisError, SyncError
from anamnesis.layout import MACHINES_FOLDER
from anamnesis.operations.background import spawn
from anamnesis.operations.exchange import allow_secrets, sync_store
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncResult, backend_for
from anamnesis.text import plural, silent

Payload = dict[str, object]
_HOW = {"full": "in full", "cut": "cut short", "titles": "by title"}


def add_sync(parser: argparse.ArgumentParser) -> None:
    """Arguments of `sync`."""
    add_flag(parser, "--quiet", help="print nothing unless something needs attention")
    add_flag(
        parser, "--rejoin", help="accept a remote that was emptied, rewritten, or used for something else"
    )
    parser.add_argument(
        "--allow-secret",
        action="append",
        default=[],
        metavar="ID",
        help="sync the current version of a note that waits because of a credential",
    )
    waiting = parser.add_mutually_exclusive_group()
    waiting.add_argument(
        "--timeout",
        type=seconds,
        metavar="N",
        help="seconds to wait for a silent remote (default: the setting sync_timeout)",
    )
    add_flag(waiting, "--background", help="wait minutes for a slow remote, as the hooks do")
    add_flag(waiting, "--detach", help="as a hook: return at once and sync in a background process")
    add_json(
        parser,
        "{pushed, pulled, conflicted, head, detail, reached, held, changed, failure,"
        " left_out: [{path, reason}], waiting: [{path, line, kind, id}]}",
    )
    parser.epilog = "Example:\n  anamnesis sync"


def cmd_sync(args: argparse.Namespace) -> int:
    """Exchange notes with the other machines; exit 1 if a person must do something."""
    payload = read_payload()
    if payload and args.detach:
        # The output of the background process is lost, so without a folder it tells the session nothing.
        kept = json.dumps({**payload, "cwd": ""}).encode()
        return as_hook("sync", lambda: spawn(resolve_home(), "sync", stdin=kept))
    if payload:
        return as_hook("sync", lambda: _sync_as_hook(payload))
    out: Output = args.out
    try:
        result = _sync_from_args(args)
    except AnamnesisError as exc:
        if args.json:  # a program that reads JSON always gets an answer
            kind = exc.kind if isinstance(exc, SyncError) else "other"
            out.result(asdict(SyncResult(reached=False, detail=str(exc), failure=kind)), ())
        raise
    is_said = not args.quiet and not result.needs_attention
    out.result(asdict(result), f"sync: {describe_result(result)}" if is_said else ())
    if result.needs_attention:
        # One long line for logs; one line per part for a person.
        said = describe_result(result).replace("; ", ";\n  ") if out.is_pretty else describe_result(result)
        out.hint(f"sync: {said}")
    return 1 if result.needs_attention else 0


def _sync_from_args(args: argparse.Namespace) -> SyncResult:
    if args.allow_secret:
        with open_store() as store:
            allow_secrets(store, open_backend(store), args.allow_secret)
    remote = resolve_remote()
    # The remote may have notes for a machine without any.
    with MemoryStore(resolve_home() if remote else existing_home()) as store:
        return sync_now(
            store,
            machine_id=resolve_machine_id(),
            remote=remote,
            rejoin=args.rejoin,
            timeout=args.timeout,
            background=args.background,
        )


def describe_result(result: SyncResult) -> str:
    """The result of a sync, in one line."""
    parts = []
    if result.failure == "slow":
        parts.append("a background process keeps waiting")
    if arrived := [path for path in result.changed if not path.startswith(f"{MACHINES_FOLDER}/")]:
        parts.append(f"{plural(len(arrived), 'change')} came in")
    if result.pushed:
        # Also true if only a heartbeat was pushed. A held note stays here while the others are pushed.
        parts.append("the rest was sent to the remote" if result.held else "sent to the remote")
    # The counts show that it worked.
    is_plain = result.detail == "synced" and parts
    return "; ".join(parts if is_plain else [result.detail, *parts])


def sync_now(
    store: MemoryStore,
    *,
    machine_id: str,
    remote: str | None,
    rejoin: bool = False,
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
        return sync_store(
            store,
            backend,
            machine_id=machine_id,
            rejoin=rejoin,
            in_background=background,
            progress=progress or silent,
            report=report,
        )


def _sync_as_hook(payload: Payload) -> None:
    """The background sync at the start of a session; first captures earlier sessions without a note."""
    from anamnesis.capture import HeuristicSummarizer, catch_up
    from anamnesis.fleet import from_whom
    from anamnesis.session.receipts import add_entry, prune, read_items

    machine_id = resolve_machine_id()
    # Even if `inject` failed, this shows that our hooks ran in this session.
    add_entry(home_folder(), text_of(payload, "session_id"), "synced")
    with MemoryStore(resolve_home()) as store:
        caught = catch_up(
            store,
            claude_dir=resolve_claude_dir(),
            machine_id=machine_id,
            current=text_of(payload, "session_id"),
            summarizer=HeuristicSummarizer(),
        )
        prune(str(store.root))
        known = read_items(str(store.root))
        result = sync_now(store, machine_id=machine_id, remote=resolve_remote())
        arrived = [item for item in read_items(str(store.root)) if item not in known]
    news = []
    context = ""
    if arrived:
        told_text = _describe_told(text_of(payload, "session_id"))
        context, count = _tell_arrivals(payload, [item["id"] for item in arrived])
        now_told = f"; Claude is told {count} of them now" if count else ""
        news.append(f"{told_text}{plural(len(arrived), 'note')} came in{from_whom(arrived)}{now_told}")
    if captured := caught.count("written"):
        news.append(f"{plural(captured, 'session')} captured that had ended without a note")
    if result.needs_attention:
        news.append(result.detail)
    if news:
        # The client ignores plain text from an asynchronous hook, but shows this to the user and passes the
        # context on with the next request.
        answer: dict[str, object] = {"systemMessage": f"Anamnesis: {'; '.join(news)}"}
        if context:
            specific = {"hookEventName": "SessionStart", "additionalContext": context}
            answer["hookSpecificOutput"] = specific
        say_json(answer)


def _tell_arrivals(payload: Payload, ids: list[str]) -> tuple[str, int]:
    """What the session is told about notes that just came in, and how many of them."""
    from anamnesis.inject.start import Start, tell_arrivals
    from anamnesis.project.identity import is_silenced

    folder, session = text_of(payload, "cwd"), text_of(payload, "session_id")
    if not (folder and session) or is_silenced(folder):
        return "", 0
    start = Start(home=home_folder(), folder=folder, session=session, source="sync")
    briefing = tell_arrivals(start, ids)
    return clean(briefing.text), len(briefing.full) + len(briefing.cut)


def _describe_told(session: str) -> str:
    """How many notes a session was told, in words; "" if none or unknown."""
    from anamnesis.session.receipts import listed_ids, read_entries

    entries = [entry for entry in read_entries(home_folder(), session) if entry["kind"] == "told"]
    shown = entries[-1] if entries else {}
    counts = {how: len(listed_ids(shown.get(key))) for key, how in _HOW.items()}
    parts = [f"{count} {how}" for how, count in counts.items() if count]
    return (
        f"this session was told {plural(sum(counts.values()), 'note')}: {', '.join(parts)}; " if parts else ""
    )
