"""`capture` and `sync`: what happens around a session, as hooks and by hand.

As a hook, `capture` writes and commits the note and hands everything slow to a process of its own, because
the client that is leaving waits for nothing. By hand, the same commands work in the foreground and say more.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass
from pathlib import Path

from anamnesis.capture import (
    CaptureOutcome,
    HeuristicSummarizer,
    capture_session,
    catch_up,
    resolve_summarizer,
)
from anamnesis.cli.hooks import as_hook, read_payload, report, text_of
from anamnesis.cli.parser import add_json, moment, seconds
from anamnesis.cli.terminal import Output, one_line, say, say_json, step_progress, tell
from anamnesis.config import (
    home_folder,
    resolve_claude_dir,
    resolve_entrypoint,
    resolve_home,
    resolve_machine_id,
    resolve_remote,
)
from anamnesis.errors import AnamnesisError
from anamnesis.fleet.news import from_whom
from anamnesis.layout import MACHINES_FOLDER
from anamnesis.notes.vocabulary import utcnow
from anamnesis.operations.background import spawn
from anamnesis.operations.exchange import allow_secrets, sync_store
from anamnesis.session.news import read_items
from anamnesis.session.receipts import add_entry, prune, read_entries
from anamnesis.session.use import use_file
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncResult, backend_for
from anamnesis.text import StepProgress, plural, silent

PRECOMPACT = "precompact"
# The hook has a second or so; an index that is busy for longer than this is brought in step later.
_HOOK_PATIENCE = 0.5

_BACKGROUND_HELP = "wait minutes for a slow remote, as the hooks do"

Payload = dict[str, object]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a sync waits for a silent remote: `timeout` seconds (None: the setting), or for minutes."""

    timeout: float | None = None
    background: bool = False


DEFAULT_PATIENCE = Patience()


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
    parser.add_argument("--no-sync", action="store_true", help="only write and commit the note")
    parser.add_argument(
        "--past", action="store_true", help="capture all sessions on disk that have no note yet, newest first"
    )
    parser.add_argument(
        "--since", type=moment, metavar="DATE", help="with --past: only sessions that ended on or after it"
    )
    parser.add_argument("--project", metavar="KEY", help="with --past: only sessions of this project")
    parser.add_argument("--background", action="store_true", help=_BACKGROUND_HELP)
    parser.epilog = "Example:\n  anamnesis capture --transcript ~/.claude/projects/x/y.jsonl --no-sync"


def cmd_capture(args: argparse.Namespace) -> int:
    """Turn a session's transcript into its one note."""
    if args.past:
        return _capture_past(args)
    payload = read_payload()
    return as_hook("capture", lambda: _capture(args, payload))


def _capture_past(args: argparse.Namespace) -> int:
    from anamnesis.cli.past import capture_all_past

    home, machine_id = resolve_home(), resolve_machine_id()
    capture_all_past(home, machine_id=machine_id, since=args.since, project=args.project or "")
    if not args.no_sync:
        patience = Patience(background=args.background)
        say(
            f"sync: {told(sync_now(home, machine_id=machine_id, remote=resolve_remote(), patience=patience))}"
        )
    return 0


def add_sync(parser: argparse.ArgumentParser) -> None:
    """Arguments of `sync`."""
    parser.add_argument("--quiet", action="store_true", help="say nothing when all is well")
    parser.add_argument("--rejoin", action="store_true", help="accept a remote that was emptied or rewritten")
    parser.add_argument(
        "--allow-secret",
        action="append",
        default=[],
        metavar="ID",
        help="sync a note that waits because of a credential, in its present version",
    )
    waiting = parser.add_mutually_exclusive_group()
    waiting.add_argument(
        "--timeout",
        type=seconds,
        metavar="N",
        help="seconds to wait for a silent remote (default: the setting sync_timeout)",
    )
    waiting.add_argument("--background", action="store_true", help=_BACKGROUND_HELP)
    add_json(
        parser,
        "{pushed, pulled, conflicted, head, detail, reached, held, changed, failure,"
        " left_out: [{path, reason}], waiting: [{path, line, kind, id}]}",
    )
    parser.epilog = "Example:\n  anamnesis sync"


def cmd_sync(args: argparse.Namespace) -> int:
    """Exchange notes with the other machines; exit 1 when a person must do something first."""
    payload = read_payload()
    if payload:
        return as_hook("sync", lambda: _sync_as_hook(payload))
    if args.allow_secret:
        _allow_secrets(args.allow_secret)
    result = sync_now(
        resolve_home(),
        machine_id=resolve_machine_id(),
        remote=resolve_remote(),
        rejoin=args.rejoin,
        patience=Patience(args.timeout, args.background),
    )
    out: Output = args.out
    is_said = not args.quiet and not result.needs_attention
    out.result(asdict(result), f"sync: {told(result)}" if is_said else ())
    if result.needs_attention:
        out.hint(f"sync: {told(result)}")
    return 1 if result.needs_attention else 0


def _allow_secrets(names: list[str]) -> None:
    from anamnesis.cli.opening import open_backend, open_store

    with open_store() as store:
        allow_secrets(open_backend(store), names)


def told(result: SyncResult) -> str:
    """What a sync did, in one line."""
    parts = [result.detail]
    if result.failure == "slow":
        parts.append("waiting goes on in the background")
    if arrived := [path for path in result.changed if not path.startswith(f"{MACHINES_FOLDER}/")]:
        parts.append(f"{plural(len(arrived), 'change')} came in")
    if result.pushed:
        parts.append("sent to the remote")  # a heartbeat alone, too
    return "; ".join(parts)


