"""`capture`: turns a session's transcript into its one note, as a hook or as a command.

As a hook, `capture` writes the note, commits it unless the store is large, and leaves slow work to a
background process, because an exiting client does not wait. As a command, it works in the foreground and
prints more.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from anamnesis.capture import CaptureOutcome, HeuristicSummarizer, capture_session, resolve_summarizer
from anamnesis.cli.hooks import as_hook, read_payload, report, text_of
from anamnesis.cli.parser import add_flag, moment, usage_error
from anamnesis.cli.terminal import one_line, say, tell
from anamnesis.config import resolve_entrypoint, resolve_home, resolve_machine_id, resolve_remote
from anamnesis.errors import AnamnesisError
from anamnesis.index.query import count_notes
from anamnesis.programs import spawn
from anamnesis.session.receipts import use_file
from anamnesis.store import MemoryStore
from anamnesis.sync import backend_for

PRECOMPACT = "precompact"
# The hook has about a second; if the index is busy for longer than this, it is updated later.
_HOOK_PATIENCE = 0.5
_MANY_NOTES = 20_000  # each commit rewrites git's tree of a folder's files

Payload = dict[str, object]


def add_capture(parser: argparse.ArgumentParser) -> None:
    """Arguments of `capture`."""
    parser.add_argument(
        "--transcript", metavar="FILE", help="the session's JSONL; default: that of the payload"
    )
    parser.add_argument(
        "--source",
        choices=("session-end", PRECOMPACT),
        default="session-end",
        help="what the note is tagged with",
    )
    add_flag(parser, "--no-sync", help="only write and commit the note")
    add_flag(parser, "--quiet", help="as a hook: print nothing about the note")
    add_flag(parser, "--past", help="capture all sessions on disk that have no note yet, newest first")
    parser.add_argument(
        "--since", type=moment, metavar="DATE", help="with --past: only sessions that ended on or after it"
    )
    parser.add_argument("--project", metavar="KEY", help="with --past: only sessions of this project")
    add_flag(parser, "--background", help="wait minutes for a slow remote, as the hooks do")
    parser.epilog = "Example:\n  anamnesis capture --transcript ~/.claude/projects/x/y.jsonl --no-sync"


def cmd_capture(args: argparse.Namespace) -> int:
    """Turn a session's transcript into its one note."""
    if args.past:
        return _capture_past(args)
    if args.since or args.project:
        return usage_error("capture", "--since and --project need --past")
    payload = read_payload()
    return as_hook("capture", lambda: _capture(args, payload))


def _capture_past(args: argparse.Namespace) -> int:
    from anamnesis.cli.sessions import capture_all_past

    home, machine_id = resolve_home(), resolve_machine_id()
    capture_all_past(home, machine_id=machine_id, since=args.since, project=args.project or "")
    if not args.no_sync:
        _sync(background=args.background)
    return 0


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
    outcome = _write_note(args, payload, transcript)
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


def _write_note(args: argparse.Namespace, payload: Payload, transcript: str) -> CaptureOutcome:
    with MemoryStore(resolve_home(), patience=_HOOK_PATIENCE) as store:
        outcome = capture_session(
            store,
            transcript=transcript,
            machine_id=resolve_machine_id(),
            session_id=text_of(payload, "session_id"),
            cwd=text_of(payload, "cwd"),
            entrypoint=resolve_entrypoint() if payload else "",
            source=args.source,
            # A model takes seconds, and an exiting client does not wait, so it is asked afterwards.
            summarizer=HeuristicSummarizer() if payload else None,
        )
        # In a large store, a commit takes too long for a hook; the next sync commits the note.
        commits_later = (
            bool(payload) and not args.no_sync and store.ask(count_notes, thorough=False) > _MANY_NOTES
        )
        if outcome.status == "written" and not commits_later:
            try:
                _commit_note(store, outcome.note_id)
            except AnamnesisError as exc:
                report(f"capture: the note is written, but not committed yet: {exc}")
    return outcome


def _commit_note(store: MemoryStore, note_id: str) -> None:
    """Commit the note; the next sync commits other changes."""
    machine_id = resolve_machine_id()
    note, counts = store.path_of(note_id, thorough=False), Path(use_file(str(store.root), machine_id))
    backend = backend_for(store.memory_dir, remote=None, machine_id=machine_id)
    backend.commit(only=[counts, *([note] if note else [])])


def _say_outcome(outcome: CaptureOutcome, transcript: str, *, is_hook: bool) -> None:
    if outcome.status == "unchanged":
        say(f"capture: {outcome.note_id} already has this session ({one_line(outcome.title)})")
    elif outcome.status == "written":
        say(f"capture: wrote episodic note {outcome.note_id} ({one_line(outcome.title)})")
    elif outcome.status == "trivial":
        say(f"capture: skipped trivial session ({one_line(outcome.session_id) or 'no session id'})")
    elif outcome.status == "skipped":
        say(f"capture: skipped: {one_line(outcome.detail)}")
    elif outcome.status == "deleted":
        say(f"capture: the note {outcome.note_id} was deleted and stays deleted")
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
