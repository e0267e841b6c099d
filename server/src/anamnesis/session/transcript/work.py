"""What a session changed and which changes remain: files, commits, commands, tests. No files are read.

Only what the transcript shows is known: an edit that a later edit reversed, `git restore`, `git stash`, `rm`
of a file that the session created. Files that shell commands change are not seen.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Literal

from anamnesis.session.transcript.shell import (
    Commit,
    Undo,
    commits_of,
    is_test_run,
    kinds_of,
    pull_requests_in,
    shown,
    test_result,
    ticket_in,
    title_given,
    undone_by,
)

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


class Work:
    """The record of a session's work, step by step."""

    def __init__(self) -> None:
        self.commits: list[Commit] = []
        self.pull_requests: list[str] = []
        self.tickets: list[str] = []
        self.commands: dict[str, str] = {}  # kind -> the last command that worked after another had failed
        self.tests = ""
        self.turn = 0
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

    def edit(self, path: str, steps: list[Step], *, is_new: bool = False) -> None:
        """Record the steps of a successful edit."""
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

    def run(self, command: str, output: str, *, is_error: bool, cwd: str = "") -> bool:
        """Record a shell command with its result; returns whether it made a lasting change."""
        if is_test_run(command):
            self.tests = test_result(command, output, is_error=is_error)
        self._note_attempt(command, is_error=is_error)
        if is_error:
            return False
        undone = undone_by(command)
        for undo in undone:
            self._undo(undo, cwd)
        made = commits_of(command, output)
        for commit in made:
            self._commit(commit)
        if any(words in command for words in _ASKS_FOR_REVIEW):
            self.request_review(output)
        if any(words in command for words in _FILES_A_TICKET):
            self.file_ticket(output, title_given(command))
        return bool(undone or made)

    def request_review(self, text: str) -> None:
        """Record the addresses of pull requests in a tool's output."""
        new = [address for address in pull_requests_in(text) if address not in self.pull_requests]
        self.pull_requests += new[: _MAX_ITEMS - len(self.pull_requests)]

    def file_ticket(self, output: str, title: str) -> None:
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
