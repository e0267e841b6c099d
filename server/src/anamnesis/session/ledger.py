"""What the hooks did on this machine: the ledger of captured sessions, the last run, and the hooks' log.

The ledger is one JSON file under the store root, written atomically under a lock, limited in size. It never
leaves the machine. If it is lost or unreadable, recent transcripts are read again, and no note is lost. No
dataclasses, because `status` waits for this module and importing them takes longer than the rest.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterator
from itertools import chain
from pathlib import Path

from anamnesis.files import entries_in, lock, read_object, write_object
from anamnesis.layout import LAST_INJECT, LEDGER_NAME
from anamnesis.notes.vocabulary import timestamp, utcnow
from anamnesis.session.agents import session_files, session_of
from anamnesis.session.receipts import append_line

TRIVIAL = "trivial"
MAX_SESSIONS = 3000
_LOCK_SECONDS = 5.0
_MAX_BYTES = 8_000_000
LOG_NAME, _OLD_LOG_NAME = "anamnesis.log", "anamnesis.log.1"
MAX_LOG_BYTES = 256 * 1024
_MAX_LOG_LINE = 2000


class Entry:
    """The result of capturing one session, and the state of its transcript then.

    `note` is the id of its note, or "trivial"; `digest` is that of the text that capture wrote. `first_line`
    is the digest of the line that the conversation starts with; `forked_from` has the sessions it was forked
    from, separated by spaces.
    """

    __slots__ = ("at", "digest", "first_line", "forked_from", "mtime_ns", "note", "size", "transcript")

    def __init__(
        self,
        transcript: str,
        size: int,
        mtime_ns: int,
        note: str,
        digest: str,
        at: str,
        first_line: str = "",
        forked_from: str = "",
    ) -> None:
        self.transcript = transcript
        self.size = size
        self.mtime_ns = mtime_ns
        self.note = note
        self.digest = digest
        self.at = at
        self.first_line = first_line
        self.forked_from = forked_from

    def as_dict(self) -> dict[str, object]:
        """The JSON form."""
        return {name: getattr(self, name) for name in self.__slots__}


class Ledger:
    """The ledger as read: the last capture, and an entry per session id."""

    __slots__ = ("last_capture", "sessions")

    def __init__(self, *, last_capture: str, sessions: dict[str, Entry]) -> None:
        self.last_capture = last_capture
        self.sessions = sessions


def read_ledger(root: Path) -> Ledger:
    """The ledger of the store at `root`; empty if there is no readable one."""
    stored = read_object(root / LEDGER_NAME, most=_MAX_BYTES)
    last, sessions = stored.get("last_capture"), stored.get("sessions")
    return Ledger(
        last_capture=last if isinstance(last, str) else "",
        sessions={
            session: entry
            for session, fields in (sessions.items() if isinstance(sessions, dict) else ())
            if (entry := _entry(fields)) is not None
        },
    )


def _entry(fields: object) -> Entry | None:
    try:
        entry = Entry(**fields)  # type: ignore[arg-type]  # fields from the file; checked on the next line
    except TypeError:
        return None
    numbers = isinstance(entry.size, int) and isinstance(entry.mtime_ns, int)
    texts = (entry.transcript, entry.note, entry.digest, entry.at, entry.first_line, entry.forked_from)
    return entry if numbers and all(isinstance(text, str) for text in texts) else None


def record(root: Path, session: str, entry: Entry) -> None:
    """Record the result for `session`; the oldest entries are removed when there are too many."""
    # Two hooks at once are rare and short; after the wait, a lost entry is better than a stuck hook.
    with lock(root / "ledger.lock", timeout=_LOCK_SECONDS):
        sessions = read_ledger(root).sessions
        sessions.pop(session, None)
        sessions[session] = entry
        kept = {name: each.as_dict() for name, each in list(sessions.items())[-MAX_SESSIONS:]}
        write_object(root / LEDGER_NAME, {"last_capture": entry.at, "sessions": kept}, indent=0)


def entry_for(transcript: Path) -> Entry:
    """An entry with the current state of a transcript, not captured yet; size 0 if the file is missing."""
    try:
        state = transcript.stat()
        size, mtime_ns = state.st_size if stat.S_ISREG(state.st_mode) else 0, state.st_mtime_ns
    except (OSError, ValueError):
        size = mtime_ns = 0
    return Entry(str(transcript), size, mtime_ns, TRIVIAL, "", utcnow())


def parents_of(ledger: Ledger, session: str, first_line: str) -> dict[str, Entry]:
    """The captured sessions that `session` was forked from: those with the same first line.

    They are determined at its first capture, so a parent that continues later stays the parent.
    """
    known = ledger.sessions.get(session)
    if known is not None:
        return {name: ledger.sessions[name] for name in known.forked_from.split() if name in ledger.sessions}
    return {
        name: entry
        for name, entry in ledger.sessions.items()
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
    """When `inject` last ran on this machine; "" if it never did."""
    try:
        when = (root / LAST_INJECT).stat().st_mtime
    except OSError:
        return ""
    return timestamp(when)


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
        and (name in started or name in ledger.sessions)
        # If the time is in the future, the clock was set back since.
        and abs(now - state.st_mtime) >= quiet_seconds
    ]


def unseen(ledger: Ledger, claude_dir: Path) -> list[tuple[Path, os.stat_result]]:
    """All agents' transcripts on disk that are not in the ledger or have changed since, newest first."""
    known = {entry.transcript: (entry.size, entry.mtime_ns) for entry in ledger.sessions.values()}
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
