"""Captures transcripts: reads one, asks whether the user wants its note, writes it, keeps the ledger.

The user's settings, and a file in the session's folder, decide whether a session may be captured.
"""

from __future__ import annotations

import os
import re
import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, NamedTuple

from anamnesis import state
from anamnesis.errors import InvalidNote, StoreUnavailable
from anamnesis.notes.record import Memory, text_digest
from anamnesis.project import _normalize_remote, is_silenced, keys_of, place_of, spellings
from anamnesis.session.agents import folder_of
from anamnesis.session.ledger import Ledger, entry_for, log_line, parents_of, pending, read_ledger
from anamnesis.session.note import session_note_id, write_episodic
from anamnesis.session.summary import HeuristicSummarizer, Summarizer, is_trivial_session, resolve_summarizer
from anamnesis.session.transcript import (
    ParsedSession,
    first_cwd,
    line_digests,
    parse_transcript,
)
from anamnesis.session.used_notes import close_receipt
from anamnesis.settings import CAPTURE_MODES, resolve, resolve_switch
from anamnesis.store import MemoryStore
from anamnesis.text import Progress

Status = Literal["written", "unchanged", "trivial", "skipped", "absent", "deleted", "refused"]
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
    is_hook: bool = False,
) -> CaptureOutcome:
    """Turn a transcript into its session's one note and record that in the ledger.

    `session_id`, `cwd` and `entrypoint` come from the hook; they are used if the transcript has none. If the
    ledger cannot be read now, StoreUnavailable, and nothing is written; a hook does not wait for it.
    """
    path = Path(transcript)
    seen = entry_for(path)  # taken before reading, so that what is written meanwhile is left to the next run
    if not seen.size:
        return CaptureOutcome("absent", session_id=session_id)
    ledger = read_ledger(store.root, is_hook=is_hook)
    if _mode(store.root) == "none":
        known = ledger.get(session_id or path.stem, seen._replace(session=session_id or path.stem))
        now = known._replace(transcript=seen.transcript, size=seen.size, mtime_ns=seen.mtime_ns, at=seen.at)
        _record(store.root, now)
        return CaptureOutcome("skipped", session_id=session_id, detail="the setting capture is none")
    session, parents = _read(path, session_id, ledger)
    session.cwd = session.cwd or cwd or folder_of(path)
    session.entrypoint = session.entrypoint or entrypoint
    seen = seen._replace(
        session=session.session_id or path.stem,
        first_line=session.first_line,
        forked_from=" ".join(parents),
    )
    earlier = ledger.get(seen.session)
    outcome = CaptureOutcome("trivial", session_id=session.session_id)
    digest = ""
    if not is_trivial_session(session):
        project = place_of(session.cwd or ".", home=str(store.root)).key
        outcome = outcome._replace(project=project)
        if why := _objection(session, project=project, home=store.root):
            outcome = outcome._replace(status="skipped", detail=why)
        else:
            writer = summarizer or resolve_summarizer(home=store.root)
            outcome, digest = _write(
                store, session, outcome, earlier, machine_id=machine_id, source=source, summarizer=writer
            )
    if outcome.status in ("written", "unchanged"):
        close_receipt(store, session, machine_id=machine_id)
    if outcome.note_id:
        seen = seen._replace(note=outcome.note_id, digest=digest)
    elif earlier:
        # The session may have a note from before, which a person may have edited or deleted.
        seen = seen._replace(note=earlier.note, digest=earlier.digest)
    _record(store.root, seen)
    return outcome


def _read(path: Path, session_id: str, ledger: Ledger) -> tuple[ParsedSession, list[str]]:
    """A transcript's session without copied lines, and the sessions that it was forked from."""
    session = parse_transcript(path)
    parents = parents_of(ledger, session.session_id or session_id, session.first_line)
    if parents:
        known = set().union(*(line_digests(entry.transcript) for entry in parents.values()))
        session = parse_transcript(path, known=known)
    session.session_id = session.session_id or session_id
    return session, list(parents)


