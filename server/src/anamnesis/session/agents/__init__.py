"""The session files of other agents, translated line by line into the form of Claude Code's transcripts.

    codex    rollouts of the Codex CLI
    gemini   chats of the Gemini CLI and of Qwen Code

Each reader is a function `translate(entries)`, and a function that knows its files by their first line. What
is understood once, how a session is summarised and written, then holds for every agent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import chain

from anamnesis.session.agents import codex, gemini

Entry = dict[str, object]
Translate = Callable[[Iterator[Entry]], Iterator[Entry]]
_READERS: tuple[tuple[str, Callable[[Entry], bool], Translate], ...] = (
    ("codex", codex.is_first_line, codex.translate),
    ("gemini", gemini.is_first_line, gemini.translate),
)
_LONGEST_HEAD = 1 << 20  # bytes of a first line that can be the head of another agent's file


def in_one_form(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of any agent's session file as Claude Code would have written them."""
    first = next(lines, b"")
    together = chain([first] if first else [], lines)
    head = _entry(first) if len(first) < _LONGEST_HEAD else {}
    for agent, is_first_line, translate in _READERS:
        if is_first_line(head):
            entries = (entry for line in together if (entry := _entry(line)))
            return (json.dumps({**entry, "agent": agent}).encode() for entry in translate(entries))
    return together


def _entry(line: bytes) -> Entry:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
