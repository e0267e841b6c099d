"""Claude Code's transcripts as values: what was asked, the results, which files changed. Never writes.

    session     ParsedSession, the value; the file as a stream of lines, safe for any kind of file
    speech      what a person or the assistant said in a line, without what only looks like it
    talk        what was said, as turns
    shell       what a shell command was and did, and which work it reverts
    work        what was changed, and which changes remain
    reader      lines into a session: which one it was, where and when; what a fork copied

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
