"""Join two lines of commits into one: ours is replayed on theirs, note by note, beside the work tree.

Each of our commits becomes "their tree with our changes so far"; all of them are merged against the same
common ancestor, so the last one is the merge of both tips whatever happened on the way. A clash stays out of
the result, which then has their version of that note. The history stays linear.

What this machine had before a merge is in no commit of that history. References keep the last few commits and
texts: `git -C memory for-each-ref refs/anamnesis/before` lists them. They never leave this machine.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from anamnesis.sync.entry import Change
from anamnesis.sync.repo import Commit, Repo, Step
from anamnesis.sync.tree import Clash, TreeMerge, TreeMerger

_MAX_REPLAYED = 100  # older commits of ours are replayed as one
_BEFORE = "before"
_MAX_BEFORE = 20


@dataclass(slots=True)
class Joined:
    """The commit that holds both sides, and what could not be brought into it."""

    commit: str | None
    clashes: list[Clash] = field(default_factory=list)
    remarks: dict[str, str] = field(default_factory=dict)  # by the key of the note that they are about


class Blobs:
    """Blobs read ahead in one go, and one by one when more are needed."""

    def __init__(self, repo: Repo) -> None:
        self._git = repo.git
        self._known: dict[str, bytes] = {}

    def load(self, changes: Iterable[Change]) -> None:
        """Read every file that the changes name."""
        wanted = {
            entry[1]: None
            for change in changes
            for entry in (change.old, change.new)
            if entry and entry[0].startswith("100") and entry[1] not in self._known
        }
        self._known.update(self._git.blobs(wanted))

    def read(self, oid: str) -> bytes:
        """The content of one blob."""
        if oid not in self._known:
            self._known[oid] = self._git.blob(oid)
        return self._known[oid]


def join(repo: Repo, ours: str | None, theirs: str | None, *, message: str) -> Joined:
    """One commit for both; theirs is its ancestor, ours too when nothing had to be replayed."""
    if theirs is None or ours is None or ours == theirs:
        return Joined(ours or theirs)
    base = repo.merge_base(ours, theirs)
    if base in (ours, theirs):
        return Joined(theirs if base == ours else ours)
    return _replay(repo, base, _replayed(repo.commits(base, ours), ours), theirs, message)


def graft(repo: Repo, line: str, onto: str | None, *, message: str) -> Joined:
    """Replay `line` on `onto`, which may hold some of its commits made again: a rebase cut short.

    A version of a note that the other side has had and gone beyond is no change of this side.
    """
    base = repo.merge_base(line, onto) if onto else None
    if onto is None or base in (line, onto):
        return Joined(line if base == onto else onto)
    passed = (repo.versions(base, onto), repo.versions(base, line))
    commits = _replayed(repo.commits(base, line), line)
    return _replay(repo, base, commits, onto, message, passed=passed)


def rejoin(repo: Repo, ours: str, theirs: str, *, seen: str, message: str) -> Joined:
    """Bring the present notes of `ours` onto a rewritten `theirs`, as one commit.

    `seen` is what both sides had last: a note that is there and not in `theirs` was purged. A remote that was
    only set back has purged nothing. No other version of ours is published, be it one that was given up.
    """
    base = theirs if repo.is_ancestor(theirs, seen) else seen
    tip = Commit(ours, (), "", message)
    return _replay(repo, base, [tip], theirs, message, publishes_given_up=False)


def _replay(
    repo: Repo,
    base: str | None,
    commits: list[Commit],
    theirs: str,
    message: str,
    *,
    passed: tuple[Collection[str], Collection[str]] = ((), ()),
    publishes_given_up: bool = True,
) -> Joined:
    """`passed` are the versions that each side has gone beyond: those of theirs, those of ours."""
    blobs = Blobs(repo)
    their_changes = _without(repo.changes(base, theirs), passed[1])
    merger = TreeMerger(blobs.read)
    tree = repo.tree_of(theirs)
    steps: list[Step] = []
    done = TreeMerge()
    for commit in commits:
        our_changes = _without(repo.changes(base, commit.oid), passed[0])
        blobs.load([*our_changes, *(their_changes if not steps else ())])
        merge = merger.merge(our_changes, their_changes)
        if merge.edits != done.edits:
            steps.append(Step(tree, merge.edits, commit.message, commit.author))
        done = merge
    if done.given_up and publishes_given_up:
        # What lost against a later value stays readable in the history of the note.
        kept = {path: ("100644", oid) for path, oid in done.given_up.items()}
        last = steps.pop() if steps else Step(tree, done.edits, message)
        steps += [Step(tree, {**done.edits, **kept}, f"{message} (before merging)"), last]
    if done.is_merged and commits:
        keep_before(repo, commits[-1].oid)
    return Joined(repo.build(theirs, steps), done.clashes, done.remarks)


def keep_before(repo: Repo, oid: str) -> None:
    """Keep a commit or text that the history will not have; the oldest of more than 20 is let go."""
    known = repo.protected(under=_BEFORE)
    if oid in known.values():
        return
    last = max((int(name) for name in known if name.isdecimal()), default=0)
    known[f"{last + 1:06}"] = oid
    repo.protect(dict(sorted(known.items())[-_MAX_BEFORE:]), under=_BEFORE)


def _without(changes: list[Change], passed: Collection[str]) -> list[Change]:
    return [change for change in changes if not change.new or change.new[1] not in passed]


def _replayed(commits: list[Commit], tip: str) -> list[Commit]:
    """The commits to make again, ending with the tip; a merge made by hand is replayed as its result."""
    linear = [commit for commit in commits if len(commit.parents) < 2 or commit.oid == tip]
    if len(linear) < len(commits):
        linear = [commit for commit in linear if commit.oid == tip]
    return linear[-_MAX_REPLAYED:]
