"""What a session did, from its tool calls and their results: files, commits, commands, tests. Reads no files.

Only what the transcript shows is known: an edit that a later edit reversed, `git restore`, `git stash`, `rm`
of a file that the session created. Files that shell commands change are not seen.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from anamnesis.session.shell import (
    Commit,
    Undo,
    commits_of,
    is_failed_test,
    is_test_run,
    kinds_of,
    message_body,
    pull_requests_in,
    shown,
    test_result,
    ticket_in,
    title_given,
    undone_by,
)
from anamnesis.session.talk import APPROVED, Entry, Talk, clean, dicts_in, refusal_of, text_at

_EDIT_TOOLS = {"Edit", "Write", "MultiEdit", "NotebookEdit"}
_PATH_INPUTS = ("file_path", "notebook_path")
_REVIEW_TOOL = re.compile(r"pull_?request|merge_?request", re.IGNORECASE)
_TICKET_TOOL = re.compile(
    r"create_?(?:jira_?|linear_?)?(?:issue|ticket|task|story|bug)|issue_?create", re.IGNORECASE
)
_TICKET_TITLES = ("summary", "title", "name", "subject")
_DECISION_RECORD = re.compile(
    r"(?i)(?:^|/)(?:(?:adrs?|decisions?|rfcs?)/[^/]+|adr[-_]?\d[^/]*)\.(?:md|adoc|rst|txt)"
)
_ANSWERED = re.compile(r'"([^"\n]{1,300})"="([^"\n]{1,500})"')
_MAX_CALLS = 5_000  # without a result yet
_MAX_RESULT = 40_000
_MAX_VALUE = 1_000  # characters of one value of a tool's input
_MAX_ACTIONS = 200_000  # characters of all of them
_MAX_ITEMS = 500  # of each kind; a longer list is not a summary
_EVERYTHING = {".", "./", ":/", "*"}
_FILES_A_TICKET = (
    "gh issue create",
    "glab issue create",
    "jira issue create",
    "jira create",
    "az boards work-item create",
)
_ASKS_FOR_REVIEW = ("gh pr", "glab mr", "hub pull-request", "az repos pr")

Step = tuple[int, int]  # digests of the text before and after
State = Literal["changed", "back", "stashed"]


@dataclass(slots=True)
class _File:
    """An edited file, with the turn of its first edit and the steps since the last commit."""

    is_new: bool
    turn: int
    state: State = "changed"
    is_committed: bool = False
    edits: list[Step] = field(default_factory=list)


class _Call(NamedTuple):
    """A tool call with the relevant part of its input: a path, a command line or a plan.

    `text` is the content of a decision record that is written whole.
    """

    tool: str = ""
    matter: str = ""
    steps: tuple[Step, ...] = ()
    text: str = ""


class Work:
    """The record of a session's work, step by step; what was said in tool calls goes to `talk`."""

    def __init__(self, talk: Talk) -> None:
        self.commits: list[Commit] = []
        self.pull_requests: list[str] = []
        self.tickets: list[str] = []
        self.commands: dict[str, str] = {}  # kind -> the last command that worked after another had failed
        self.tests = ""
        self.turn = 0
        self.actions: list[str] = []
        self._talk = talk
        self._acted = 0  # characters of the actions
        self._calls: dict[str, _Call] = {}  # without a result yet
        self._has_results = False
        self._files: dict[str, _File] = {}
        self._failed: dict[str, set[str]] = {}  # kind -> commands that failed since the last one that worked
        self._is_undone = False

    def files(self, state: State = "changed") -> list[str]:
        """The files in this state, in the order of their first edit."""
        return [path for path, file in self._files.items() if file.state == state]

    @property
    def is_taken_back(self) -> bool:
        """Whether something was reverted and no change remains."""
        return self._is_undone and not self.files() and not self.commits

    def call(self, block: Entry) -> None:
        """Record a tool call; what it did is known from its result."""
        if len(self._calls) >= _MAX_CALLS:
            return
        tool, given = text_at(block, "name"), block.get("input")
        arguments: Entry = given if isinstance(given, dict) else {}
        self._act(arguments)
        call = _Call(tool)
        if tool in _EDIT_TOOLS:
            path = _first_text(arguments, _PATH_INPUTS)
            text = clean(text_at(arguments, "content")) if _DECISION_RECORD.search(path) else ""
            call = _Call(tool, path, _steps(arguments), text)
        elif _TICKET_TOOL.search(tool):
            call = _Call(tool, _first_text(arguments, _TICKET_TITLES))
        elif tool in ("Bash", "ExitPlanMode"):
            call = _Call(tool, _first_text(arguments, ("command", "plan")))
        self._calls[text_at(block, "id") or f"#{len(self._calls)}"] = call

    def result(self, block: Entry, details: object, *, cwd: str) -> None:
        """Record the result of a tool call; `details` is what the client adds to it."""
        self._has_results = True
        call = self._calls.pop(text_at(block, "tool_use_id"), _Call())
        facts: Entry = details if isinstance(details, dict) else {}
        is_error = bool(block.get("is_error"))
        if is_error and (refusal := refusal_of(block.get("content"))):
            self._talk.remark(refusal)
        if call.tool in _EDIT_TOOLS and (not is_error or text_at(facts, "filePath")):
            self._edited(call, facts)
        elif call.tool == "Bash" and not self._talk.is_muted:
            if self._run(call.matter, _output(block), is_error=is_error, cwd=cwd):
                self._talk.change()
                self._talk.write(message_body(call.matter))
        elif call.tool == "ExitPlanMode" and not is_error:
            self._talk.answer(APPROVED + call.matter)
        elif call.tool == "AskUserQuestion":
            answers = facts.get("answers") or dict(_ANSWERED.findall(_output(block)))
            for question, answer in answers.items() if isinstance(answers, dict) else ():
                if isinstance(answer, str):
                    self._talk.remark(clean(f"{question} {answer}"))
        elif _REVIEW_TOOL.search(call.tool) and not is_error:
            self._request_review(_output(block))
        elif _TICKET_TOOL.search(call.tool) and not is_error:
            self._file_ticket(_output(block), call.matter)

    def finish(self) -> None:
        """Record that no result follows."""
        # A transcript without any result comes from a client that does not write them.
        for name, call in self._calls.items():
            if call.tool in _EDIT_TOOLS and (not self._has_results or name.startswith("#")):
                self._edited(call, {})

    def _act(self, arguments: Entry) -> None:
        """Keep the input of a tool call, if there is room."""
        for text in () if self._talk.is_muted else _texts(list(arguments.values())):
            if self._acted < _MAX_ACTIONS:
                self.actions.append(clean(text[:_MAX_VALUE]))
                self._acted += len(self.actions[-1])

    def _edited(self, call: _Call, facts: Entry) -> None:
        if call.matter:
            is_new = call.tool == "Write" and text_at(facts, "type") != "update"
            self._edit(call.matter, call.steps, is_new=is_new)
            self._talk.change()
            self._talk.write(call.text)

    def _edit(self, path: str, steps: tuple[Step, ...], *, is_new: bool) -> None:
        if path not in self._files and len(self._files) >= _MAX_ITEMS:
            return
        file = self._files.setdefault(path, _File(is_new, self.turn))
        file.state = "changed"
        for step in steps:
            if step[::-1] in file.edits:
                file.edits.remove(step[::-1])
            elif len(file.edits) < _MAX_ITEMS:
                file.edits.append(step)
        if steps and not file.edits:
            self._revert(file)

    def _run(self, command: str, output: str, *, is_error: bool, cwd: str) -> bool:
        """Record a shell command with its result; returns whether it made a lasting change."""
        if is_test_run(command):
            self.tests = test_result(command, output, is_error=is_error)
        self._note_attempt(command, is_error=is_error or is_failed_test(command, output))
        if is_error:
            return False
        undone = undone_by(command)
        for undo in undone:
            self._undo(undo, cwd)
        made = commits_of(command, output)
        for commit in made:
            self._commit(commit)
        if any(words in command for words in _ASKS_FOR_REVIEW):
            self._request_review(output)
        if any(words in command for words in _FILES_A_TICKET):
            self._file_ticket(output, title_given(command))
        return bool(undone or made)

    def _request_review(self, text: str) -> None:
        """Record the addresses of pull requests in a tool's output."""
        for request in pull_requests_in(text):
            if len(self.pull_requests) < _MAX_ITEMS and not self._is_listed(request):
                self.pull_requests.append(request)

    def _is_listed(self, request: str) -> bool:
        """Whether a pull request is known: by its address, or by its number if one of both has no address."""
        number = re.split(r"\W", request)[-1]
        same = [known for known in self.pull_requests if re.split(r"\W", known)[-1] == number]
        return request in same or any("//" not in request or "//" not in known for known in same)

    def _file_ticket(self, output: str, title: str) -> None:
        """Record a ticket that was filed, by the key or address in the tracker's answer."""
        name = ticket_in(output)
        if name and len(self.tickets) < _MAX_ITEMS:
            self.tickets.append(f"{name} {title}".strip())

    def _note_attempt(self, command: str, *, is_error: bool) -> None:
        line = shown(command)
        for kind in kinds_of(command):
            if is_error and len(self._failed) < _MAX_ITEMS:
                self._failed.setdefault(kind, set()).add(line)
            elif not is_error and (failed := self._failed.pop(kind, None)) and line not in failed:
                # The same command works now because something else was fixed, so it is not worth keeping.
                self.commands[kind] = line

    def _commit(self, commit: Commit) -> None:
        if commit.is_amended and self.commits:
            self.commits.pop()
        if commit.subject.startswith('Revert "') and self._is_reverted(commit.subject[8:].rstrip('"')):
            return
        if len(self.commits) < _MAX_ITEMS:
            self.commits.append(commit)
        for file in self._files.values():
            if file.state == "changed":
                file.is_committed = True
                file.edits.clear()

    def _is_reverted(self, subject: str) -> bool:
        """Forget a commit of this session that was reverted; returns False if none has that subject."""
        left = [known for known in self.commits if known.subject != subject]
        if len(left) == len(self.commits):
            return False
        self.commits = left
        if not left:
            self._revert_commits()
        return True

    def _undo(self, undo: Undo, cwd: str) -> None:
        if undo.commits:
            self.commits = self.commits[: max(len(self.commits) - undo.commits, 0)]
        if undo.what == "unstash":
            for file in self._files.values():
                file.state = "changed" if file.state == "stashed" else file.state
        elif undo.what == "remove":
            for file in self._matching(undo.paths, cwd):
                if file.is_new and not file.is_committed:
                    self._revert(file)
        elif undo.what == "clean":
            for file in self._files.values():
                if file.is_new and not file.is_committed:
                    self._restore(file)
        elif undo.what != "uncommit":
            self._revert_paths(undo, cwd)

    def _revert_paths(self, undo: Undo, cwd: str) -> None:
        is_all = bool(_EVERYTHING & set(undo.paths))
        # Changes by shell commands are not seen, but a command that discards everything is.
        self._is_undone = self._is_undone or (is_all and undo.what != "stash")
        if undo.commits and not self.commits:
            self._revert_commits()
        for file in self._matching(undo.paths, cwd):
            if is_all and file.is_new and not file.is_committed:
                continue  # git does not track the file and leaves it alone
            self._restore(file, "stashed" if undo.what == "stash" else "back")

    def _revert_commits(self) -> None:
        for file in self._files.values():
            if file.is_committed:
                file.is_committed = False
                self._restore(file)

    def _revert(self, file: _File) -> None:
        """Mark a file as reverted, or forget one that was changed and undone in one turn (a scratch file)."""
        if file.turn == self.turn and not file.is_committed:
            self._files = {path: known for path, known in self._files.items() if known is not file}
        else:
            self._restore(file)

    def _restore(self, file: _File, state: State = "back") -> None:
        file.edits.clear()
        if not file.is_committed:
            file.state = state
            self._is_undone = True

    def _matching(self, paths: tuple[str, ...], cwd: str) -> list[_File]:
        if _EVERYTHING & set(paths):
            return list(self._files.values())
        wanted = [os.path.normpath(os.path.join(cwd, path)) for path in paths if path]
        tails = tuple(
            f"/{os.path.normpath(path)}" for path in paths if path and not path.startswith(("/", "."))
        )
        return [
            file
            for path, file in self._files.items()
            if path.endswith(tails) or any(path == one or path.startswith(f"{one}/") for one in wanted)
        ]


