"""Turns the lines of a transcript into a session, in one pass and bounded memory."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from anamnesis.files import parse_object
from anamnesis.session.agents import in_claude_format
from anamnesis.session.transcript.session import ParsedSession, read_lines
from anamnesis.session.transcript.shell import message_body
from anamnesis.session.transcript.talk import (
    Entry,
    Talk,
    clean,
    is_interruption,
    is_own_output,
    outcome_of,
    prompt_of,
    queued_in,
    refusal_of,
    text_at,
)
from anamnesis.session.transcript.work import Step, Work

_EDIT_TOOLS = {"Edit", "Write", "MultiEdit", "NotebookEdit"}
_PATH_INPUTS = ("file_path", "notebook_path")
_MAX_CALLS = 5_000  # without a result yet
_MAX_RESULT = 40_000
_MAX_VALUE = 1_000  # characters of one value of a tool's input
_MAX_ACTIONS = 200_000  # characters of all of them
_LOOK_FOR_CWD = 200  # lines
_REVIEW_TOOL = re.compile(r"pull_?request|merge_?request", re.IGNORECASE)
_TICKET_TOOL = re.compile(
    r"create_?(?:jira_?|linear_?)?(?:issue|ticket|task|story|bug)|issue_?create", re.IGNORECASE
)
_TICKET_TITLES = ("summary", "title", "name", "subject")
# Only lines that can contain speech are parsed: the longest lines are requests and snapshots.
_SPEAKS = re.compile(rb'"type"\s{0,4}:\s{0,4}"(?:user|assistant|queued_command)"')
_DECISION_RECORD = re.compile(
    r"(?i)(?:^|/)(?:(?:adrs?|decisions?|rfcs?)/[^/]+|adr[-_]?\d[^/]*)\.(?:md|adoc|rst|txt)"
)
_ANSWERED = re.compile(r'"([^"\n]{1,300})"="([^"\n]{1,500})"')
_MAX_NAME = 200
_MAX_MOMENT = 40
_SCRIPTED = "sdk"


def parse_transcript(path: str | os.PathLike[str]) -> ParsedSession:
    """Read a transcript; fields that are missing or unreadable stay empty."""
    return parse_new_lines(path, known=())


def parse_new_lines(path: str | os.PathLike[str], *, known: Collection[str]) -> ParsedSession:
    """Read a transcript without the lines whose digests are `known`, which a fork copied from its parent."""
    reader = _Reader(own_id=os.path.basename(os.fspath(path)).removesuffix(".jsonl"), known=known)
    for line in in_claude_format(read_lines(path)):
        reader.read(line)
    session = reader.finish()
    session.raw = Path(path)
    return session


def line_digests(path: str | os.PathLike[str]) -> set[str]:
    """The digests of a transcript's spoken lines, to recognise the lines that a fork copied."""
    spoken = (line for line in in_claude_format(read_lines(path)) if _SPEAKS.search(line))
    return {_line_digest(_entry_of(line)) for line in spoken} - {""}


def first_cwd(path: str | os.PathLike[str]) -> str:
    """The folder that a session started in; "" if the first lines of its transcript do not name it."""
    for _, line in zip(range(_LOOK_FOR_CWD), in_claude_format(read_lines(path)), strict=False):
        cwd = _entry_of(line).get("cwd")
        if isinstance(cwd, str) and cwd:
            return cwd
    return ""


def _entry_of(line: bytes) -> Entry:
    """The JSON object in a line; {} if it is not one."""
    return parse_object(line.decode("utf-8", "replace")) or {}


@dataclass(frozen=True, slots=True)
class _Call:
    """A tool call with the relevant part of its input: a path, a command line or a plan.

    `text` is the content of a decision record that is written whole.
    """

    tool: str = ""
    matter: str = ""
    steps: list[Step] = field(default_factory=list)
    text: str = ""


