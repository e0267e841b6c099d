"""What was done: files that stayed changed, commits that stand, the last test run. From tool calls. Pure.

Commands are read just enough to recognise a test run, a commit, and files that git restored or `rm` removed.
Files that shell commands change are not seen. What a tool printed is cut to the known shape of a commit line
or of a count of tests, because anything else in it is somebody's text.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import NamedTuple

from anamnesis.session.talk import Entry, Talk, clean, refusal_of, text_at, texts_in

_EDIT_TOOLS = {"Edit", "Write", "MultiEdit", "NotebookEdit"}
_ANSWERED = re.compile(r'"([^"\n]{1,300})"="([^"\n]{1,500})"')
_MAX_ITEMS = 500  # calls without a result yet, files, commits
_MAX_TEXT = 20_000  # characters of a command, and at each end of its output
_MAX_SHOWN = 120  # characters of a test command or a commit's subject
_MAX_ACTIONS = 200_000  # characters of all inputs of tools
_HEREDOC = re.compile(r"<<-?\s{0,4}['\"]?(\w{1,40})['\"]?[^\n]{0,200}\n(.*?)(?:\n\s{0,8}\1\b|\Z)", re.DOTALL)
_TOKEN = re.compile(r"&&|\|\||[;|&\n()]|(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|\\.|[^\s\"'&|;()\\])+")
_SEPARATORS = {"&&", "||", ";", "|", "&", "\n", "(", ")"}
_BEFORE_A_COMMAND = re.compile(r"sudo|time|env|then|do|\w+=.*")
_TEST = re.compile(
    r"(?<![\w/.-])(?:\S*/)?(?:pytest|py\.test|rspec|phpunit|jest|vitest|mocha|ctest|nextest|tox|nox|behave|bats"
    r"|(?:make|just|npm|pnpm|yarn|bun|go|cargo|mvn|mvnw|gradle|gradlew|dotnet|swift|mix|rake|deno|flutter|bazel"
    r"|php artisan|manage\.py|playwright)(?: (?:run|exec|-\S+))* (?:test|check|verify)[\w:.-]*)(?![\w/.])"
)
_COUNT = re.compile(
    r"\b\d+\s+(?:tests?\s+|examples?\s+|specs?\s+)?(?:passed|failed|passing|failing|pass|fail|failures?|errors?"
    r"|skipped|completed|succeeded)\b|\b\d+ (?:tests?|examples?|specs?)\b"
    r"|\b(?:tests?(?: run)?|passed|failed|failures|errors):\s{1,8}\d+(?! \w*(?:pass|fail))"
    r"|\b\d+% tests passed",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s*(?:&&|;|\||\d?>)")
_COMMITTED = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.{1,200})$", re.MULTILINE)
_HEAD_BEFORE = re.compile(r"HEAD(?:~(\d{0,3})|\^)")


@dataclass(slots=True)
class _File:
    """The state of an edited file."""

    is_new: bool
    is_committed: bool = False
    is_back: bool = False


class _Call(NamedTuple):
    """A tool call with the relevant part of its input: a path, a command line or a plan."""

    tool: str = ""
    matter: str = ""


class Work:
    """The record of a session's work, step by step; what was said in tool calls goes to `talk`."""

    def __init__(self, talk: Talk) -> None:
        self.commits: list[str] = []  # digest and subject
        self.tests = ""
        self.actions: list[str] = []
        self._talk = talk
        self._acted = 0  # characters of the actions
        self._calls: dict[str, _Call] = {}  # without a result yet
        self._has_results = False
        self._files: dict[str, _File] = {}

    def files(self, *, is_back: bool = False) -> list[str]:
        """The files that stayed changed, or that were restored, in the order of their first edit."""
        return [path for path, file in self._files.items() if file.is_back is is_back]

    @property
    def is_taken_back(self) -> bool:
        """Whether something was restored and no change remains."""
        return bool(self._files) and not self.files() and not self.commits

    def call(self, block: Entry) -> None:
        """Record a tool call; what it did is known from its result."""
        if len(self._calls) >= _MAX_ITEMS:
            return
        tool, given = text_at(block, "name"), block.get("input")
        arguments: Entry = given if isinstance(given, dict) else {}
        self._act(arguments)
        keys = ("file_path", "notebook_path") if tool in _EDIT_TOOLS else ("command", "plan")
        matter = next((clean(text_at(arguments, key)) for key in keys if text_at(arguments, key)), "")
        self._calls[text_at(block, "id") or f"#{len(self._calls)}"] = _Call(tool, matter)

    def result(self, block: Entry, details: object, *, cwd: str) -> None:
        """Record the result of a tool call; `details` is what the client adds to it."""
        self._has_results = True
        call = self._calls.pop(text_at(block, "tool_use_id"), _Call())
        facts: Entry = details if isinstance(details, dict) else {}
        is_error = bool(block.get("is_error"))
        if is_error and (refusal := refusal_of(block.get("content"))):
            self._talk.remark(refusal)
        if call.tool in _EDIT_TOOLS and (not is_error or text_at(facts, "filePath")):
            self._edit(call, is_new=call.tool == "Write" and text_at(facts, "type") != "update")
        elif call.tool == "Bash" and not self._talk.is_muted:
            self._run(call.matter[:_MAX_TEXT], _output(block), is_error=is_error, cwd=cwd)
        elif call.tool == "ExitPlanMode" and not is_error:
            self._talk.answer(call.matter)
        elif call.tool == "AskUserQuestion":
            answers = facts.get("answers") or dict(_ANSWERED.findall(_output(block)))
            for question, answer in answers.items() if isinstance(answers, dict) else ():
                if isinstance(answer, str):
                    self._talk.remark(clean(f"{question} {answer}"))

    def finish(self) -> None:
        """Record that no result follows."""
        # A transcript without any result comes from a client that does not write them.
        for name, call in self._calls.items():
            if call.tool in _EDIT_TOOLS and (not self._has_results or name.startswith("#")):
                self._edit(call, is_new=call.tool == "Write")

    def _act(self, arguments: Entry) -> None:
        """Keep the start of each input of a tool call, if there is room."""
        for value in () if self._talk.is_muted else arguments.values():
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str) and self._acted < _MAX_ACTIONS:
                    self.actions.append(clean(text[:1_000]))
                    self._acted += len(self.actions[-1])

    def _edit(self, call: _Call, *, is_new: bool) -> None:
        if call.matter and (call.matter in self._files or len(self._files) < _MAX_ITEMS):
            self._files.setdefault(call.matter, _File(is_new)).is_back = False

    def _run(self, command: str, output: str, *, is_error: bool, cwd: str) -> None:
        """Record a shell command with its result."""
        if _TEST.search(_HEREDOC.sub(" ", command)):
            self.tests = _test_result(command, output, is_error=is_error)
        for words in () if is_error else _simple_commands(command):
            if words[0] == "git":
                self._git(words[1:], output, cwd)
            elif words[0] == "rm":
                for path in self._named(words[1:], cwd):
                    if self._files[path].is_new and not self._files[path].is_committed:
                        del self._files[path]

    def _git(self, words: list[str], output: str, cwd: str) -> None:
        while words and words[0].startswith("-"):
            words = words[2:] if words[0] in ("-C", "-c") else words[1:]
        verb, rest = (words[0], words[1:]) if words else ("", [])
        if verb in ("commit", "revert"):
            self._commit(output, is_amended="--amend" in rest)
        elif verb in ("restore", "checkout") and not {"--staged", "-S", "-b", "-B"} & set(rest):
            # Without "--", a word that does not look like a file is a branch or a commit.
            names = rest[rest.index("--") + 1 :] if "--" in rest else [word for word in rest if "." in word]
            self._take_back(self._named(names, cwd))
        elif verb == "reset":
            if head := next(filter(None, map(_HEAD_BEFORE.fullmatch, rest)), None):
                self.commits = self.commits[: max(len(self.commits) - int(head[1] or 1), 0)]
            if "--hard" in rest:
                self._uncommit()
                self._take_back(self._named(["."], cwd))

    def _commit(self, output: str, *, is_amended: bool) -> None:
        for digest, subject in _COMMITTED.findall(output):
            if is_amended:
                self.commits = self.commits[:-1]
            reverted = re.fullmatch(r'Revert "(.*)"', subject)
            left = [known for known in self.commits if not reverted or not known.endswith(f" {reverted[1]}")]
            if len(left) < len(self.commits):
                self.commits = left
                self._uncommit()
            elif len(self.commits) < _MAX_ITEMS:
                self.commits.append(f"{digest[:10]} {subject[:_MAX_SHOWN]}")
                for file in self._files.values():
                    file.is_committed = file.is_committed or not file.is_back

    def _uncommit(self) -> None:
        """Restore the committed files if no commit of this session is left."""
        for file in () if self.commits else self._files.values():
            file.is_back, file.is_committed = file.is_back or file.is_committed, False

    def _named(self, names: list[str], cwd: str) -> list[str]:
        """The edited files that the arguments of a command mean."""
        if {".", "./", ":/", "*"} & set(names):
            return [path for path, file in self._files.items() if not file.is_new]
        full = [os.path.normpath(os.path.join(cwd, name)) for name in names]
        ends = tuple(f"/{name}" for name in names if name[:1] not in "/.-")
        return [
            path
            for path in self._files
            if path.endswith(ends) or any(path == one or path.startswith(f"{one}/") for one in full)
        ]

    def _take_back(self, paths: list[str]) -> None:
        for path in paths:
            self._files[path].is_back = not self._files[path].is_committed


