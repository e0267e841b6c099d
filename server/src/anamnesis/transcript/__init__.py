"""Claude Code's transcripts as values: what was asked, what came of it, which files changed. Never writes.

    session     ParsedSession, the value
    lines       the file as a stream of lines, whatever the file turns out to be
    speech      what a person or the assistant said in a line, and what only looks like it
    reader      lines into a session
    dialogue    lines into a conversation, for a model to read

A missing file, a folder, a pipe, bad bytes, half a line, absurd nesting and unknown line types give an empty
or partial session, never an error.
"""

from anamnesis.transcript.dialogue import dialogue
from anamnesis.transcript.reader import first_cwd, parse_transcript
from anamnesis.transcript.session import ParsedSession

__all__ = ["ParsedSession", "dialogue", "first_cwd", "parse_transcript"]