class _Reader:
    """The session so far, and the state needed to read the next line."""

    def __init__(self, *, own_id: str, known: Collection[str]) -> None:
        self._place = _Place(own_id, known)
        self._talk = Talk()
        self._work = Work()
        self._calls: dict[str, _Call] = {}  # without a result yet
        self._has_results = False
        self._actions: list[str] = []
        self._acted = 0  # characters

    def read(self, line: bytes) -> None:
        """Read one line."""
        is_spoken = _SPEAKS.search(line) is not None
        if not is_spoken and self._place.is_known:
            return
        entry = _entry_of(line)
        if entry.get("isSidechain"):
            return
        if self._place.see(entry, is_spoken=is_spoken):
            self._talk, self._work = Talk(), Work()
        if self._place.is_copied(entry):
            return
        if entry.get("type") == "user":
            self._user(entry)
        elif entry.get("type") == "assistant":
            self._assistant(entry)
        elif typed := queued_in(entry):
            self._talk.remark(typed)

    def finish(self) -> ParsedSession:
        """The session that was read."""
        # A transcript without any result comes from a client that does not write them.
        for call, made in self._calls.items():
            if made.tool in _EDIT_TOOLS and (not self._has_results or call.startswith("#")):
                self._edited(made, {})
        session = self._place.fill(self._talk.finish())
        work = self._work
        session.files_touched = work.files()
        session.taken_back = [*work.files("back"), *work.files("stashed")]
        session.is_taken_back = work.is_taken_back
        session.commits = [str(commit) for commit in work.commits]
        session.pull_requests = work.pull_requests
        session.tickets = work.tickets
        session.commands = list(dict.fromkeys(work.commands.values()))
        session.tests = work.tests
        session.actions = self._actions
        return session

    def _user(self, entry: Entry) -> None:
        for block in _blocks(entry):
            if block.get("type") == "tool_result":
                self._result(block, entry.get("toolUseResult"))
        if is_interruption(entry):
            self._talk.interrupt()
        elif is_own_output(entry):
            self._talk.forget_command()
        elif (prompt := prompt_of(entry)) is not None:
            self._work.turn += 1
            self._talk.ask(prompt)

    def _assistant(self, entry: Entry) -> None:
        for block in _blocks(entry):
            if block.get("type") == "tool_use":
                self._call(block)
        message = entry.get("message")
        if isinstance(message, dict):
            self._talk.answer(outcome_of(entry), message=text_at(message, "id"))

    def _call(self, block: Entry) -> None:
        if len(self._calls) >= _MAX_CALLS:
            return
        tool, arguments = text_at(block, "name"), block.get("input")
        arguments = arguments if isinstance(arguments, dict) else {}
        self._act(arguments)
        call = _Call(tool)
        if tool in _EDIT_TOOLS:
            path = _first_text(arguments, _PATH_INPUTS)
            text = clean(text_at(arguments, "content")) if _DECISION_RECORD.search(path) else ""
            call = _Call(tool, path, _steps(arguments), text)
        elif _TICKET_TOOL.search(tool):
            title = _first_text(arguments, _TICKET_TITLES)
            call = _Call(tool, title)
        elif tool in ("Bash", "ExitPlanMode"):
            call = _Call(tool, clean(text_at(arguments, "command") or text_at(arguments, "plan")))
        self._calls[text_at(block, "id") or f"#{len(self._calls)}"] = call

    def _act(self, arguments: Entry) -> None:
        """Keep the input of a tool call, if there is room."""
        for text in () if self._talk.is_muted else _texts(list(arguments.values())):
            if self._acted < _MAX_ACTIONS:
                self._actions.append(clean(text[:_MAX_VALUE]))
                self._acted += len(self._actions[-1])

    def _result(self, block: Entry, details: object) -> None:
        self._has_results = True
        call = self._calls.pop(text_at(block, "tool_use_id"), _Call())
        facts = details if isinstance(details, dict) else {}
        is_error = bool(block.get("is_error"))
        if is_error and (refusal := refusal_of(block.get("content"))):
            self._talk.remark(refusal)
        if call.tool in _EDIT_TOOLS and (not is_error or text_at(facts, "filePath")):
            self._edited(call, facts)
        elif call.tool == "Bash" and not self._talk.is_muted:
            output = _output(block)
            if self._work.run(call.matter, output, is_error=is_error, cwd=self._place.cwd):
                self._talk.change()
                self._talk.write(message_body(call.matter))
        elif call.tool == "ExitPlanMode" and not is_error:
            self._talk.answer(call.matter)
        elif call.tool == "AskUserQuestion":
            self._answers(facts.get("answers") or dict(_ANSWERED.findall(_output(block))))
        elif _REVIEW_TOOL.search(call.tool) and not is_error:
            self._work.request_review(_output(block))
        elif _TICKET_TOOL.search(call.tool) and not is_error:
            self._work.file_ticket(_output(block), call.matter)

    def _edited(self, call: _Call, facts: Entry) -> None:
        if call.matter:
            is_new = call.tool == "Write" and text_at(facts, "type") != "update"
            self._work.edit(call.matter, call.steps, is_new=is_new)
            self._talk.change()
            self._talk.write(call.text)

    def _answers(self, answers: object) -> None:
        for question, answer in answers.items() if isinstance(answers, dict) else ():
            if isinstance(question, str) and isinstance(answer, str):
                self._talk.remark(clean(f"{question} {answer}"))


