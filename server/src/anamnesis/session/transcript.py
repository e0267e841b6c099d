"""A transcript as a value: what was asked, what came of it, which files changed. Never writes.

Reads Claude Code's lines, or another agent's translated into them, in one pass and bounded memory. A missing
file, a folder, a pipe, bad bytes, half a line, absurd nesting and unknown line types give an empty or partial
session, never an error.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path

from anamnesis.files import parse_object
from anamnesis.session.agents import in_claude_format
from anamnesis.session.talk import (
    INTERRUPTED,
    OWN_OUTPUT,
    Entry,
    Talk,
    Turn,
    blocks_of,
    clean,
    is_marked,
    message_of,
    outcome_of,
    prompt_of,
    queued_in,
    text_at,
)
from anamnesis.session.work import Work

_MAX_LINE = 32_000_000
_MAX_NAME = 200
_SCRIPTED = "sdk-"
# Only lines that can contain speech are parsed: the longest lines are requests and snapshots.
_SPEAKS = re.compile(rb'"type"\s{0,4}:\s{0,4}"(?:user|assistant|queued_command)"')


@dataclass
class ParsedSession:
    """The content of a transcript; a field is empty when the transcript does not have it.

    No text has private spans, except `raw`. `files_touched` are the files that stayed changed, `taken_back`
    those that were restored or removed again.
    """

    first_prompt: str = ""
    last_outcome: str = ""
    files_touched: list[str] = field(default_factory=list)
    git_branch: str = ""
    cwd: str = ""
    session_id: str = ""
    turns: list[Turn] = field(default_factory=list)
    taken_back: list[str] = field(default_factory=list)
    is_taken_back: bool = False  # whether changes were made and none of them remain
    commits: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)  # what the assistant passed to its tools, shortened
    tests: str = ""  # the last result of a test run
    entrypoint: str = ""
    agent: str = ""  # the agent; empty for Claude Code
    started_at: str = ""
    ended_at: str = ""
    first_line: str = ""  # digest of the line that the conversation starts with; the same in a fork
    transcript: Path | None = field(default=None, compare=False)

    @property
    def is_scripted(self) -> bool:
        """Whether a program, not a person, drove the session."""
        return self.entrypoint.startswith(_SCRIPTED)

    @property
    def raw(self) -> str:
        """The whole transcript, including secrets and `<private>` spans, read on access."""
        return b"".join(self.raw_lines()).decode("utf-8", "replace")

    def raw_lines(self) -> Iterator[bytes]:
        """The lines of the whole transcript, one at a time, however long it is."""
        return read_lines(self.transcript) if self.transcript else iter(())


def parse_transcript(path: str | os.PathLike[str]) -> ParsedSession:
    """Read a transcript; fields that are missing or unreadable stay empty."""
    return parse_new_lines(path, known=())


def parse_new_lines(path: str | os.PathLike[str], *, known: Collection[str]) -> ParsedSession:
    """Read a transcript without the lines whose digests are `known`, which a fork copied from its parent."""
    reader = _Reader(own_id=os.path.basename(os.fspath(path)).removesuffix(".jsonl"), known=known)
    for line in in_claude_format(read_lines(path)):
        reader.read(line)
    session = reader.finish()
    session.transcript = Path(path)
    return session


def line_digests(path: str | os.PathLike[str]) -> set[str]:
    """The digests of a transcript's spoken lines, to recognise the lines that a fork copied."""
    spoken = (line for line in in_claude_format(read_lines(path)) if _SPEAKS.search(line))
    return {_line_digest(_entry_of(line)) for line in spoken} - {""}


def first_cwd(path: str | os.PathLike[str]) -> str:
    """The folder that a session started in; "" if the first lines of its transcript do not name it."""
    lines = zip(range(200), in_claude_format(read_lines(path)), strict=False)
    return next((cwd for _, line in lines if (cwd := text_at(_entry_of(line), "cwd"))), "")


