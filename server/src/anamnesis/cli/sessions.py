"""Sessions: `capture`, as a hook and as a command, turns one into its note; `why` shows what one was told.

As a hook, `capture` writes the note, commits it, and leaves slow work to a background process, because an
exiting client does not wait. As a command, it works in the foreground and prints more.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from anamnesis.capture import CaptureOutcome, HeuristicSummarizer, capture_session, resolve_summarizer
from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.output import Output, as_hook, one_line, progress, read_payload, report, say, tell, text_of
from anamnesis.config import resolve_entrypoint, resolve_home, resolve_machine_id, resolve_remote
from anamnesis.errors import AnamnesisError, StoreUnavailable
from anamnesis.operations.reading import project_to_read
from anamnesis.operations.sessions import OFTEN, capture_past_sessions, unused_notes
from anamnesis.programs import spawn
from anamnesis.project import keys_of, place_of
from anamnesis.session.receipts import HOW_TOLD, listed_ids, read_entries
from anamnesis.state import sessions
from anamnesis.store import MemoryStore
from anamnesis.text import local_time, plural

PRECOMPACT = "precompact"

Payload = dict[str, object]


def cmd_capture(args: argparse.Namespace) -> int:
    """Turn a session's transcript into its one note."""
    if args.past or args.since or args.project:
        since, project = args.since or "", args.project or ""
        capture_all_past(resolve_home(), machine_id=resolve_machine_id(), since=since, project=project)
        if not args.no_sync:
            _sync(background=args.background)
        return 0
    payload = read_payload()
    if text_of(payload, "hook_event_name") == "PreCompact":
        args.source = PRECOMPACT  # also if the hook was installed without the flag
    return as_hook("capture", lambda: _capture(args, payload))


def capture_all_past(home: Path, *, machine_id: str, since: str = "", project: str = "") -> None:
    """Capture the sessions on disk, newest first, and print the result; `init` offers this, too."""
    with MemoryStore(home) as store, progress() as bar:
        past = capture_past_sessions(store, machine_id=machine_id, since=since, project=project, progress=bar)
    count = sum(each.status == "written" for each in past)
    say(f"capture: {plural(count, 'note')} from {plural(len(past), 'session')}")


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
    transcript = os.path.abspath(args.transcript) if args.transcript else text_of(payload, "transcript_path")
    if not transcript:
        tell("capture: no transcript named; give one with --transcript")
        return
    try:
        outcome = _capture_now(args, transcript, payload)
    except StoreUnavailable:
        if payload:  # another process uses the ledger; a process that outlives the hook can wait for it
            spawn(
                resolve_home(),
                *_again(transcript, args.source),
                "--no-sync" if args.no_sync else "--background",
            )
        raise
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


def _capture_now(args: argparse.Namespace, transcript: str, payload: Payload) -> CaptureOutcome:
    # The hook has about a second; if the index is busy for longer than this, it is updated later.
    with MemoryStore(resolve_home(), patience=0.5) as store:
        return capture_session(
            store,
            transcript=transcript,
            machine_id=resolve_machine_id(),
            session_id=text_of(payload, "session_id"),
            cwd=text_of(payload, "cwd"),
            entrypoint=resolve_entrypoint() if payload else "",
            source=args.source,
            summarizer=HeuristicSummarizer() if payload else None,  # a model is asked after a hook
            is_hook=bool(payload),
            commits=True,
        )


def _say_outcome(outcome: CaptureOutcome, transcript: str, *, is_hook: bool) -> None:
    said = {
        "unchanged": f"{outcome.note_id} already has this session ({outcome.title})",
        "written": f"wrote episodic note {outcome.note_id} ({outcome.title})",
        "trivial": f"skipped trivial session ({outcome.session_id or 'no session id'})",
        "skipped": f"skipped: {outcome.detail}",
        "deleted": f"the note {outcome.note_id} was deleted and stays deleted",
        "absent": f"{transcript} does not exist or is empty; nothing was captured",
    }
    if outcome.status == "refused":
        report(f"capture: {outcome.detail}")
    elif outcome.status != "absent" or not is_hook:  # the client also names transcripts that it never wrote
        say(one_line(f"capture: {said[outcome.status]}"))


def _spawn_background_work(transcript: str, source: str, *, is_captured: bool) -> None:
    """Start a process that outlives the client for the slow work: the model's summary, the sync."""
    words = ["sync", "--quiet"]
    if is_captured and not isinstance(resolve_summarizer(home=resolve_home()), HeuristicSummarizer):
        words = _again(transcript, source)
    spawn(resolve_home(), *words, "--background")


