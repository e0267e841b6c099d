"""Capture: a session's transcript becomes one episodic note.

    parse_transcript      reads a transcript into a `ParsedSession`
    is_trivial_session    whether a session is not worth a note
    resolve_summarizer    what writes the title and body: rules, or a model
    write_episodic        writes the session's one note
    capture_session       all of these for one transcript
    catch_up              the same for sessions that ended without a note

The code is in `anamnesis.session`; this module has the names that the specification puts here.
"""

from anamnesis.session.capture import CaptureOutcome, CatchUp, capture_session, catch_up
from anamnesis.session.episodic import session_note_id, write_episodic
from anamnesis.session.summary import (
    _MAX_LEN,
    _TRIVIAL_OUTCOME_FLOOR,
    HeuristicSummarizer,
    Summarizer,
    Summary,
    is_trivial_session,
    resolve_summarizer,
)
from anamnesis.session.transcript import ParsedSession, parse_transcript
from anamnesis.session.transcript.reader import _EDIT_TOOLS
from anamnesis.session.transcript.talk import _text_of

# The specification also names some private functions and constants in this module.
__all__ = [
    "_EDIT_TOOLS",
    "_MAX_LEN",
    "_TRIVIAL_OUTCOME_FLOOR",
    "CaptureOutcome",
    "CatchUp",
    "HeuristicSummarizer",
    "ParsedSession",
    "Summarizer",
    "Summary",
    "_text_of",
    "capture_session",
    "catch_up",
    "is_trivial_session",
    "parse_transcript",
    "resolve_summarizer",
    "session_note_id",
    "write_episodic",
]
