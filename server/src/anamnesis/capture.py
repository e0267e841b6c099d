"""Capture: a session's transcript becomes its one episodic note.

Reads a transcript, asks whether the user wants its note, writes or updates it, keeps the ledger. The user's
settings, and a file in the session's folder, decide whether a session may be captured.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, NamedTuple

from anamnesis import state
from anamnesis.errors import InvalidNote, StoreUnavailable
from anamnesis.notes.record import Memory, stable_id, text_digest, unique_tags
from anamnesis.notes.vocabulary import REFLECTED, RULE, SCRIPTED, SESSION, epoch, timestamp, utcnow
from anamnesis.project import _normalize_remote, is_silenced, keys_of, place_of, spellings
from anamnesis.session.agents import entry_for, folder_of, pending
from anamnesis.session.receipts import TRIVIAL, Ledger, close_receipt, log_line, read_ledger

# The specification puts the names of this block here.
from anamnesis.session.summary import _MAX_LEN as _MAX_LEN
from anamnesis.session.summary import _TRIVIAL_OUTCOME_FLOOR as _TRIVIAL_OUTCOME_FLOOR
from anamnesis.session.summary import RULES, Summary, without_secrets
from anamnesis.session.summary import HeuristicSummarizer as HeuristicSummarizer
from anamnesis.session.summary import Summarizer as Summarizer
from anamnesis.session.summary import is_trivial_session as is_trivial_session
from anamnesis.session.summary import resolve_summarizer as resolve_summarizer
from anamnesis.session.transcript import _EDIT_TOOLS as _EDIT_TOOLS
from anamnesis.session.transcript import ParsedSession as ParsedSession
from anamnesis.session.transcript import _text_of as _text_of
from anamnesis.session.transcript import line_digests
from anamnesis.session.transcript import parse_transcript as parse_transcript
from anamnesis.settings import CAPTURE_MODES, resolve, resolve_switch
from anamnesis.store import MemoryStore

Status = Literal["written", "unchanged", "trivial", "skipped", "absent", "deleted", "refused"]
_SETTLED = re.compile(r"^- ~~(.+)~~ \((kept|dropped)\)$", re.MULTILINE)


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
        forked_from=" ".join(each.session for each in parents),
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


def _read(path: Path, session_id: str, ledger: Ledger) -> tuple[ParsedSession, list[state.Captured]]:
    """A transcript's session without copied lines, and the captured sessions that it was forked from."""
    session = parse_transcript(path)
    name, start = session.session_id or session_id, session.first_line
    if name in ledger:  # determined at its first capture, so a parent that continues later stays the parent
        parents = [ledger[each] for each in ledger[name].forked_from.split() if each in ledger]
    else:
        captured = [each for each in ledger.values() if each.note != TRIVIAL]
        parents = [each for each in captured if start and each.first_line == start]
    if parents:
        copied = set().union(*(line_digests(each.transcript) for each in parents))
        session = parse_transcript(path, known=copied)
    session.session_id = session.session_id or session_id
    return session, parents


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
    written = earlier.digest if earlier else "unknown" if before else ""
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
    edited = _edits(before, written) if before else (False, False)
    # What a person changed stays theirs.
    digests = zip(edited, _digests(note), (written.split() * 2 or ["", ""])[:2], strict=True)
    outcome = blank._replace(
        status=status,
        note_id=note.id,
        title=note.title,
        project=note.project,
        detail="was edited by hand, so its text stays" if edited[1] else "",
    )
    return outcome, " ".join(old if is_edited else new for is_edited, new, old in digests)


def _record(root: Path, seen: state.Captured) -> None:
    """Enter a session in the ledger; a failure is logged, because its note is saved."""
    try:
        state.save(root, seen)
    except StoreUnavailable as exc:
        log_line(root, f"ledger: {exc}")


def catch_up(
    store: MemoryStore, *, claude_dir: Path, machine_id: str, current: str = "", seconds: float = 20.0
) -> list[CaptureOutcome]:
    """Capture, without a model, sessions with our hooks that ended without a note; the next run goes on."""
    started = set(state.sessions(store.root))
    waiting = pending(read_ledger(store.root), claude_dir, started=started, current=current)
    deadline = time.monotonic() + seconds
    plain = HeuristicSummarizer()
    return [
        capture_session(store, transcript=path, machine_id=machine_id, summarizer=plain)
        for path in waiting
        if time.monotonic() < deadline
    ]


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
    try:
        paths = {folder, *spellings(folder)}
    except (OSError, ValueError):  # the folder is gone, or its name is invalid
        paths = {folder}
    folders = {str(name) for path in paths for name in (path, *Path(path).parents)}
    names = {*keys_of(project), *folders, *(os.path.join(name, "") for name in folders)}
    for pattern in filter(None, map(str.strip, patterns.split(","))):
        glob = os.path.expanduser(pattern)
        globs = {glob, _normalize_remote(pattern)}
        if "/" in glob:
            globs.add(os.path.realpath(glob) if os.path.isabs(glob) else f"*/{glob}")
        if any(fnmatchcase(name, one) for name in names for one in globs):
            return pattern
    return ""


