"""Commands that revert work: `git restore`, `git stash`, `git reset`, `rm`. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from anamnesis.session.transcript.shell import Words, git_words, is_git, simple_commands

Undoing = Literal["restore", "remove", "clean", "stash", "unstash", "uncommit", "reset"]
_FILE_NAME = re.compile(r"\S{0,300}\.[a-zA-Z]\w{0,9}")
_HEAD = re.compile(r"HEAD(?:~(\d{0,3})|(\^{1,20}))")


@dataclass(frozen=True, slots=True)
class Undo:
    """A command that reverts work: what it does, to which paths ("." is all), and to how many commits."""

    what: Undoing
    paths: tuple[str, ...] = ()
    commits: int = 0


def undone_by(command: str) -> list[Undo]:
    """What a command line reverts, in order."""
    found = (_undo(words) for words in simple_commands(command))
    return [undo for undo in found if undo is not None]


def _undo(words: Words) -> Undo | None:
    if words[0] in ("rm", "trash", "unlink") or is_git(words, "rm"):
        return Undo("remove", tuple(word for word in words[1:] if not word.startswith("-")))
    if words[0] != "git":
        return None
    verb, *rest = git_words(words) or [""]
    if verb in ("checkout", "restore"):
        return _restored(verb, rest)
    if verb == "clean":
        return Undo("clean") if any(word.startswith(("-f", "-d", "-x", "--force")) for word in rest) else None
    if verb == "stash":
        return _stashed(rest)
    return _reset(rest) if verb == "reset" else None


def _restored(verb: str, rest: Words) -> Undo | None:
    if verb == "restore" and {"--staged", "-S"} & set(rest) and not {"--worktree", "-W"} & set(rest):
        return None
    if "--" in rest:
        return Undo("restore", tuple(rest[rest.index("--") + 1 :]))
    if verb == "checkout" and {"-b", "-B", "--orphan", "-t"} & set(rest):
        return None
    paths = tuple(word for word in rest if not word.startswith("-"))
    if verb == "checkout":  # a word that does not name a file is a branch or a commit
        paths = tuple(word for word in paths if word in (".", ":/") or _FILE_NAME.fullmatch(word))
    return Undo("restore", paths) if paths else None


def _stashed(rest: Words) -> Undo | None:
    if rest[:1] in (["pop"], ["apply"]):
        return Undo("unstash")
    if rest[:1] in ([], ["push"], ["save"]) or rest[0].startswith("-"):
        return Undo("stash", tuple(rest[rest.index("--") + 1 :]) if "--" in rest else (".",))
    return None


def _reset(rest: Words) -> Undo | None:
    head = next((found for word in rest if (found := _HEAD.fullmatch(word))), None)
    count = (int(head[1] or 1) if head[2] is None else len(head[2])) if head else 0
    if "--hard" in rest:
        elsewhere = [word for word in rest if not word.startswith(("-", "HEAD"))]
        return Undo("reset", (".",), 1_000 if elsewhere else count)
    return Undo("uncommit", commits=count) if count else None
