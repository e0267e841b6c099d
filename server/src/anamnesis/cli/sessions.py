"""Sessions: `capture`, as a hook and as a command, turns one into its note; `why` shows what one was told.

As a hook, `capture` writes the note, commits it unless the store is large, and leaves slow work to a
background process, because an exiting client does not wait. As a command, it works in the foreground and
prints more.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from anamnesis.capture import HeuristicSummarizer, resolve_summarizer
from anamnesis.cli.hooks import as_hook, read_payload, report, text_of
from anamnesis.cli.opening import existing_home, open_store
from anamnesis.cli.output import Output, one_line, progress, say, tell
from anamnesis.config import home_folder, resolve_home, resolve_machine_id, resolve_remote
from anamnesis.errors import AnamnesisError
from anamnesis.notes.vocabulary import local_time
from anamnesis.operations.sessions import OFTEN, capture_past_sessions, capture_transcript, unused_notes
from anamnesis.programs import spawn
from anamnesis.project import keys_of, place_of
from anamnesis.session.capturing import CaptureOutcome, CatchUp
from anamnesis.session.receipts import HOW_TOLD, last_session, listed_ids, read_entries
from anamnesis.state import sessions
from anamnesis.store import MemoryStore
from anamnesis.sync import backend_for
from anamnesis.text import plural

PRECOMPACT = "precompact"
# The hook has about a second; if the index is busy for longer than this, it is updated later.
_HOOK_PATIENCE_SECONDS = 0.5
_NOTHING: dict[object, str] = {"searched": "nothing found", "used": "none of the notes it was given"}

Payload = dict[str, object]


def cmd_capture(args: argparse.Namespace) -> int:
    """Turn a session's transcript into its one note."""
    if args.past:
        return _capture_past(args)
    if args.since or args.project:
        from anamnesis.cli.parser import usage_error

        return usage_error("capture", "--since and --project need --past")
    payload = read_payload()
    if text_of(payload, "hook_event_name") == "PreCompact":
        args.source = PRECOMPACT  # also if the hook was installed without the flag
    return as_hook("capture", lambda: _capture(args, payload))


def _capture_past(args: argparse.Namespace) -> int:
    capture_all_past(
        resolve_home(), machine_id=resolve_machine_id(), since=args.since or "", project=args.project or ""
    )
    if not args.no_sync:
        _sync(background=args.background)
    return 0


def capture_all_past(home: Path, *, machine_id: str, since: str = "", project: str = "") -> None:
    """Capture the sessions on disk, newest first, and print the result; `init` offers this, too."""
    with MemoryStore(home) as store, progress("sessions") as bar:
        past = capture_past_sessions(store, machine_id=machine_id, since=since, project=project, progress=bar)
    say(_describe_past(past))


def _describe_past(past: CatchUp) -> str:
    if not past.outcomes:
        return "capture: no session on disk is new"
    parts = [
        (past.count("unchanged"), "had one already"),
        (past.count("trivial"), "trivial"),
        (past.count("skipped"), "not wanted"),
        (past.count("refused", "absent", "deleted"), "without a note for other reasons"),
    ]
    rest = ", ".join(f"{count} {what}" for count, what in parts if count)
    notes = plural(past.count("written"), "new note" if past.count("unchanged") else "note")
    return f"capture: {notes} from {plural(len(past.outcomes), 'session')}" + (f" ({rest})" if rest else "")


def _sync(*, background: bool) -> None:
    """Sync in the foreground and print the result; hooks do not load this."""
    from anamnesis.cli.sync import describe_result, sync_now

    with MemoryStore(resolve_home()) as store:
        result = sync_now(
            store, machine_id=resolve_machine_id(), remote=resolve_remote(), background=background
        )
    say(f"sync: {describe_result(result)}")


def _capture(args: argparse.Namespace, payload: Payload) -> None:
    # The ledger identifies a transcript by its absolute path.
    by_hand = os.path.abspath(args.transcript) if args.transcript else ""
    transcript = by_hand or text_of(payload, "transcript_path")
    if not transcript:
        tell("capture: no transcript named; give one with --transcript")
        return
    with MemoryStore(resolve_home(), patience=_HOOK_PATIENCE_SECONDS) as store:
        outcome = capture_transcript(
            store,
            transcript,
            machine_id=resolve_machine_id(),
            source=args.source,
            payload={key: text_of(payload, key) for key in ("session_id", "cwd")} if payload else None,
            is_sync_next=not args.no_sync,
            report=report,
        )
    is_sync_due = not args.no_sync and outcome.status != "absent"
    if payload and is_sync_due:
        # Before printing anything, because the client may have exited and closed the pipe.
        is_captured = bool(outcome.session_id) and outcome.status in ("written", "unchanged")
        _spawn_background_work(transcript, args.source, is_captured=is_captured)
    if not payload or (args.source != PRECOMPACT and not args.quiet):
        # The client would pass a PreCompact hook's output to its summariser as an instruction.
        _say_outcome(outcome, transcript, is_hook=bool(payload))
    if not payload and is_sync_due:
        _sync(background=args.background)


def _say_outcome(outcome: CaptureOutcome, transcript: str, *, is_hook: bool) -> None:
    note_id, title = outcome.note_id, one_line(outcome.title)
    said = {
        "unchanged": f"{note_id} already has this session ({title})",
        "written": f"wrote episodic note {note_id} ({title})",
        "trivial": f"skipped trivial session ({one_line(outcome.session_id) or 'no session id'})",
        "skipped": f"skipped: {one_line(outcome.detail)}",
        "deleted": f"the note {note_id} was deleted and stays deleted",
    }
    if outcome.status in said:
        say(f"capture: {said[outcome.status]}")
    elif outcome.status == "refused":
        report(f"capture: {outcome.detail}")
    elif not is_hook:
        # The client also names transcripts that were never written; a hook does not report them.
        tell(f"capture: {one_line(transcript)} does not exist or is empty; nothing was captured")


