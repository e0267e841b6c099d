"""Lines of a transcript into a session: one pass, in memory that does not grow with the file."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from anamnesis.transcript.lines import read_lines
from anamnesis.transcript.session import ParsedSession
from anamnesis.transcript.speech import Entry, clean, outcome_of, prompt_of

_EDIT_TOOLS = {"Edit", "Write", "MultiEdit", "NotebookEdit"}
_PATH_INPUTS = ("file_path", "notebook_path")
_MAX_ITEMS = 500  # of each kind: a list longer than that is no summary
_MAX_ITEM = 10_000  # characters: far more than a summary shows of one
_MAX_RESULT = 20_000
_MAX_NAME = 200
_LOOK_FOR_CWD = 200  # lines
# Parsing only what can be said by somebody: the longest lines are requests and snapshots.
_SPEAKS = re.compile(rb'"type"\s{0,4}:\s{0,4}"(?:user|assistant)"')
_COMMIT = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.{1,200})$", re.MULTILINE)


def parse_transcript(path: str | os.PathLike[str]) -> ParsedSession:
    """Read a transcript; what it does not say, or cannot be read, stays empty."""
    reader = _Reader(own_id=os.path.basename(os.fspath(path)).removesuffix(".jsonl"))
    for line in read_lines(path):
        reader.read(line)
    session = reader.finish()
    session.raw = Path(path)
    return session


def first_cwd(path: str | os.PathLike[str]) -> str:
    """The folder that a session began in; "" when the first lines of its transcript do not say."""
    for _, line in zip(range(_LOOK_FOR_CWD), read_lines(path), strict=False):
        cwd = entry_of(line).get("cwd")
        if isinstance(cwd, str) and cwd:
            return cwd
    return ""


def entry_of(line: bytes | str) -> Entry:
    """The object that a line holds; {} when it holds none."""
    try:
        found = json.loads(line if isinstance(line, str) else line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


class _Reader:
    """The session so far, and what is needed to understand the next line."""

    def __init__(self, *, own_id: str) -> None:
        self._session = ParsedSession()
        self._own_id = own_id
        self._command = ""
        self._is_muted = False  # the last prompt was wholly private, so what answers it is too
        self._tools: dict[str, tuple[str, str]] = {}  # calls without a result: id -> (tool, its matter)
        self._edits: dict[str, bool] = {}  # path -> whether an edit of it is known to have worked
        self._has_results = False
        self._speaking = ""  # id of the message that the outcome is from

    def read(self, line: bytes) -> None:
        """Take in one line."""
        if self._knows_place() and not _SPEAKS.search(line):
            return
        entry = entry_of(line)
        if entry.get("isSidechain"):
            return
        self._place(entry)
        if entry.get("type") == "user":
            self._user(entry)
        elif entry.get("type") == "assistant":
            self._assistant(entry)

    def finish(self) -> ParsedSession:
        """The session that the lines made."""
        session = self._session
        session.first_prompt = session.first_prompt or self._command
        # A transcript without a single result was not made by a client that writes them.
        session.files_touched = [path for path, done in self._edits.items() if done or not self._has_results]
        return session

    def _knows_place(self) -> bool:
        session = self._session
        return bool(session.cwd and session.git_branch and session.session_id)

    def _place(self, entry: Entry) -> None:
        session = self._session
        session.cwd = session.cwd or _text(entry, "cwd")
        session.git_branch = session.git_branch or clean(_text(entry, "gitBranch"))
        named = clean(_text(entry, "sessionId"))[:_MAX_NAME]
        # A forked session starts with the lines of the one it came from; its own file has its own name.
        if named and (not session.session_id or named == self._own_id):
            session.session_id = named
        moment = _text(entry, "timestamp")[:40]
        session.started_at = session.started_at or moment
        session.ended_at = moment or session.ended_at

    def _user(self, entry: Entry) -> None:
        for block in _blocks(entry):
            if block.get("type") == "tool_result":
                self._result(block, entry.get("toolUseResult"))
        prompt = prompt_of(entry)
        if prompt is None:
            return
        self._is_muted = prompt.is_private
        self._command = self._command or prompt.command
        session = self._session
        if prompt.text and not session.first_prompt:
            session.first_prompt = prompt.text
        elif prompt.text and prompt.text not in (session.first_prompt, *session.later_prompts[-1:]):
            _add(session.later_prompts, prompt.text)

    def _assistant(self, entry: Entry) -> None:
        for block in _blocks(entry):
            if block.get("type") == "tool_use":
                self._call(block)
        text = outcome_of(entry)
        if not text or self._is_muted:
            return
        message = entry.get("message")
        speaking = _text(message, "id") if isinstance(message, dict) else ""
        session = self._session
        session.model = (_text(message, "model") if isinstance(message, dict) else "") or session.model
        # One message may come in several lines: each with its own part, or each with all so far.
        if speaking and speaking == self._speaking and not text.startswith(session.last_outcome):
            if text not in session.last_outcome:
                session.last_outcome = f"{session.last_outcome}\n\n{text}"
        else:
            session.last_outcome = text
        self._speaking = speaking

    def _call(self, block: Entry) -> None:
        tool, call, given = _text(block, "name"), _text(block, "id"), block.get("input")
        given = given if isinstance(given, dict) else {}
        matter = ""
        if tool in _EDIT_TOOLS:
            matter = next((clean(_text(given, key)) for key in _PATH_INPUTS if _text(given, key)), "")
            if matter and len(self._edits) < _MAX_ITEMS:
                self._edits[matter] = self._edits.get(matter, False) or not call
        elif tool == "ExitPlanMode":
            matter = clean(_text(given, "plan")).partition("\n")[0].lstrip("# ")
        if call and len(self._tools) < 10 * _MAX_ITEMS:
            self._tools[call] = (tool, matter)

    def _result(self, block: Entry, details: object) -> None:
        self._has_results = True
        tool, matter = self._tools.pop(_text(block, "tool_use_id"), ("", ""))
        facts = details if isinstance(details, dict) else {}
        if block.get("is_error") and not _text(facts, "filePath"):
            if tool and (tool in self._session.failed_tools or len(self._session.failed_tools) < _MAX_ITEMS):
                self._session.failed_tools[tool] = self._session.failed_tools.get(tool, 0) + 1
        elif tool in _EDIT_TOOLS and matter in self._edits:
            self._edits[matter] = True
        elif tool == "ExitPlanMode" and matter and not self._is_muted:
            _add(self._session.decisions, f"Plan: {matter}")
        elif tool == "AskUserQuestion" and not self._is_muted:
            self._answers(facts.get("answers"))
        elif tool == "Bash" and not self._is_muted:
            self._commits(block)

    def _answers(self, answers: object) -> None:
        for question, answer in answers.items() if isinstance(answers, dict) else ():
            if isinstance(question, str) and isinstance(answer, str):
                _add(self._session.decisions, clean(f"{question} {answer}"))

    def _commits(self, block: Entry) -> None:
        content = block.get("content")
        text = (
            content
            if isinstance(content, str)
            else "\n".join(_text(part, "text") for part in _dicts(content))
        )
        for digest, subject in _COMMIT.findall(text[:_MAX_RESULT]):
            _add(self._session.commits, f"{digest[:10]} {clean(subject)}")


def _add(items: list[str], item: str) -> None:
    if item and len(items) < _MAX_ITEMS:
        items.append(item[:_MAX_ITEM])


def _text(entry: Entry, key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _blocks(entry: Entry) -> list[Entry]:
    message = entry.get("message")
    return _dicts(message.get("content")) if isinstance(message, dict) else []


def _dicts(content: object) -> list[Entry]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
