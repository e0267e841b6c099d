"""Claude Code's transcripts as values: what was asked, the results, which files changed. Never writes.

    session     `ParsedSession`, the value; a file of any kind as a stream of lines
    reader      turns the lines into a session, without what a fork copied
    talk        what a person or the assistant said in a line, and as turns
    shell       what a shell command did, and which work it reverted
    work        what was changed, and which changes remain

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
