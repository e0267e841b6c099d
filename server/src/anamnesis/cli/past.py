"""`capture --past`, and `init`'s offer to capture the sessions that are already on disk."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from anamnesis.cli.terminal import progress, say
from anamnesis.config import resolve_claude_dir
from anamnesis.errors import UnknownProject
from anamnesis.project.names import spelled
from anamnesis.project.place import place_of
from anamnesis.session.capture import Past, capture_past, past_sessions, project_of
from anamnesis.store import MemoryStore
from anamnesis.sync import backend_for
from anamnesis.text import plural


def count_past(home: Path) -> int:
    """How many sessions are on disk that no capture has seen."""
    return len(past_sessions(home, resolve_claude_dir()))


def capture_all_past(home: Path, *, machine_id: str, since: str | None = None, project: str = "") -> None:
    """Capture the sessions on disk, newest first, commit their notes, and print the result."""
    # A date without a time means midnight, local time.
    start = datetime.fromisoformat(since).timestamp() if since else 0.0
    found = past_sessions(home, resolve_claude_dir(), since=start)
    if project:
        found = _only(found, project, home=home)
    with MemoryStore(home) as store:
        with progress("sessions") as bar:
            past = capture_past(store, found, machine_id=machine_id, progress=bar)
        if past.count("written"):
            backend_for(store.memory_dir, remote=None, machine_id=machine_id).commit()
    say(_said(past))


def _only(transcripts: list[Path], project: str, *, home: Path) -> list[Path]:
    """The sessions of one project, given by any form of its key."""
    keys = {path: project_of(path, root=home) for path in transcripts}
    known = sorted(set(keys.values()))
    key = spelled(project, known=known, here=place_of(".", home=str(home)).key)
    if key not in known:
        there = f"there are: {', '.join(known)}" if known else "every session was captured or skipped before"
        raise UnknownProject(f"no new session on disk is of the project {project!r}; {there}")
    return [path for path in transcripts if keys[path] == key]


def _said(past: Past) -> str:
    if not past.outcomes:
        return "capture: no session on disk is new"
    parts = [
        (past.count("trivial"), "trivial"),
        (past.count("skipped"), "not wanted"),
        (past.count("refused", "absent", "deleted"), "without a note for other reasons"),
    ]
    rest = ", ".join(f"{count} {what}" for count, what in parts if count)
    notes = plural(past.count("written", "unchanged"), "note")
    return f"capture: {notes} from {plural(len(past.outcomes), 'session')}" + (f" ({rest})" if rest else "")
