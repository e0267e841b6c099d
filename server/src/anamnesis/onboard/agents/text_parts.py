"""Parts that are text: a paragraph in a rules file, between two comments, and a file that is all ours."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from anamnesis.errors import ConfigError
from anamnesis.onboard.agents.part import Setup

_START, _END = "<!-- anamnesis: start -->", "<!-- anamnesis: end -->"
_BLOCK = re.compile(rf"\n?{re.escape(_START)}.*?{re.escape(_END)}\n?", re.DOTALL)

ADVICE = """\
## Memory

The user keeps a long-term memory with the MCP server `{name}`. Before you start on a task, call its tool
`memory_search` with the subject of the task, and use what it finds. When you learn something that will matter
in a later session (a decision and its reason, how something is done here, a fact that took effort to find),
keep it with `memory_write`; to correct an outdated note, give its id there as `supersedes`.
"""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph in a markdown file that belongs to others."""

    path: Path
    text: str = ADVICE

    def put(self, text: str | None, setup: Setup) -> str:
        """The text with the paragraph: where it was, else at the end."""
        block = f"{_START}\n{self.text.format(name=setup.name)}{_END}\n"
        if text is None or not text:
            return block
        self._check(text)
        if _BLOCK.search(text):
            return _BLOCK.sub(
                lambda found: ("\n" if found[0].startswith("\n") else "") + block, text, count=1
            )
        gap = "" if text.endswith("\n") else "\n"
        return f"{text}{gap}\n{block}"

    def take(self, text: str | None, setup: Setup) -> str | None:
        """The text without the paragraph."""
        if text is None:
            return None
        self._check(text)
        rest = _BLOCK.sub("", text)
        return rest if rest or not text else None

    def lines(self, text: str | None, setup: Setup) -> list[str]:
        """None: a paragraph runs nothing."""
        return []

    def _check(self, text: str) -> None:
        if text.count(_START) != text.count(_END) or text.count(_START) > 1:
            raise ConfigError(f"{self.path}: the comments around our paragraph are damaged; remove them")


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that only we write; one in its place without our `mark` belongs to someone else."""

    path: Path
    content: Callable[[Setup], str]
    mark: str

    def put(self, text: str | None, setup: Setup) -> str:
        """Our text."""
        if text and self.mark not in text:
            raise ConfigError(f"{self.path} is there and `init` did not write it; move it and run init again")
        return self.content(setup)

    def take(self, text: str | None, setup: Setup) -> str | None:
        """Nothing, or what someone else wrote."""
        return text if text and self.mark not in text else None

    def lines(self, text: str | None, setup: Setup) -> list[str]:
        """None: what the file runs, the entry of the MCP server runs, too."""
        return []