def _first_text(arguments: Entry, keys: tuple[str, ...]) -> str:
    """The first of these values of a tool's input that is set; "" if none is."""
    return next((clean(text_at(arguments, key)) for key in keys if text_at(arguments, key)), "")


def _steps(arguments: Entry) -> list[Step]:
    """The replacements of an edit as digests; writing a whole file is one step without a previous text."""
    parts = _dicts(arguments.get("edits")) or [arguments]
    content = arguments.get("content")
    if isinstance(content, str):
        return [(0, hash(content))]
    return [
        (hash(text_at(part, "old_string")), hash(text_at(part, "new_string")))
        for part in parts
        if "new_string" in part
    ]


def _output(block: Entry) -> str:
    content = block.get("content")
    text = (
        content if isinstance(content, str) else "\n".join(text_at(part, "text") for part in _dicts(content))
    )
    # A command prints its result at the end.
    return clean(
        text if len(text) <= _MAX_RESULT else text[: _MAX_RESULT // 2] + "\n" + text[-_MAX_RESULT // 2 :]
    )


def _texts(values: list[object]) -> list[str]:
    """The strings among the values, and in lists among them."""
    texts: list[str] = []
    for value in values:
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, list):
            texts += [each for each in value if isinstance(each, str)]
    return texts


def _blocks(entry: Entry) -> list[Entry]:
    message = entry.get("message")
    return _dicts(message.get("content")) if isinstance(message, dict) else []


def _dicts(content: object) -> list[Entry]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _line_digest(entry: Entry) -> str:
    """A digest of a spoken line, the same for its copy in a fork; "" for a line without id and time."""
    message, moment = entry.get("message"), entry.get("timestamp")
    if not entry.get("uuid") or not isinstance(moment, str) or not isinstance(message, dict):
        return ""
    # A fork has its own session id and may have new line ids, so these are left out.
    said = json.dumps([entry.get("type"), moment, message.get("content")], sort_keys=True)
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()


class _Place:
    """Collects where and when a session took place, line by line."""

    def __init__(self, own_id: str, known: Collection[str]) -> None:
        self.cwd = ""
        self._own_id = own_id
        self._known = known
        self._branch = self._session_id = self._entrypoint = self._began = self._ended = self._first = ""
        self._agent = ""
        self._is_foreign = False  # whether the lines so far are from another session

    @property
    def is_known(self) -> bool:
        """Whether everything that lines without speech contain is known."""
        return bool(self.cwd and self._branch and self._session_id)

    def see(self, entry: Entry, *, is_spoken: bool) -> bool:
        """Read a line; returns True for the first line of this session after its parent's lines."""
        self.cwd = self.cwd or text_at(entry, "cwd")
        self._branch = self._branch or clean(text_at(entry, "gitBranch"))
        named = clean(text_at(entry, "sessionId"))[:_MAX_NAME]
        self._agent = self._agent or text_at(entry, "agent")
        is_own = named == self._own_id
        starts_over = is_own and self._is_foreign
        if starts_over:
            self._is_foreign, self._began = False, ""
        elif is_spoken and named and not is_own:
            self._is_foreign = True
        if named and (is_own or not self._session_id):
            self._session_id = named
        if is_spoken:
            self._first = self._first or _line_digest(entry)
        if not self.is_copied(entry):
            self._see_moment(entry)
        return starts_over

    def is_copied(self, entry: Entry) -> bool:
        """Whether a line was copied from the parent session."""
        return bool(entry.get("forkedFrom")) or bool(self._known and _line_digest(entry) in self._known)

    def fill(self, session: ParsedSession) -> ParsedSession:
        """Fill in the fields of `session` that are known."""
        session.cwd, session.git_branch, session.session_id = self.cwd, self._branch, self._session_id
        session.started_at, session.ended_at = self._began, self._ended
        session.entrypoint, session.first_line = self._entrypoint, self._first
        session.agent = self._agent
        return session

    def _see_moment(self, entry: Entry) -> None:
        moment = text_at(entry, "timestamp")[:_MAX_MOMENT]
        self._began = self._began or moment
        self._ended = moment or self._ended
        # A scripted session that a person continued is not scripted.
        if not self._entrypoint or self._entrypoint.startswith(_SCRIPTED):
            self._entrypoint = clean(text_at(entry, "entrypoint"))[:_MAX_NAME] or self._entrypoint