def sync_now(
    home: Path,
    *,
    machine_id: str,
    remote: str | None,
    rejoin: bool = False,
    patience: Patience = DEFAULT_PATIENCE,
) -> SyncResult:
    """Run `sync` on the store at `home`, with a progress bar on a terminal."""
    with MemoryStore(home) as store, step_progress() as progress:
        return _run_sync(
            store,
            machine_id=machine_id,
            remote=remote,
            rejoin=rejoin,
            progress=progress or silent,
            patience=patience,
        )


def _run_sync(
    store: MemoryStore,
    *,
    machine_id: str,
    remote: str | None,
    rejoin: bool = False,
    progress: StepProgress = silent,
    patience: Patience = DEFAULT_PATIENCE,
) -> SyncResult:
    backend = backend_for(
        store.memory_dir,
        remote=remote,
        machine_id=machine_id,
        timeout=patience.timeout,
        background=patience.background,
    )
    return sync_store(
        store,
        backend,
        machine_id=machine_id,
        rejoin=rejoin,
        in_background=patience.background,
        progress=progress,
        report=report,
    )


def _sync_as_hook(payload: Payload) -> None:
    """The background sync of a session that starts: first what earlier sessions left uncaptured."""
    machine_id = resolve_machine_id()
    # Should `inject` have failed, this says as well that our hooks ran in this session.
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
        before = utcnow()
        result = _run_sync(store, machine_id=machine_id, remote=resolve_remote())
        came = [item for item in read_items(str(store.root)) if item.get("seen", "") >= before]
    news = []
    if came:
        told_now = _told_notes(text_of(payload, "session_id"))
        news.append(f"{told_now}{plural(len(came), 'note')} came in: {from_whom(came)}")
    if caught.captured:
        news.append(f"{plural(caught.captured, 'session')} that had ended without a note captured")
    if result.needs_attention:
        news.append(result.detail)
    if news:
        # The client drops an asynchronous hook's plain text, and shows this to the user.
        say_json({"systemMessage": f"Anamnesis: {'; '.join(news)}"})


def _told_notes(session: str) -> str:
    """How many notes a session was told, in words; "" when that is not known."""
    entries = [entry for entry in read_entries(home_folder(), session) if entry["kind"] == "told"]
    shown = entries[-1] if entries else {}
    counts = [len(each) for key in ("full", "cut", "titles") if isinstance(each := shown.get(key), list)]
    return f"this session was told {plural(sum(counts), 'note')}; " if counts else ""


def _capture(args: argparse.Namespace, payload: Payload) -> None:
    transcript = args.transcript or text_of(payload, "transcript_path")
    if not transcript:
        tell("capture: no transcript named; give one with --transcript")
        return
    outcome = _write_note(args, payload, transcript)
    is_sync_due = not args.no_sync and outcome.status != "absent"
    if payload and is_sync_due:
        # Before anything is said: the client may be gone, and its end of the pipe with it.
        is_captured = bool(outcome.session_id) and outcome.status in ("written", "unchanged")
        _go_on_alone(transcript, args.source, is_captured=is_captured)
    if not payload or args.source != PRECOMPACT:
        # What a PreCompact hook prints would become an instruction to the summariser.
        _say_outcome(outcome, is_hook=bool(payload))
    if not payload and is_sync_due:
        result = sync_now(
            resolve_home(),
            machine_id=resolve_machine_id(),
            remote=resolve_remote(),
            patience=Patience(background=args.background),
        )
        say(f"sync: {told(result)}")


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
            # A model takes seconds that a leaving client does not give; it has its say afterwards.
            summarizer=HeuristicSummarizer() if payload else None,
        )
        if outcome.status == "written":
            try:
                _commit_note(store, outcome.note_id)
            except AnamnesisError as exc:
                report(f"capture: the note is kept, but not yet committed: {exc}")
    return outcome


def _commit_note(store: MemoryStore, note_id: str) -> None:
    """Commit what capture wrote; finding whatever else changed is for the sync that follows."""
    machine_id = resolve_machine_id()
    note, counts = store.path_of(note_id, thorough=False), Path(use_file(str(store.root), machine_id))
    backend = backend_for(store.memory_dir, remote=None, machine_id=machine_id)
    backend.commit(only=[counts, *([note] if note else [])])


def _say_outcome(outcome: CaptureOutcome, *, is_hook: bool) -> None:
    if outcome.status in ("written", "unchanged"):
        say(f"capture: wrote episodic note {outcome.note_id} ({one_line(outcome.title)})")
    elif outcome.status == "trivial":
        say(f"capture: skipped trivial session ({one_line(outcome.session_id) or 'no session id'})")
    elif outcome.status == "skipped":
        say(f"capture: skipped: {one_line(outcome.detail)}")
    elif outcome.status == "deleted":
        say(f"capture: the note {outcome.note_id} was deleted by hand and stays deleted")
    elif outcome.status == "refused":
        report(f"capture: {outcome.detail}")
    elif not is_hook:
        # The client names transcripts that were never written, and a hook says nothing about them.
        tell("capture: there is no transcript there; nothing was captured")


def _go_on_alone(transcript: str, source: str, *, is_captured: bool) -> None:
    """Leave the slow rest to a process that outlives the client: the model's summary, the sync."""
    words = ["sync", "--quiet"]
    if is_captured and not isinstance(resolve_summarizer(home=resolve_home()), HeuristicSummarizer):
        words = ["capture", "--transcript", transcript, "--source", source]
    spawn(resolve_home(), *words, "--background")
