"""Other agents' session files, translated line by line into Claude Code's transcript format.

    codex    rollouts of the Codex CLI
    gemini   chats of the Gemini CLI

Each module finds the agent's files (`session_files`), recognises them by their first line (`is_first_line`),
and translates them (`translate`); it knows the id and the folder of the session in a file (`session_of`,
`folder_of`). From there, every agent's session is summarised and written in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from anamnesis.files import parse_object
from anamnesis.session.agents import codex, gemini

_READERS = {"codex": codex, "gemini": gemini}
_LONGEST_HEAD = 1 << 20  # bytes; a longer first line is not from another agent


def in_claude_format(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of any agent's session file as Claude Code would have written them."""
    first = next(lines, b"")
    together = chain([first] if first else [], lines)
    head = (parse_object(first) if len(first) < _LONGEST_HEAD else None) or {}
    for agent, reader in _READERS.items():
        if reader.is_first_line(head):
            entries = (entry for line in together if (entry := parse_object(line)))
            return (json.dumps({**entry, "agent": agent}).encode() for entry in reader.translate(entries))
    return together


def session_files() -> Iterator[Path]:
    """The session files of all agents except Claude Code."""
    return chain.from_iterable(reader.session_files() for reader in _READERS.values())


def session_of(path: Path) -> str:
    """The id of the session in a file of any agent."""
    return next((name for reader in _READERS.values() if (name := reader.session_of(path))), path.stem)


def folder_of(path: Path) -> str:
    """A session's folder, from the path of its file; "" if that does not show it."""
    return next((name for reader in _READERS.values() if (name := reader.folder_of(path))), "")