def read_lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The lines of a regular file, except those over 32 MB; no lines for anything else."""
    handle = _open(path)
    if handle is None:
        return
    with handle:
        is_rest = False  # of a line that is too long
        try:
            while line := handle.readline(_MAX_LINE):
                is_whole = line.endswith(b"\n") or len(line) < _MAX_LINE
                if is_whole and not is_rest:
                    yield line
                is_rest = not is_whole
        except OSError:
            return


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


def _entry_of(line: bytes) -> Entry:
    """The JSON object in a line; {} if it is not one."""
    return parse_object(line.decode("utf-8", "replace")) or {}


def _line_digest(entry: Entry) -> str:
    """A digest of a spoken line, the same for its copy in a fork; "" for a line without id and time."""
    message, moment = entry.get("message"), entry.get("timestamp")
    if not entry.get("uuid") or not isinstance(moment, str) or not isinstance(message, dict):
        return ""
    # A fork has its own session id and may have new line ids, so these are left out.
    said = json.dumps([entry.get("type"), moment, message.get("content")], sort_keys=True)
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()


class _Reader:
    """The session so far, and the state needed to read the next line."""

    def __init__(self, *, own_id: str, known: Collection[str]) -> None:
        self._own_id = own_id
        self._known = known
        self._session = ParsedSession()
        self._talk = Talk()
        self._work = Work(self._talk)

    def read(self, line: bytes) -> None:
        """Read one line."""
        session = self._session
        is_spoken = _SPEAKS.search(line) is not None
        if not is_spoken and session.cwd and session.git_branch and session.session_id:
            return
        entry = _entry_of(line)
        if entry.get("isSidechain"):
            return
        self._see_place(entry)
        if is_spoken:
            session.first_line = session.first_line or _line_digest(entry)
        if entry.get("forkedFrom") or (self._known and _line_digest(entry) in self._known):
            return
        self._see_moment(entry)
        if entry.get("type") == "user":
            self._user(entry)
        elif entry.get("type") == "assistant":
            self._assistant(entry)
        elif typed := queued_in(entry):
            self._talk.remark(typed, is_typed=True)

    def finish(self) -> ParsedSession:
        """The session that was read."""
        session, work, talk = self._session, self._work, self._talk
        work.finish()
        session.first_prompt, session.last_outcome = talk.first_prompt or talk.command, talk.last_outcome
        session.turns, session.actions, session.tests = talk.turns, work.actions, work.tests
        session.files_touched, session.taken_back = work.files(), work.files(is_back=True)
        session.commits, session.is_taken_back = work.commits, work.is_taken_back
        return session

    def _user(self, entry: Entry) -> None:
        for block in blocks_of(entry):
            if block.get("type") == "tool_result":
                self._work.result(block, entry.get("toolUseResult"), cwd=self._session.cwd)
        if is_marked(entry, INTERRUPTED):
            self._talk.interrupt()
        elif is_marked(entry, OWN_OUTPUT):
            self._talk.forget_command()
        elif (prompt := prompt_of(entry)) is not None:
            self._talk.ask(prompt)

    def _assistant(self, entry: Entry) -> None:
        for block in blocks_of(entry):
            if block.get("type") == "tool_use":
                self._work.call(block)
        self._talk.answer(outcome_of(entry), message=text_at(message_of(entry), "id"))

    def _see_place(self, entry: Entry) -> None:
        """Record what a line says about the session: its folder, its branch, its own id if there is one."""
        session = self._session
        session.cwd = session.cwd or text_at(entry, "cwd")
        session.git_branch = session.git_branch or clean(text_at(entry, "gitBranch"))
        session.agent = session.agent or text_at(entry, "agent")
        named = clean(text_at(entry, "sessionId"))[:_MAX_NAME]
        session.session_id = named if named == self._own_id else session.session_id or named

    def _see_moment(self, entry: Entry) -> None:
        session, moment = self._session, text_at(entry, "timestamp")[:40]
        session.started_at = session.started_at or moment
        session.ended_at = moment or session.ended_at
        # A scripted session that a person continued is not scripted.
        if not session.entrypoint or session.is_scripted:
            session.entrypoint = clean(text_at(entry, "entrypoint"))[:_MAX_NAME] or session.entrypoint