def _first_text(arguments: Entry, keys: tuple[str, ...]) -> str:
    """The first of these values of a tool's input that is set; "" if none is."""
    return next((clean(text_at(arguments, key)) for key in keys if text_at(arguments, key)), "")


def _steps(arguments: Entry) -> tuple[Step, ...]:
    """The replacements of an edit as digests; writing a whole file is one step without a previous text."""
    content = arguments.get("content")
    if isinstance(content, str):
        return ((0, hash(content)),)
    parts = dicts_in(arguments.get("edits")) or [arguments]
    return tuple(
        (hash(text_at(part, "old_string")), hash(text_at(part, "new_string")))
        for part in parts
        if "new_string" in part
    )


def _output(block: Entry) -> str:
    content = block.get("content")
    text = (
        content
        if isinstance(content, str)
        else "\n".join(text_at(part, "text") for part in dicts_in(content))
    )
    # A command prints its result at the end.
    half = _MAX_RESULT // 2
    return clean(text if len(text) <= _MAX_RESULT else f"{text[:half]}\n{text[-half:]}")


def _texts(values: list[object]) -> list[str]:
    """The strings among the values, and in lists among them."""
    parts = (part for value in values for part in (value if isinstance(value, list) else [value]))
    return [part for part in parts if isinstance(part, str)]