def _simple_commands(command: str) -> list[list[str]]:
    """The simple commands of a command line, as words without quotes."""
    found: list[list[str]] = [[]]
    for token in _TOKEN.findall(_HEREDOC.sub(" ", command)):
        if token in _SEPARATORS:
            found.append([])
        elif found[-1] or not _BEFORE_A_COMMAND.fullmatch(token):
            found[-1].append(re.sub(r"[\"']|\\(?=.)", "", token))
    return list(filter(None, found))


def _test_result(command: str, output: str, *, is_error: bool) -> str:
    """How a test run ended: the counts that it printed last, and its command."""
    lines = [found for line in output.splitlines() if (found := _COUNT.findall(line))]
    counts = ", ".join(dict.fromkeys(count for found in lines[-2:] for count in found))
    # The part of the command line that runs the tests, without what is before and after it.
    parts = _PARTS.split(" ".join(_HEREDOC.sub(" ", command).split()))
    part = next((part for part in reversed(parts) if _TEST.search(part)), "")
    return f"{counts or ('failed' if is_error else 'passed')} (`{part[:_MAX_SHOWN].strip()}`)"


def _output(block: Entry) -> str:
    """What a tool printed: the start and the end, where a command prints its result."""
    text = "\n".join(texts_in(block.get("content")))
    return clean(text if len(text) <= 2 * _MAX_TEXT else f"{text[:_MAX_TEXT]}\n{text[-_MAX_TEXT:]}")
