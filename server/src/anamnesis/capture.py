"""Capture: a session's transcript becomes one episodic note. The names that the specification puts here.

    parse_transcript      reads a transcript into a `ParsedSession`
    is_trivial_session    whether a session is not worth a note
    resolve_summarizer    what writes the title and body: rules, or a model
    write_episodic        writes the session's one note

`anamnesis.session.capturing` does all of these for a transcript.
"""

from __future__ import annotations

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
from anamnesis.session.transcript import _EDIT_TOOLS, ParsedSession, _text_of, parse_transcript

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
