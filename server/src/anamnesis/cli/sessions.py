"""Sessions, for a person: `why`, `inject --explain`, and `capture --past`, which `init` also offers."""

from __future__ import annotations

import argparse
import os
from datetime import datetime
from pathlib import Path

from anamnesis.capture import CatchUp, capture_past, project_of
from anamnesis.cli.opening import open_store
from anamnesis.cli.parser import add_flag, add_json
from anamnesis.cli.terminal import Output, one_line, progress, say
from anamnesis.config import home_folder, resolve_claude_dir
from anamnesis.errors import AnamnesisError, UnknownProject
from anamnesis.inject.briefing import short_ids
from anamnesis.inject.start import Start, prepare
from anamnesis.notes.vocabulary import local_time, since_moment
from anamnesis.operations.sessions import OFTEN, unused_notes
from anamnesis.project.names import spelled
from anamnesis.project.place import place_of
from anamnesis.session.ledger import past_sessions
from anamnesis.session.receipts import last_session, listed_ids, read_entries, sessions
from anamnesis.store import MemoryStore
from anamnesis.sync import backend_for
from anamnesis.text import plural

_NOTHING: dict[object, str] = {"searched": "nothing found", "used": "none of the notes it was given"}
_HOW = {
    "full": "in full",
    "cut": "cut short",
    "title": "by title",
    "room": "left out: did not fit",
    "worth": "left out: not useful enough",
}


def explain(start: Start) -> None:
    """Print every candidate note for a session that starts now, with the parts of its worth."""
    briefing, ranked, _ = prepare(start)  # without a receipt
    names = short_ids([each.note.id for each in ranked])
    say(f"Project {start.project}: {len(briefing.text)} of {start.budget} characters used")
    for each in ranked:
        parts = ", ".join(f"{name} {amount:+.1f}" for name, amount in each.parts.items())
        how = _HOW[briefing.how(each)]
        worth = round(each.worth, 1) + 0.0  # no sign for zero
        say(f"{worth:+6.1f}  {names[each.note.id]}  {how:<22}  {one_line(each.note.title)}")
        say(f"        {parts or 'no reason counts for or against it'}")


def add_why(parser: argparse.ArgumentParser) -> None:
    """Arguments of `why`."""
    parser.add_argument(
        "session",
        nargs="?",
        metavar="SESSION",
        help="its id, or the start of it (default: the last one here)",
    )
    add_flag(
        parser,
        "--unused",
        help=f"list the notes that {OFTEN} or more sessions were shown in full and none used",
    )
    add_json(
        parser,
        "[{kind, at, ...}]: told, searched and used, in order; with --unused [{id, title, project, told}]",
    )
    parser.epilog = "Example:\n  anamnesis why"


def cmd_why(args: argparse.Namespace) -> int:
    """Print what a session was told, what it searched for, and which of those notes it used."""
    if args.unused:
        return _list_unused(args.out)
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


def _find_session(wanted: str | None) -> str:
    home = home_folder()
    known = sessions(home)
    if wanted is None:
        last = last_session(home, os.getcwd()) or (known[0] if known else "")
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


def _entry_lines(entry: dict[str, object], titles: dict[str, str]) -> list[str]:
    """One entry of a receipt as lines for a person."""
    kind, at = entry["kind"], local_time(str(entry.get("at", "")))
    if kind == "told":
        size, project, source = (entry.get(name) for name in ("characters", "project", "source"))
        lines = [f"{at}  told {size} characters about {project} ({source})"]
        for how, key in (("in full", "full"), ("cut short", "cut"), ("by title", "titles")):
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


def capture_all_past(home: Path, *, machine_id: str, since: str | None = None, project: str = "") -> None:
    """Capture the sessions on disk, newest first, commit their notes, and print the result."""
    start = datetime.fromisoformat(since_moment(since)).timestamp() if since else 0.0
    transcripts = past_sessions(home, resolve_claude_dir(), since=start)
    if project:
        transcripts = _of_project(transcripts, project, home=home)
    with MemoryStore(home) as store:
        with progress("sessions") as bar:
            past = capture_past(store, transcripts, machine_id=machine_id, progress=bar)
        if past.count("written"):
            backend_for(store.memory_dir, remote=None, machine_id=machine_id).commit()
    say(_describe_past(past))


def _of_project(transcripts: list[Path], project: str, *, home: Path) -> list[Path]:
    """The sessions of one project, given by any spelling of its key."""
    keys = {path: project_of(path, root=home) for path in transcripts}
    known = sorted(set(keys.values()))
    key = spelled(project, known=known, here=place_of(".", home=str(home)).key)
    if key not in known:
        there = f"there are: {', '.join(known)}" if known else "every session was captured or skipped before"
        raise UnknownProject(f"no new session on disk is of the project {project!r}; {there}")
    return [path for path in transcripts if keys[path] == key]


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
