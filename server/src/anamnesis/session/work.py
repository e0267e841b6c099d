"""What was done: files that stayed changed, commits that stand, the last test run. From tool calls. Pure.

Commands are read just enough to recognise a test run, a commit, and files that git restored or `rm` removed.
Files that shell commands change are not seen. What a tool printed is cut to the known shape of a commit line
or of a count of tests, because anything else in it is somebody's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_MAX_ITEMS = 500  # files, commits
_MAX_SHOWN = 120  # characters of a test command or a commit's subject
_HEREDOC = re.compile(r"<<-?\s{0,4}['\"]?(\w{1,40})['\"]?[^\n]{0,200}\n(.*?)(?:\n\s{0,8}\1\b|\Z)", re.DOTALL)
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'")
_SEPARATOR = re.compile(r"[;|&\n()]+")
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
_ALL = {".", "./", ":/", "*"}


class _Commit(NamedTuple):
    """A commit of the session, and the edited files that it holds."""

    digest: str
    subject: str
    files: frozenset[str]


class Work:
    """The record of a session's work, step by step."""

    def __init__(self) -> None:
        self.tests = ""
        self._edited: dict[str, bool] = {}  # whether the session made the file
        self._changed: set[str] = set()  # not committed
        self._commits: list[_Commit] = []

    @property
    def commits(self) -> list[str]:
        """Digest and subject of each commit that stands."""
        return [f"{commit.digest[:10]} {commit.subject[:_MAX_SHOWN]}" for commit in self._commits]

    def files(self, *, is_back: bool = False) -> list[str]:
        """The files that stayed changed, or that were restored, in the order of their first edit."""
        left = self._changed.union(*(commit.files for commit in self._commits))
        return [path for path in self._edited if (path not in left) is is_back]

    @property
    def is_taken_back(self) -> bool:
        """Whether something was restored and no change remains."""
        return bool(self._edited) and not self.files() and not self._commits

    def edit(self, path: str, *, is_new: bool) -> None:
        """Record an edited file."""
        if path and (path in self._edited or len(self._edited) < _MAX_ITEMS):
            self._edited.setdefault(path, is_new)
            self._changed.add(path)

    def run(self, command: str, output: str, *, is_error: bool) -> None:
        """Record a shell command with its result."""
        command = _HEREDOC.sub(" ", command)
        if _TEST.search(command):
            self.tests = _test_result(command, output, is_error=is_error)
        for words in () if is_error else _simple_commands(command):
            if words[0] == "git":
                self._git(words[1:], output)
            elif words[0] == "rm":
                for path in self._named(words[1:]):
                    if self._edited[path] and path in self._changed:
                        del self._edited[path]
                        self._changed.discard(path)

    def _git(self, words: list[str], output: str) -> None:
        while words and words[0].startswith("-"):
            words = words[2:] if words[0] in ("-C", "-c") else words[1:]
        verb, rest = (words[0], words[1:]) if words else ("", [])
        if verb in ("commit", "revert"):
            for digest, subject in _COMMITTED.findall(output):
                self._commit(digest, subject, is_amended="--amend" in rest)
        elif verb in ("restore", "checkout") and not {"--staged", "-S", "-b", "-B"} & set(rest):
            # Without "--", a word that does not look like a file is a branch or a commit.
            names = rest[rest.index("--") + 1 :] if "--" in rest else [word for word in rest if "." in word]
            self._changed.difference_update(self._named(names))
        elif verb == "reset":
            head = next(filter(None, map(_HEAD_BEFORE.fullmatch, rest)), None)
            self._reset(int(head[1] or 1) if head else 0, is_hard="--hard" in rest)

    def _commit(self, digest: str, subject: str, *, is_amended: bool) -> None:
        if is_amended:
            self._reset(1)
        reverted = re.fullmatch(r'Revert "(.*)"', subject)
        left = [known for known in self._commits if not reverted or known.subject != reverted[1]]
        if len(left) == len(self._commits) < _MAX_ITEMS:
            left.append(_Commit(digest, subject, frozenset(self._changed)))
            self._changed.clear()
        self._commits = left

    def _reset(self, commits: int, *, is_hard: bool = False) -> None:
        """Take back the last commits, and if `is_hard` their changes and those not committed."""
        if is_hard:
            self._changed.difference_update(self._named(["."]))
        for _ in range(min(commits, len(self._commits))):
            files = self._commits.pop().files
            self._changed |= frozenset() if is_hard else files

    def _named(self, names: list[str]) -> list[str]:
        """The edited files that the arguments of a command mean; "." are those that were there before."""
        if _ALL & set(names):
            return [path for path, is_new in self._edited.items() if not is_new]
        parts = [f"/{re.sub(r'^(?:[.]{0,2}/)+', '', name).rstrip('/')}/" for name in names if name[0] != "-"]
        return [path for path in self._edited if any(part in f"/{path}/" for part in parts)]


def _simple_commands(command: str) -> Iterator[list[str]]:
    """The simple commands of a command line, as words; a quoted text with spaces is left out."""
    plain = _QUOTED.sub(lambda found: "" if re.search(r"[\s;|&()]", found[0]) else found[0][1:-1], command)
    for part in _SEPARATOR.split(plain):
        words = part.split()
        while words and _BEFORE_A_COMMAND.fullmatch(words[0]):
            del words[0]
        if words:
            yield words


def _test_result(command: str, output: str, *, is_error: bool) -> str:
    """How a test run ended: the counts that it printed last, and its command."""
    lines = [found for line in output.splitlines() if (found := _COUNT.findall(line))]
    counts = ", ".join(dict.fromkeys(count for found in lines[-2:] for count in found))
    # The part of the command line that runs the tests, without what is before and after it.
    parts = _PARTS.split(" ".join(command.split()))
    part = next((part for part in reversed(parts) if _TEST.search(part)), "")
    return f"{counts or ('failed' if is_error else 'passed')} (`{part[:_MAX_SHOWN].strip()}`)"
