"""The one note of a session: its id, its fields, and updating it at a later capture."""

from __future__ import annotations

import re
from dataclasses import replace

from anamnesis.notes.record import Memory, stable_id, text_digest, unique_tags
from anamnesis.notes.vocabulary import REFLECTED, SESSION, epoch, timestamp, utcnow
from anamnesis.session.rules import without_joiner
from anamnesis.session.summary import (
    RULES,
    HeuristicSummarizer,
    Summarizer,
    Summary,
    is_trivial_session,
    without_secrets,
)
from anamnesis.session.transcript import ParsedSession
from anamnesis.store import MemoryStore

SCRIPTED = "scripted"  # tag of a session without a person
RULE = "rule"  # tag of a session in which the user stated rules
_SETTLED = re.compile(r"^- ~~(.+)~~ \((kept|dropped)\)$", re.MULTILINE)
_LABEL = re.compile(r"^(?:\*\*[^*]+:\*\* |- User: |- )")
_SENTENCE_END = re.compile(r"((?<=[.!?;…])\s+|(?<=[。！？]))")


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
    merged = _merged(
        known, fresh, is_edited=bool(written) and text_digest(known.title, known.body) != written
    )
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

    The struck line also tells later captures of the session. A dropped rule is nowhere said as a sentence.
    """
    head, heading, listed = note.body.partition(f"{RULES}\n")
    block, gap, rest = listed.partition("\n\n")
    lines = [
        f"- ~~{rule}~~ ({how})" if " ".join(line[2:].split()) == rule else line for line in block.split("\n")
    ]
    title = note.title
    if how == "dropped":
        head, rest = _without(head, rule), _without(rest, rule)
        # A title may have been cut, or have words added.
        start = _plain(title.partition(" – ")[0].removeprefix("Reverted: "))
        title = "Session summary" if start and _plain(rule).startswith(start) else _without(title, rule)
    return replace(note, title=title, body="".join([head, heading, "\n".join(lines), gap, rest]))


def _without(text: str, rule: str) -> str:
    """A text in which a note stands for each sentence that states a rule, and nothing else changes."""
    lines = []
    for line in text.split("\n"):
        label = _LABEL.match(line)
        start = label.end() if label else 0
        parts = [
            "(a rule that was dropped)" if _plain(part) == _plain(rule) else part
            for part in _SENTENCE_END.split(line[start:])
        ]
        lines.append(line[:start] + "".join(parts))
    return "\n".join(lines)


def _plain(sentence: str) -> str:
    return without_joiner(" ".join(sentence.split())).casefold().strip(" .!;…。！*")


def _moment(text: str) -> str:
    """A transcript's timestamp in the format of notes; now, if it is missing or in the future."""
    seconds, now = epoch(text), utcnow()
    if not 0 < seconds <= epoch(now):
        return now
    return timestamp(seconds)


def _merged(known: Memory, fresh: Memory, *, is_edited: bool) -> Memory:
    """The updated note: new text, unless a person changed it; other fields stay."""
    is_same = is_edited or (known.title, known.body) == (fresh.title, fresh.body)
    # The new text has not been reflected, even if the old one was.
    kept = known.tags if is_same else [tag for tag in known.tags if tag != REFLECTED]
    tags = unique_tags([*kept, *fresh.tags])
    if is_same and tags == known.tags:
        return known
    return replace(
        known,
        title=known.title if is_edited else fresh.title,
        body=known.body if is_edited else fresh.body,
        tags=tags,
        prov_model=known.prov_model if is_same else fresh.prov_model,
        updated_at=max(known.updated_at, fresh.updated_at, key=epoch),
    )
