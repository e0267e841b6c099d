"""A session as its transcript tells it: the value that capture summarises."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from anamnesis.transcript.lines import read_end


class RawText:
    """The field `raw`: text as it was given, or that of a file, read when it is asked for."""

    def __get__(self, session: object, _owner: type) -> str:
        value = None if session is None else session.__dict__.get("_raw")
        return read_end(value) if isinstance(value, Path) else value or ""

    def __set__(self, session: object, value: str | Path) -> None:
        session.__dict__["_raw"] = value


@dataclass
class ParsedSession:
    """What a transcript says; a field is empty when the transcript does not say it.

    `raw` is the whole transcript, with its secrets and `<private>` spans; it is read from the file when
    asked for, and of a file above 16 MB only the end is read. The other texts are without private spans.
    """

    first_prompt: str = ""
    last_outcome: str = ""
    files_touched: list[str] = field(default_factory=list)
    git_branch: str = ""
    cwd: str = ""
    session_id: str = ""
    raw: RawText = RawText()  # a descriptor: every session holds its own text
    later_prompts: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    commits: list[str] = field(default_factory=list)
    failed_tools: dict[str, int] = field(default_factory=dict)
    model: str = ""
    started_at: str = ""
    ended_at: str = ""
