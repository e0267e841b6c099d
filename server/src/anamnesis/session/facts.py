"""The facts of a session's work, without reading its prose: tests, commands, commits, files. Pure."""

from __future__ import annotations

import os
import re
from copy import copy
from dataclasses import replace
from typing import NamedTuple

from anamnesis.redact import redact, strip_private
from anamnesis.session.asks import cut
from anamnesis.session.transcript import ParsedSession, Turn

_ROOM = 700  # characters; lists are shortened to stay within it
_LIMITS = (8, 6, 4, 2, 1)  # items of a list
_POINT_LEN = 200
_ROOT = 1  # characters: "/" is the start of every path


def redacted(session: ParsedSession, turns: list[Turn]) -> ParsedSession:
    """A copy of a session whose texts hold no credentials, and paths as seen from its folder.

    Texts are redacted whole, before sentences are picked: many credentials are recognised only by context.
    """
    shown = copy(session)
    shown.first_prompt, shown.last_outcome = _safe(session.first_prompt), _safe(session.last_outcome)
    shown.turns = [_safe_turn(turn, session.cwd) for turn in turns]
    shown.files_touched = [_safe(path) for path in session.files_touched]
    shown.taken_back = [_safe(path) for path in session.taken_back]
    shown.commits = [_safe(commit) for commit in session.commits]
    shown.commands = [_safe(command) for command in session.commands]
    shown.pull_requests = [_safe(address) for address in session.pull_requests]
    shown.tickets = [_safe(ticket) for ticket in session.tickets]
    shown.tests, shown.git_branch = _safe(session.tests), _safe(session.git_branch)
    return shown


class Facts(NamedTuple):
    """The facts of a session as blocks of a note: branch and files, and the results."""

    touched: tuple[str, ...]
    results: tuple[str, ...]


def facts_of(session: ParsedSession) -> Facts:
    """The facts of a session, long lists shortened."""
    for limit in _LIMITS:
        facts = Facts(_touched(session, limit), _results(session, limit))
        if sum(map(len, (*facts.touched, *facts.results))) <= _ROOM:
            break
    return facts


def _touched(session: ParsedSession, limit: int) -> tuple[str, ...]:
    blocks = (
        f"**Branch:** {cut(session.git_branch, _POINT_LEN)}" if session.git_branch else "",
        _list("Files touched", _relative(session.files_touched, session.cwd), limit),
        _list("Restored or removed again", _relative(session.taken_back, session.cwd), limit),
    )
    return tuple(filter(None, blocks))


def _results(session: ParsedSession, limit: int) -> tuple[str, ...]:
    tests = session.tests
    if any(command in tests for command in session.commands):
        tests = tests.rpartition(" (`")[0]
    blocks = (
        f"**Tests:** {tests}" if tests else "",
        _list("Worked after failing", [f"`{command}`" for command in session.commands], limit),
        _list("Commits", session.commits, limit),
        _list("Pull requests", session.pull_requests, limit),
        _list("Tickets", session.tickets, limit),
    )
    return tuple(filter(None, blocks))


def _relative(paths: list[str], cwd: str) -> list[str]:
    """Paths as seen from the session's folder when they are inside it."""
    return [os.path.normpath(without_folder(path, cwd)) if cwd else path for path in paths]


def without_folder(text: str, cwd: str) -> str:
    """A text whose paths inside the session's folder are written as seen from there."""
    base = cwd.rstrip("/\\")
    if len(base) <= _ROOT or base not in text:
        return text
    return re.sub(rf"(?<![\w./\\-]){re.escape(base)}[/\\](?=[\w.])", "", text)


def _list(name: str, items: list[str], limit: int) -> str:
    """A block with a line per item; of too many, the first and the last ones."""
    if not items:
        return ""
    lines = [f"- {cut(' '.join(item.split()), _POINT_LEN)}" for item in _ends(items, limit)]
    if len(items) > limit:
        lines.insert(limit // 2, f"- … {len(items) - limit} more")
    return "\n".join([f"**{name} ({len(items)}):**", *lines])


def _ends(items: list[str], limit: int) -> list[str]:
    if len(items) <= limit:
        return items
    return [*items[: limit // 2], *items[len(items) - (limit - limit // 2) :]]


def _safe_turn(turn: Turn, cwd: str) -> Turn:
    return replace(
        turn,
        ask=without_folder(_safe(turn.ask), cwd),
        texts=[without_folder(_safe(text), cwd) for text in turn.texts],
        remarks=[without_folder(_safe(remark), cwd) for remark in turn.remarks],
    )


def _safe(text: str) -> str:
    return redact(strip_private(text)) if text else ""