# -- the note ---------------------------------------------------------------------------------------------


def session_note_id(session: ParsedSession) -> str:
    """The id of a session's note: the same on every machine and in every process, in the form of a ULID."""
    # A transcript without a session id is identified by its start: time, folder and first prompt.
    name = session.session_id or f"{session.started_at}\0{session.cwd}\0{session.first_prompt}"
    return stable_id("session", name)


def write_episodic(
    store: MemoryStore,
    session: ParsedSession,
    *,
    project: str,
    machine_id: str,
    summarizer: Summarizer | None = None,
    source: str = "session-end",
    written: str = "",
) -> Memory | None:
    """Write or update the note of `session`; None when it is trivial or the summarizer wants none.

    `written` is the digest of the text that capture last wrote, if known: if the note's text differs, a
    person changed it, and it stays.
    """
    summary = (
        None if is_trivial_session(session) else (summarizer or HeuristicSummarizer()).summarize(session)
    )
    if summary is None:
        return None
    fresh = _fresh(session, summary, project=project, machine_id=machine_id, source=source)
    known = store.get(fresh.id, thorough=False)
    if known is None:
        return store.put(fresh)
    for rule, how in _SETTLED.findall(known.body):
        fresh = settled(fresh, rule, how)
    merged = _merged(known, fresh, edited=_edits(known, written))
    return known if merged == known else store.put(merged)


def _fresh(session: ParsedSession, summary: Summary, *, project: str, machine_id: str, source: str) -> Memory:
    began, ended = _moment(session.started_at), _moment(session.ended_at)
    safe = without_secrets(summary, session)
    # The agent is a tag unless it was Claude Code.
    tags = {
        "session": True,
        source: True,
        session.agent: bool(session.agent),
        SCRIPTED: session.is_scripted,
        RULE: f"\n{RULES}\n" in safe.body,
    }
    return Memory(
        id=session_note_id(session),
        type=SESSION,
        title=safe.title.strip() or "Session summary",
        body=safe.body.strip(),
        project=project,
        machine_id=machine_id,
        tags=[tag for tag, holds in tags.items() if holds],
        created_at=min(began, ended, key=epoch),
        updated_at=ended,
        prov_source="session-end",
        prov_model=summary.prov_model,
        prov_session=session.session_id,
    )


def settled(note: Memory, rule: str, how: str) -> Memory:
    """A session's note with one of its rules struck out as `kept` or `dropped`, so that it is not told again.

    The struck line also tells later captures of the session.
    """
    head, heading, rules = note.body.rpartition(f"{RULES}\n")
    lines = (f"- ~~{rule}~~ ({how})" if line == f"- {rule}" else line for line in rules.split("\n"))
    return replace(note, body="".join([head, heading, "\n".join(lines)]))


def _digests(note: Memory) -> tuple[str, str]:
    """The digests of the title and the text that capture wrote, whichever of its rules were settled since."""
    return text_digest(note.title, ""), text_digest("", _SETTLED.sub(r"- \1", note.body))


def _edits(note: Memory, written: str) -> tuple[bool, bool]:
    """Whether a person changed the title, and the text, that capture wrote; both, if that is unknown."""
    title, _, text = written.partition(" ")
    now = _digests(note)
    return bool(written) and now[0] != title, bool(written) and now[1] != text


def _moment(text: str) -> str:
    """A transcript's timestamp in the format of notes; now, if it is missing or in the future."""
    seconds, now = epoch(text), utcnow()
    if not 0 < seconds <= epoch(now):
        return now
    return timestamp(seconds)


def _merged(known: Memory, fresh: Memory, *, edited: tuple[bool, bool]) -> Memory:
    """The updated note: new title and text, unless a person changed them; other fields stay."""
    title, body = (known.title if edited[0] else fresh.title), (known.body if edited[1] else fresh.body)
    is_same = (known.title, known.body) == (title, body)
    tags = unique_tags([*known.tags, *fresh.tags])
    new = known
    if not is_same:
        tags = [tag for tag in tags if tag != REFLECTED]  # this text has not been reflected
        new = replace(known, title=title, body=body, prov_model=fresh.prov_model)
    latest = max(known.updated_at, fresh.updated_at, key=epoch)
    return known if is_same and tags == known.tags else replace(new, tags=tags, updated_at=latest)
