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
from anamnesis.notes.record import Memory, stable_id, unique_tags
from anamnesis.notes.vocabulary import REFLECTED, RULE, SCRIPTED, SESSION
from anamnesis.project import _normalize_remote, is_silenced, keys_of, place_of, spellings
from anamnesis.redact import find_secrets
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
from anamnesis.sync.one_note import commit_note
from anamnesis.text import epoch, timestamp, utcnow

Status = Literal["written", "unchanged", "trivial", "skipped", "absent", "deleted", "refused"]
_SETTLED = re.compile(r"^- ~~(.+)~~ \((kept|dropped)\)$", re.MULTILINE)


class CaptureOutcome(NamedTuple):
    """The result of capturing one transcript.

    `absent`: there is no transcript. `deleted`: a person deleted the session's note, and it stays deleted.
    `skipped`: the user does not want it captured. `refused`: the note could not be written. `detail` says
    why. `own` is the note that was written, if nothing in it is from another than capture.
    """

    status: Status
    note_id: str = ""
    title: str = ""
    project: str = ""
    session_id: str = ""
    detail: str = ""
    own: Memory | None = None


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
    commits: bool = False,
) -> CaptureOutcome:
    """Turn a transcript into its session's one note and record that in the ledger.

    `session_id`, `cwd` and `entrypoint` come from the hook; they are used if the transcript has none. If the
    ledger cannot be read now, StoreUnavailable, and nothing is written; a hook does not wait for it. Unless
    it `commits` the note, or if anything about that is unusual, the next sync does.
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
    if not is_trivial_session(session):
        project = place_of(session.cwd or ".", home=str(store.root)).key
        outcome = outcome._replace(project=project)
        if why := _objection(session, project=project, home=store.root):
            outcome = outcome._replace(status="skipped", detail=why)
        else:
            writer = summarizer or resolve_summarizer(home=store.root)
            outcome = _write(
                store, session, outcome, earlier, machine_id=machine_id, source=source, summarizer=writer
            )
    if outcome.status in ("written", "unchanged"):
        close_receipt(store, session, machine_id=machine_id)
    # The session may have a note from before.
    _record(store.root, seen._replace(note=outcome.note_id or (earlier or seen).note))
    if commits and outcome.own:
        commit_note(store.root, outcome.own, machine_id=machine_id)
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
) -> CaptureOutcome:
    """Write the note of a session that is worth one."""
    note_id = session_note_id(session)
    before = store.get(note_id, thorough=False)
    if before is None and (earlier.note == note_id if earlier else store.undo.of_note(note_id)):
        return blank._replace(status="deleted", note_id=note_id)
    summary = summarizer.summarize(session)
    if summary is None:
        return blank
    fresh = _fresh(session, summary, project=blank.project, machine_id=machine_id, source=source)
    wrote = next(iter(state.read(store.root, state.Written, note=note_id)), None)
    try:
        note = _put(store, fresh, before, wrote=wrote)
    except InvalidNote as exc:
        return blank._replace(status="refused", detail=str(exc))
    _record(store.root, state.Written(note_id, fresh.title, fresh.body))
    done = blank._replace(status="written", note_id=note_id, title=note.title, project=note.project)
    if note == before:
        return done._replace(status="unchanged")
    is_own = (note.title, note.body) == (fresh.title, fresh.body) and not find_secrets(" ".join(note.tags))
    return done._replace(own=note) if is_own else done


def _record(root: Path, seen: state.Captured | state.Written) -> None:
    """Remember a captured session; a failure is logged, because its note is saved."""
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
) -> Memory | None:
    """Write or replace the note of `session`; None when it is trivial or the summarizer wants none."""
    writer = summarizer or HeuristicSummarizer()
    summary = None if is_trivial_session(session) else writer.summarize(session)
    if summary is None:
        return None
    fresh = _fresh(session, summary, project=project, machine_id=machine_id, source=source)
    known = store.get(fresh.id, thorough=False)
    wrote = state.Written(known.id, known.title, known.body) if known else None
    return _put(store, fresh, known, wrote=wrote)


def _put(store: MemoryStore, fresh: Memory, known: Memory | None, *, wrote: state.Written | None) -> Memory:
    """Write a session's note, or update it; what a person changed in it stays.

    `wrote` is what capture wrote before; without it, nothing says what a person changed, so all of it stays.
    """
    if known is None:
        return store.put(fresh)
    for rule, how in _SETTLED.findall(known.body):
        fresh = settled(fresh, rule, how)
    if wrote is None or known.title != wrote.title:
        fresh = replace(fresh, title=known.title)
    if wrote is None:
        fresh = replace(fresh, body=known.body)
    elif _unsettled(known.body) != _unsettled(wrote.body):
        fresh = replace(fresh, body=_merged_text(wrote.body, known.body, fresh.body))
    merged = _merged(known, fresh)
    return known if merged == known else store.put(merged)


def _merged_text(base: str, edited: str, fresh: str) -> str:
    """What a person made of a text, with what capture has to add to it since."""
    from anamnesis.sync.lines import merge_lines  # only a note that a person edited needs it

    merged = merge_lines(*(text.split("\n") for text in (base, edited, fresh)))
    if not merged.clash:
        return "\n".join(merged.lines)
    known = {_said(line) for text in (base, edited) for line in text.split("\n")}
    added: list[str] = []
    for block in fresh.split("\n\n"):
        first, *rest = block.split("\n")
        new = [line for line in rest if _said(line) not in known]
        added += ["\n".join([first, *new])] if new or _said(first) not in known else []
    return "\n\n".join([edited, *added])


def _said(line: str) -> str:
    """A line of a session's note without its mark: what was the outcome may be a finding later."""
    return line.removeprefix("**Outcome:** ").removeprefix("- ")


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
    head, heading, rules = note.body.partition(f"{RULES}\n")
    struck = f"- ~~{rule}~~ ({how})"
    lines = [struck if " ".join(line[2:].split()) == rule else line for line in rules.split("\n")]
    if struck not in lines:  # newer rules have displaced it
        lines = [*filter(None, lines), struck]
    return replace(note, body="".join([head, heading or f"\n\n{RULES}\n", "\n".join(lines)]))


def _unsettled(body: str) -> str:
    """The text that capture wrote, whichever of its rules were settled since."""
    return _SETTLED.sub(r"- \1", body)


def _moment(text: str) -> str:
    """A transcript's timestamp in the format of notes; now, if it is missing or in the future."""
    seconds, now = epoch(text), utcnow()
    if not 0 < seconds <= epoch(now):
        return now
    return timestamp(seconds)


def _merged(known: Memory, fresh: Memory) -> Memory:
    """The note with the new title and text; its other fields stay."""
    is_same = (known.title, known.body) == (fresh.title, fresh.body)
    tags = unique_tags([*known.tags, *fresh.tags])
    new = known
    if not is_same:
        tags = [tag for tag in tags if tag != REFLECTED]  # this text has not been reflected
        new = replace(known, title=fresh.title, body=fresh.body, prov_model=fresh.prov_model)
    latest = max(known.updated_at, fresh.updated_at, key=epoch)
    return known if is_same and tags == known.tags else replace(new, tags=tags, updated_at=latest)
