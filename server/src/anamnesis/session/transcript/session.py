"""A session as read from its transcript: the value that capture summarises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from anamnesis.session.transcript.lines import read_end, read_lines


class RawText:
    """The field `raw`: the text that was set, or the text of the file that was set, read on access."""

    def __get__(self, session: object, _owner: type) -> str:
        value = None if session is None else session.__dict__.get("_raw")
        return read_end(value) if isinstance(value, Path) else value or ""

    def __set__(self, session: object, value: str | Path) -> None:
        session.__dict__["_raw"] = value


@dataclass(slots=True)
class Turn:
    """One prompt and what followed it, up to the next prompt.

    `command` is the slash command whose arguments `ask` is. `texts` are the assistant's messages in order,
    approved plans among them; `remarks` is what the user said without a prompt: answers to questions, and the
    reason for refusing a tool.
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

    `raw` is the whole transcript, with its secrets and `<private>` spans; it is read from the file on
    access, and only the end of a file above 16 MB is read. The other texts are without private spans.
    `files_touched` are the files that stayed changed, `taken_back` those that were restored or removed again.
    """

    first_prompt: str = ""
    last_outcome: str = ""
    files_touched: list[str] = field(default_factory=list)
    git_branch: str = ""
    cwd: str = ""
    session_id: str = ""
    raw: RawText = RawText()  # a descriptor: every session holds its own text
    turns: list[Turn] = field(default_factory=list)
    taken_back: list[str] = field(default_factory=list)
    is_taken_back: bool = False  # changes were made, and none of them remain
    commits: list[str] = field(default_factory=list)
    pull_requests: list[str] = field(default_factory=list)
    tickets: list[str] = field(default_factory=list)  # that the session filed, with their titles
    commands: list[str] = field(default_factory=list)  # that worked after others of their kind had failed
    actions: list[str] = field(default_factory=list)  # what the assistant gave to its tools, shortened
    tests: str = ""  # the last result of a test run
    model: str = ""
    entrypoint: str = ""
    agent: str = ""  # whose session it was; empty for Claude Code
    started_at: str = ""
    ended_at: str = ""
    first_line: str = ""  # names the line that the conversation starts with; a fork has its parent's

    def raw_lines(self) -> Iterator[bytes]:
        """The lines of the whole transcript, one at a time, however long it is."""
        raw = self.__dict__.get("_raw")
        yield from read_lines(raw) if isinstance(raw, Path) else [(raw or "").encode("utf-8", "replace")]