def _write(
    store: MemoryStore,
    session: ParsedSession,
    blank: CaptureOutcome,
    earlier: state.Captured | None,
    *,
    machine_id: str,
    source: str,
    summarizer: Summarizer,
) -> tuple[CaptureOutcome, str]:
    """The result for a session that is worth a note, and the digest of the text that capture last wrote."""
    note_id = session_note_id(session)
    before = store.get(note_id, thorough=False)
    if before is None and (earlier.note == note_id if earlier else store.undo.of_note(note_id)):
        return blank._replace(status="deleted", note_id=note_id), earlier.digest if earlier else ""
    # Without the ledger, nothing says whether a person edited the note, so its text stays.
    written = earlier.digest if earlier else _UNKNOWN if before else ""
    try:
        note = write_episodic(
            store,
            session,
            project=blank.project,
            machine_id=machine_id,
            summarizer=summarizer,
            source=source,
            written=written,
        )
    except InvalidNote as exc:
        return blank._replace(status="refused", detail=str(exc)), ""
    if note is None:
        return blank, ""
    status: Status = "unchanged" if note == before else "written"
    is_edited = before is not None and written and text_digest(before.title, before.body) != written
    digest = written if is_edited else text_digest(note.title, note.body)
    return blank._replace(status=status, note_id=note.id, title=note.title, project=note.project), digest


def recognise_own(root: Path, before: Memory, after: Memory) -> None:
    """Let later captures update a note that we changed ourselves, unless a person had edited it before."""
    for entry in state.read(root, state.Captured, note=before.id):
        if entry.digest == text_digest(before.title, before.body):
            _record(root, entry._replace(digest=text_digest(after.title, after.body)))


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
    limit: int = 20,
    summarizer: Summarizer | None = None,
) -> CatchUp:
    """Capture sessions with our hooks that ended without a note, up to `limit` and for at most 20 seconds."""
    started = set(state.sessions(store.root))
    waiting = pending(read_ledger(store.root), claude_dir, started=started, current=current)
    deadline = time.monotonic() + 20
    outcomes: list[CaptureOutcome] = []
    for path in waiting[:limit]:
        if time.monotonic() < deadline:
            found = capture_session(store, transcript=path, machine_id=machine_id, summarizer=summarizer)
            outcomes.append(found)
    return CatchUp(tuple(outcomes), left=len(waiting) - len(outcomes))


def capture_past(
    store: MemoryStore,
    transcripts: list[Path],
    *,
    machine_id: str,
    progress: Progress | None = None,
) -> CatchUp:
    """Capture each transcript as at the end of its session, but without a model."""
    outcomes: list[CaptureOutcome] = []
    plain = HeuristicSummarizer()
    for path in transcripts:
        found = capture_session(store, transcript=path, machine_id=machine_id, summarizer=plain)
        outcomes.append(found)
        if progress is not None:
            progress(len(outcomes), len(transcripts))
    return CatchUp(tuple(outcomes))


def project_of(transcript: Path, *, root: Path) -> str:
    """The key of the project that a session was about."""
    return place_of(first_cwd(transcript) or folder_of(transcript) or "/", home=str(root)).key


def _objection(session: ParsedSession, *, project: str, home: Path) -> str:
    """Why the user does not want a session captured, naming the setting; "" when they do."""
    if is_silenced(session.cwd):
        return "a file .anamnesis/off silences this folder"
    patterns = resolve("capture_exclude", home=home).value
    if pattern := excluding(patterns, project=project, folder=session.cwd):
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


def excluding(patterns: str, *, project: str, folder: str = "") -> str:
    """The first glob that matches the project's key, an older one, its folder or a folder above it.

    A folder behind a symlink has two paths; a pattern may name either. `scratch/*` also covers the folder
    `scratch` itself, wherever it is.
    """
    keys = keys_of(project)
    try:
        paths = {folder, *spellings(folder)}
    except (OSError, ValueError):  # the folder is gone, or its name is invalid
        paths = {folder}
    names = {str(name) for path in paths for name in (path, *Path(path).parents)} | set(keys)
    for pattern in filter(None, map(str.strip, patterns.split(","))):
        glob = os.path.expanduser(pattern).rstrip("/") or "/"
        whole = re.sub(r"/\*+$", "", glob) or "/"
        globs = {glob, whole}
        globs |= {os.path.realpath(one) for one in globs if os.path.isabs(one)}
        globs |= {f"*/{whole}"} if whole != glob and not os.path.isabs(glob) else set()
        is_key = any(fnmatchcase(key, _normalize_remote(pattern)) for key in keys)
        if is_key or any(fnmatchcase(name, one) for one in globs for name in names):
            return pattern
    return ""
