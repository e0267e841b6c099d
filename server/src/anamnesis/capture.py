"""Capture: a session's transcript becomes one episodic note.

    cues        words that tell what a sentence is for; courtesy: words that tell nothing
    sentences   text into sentences, items, rows, code
    telling     what a sentence is worth, and why
    asks        what the user wanted, and the title
    choice      which sentences a note keeps
    facts       tests, commits, commands, files
    summary     from a session to a title and a body, without a model
    answer      the same through a configured model
    episodic    from a summary to the session's one note
    run         the whole of it for one transcript, for those not captured yet, and for past ones

Parse, judge, write: every step is a function of its own. Secrets and private spans are gone before the write.
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
from anamnesis.session.transcript.speech import _text_of

# With the names, some of them private, that the specification shows in this module.
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