def _again(transcript: str, source: str) -> list[str]:
    return ["capture", "--transcript", transcript, "--source", source]


def cmd_why(args: argparse.Namespace) -> int:
    """Print what a session was told, what it searched for, and which of those notes it used."""
    out: Output = args.out
    with open_store() as store:
        if args.rules or args.drop is not None:
            _show_rules(store, args)
        elif args.unused:
            rows = unused_notes(store)
            lines = [f"told {row['told']:>4} times  {row['id']}  {row['title']}" for row in rows]
            lines = lines or [f"no note was shown to {OFTEN} or more sessions without being used"]
            out.result(rows, map(one_line, lines))
        else:
            home = str(store.root)
            session = _find_session(home, args.session)
            entries = read_entries(home, session)
            titles = {note.id: note.title for note in store.list(bodies=False)}
            said = (line for entry in entries for line in _entry_lines(entry, titles))
            out.result(entries, (f"Session {session}", *said))
    return 0


def _show_rules(store: MemoryStore, args: argparse.Namespace) -> None:
    """Print a project's rules with their origin, or drop one."""
    from anamnesis.operations.curation import find_rule, list_rules, settle_rule

    here = place_of(".", home=str(store.root)).key
    project = project_to_read(store, args.project, here=here) or here
    if args.drop is None:
        said = [("", rule) for rule in list_rules(store, project=project)]
    else:
        rule, backend = find_rule(store, args.drop, project=project), open_backend(store)
        *_, again = settle_rule(store, rule.note_id, rule.line, keep=False, backend=backend)
        said = [("dropped: ", rule), *(("told again in its place: ", each) for each in again)]
    rows, lines = [], []
    for verb, rule in said:
        fields = {name: getattr(rule, name) for name in ("line", "at", "project", "source", "title")}
        rows.append({"id": rule.note_id, "stated": rule.is_stated, **fields})
        origin = f"{rule.at[:10]}  {'' if rule.is_stated else 'noted by Claude, '}{rule.title}"
        lines += [f"{verb}{one_line(rule.line)}", one_line(f"{rule.note_id}  {origin}")]
    args.out.result(rows, lines or [f"no rules for {project} yet; --project names another"])


def _find_session(home: str, wanted: str | None) -> str:
    """The session whose id starts with `wanted`; without one, the last in this project, else the last."""
    known = sessions(home)
    if wanted is not None:
        matching = [session for session in known if session.startswith(wanted)]
        if len(matching) != 1:
            raise AnamnesisError(
                f"{len(matching)} sessions here start with {wanted!r}; `anamnesis why` shows the last one"
            )
        return matching[0]
    keys = keys_of(place_of(".", home=home).key)
    here = (name for name in known if any(each.get("project") in keys for each in read_entries(home, name)))
    if not (last := next(chain(here, known), "")):
        raise AnamnesisError(
            "no session has been told anything yet; the first one is recorded when Claude Code starts it"
        )
    return last


def _entry_lines(entry: dict[str, object], titles: dict[str, str]) -> Iterator[str]:
    """One entry of a receipt as lines for a person."""
    kind, at, left = entry["kind"], local_time(str(entry.get("at", ""))), entry.get("left_out")
    if kind == "told":
        size, project, source = (entry.get(name) for name in ("characters", "project", "source"))
        with_rules = f", {plural(rules, 'rule')}" if isinstance(rules := entry.get("rules"), int) else ""
        yield f"{at}  told {size} characters about {project} ({source}){with_rules}"
    else:
        query = f" {entry.get('query', '')!r}" if kind == "searched" else ""
        count = f": {plural(len(listed_ids(entry['ids'])), 'note')}" if "ids" in entry else ""
        yield f"{at}  {kind}{query}{count}"
    reasons = why if isinstance(why := entry.get("why"), dict) else {}
    for key, how in {**HOW_TOLD, "ids": ""}.items():
        for each in listed_ids(entry.get(key)):
            because = f"  ({', '.join(reasons[each])})" if reasons.get(each) else ""
            yield f"  {how:<10} {each}  {one_line(titles.get(each, '(deleted since)'))}{because}"
    if isinstance(left, dict) and left:
        useless = sum(how == "worth" for how in left.values())
        yield f"  left out   {useless} not useful enough, {len(left) - useless} did not fit"