def _spawn_background_work(transcript: str, source: str, *, is_captured: bool) -> None:
    """Start a process that outlives the client for the slow work: the model's summary, the sync."""
    words = ["sync", "--quiet"]
    if is_captured and not isinstance(resolve_summarizer(home=resolve_home()), HeuristicSummarizer):
        words = ["capture", "--transcript", transcript, "--source", source]
    spawn(resolve_home(), *words, "--background")


def cmd_why(args: argparse.Namespace) -> int:
    """Print what a session was told, what it searched for, and which of those notes it used."""
    if args.unused:
        return _list_unused(args.out)
    if args.rules or args.drop is not None:
        return _show_rules(args)
    existing_home()  # says so if there is no store
    session = _find_session(args.session)
    entries = read_entries(home_folder(), session)
    out: Output = args.out
    titles: dict[str, str] = {}
    if not out.as_json:
        with open_store() as store:
            titles = {note.id: note.title for note in store.list()}
    lines = (line for entry in entries for line in _entry_lines(entry, titles))
    out.result(entries, (f"Session {session}", *lines))
    return 0


def _list_unused(out: Output) -> int:
    with open_store() as store:
        rows = unused_notes(store)
    lines = [f"told {each['told']:>4} times  {each['id']}  {one_line(str(each['title']))}" for each in rows]
    out.result(rows, lines or [f"no note was shown to {OFTEN} or more sessions without being used"])
    return 0


def _show_rules(args: argparse.Namespace) -> int:
    """Print the project's rules with their origin, or drop one."""
    from anamnesis.operations.curation import find_rule, list_rules, settle_rule

    out: Output = args.out
    with open_store() as store:
        project = place_of(".", home=str(store.root)).key
        if args.drop is not None:
            backend = backend_for(store.memory_dir, remote=resolve_remote(), machine_id=resolve_machine_id())
            found = [find_rule(store, args.drop, project=project)]
            settle_rule(
                store,
                found[0].note_id,
                found[0].line,
                keep=False,
                machine_id=resolve_machine_id(),
                backend=backend,
            )
        else:
            found = list_rules(store, project=project)
    rows = [
        {
            "id": rule.note_id,
            "line": rule.line,
            "at": rule.at,
            "project": rule.project,
            "source": rule.source,
            "title": rule.title,
            "stated": rule.is_stated,
        }
        for rule in found
    ]
    verb = "dropped: " if args.drop is not None else ""
    origins = ["" if rule.is_stated else "noted by Claude, " for rule in found]
    lines = [
        f"{verb}{one_line(rule.line)}\n    {rule.note_id}  {rule.at[:10]}  {origin}{one_line(rule.title)}"
        for rule, origin in zip(found, origins, strict=True)
    ]
    out.result(rows, lines or [f"no rules for {project} yet"])
    return 0


def _find_session(wanted: str | None) -> str:
    home = home_folder()
    known = sessions(home)
    if wanted is None:
        last = last_session(home, os.getcwd()) or next(chain(_of_this_project(home, known), known), "")
        if not last:
            raise AnamnesisError(
                "no session has been told anything yet; the first one is recorded when Claude Code starts it"
            )
        return last
    matching = [session for session in known if session.startswith(wanted)]
    if len(matching) != 1:
        what = "no session" if not matching else f"{len(matching)} sessions"
        verb = "starts" if not matching else "start"
        raise AnamnesisError(
            f"{what} recorded here {verb} with {wanted!r}; `anamnesis why` alone shows the last one"
        )
    return matching[0]


def _of_this_project(home: str, known: list[str]) -> Iterator[str]:
    """The sessions of the project of this folder, which may be below the one that they started in."""
    keys = keys_of(place_of(".", home=home).key)
    return (name for name in known if any(each.get("project") in keys for each in read_entries(home, name)))


def _entry_lines(entry: dict[str, object], titles: dict[str, str]) -> list[str]:
    """One entry of a receipt as lines for a person."""
    kind, at = entry["kind"], local_time(str(entry.get("at", "")))
    if kind == "told":
        size, project, source = (entry.get(name) for name in ("characters", "project", "source"))
        lines = [f"{at}  told {size} characters about {project} ({source})"]
        for key, how in HOW_TOLD.items():
            lines += _note_lines(entry.get(key), how, titles)
        return [*lines, *_left_out(entry)]
    head = f"{at}  {kind} {entry.get('query', '')!r}" if kind == "searched" else f"{at}  {kind}"
    if kind in _NOTHING and not listed_ids(entry.get("ids")):
        return [f"{head}: {_NOTHING[kind]}"]
    return [head, *_note_lines(entry.get("ids"), "found" if kind == "searched" else str(kind), titles)]


def _note_lines(value: object, how: str, titles: dict[str, str]) -> list[str]:
    return [
        f"  {how:<10} {each}  {one_line(titles.get(each, '(deleted since)'))}" for each in listed_ids(value)
    ]


def _left_out(entry: dict[str, object]) -> list[str]:
    left = entry.get("left_out")
    if not isinstance(left, dict) or not left:
        return []
    worth = sum(how == "worth" for how in left.values())
    parts = [(worth, "not useful enough"), (len(left) - worth, "did not fit")]
    return [f"  left out   {', '.join(f'{count} {why}' for count, why in parts if count)}"]
