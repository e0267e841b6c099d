"""Claude Code's transcripts as values: what was asked, what came of it, which files changed. Never writes.

    session     ParsedSession, the value
    lines       the file as a stream of lines, whatever the file turns out to be
    speech      what a person or the assistant said in a line, and what only looks like it
    talk        what was said, as turns
    shell       what a shell command was and did; undo: whether it took work back
    work        what was changed, and what of it is left
    place       which session it was, where and when; what a fork copied
    reader      lines into a session

A missing file, a folder, a pipe, bad bytes, half a line, absurd nesting and unknown line types give an empty
or partial session, never an error.
"""

from anamnesis.session.transcript.reader import first_cwd, line_digests, parse_new_lines, parse_transcript
from anamnesis.session.transcript.session import ParsedSession, Turn

__all__ = [
    "ParsedSession",
    "Turn",
    "first_cwd",
    "line_digests",
    "parse_new_lines",
    "parse_transcript",
]
