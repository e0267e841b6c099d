"""A session as read from its transcript: the value that capture summarises, and the file as a stream.

Nothing here raises an error for a bad file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path

RAW_LIMIT = 16_000_000
_MAX_LINE = 32_000_000


def read_lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The lines of a regular file, except those over 32 MB; no lines for anything else."""
    handle = _open(path)
    if handle is None:
        return
    with handle:
        try:
            while line := handle.readline(_MAX_LINE):
                if len(line) < _MAX_LINE or line.endswith(b"\n"):
                    yield line
                else:
                    _skip_rest(handle)
        except OSError:
            return


def read_end(path: str | os.PathLike[str]) -> str:
    """The text of a file, or its last lines if it is over 16 MB; "" if it cannot be read."""
    handle = _open(path)
    if handle is None:
        return ""
    with handle:
        try:
            size = os.fstat(handle.fileno()).st_size
            if size > RAW_LIMIT:
                handle.seek(size - RAW_LIMIT)
                handle.readline(RAW_LIMIT)
            return handle.read(RAW_LIMIT).decode("utf-8", "replace")
        except OSError:
            return ""


def _open(path: str | os.PathLike[str]) -> BufferedReader | None:
    try:
        # Non-blocking, because opening a pipe would wait for a writer.
        descriptor = os.open(Path(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    return os.fdopen(descriptor, "rb")


def _skip_rest(handle: BufferedReader) -> None:
    while rest := handle.readline(_MAX_LINE):
        if rest.endswith(b"\n"):
            return


class RawText:
    """The field `raw`: the text that was set, or the text of a file, read on access."""

    def __get__(self, session: object, _owner: type) -> str:
        value = None if session is None else session.__dict__.get("_raw")
        return read_end(value) if isinstance(value, Path) else value or ""

    def __set__(self, session: object, value: str | Path) -> None:
        session.__dict__["_raw"] = value


@dataclass(slots=True)
class Turn:
    """One prompt and what followed it, up to the next prompt.

    If `ask` is the arguments of a slash command, that is `command`. `texts` are the assistant's messages in
    order, approved plans among them; `remarks` is what the user said without a prompt: answers to questions,
    and the reason for refusing a tool.
    """

    ask: str = ""
    command: str = ""
    texts: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    has_changes: bool = False
    is_interrupted: bool = False


@dataclass
class ParsedSession:
    """The content of a transcript; a field is empty when the transcript does not have it.

    `raw` is the whole transcript, including secrets and `<private>` spans, read from the file on access (only
    the end of a file over 16 MB). Other texts have no private spans. `files_touched` are the files that
    stayed changed, `taken_back` those that were restored or removed again.
    """

    first_prompt: str = ""
    last_outcome: str = ""
    files_touched: list[str] = field(default_factory=list)
    git_branch: str = ""
    cwd: str = ""
    session_id: str = ""
    raw: RawText = RawText()  # a descriptor; every session has its own text
    turns: list[Turn] = field(default_factory=list)
    taken_back: list[str] = field(default_factory=list)
    is_taken_back: bool = False  # whether changes were made and none of them remain
    commits: list[str] = field(default_factory=list)
    pull_requests: list[str] = field(default_factory=list)
    tickets: list[str] = field(default_factory=list)  # tickets that the session filed, with titles
    commands: list[str] = field(default_factory=list)  # commands that worked after similar ones had failed
    actions: list[str] = field(default_factory=list)  # what the assistant passed to its tools, shortened
    tests: str = ""  # the last result of a test run
    entrypoint: str = ""
    agent: str = ""  # the agent; empty for Claude Code
    started_at: str = ""
    ended_at: str = ""
    first_line: str = ""  # digest of the line that the conversation starts with; the same in a fork

    @property
    def is_scripted(self) -> bool:
        """Whether a program, not a person, drove the session."""
        return self.entrypoint.startswith("sdk-")

    def raw_lines(self) -> Iterator[bytes]:
        """The lines of the whole transcript, one at a time, however long it is."""
        raw = self.__dict__.get("_raw")
        yield from read_lines(raw) if isinstance(raw, Path) else [(raw or "").encode("utf-8", "replace")]
