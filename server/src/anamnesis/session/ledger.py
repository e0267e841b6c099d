"""What the hooks did on this machine: the ledger of captured sessions, the last run, and the hooks' log.

The ledger never leaves the machine. If it is lost, recent transcripts are read again, and no note is lost.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterator
from itertools import chain
from pathlib import Path

from anamnesis import state
from anamnesis.files import append_line, entries_in
from anamnesis.notes.vocabulary import utcnow
from anamnesis.session.agents import session_files, session_of
from anamnesis.state import Captured, Entry

TRIVIAL = "trivial"
LOG_NAME, _OLD_LOG_NAME = "anamnesis.log", "anamnesis.log.1"
MAX_LOG_BYTES = 256 * 1024
_MAX_LOG_LINE = 2000

Ledger = dict[str, Captured]


def read_ledger(root: Path, *, is_hook: bool = False) -> Ledger:
    """What is known about each captured session of the store at `root`, the last captured one last."""
    return {row.session: row for row in state.read(root, Captured, is_hook=is_hook)}


def entry_for(transcript: Path) -> Captured:
    """An entry with the current state of a transcript, not captured yet; size 0 if the file is missing."""
    try:
        found = transcript.stat()
        size, mtime_ns = found.st_size if stat.S_ISREG(found.st_mode) else 0, found.st_mtime_ns
    except (OSError, ValueError):
        size = mtime_ns = 0
    return Captured(transcript.stem, str(transcript), size, mtime_ns, TRIVIAL, "", utcnow())


def last_capture(root: Path) -> str:
    """When a session was last captured on this machine; "" if never."""
    found = state.latest(root, Captured)
    return found.at if found else ""


def parents_of(ledger: Ledger, session: str, first_line: str) -> Ledger:
    """The captured sessions that `session` was forked from: those with the same first line.

    They are determined at its first capture, so a parent that continues later stays the parent.
    """
    known = ledger.get(session)
    if known is not None:
        return {name: ledger[name] for name in known.forked_from.split() if name in ledger}
    return {
        name: entry
        for name, entry in ledger.items()
        if first_line and entry.first_line == first_line and entry.note != TRIVIAL
    }


def log_line(root: Path, text: str) -> None:
    """Append one line with the time to the hooks' log; never fails, never waits. A full file is rotated.

    Every line is redacted, and the environment, which contains the client's keys, is never logged.
    """
    from anamnesis.redact import redact  # `status` does without it

    # Cut roughly before redaction, to limit the search, and exactly after it, so that no key is cut in half.
    lines = redact(text[: 8 * _MAX_LOG_LINE]).splitlines()
    shown = "".join(char if char.isprintable() else "?" for char in " | ".join(lines))[:_MAX_LOG_LINE]
    line, path = f"{utcnow()} {shown}\n".encode(), os.path.join(root, LOG_NAME)
    try:
        if not append_line(path, line, most=MAX_LOG_BYTES):
            os.replace(path, os.path.join(root, _OLD_LOG_NAME))
            append_line(path, line, most=MAX_LOG_BYTES)
    except (OSError, ValueError):
        return  # a full disk or a read-only store is reported elsewhere


def last_inject(root: Path) -> str:
    """When a session last started with our hook on this machine; "" if none did."""
    found = state.latest(root, Entry, kind="told")
    return found.at if found else ""


def pending(
    ledger: Ledger,
    claude_dir: Path,
    *,
    started: Collection[str],
    current: str = "",
    quiet_seconds: float = 0.0,
    now: float | None = None,
) -> list[Path]:
    """The transcripts of sessions with our hooks that have changed since their last capture, newest first.

    These are the sessions in `started`, which have a receipt, and those captured before. Left out are the
    session `current` and files written within `quiet_seconds`. A session without our hooks ran before `init`,
    or the user did not want hooks in it.
    """
    now = time.time() if now is None else now
    return [
        path
        for path, state in unseen(ledger, claude_dir)
        if (name := session_of(path)) != current
        and (name in started or name in ledger)
        # If the time is in the future, the clock was set back since.
        and abs(now - state.st_mtime) >= quiet_seconds
    ]


def unseen(ledger: Ledger, claude_dir: Path) -> list[tuple[Path, os.stat_result]]:
    """All agents' transcripts on disk that are not in the ledger or have changed since, newest first."""
    known = {entry.transcript: (entry.size, entry.mtime_ns) for entry in ledger.values()}
    found = ((path, _state(path)) for path in chain(_transcripts(claude_dir / "projects"), session_files()))
    changed = [
        (path, state)
        for path, state in found
        if state and known.get(str(path)) != (state.st_size, state.st_mtime_ns)
    ]
    return sorted(changed, key=lambda item: (item[1].st_mtime_ns, item[0]), reverse=True)


def past_sessions(root: Path, claude_dir: Path, *, since: float = 0.0) -> list[Path]:
    """The transcripts on disk that no capture has seen, newest first; `since` is in seconds since 1970."""
    return [path for path, state in unseen(read_ledger(root), claude_dir) if state.st_mtime >= since]


def _transcripts(projects: Path) -> Iterator[Path]:
    """Claude Code's session files; a subagent's transcript is not a session of its own."""
    for folder in entries_in(projects):
        for file in entries_in(folder.path) if folder.is_dir(follow_symlinks=False) else ():
            if file.name.endswith(".jsonl") and not file.name.startswith("agent-"):
                yield Path(file.path)


def _state(path: Path) -> os.stat_result | None:
    """The state of a regular file with content; None for anything else."""
    try:
        state = path.lstat()
    except OSError:
        return None
    return state if stat.S_ISREG(state.st_mode) and state.st_size else None
