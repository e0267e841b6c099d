"""Capture: a session's transcript becomes one episodic note.

    parse_transcript      reads a transcript into a `ParsedSession`
    is_trivial_session    whether a session is not worth a note
    resolve_summarizer    what writes the title and body: rules, or a model
    write_episodic        writes the session's one note
    capture_session       all of these for one transcript
    catch_up              the same for sessions that ended without a note
    capture_past          the same for sessions from before the hooks were installed

The user's settings, and a file in the session's folder, decide whether a session may be captured.
"""

from __future__ import annotations

import os
import re
import time
import unicodedata
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, NamedTuple

from anamnesis import state
from anamnesis.errors import InvalidNote, StoreUnavailable
from anamnesis.notes.record import text_digest
from anamnesis.project import _normalize_remote, is_silenced, keys_of, place_of, spellings
from anamnesis.session.agents import folder_of
from anamnesis.session.ledger import TRIVIAL, Ledger, entry_for, log_line, parents_of, pending, read_ledger
from anamnesis.session.note import session_note_id, write_episodic
from anamnesis.session.summary import (
    _MAX_LEN,
    _TRIVIAL_OUTCOME_FLOOR,
    HeuristicSummarizer,
    Summarizer,
    Summary,
    is_trivial_session,
    resolve_summarizer,
)
from anamnesis.session.talk import _text_of
from anamnesis.session.transcript import (
    ParsedSession,
    first_cwd,
    line_digests,
    parse_new_lines,
    parse_transcript,
)
from anamnesis.session.used_notes import close_receipt
from anamnesis.session.work import _EDIT_TOOLS
from anamnesis.settings import CAPTURE_MODES, resolve, resolve_switch
from anamnesis.store import MemoryStore
from anamnesis.text import Progress

# Names of other modules that the specification puts here.
__all__ = [
    "_EDIT_TOOLS",
    "_MAX_LEN",
    "_TRIVIAL_OUTCOME_FLOOR",
    "HeuristicSummarizer",
    "ParsedSession",
    "Summarizer",
    "Summary",
    "_text_of",
    "is_trivial_session",
    "parse_transcript",
    "resolve_summarizer",
    "session_note_id",
    "write_episodic",
]

Status = Literal["written", "unchanged", "trivial", "skipped", "absent", "deleted", "refused"]
MAX_PER_RUN = 20
SECONDS_PER_RUN = 20.0
_UNKNOWN = "unknown"  # digest of what capture wrote, if the ledger was lost


class CaptureOutcome(NamedTuple):
    """The result of capturing one transcript.

    `absent`: there is no transcript. `deleted`: a person deleted the session's note, and it stays deleted.
    `skipped`: the user does not want it captured. `refused`: the note could not be written. `detail` says
    why.
    """

    status: Status
    note_id: str = ""
    title: str = ""
    project: str = ""
    session_id: str = ""
    detail: str = ""


class CatchUp(NamedTuple):
    """The results for transcripts that were not captured before, and how many are left for the next run."""

    outcomes: tuple[CaptureOutcome, ...]
    left: int = 0

    def count(self, *statuses: Status) -> int:
        """How many had one of these results."""
        return sum(outcome.status in statuses for outcome in self.outcomes)


def capture_session(
    store: MemoryStore,
    *,
    transcript: str | os.PathLike[str],
    machine_id: str,
    session_id: str = "",
    cwd: str = "",
    entrypoint: str = "",
    source: str = "session-end",
    summarizer: Summarizer | None = None,
) -> CaptureOutcome:
    """Turn a transcript into its session's one note and record that in the ledger.

    `session_id`, `cwd` and `entrypoint` come from the hook; they are used if the transcript has none.
    """
    path = Path(transcript)
    seen = entry_for(path)  # taken before reading, so that what is written meanwhile is left to the next run
    if not seen.size:
        return CaptureOutcome("absent", session_id=session_id)
    if _mode(store.root) == "none":
        _record(store.root, seen._replace(session=session_id or path.stem))
        return CaptureOutcome("skipped", session_id=session_id, detail="the setting capture is none")
    ledger = read_ledger(store.root)
    session, parents = _read(path, session_id, ledger)
    session.cwd = session.cwd or cwd or folder_of(path)
    session.entrypoint = session.entrypoint or entrypoint
    outcome, digest = _judge_and_write(
        store, session, ledger=ledger, machine_id=machine_id, source=source, summarizer=summarizer
    )
    if outcome.status in ("written", "unchanged"):
        close_receipt(store, session, machine_id=machine_id)
    seen = seen._replace(
        session=session.session_id or path.stem,
        note=outcome.note_id or TRIVIAL,
        digest=digest,
        first_line=session.first_line,
        forked_from=" ".join(parents),
    )
    _record(store.root, seen)
    return outcome


def _read(path: Path, session_id: str, ledger: Ledger) -> tuple[ParsedSession, list[str]]:
    """A transcript's session without copied lines, and the sessions that it was forked from."""
    session = parse_transcript(path)
    session.session_id = session.session_id or session_id
    parents = parents_of(ledger, session.session_id, session.first_line)
    if parents:
        known = set().union(*(line_digests(entry.transcript) for entry in parents.values()))
        session = parse_new_lines(path, known=known)
        session.session_id = session.session_id or session_id
    return session, list(parents)


def _judge_and_write(
    store: MemoryStore,
    session: ParsedSession,
    *,
    ledger: Ledger,
    machine_id: str,
    source: str,
    summarizer: Summarizer | None,
) -> tuple[CaptureOutcome, str]:
    """The result for the session, and the digest of the text that was written."""
    blank = CaptureOutcome("trivial", session_id=session.session_id)
    if is_trivial_session(session):
        return blank, ""
    project = place_of(session.cwd or ".", home=str(store.root)).key
    if why := _objection(session, project=project, home=store.root):
        return blank._replace(status="skipped", detail=why), ""
    note_id = session_note_id(session)
    earlier = ledger.get(session.session_id)
    before = store.get(note_id, thorough=False)
    if earlier is not None and earlier.note == note_id and before is None:
        return blank._replace(status="deleted", note_id=note_id), earlier.digest
    if earlier is None and before is None and store.undo.of_note(note_id):
        return blank._replace(status="deleted", note_id=note_id), ""  # the ledger was lost, the text was not
    # Without the ledger, nothing says whether a person edited the note, so its text stays.
    written = earlier.digest if earlier is not None else _UNKNOWN if before is not None else ""
    try:
        note = write_episodic(
            store,
            session,
            project=project,
            machine_id=machine_id,
            summarizer=summarizer or resolve_summarizer(home=store.root),
            source=source,
            written=written,
        )
    except InvalidNote as exc:
        return blank._replace(status="refused", detail=str(exc)), ""
    if note is None:
        return blank, ""
    status: Status = "unchanged" if note == before else "written"
    outcome = CaptureOutcome(status, note.id, note.title, note.project, session.session_id)
    is_edited = before is not None and written and text_digest(before.title, before.body) != written
    return outcome, written if is_edited else text_digest(note.title, note.body)


def _record(root: Path, seen: state.Captured) -> None:
    """Enter a session in the ledger; a failure is logged, because its note is saved."""
    try:
        state.save(root, seen)
    except StoreUnavailable as exc:
        log_line(root, f"ledger: {exc}")


def catch_up(
    store: MemoryStore,
    *,
    claude_dir: Path,
    machine_id: str,
    current: str = "",
    limit: int = MAX_PER_RUN,
    seconds: float = SECONDS_PER_RUN,
    summarizer: Summarizer | None = None,
) -> CatchUp:
    """Capture sessions with our hooks that ended without a note, within `limit` and `seconds`."""
    started = set(state.sessions(store.root))
    waiting = pending(read_ledger(store.root), claude_dir, started=started, current=current)
    deadline = time.monotonic() + seconds
    outcomes: list[CaptureOutcome] = []
    for path in waiting[:limit]:
        if outcomes and time.monotonic() >= deadline:
            break
        outcomes.append(capture_session(store, transcript=path, machine_id=machine_id, summarizer=summarizer))
    return CatchUp(tuple(outcomes), left=len(waiting) - len(outcomes))


def project_of(transcript: Path, *, root: Path) -> str:
    """The key of the project that a session was about."""
    return place_of(first_cwd(transcript) or folder_of(transcript) or "/", home=str(root)).key


def capture_past(
    store: MemoryStore, transcripts: list[Path], *, machine_id: str, progress: Progress | None = None
) -> CatchUp:
    """Capture each transcript as at the end of its session, but without a model."""
    outcomes: list[CaptureOutcome] = []
    for path in transcripts:
        outcomes.append(
            capture_session(store, transcript=path, machine_id=machine_id, summarizer=HeuristicSummarizer())
        )
        if progress is not None:
            progress(len(outcomes), len(transcripts))
    return CatchUp(tuple(outcomes))


def _objection(session: ParsedSession, *, project: str, home: Path) -> str:
    """Why the user does not want a session captured, naming the setting; "" when they do."""
    if is_silenced(session.cwd):
        return "a file .anamnesis/off silences this folder"
    if pattern := _excluding(
        resolve("capture_exclude", home=home).value, project=project, folder=session.cwd
    ):
        return f"the setting capture_exclude contains {pattern}"
    has_changes = bool(session.files_touched or session.commits)
    if _mode(home) == "interactive" and session.is_scripted and not has_changes:
        return "a scripted run that changed no file; the setting capture is interactive"
    return ""


def _mode(home: Path) -> str:
    found = resolve("capture", home=home).value.lower()
    if found in CAPTURE_MODES:
        return found
    # A hook must not fail on an invalid value: a clear no means none, anything else the default.
    return "interactive" if resolve_switch("capture", home=home) else "none"


def _excluding(patterns: str, *, project: str, folder: str) -> str:
    """The first glob that matches the project's key, an older one, its folder or a folder above it.

    A folder behind a symlink has two paths; a pattern may name either. `scratch/*` also covers the folder
    `scratch` itself, wherever it is.
    """
    keys = {_composed(key) for key in keys_of(project)}
    names = {str(name) for path in _paths_of(folder) for name in (path, *Path(path).parents)} | keys
    for pattern in filter(None, (part.strip() for part in patterns.split(","))):
        glob = os.path.expanduser(_composed(pattern)).rstrip("/") or "/"
        whole = re.sub(r"/\*+$", "", glob)
        globs = {glob, whole or "/", f"*/{whole}" if whole != glob and not os.path.isabs(glob) else glob}
        globs |= {os.path.realpath(one) for one in globs if os.path.isabs(one)}
        is_key = any(fnmatchcase(key, _normalize_remote(_composed(pattern))) for key in keys)
        if is_key or any(fnmatchcase(name, one) for one in globs for name in names):
            return pattern
    return ""


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _paths_of(folder: str) -> set[str]:
    try:
        return set(map(_composed, filter(None, (folder, *spellings(folder)))))
    except (OSError, ValueError):  # the folder is gone, or its name is invalid
        return {folder}
