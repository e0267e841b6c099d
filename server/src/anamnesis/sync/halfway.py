"""What a git command that someone ran in the folder left half-way, read from the files git keeps about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anamnesis.git import read_text
from anamnesis.sync.repo import Repo

_SIGNS = (
    "rebase-merge",
    "rebase-apply",
    "sequencer",
    "MERGE_HEAD",
    "MERGE_AUTOSTASH",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_START",
)
_LEFTOVERS = (
    "MERGE_MSG",
    "MERGE_MODE",
    "MERGE_RR",
    "SQUASH_MSG",
    "AUTO_MERGE",
    "ORIG_HEAD",
    "REBASE_HEAD",
    "BISECT_ANCESTORS_OK",
    "BISECT_EXPECTED_REV",
    "BISECT_HEAD",
    "BISECT_LOG",
    "BISECT_NAMES",
    "BISECT_RUN",
    "BISECT_TERMS",
    "refs/bisect",
)
_REBASES = ("rebase-merge", "rebase-apply")


@dataclass(frozen=True, slots=True)
class Halfway:
    """An operation that was started and not finished: its files, and the commits that it is about."""

    signs: tuple[str, ...] = ()
    tip: str | None = None  # what a rebase started from; the branch itself may be elsewhere by now
    stash: str | None = None  # edits that were set aside for the time of the operation
    merged: tuple[str, ...] = ()  # what a merge was to bring in
    others: tuple[str, ...] = ()  # what was being picked or taken back


def read_halfway(repo: Repo) -> Halfway:
    """What git was in the middle of; nothing, most of the time."""
    signs = tuple(name for name in _SIGNS if (repo.git.dir / name).exists())
    if not signs:
        return Halfway()
    stashes = [
        *_commits(repo, *(f"{folder}/autostash" for folder in _REBASES)),
        *_commits(repo, "MERGE_AUTOSTASH"),
    ]
    return Halfway(
        signs,
        # `git am` uses one of these folders, too; it moves the branch itself and needs no memory of its tip.
        tip=next(iter(_commits(repo, *(f"{folder}/orig-head" for folder in _REBASES))), None),
        stash=next(iter(stashes), None),
        merged=tuple(_commits(repo, "MERGE_HEAD")),
        others=tuple(_commits(repo, "CHERRY_PICK_HEAD", "REVERT_HEAD")),
    )


def _commits(repo: Repo, *names: str) -> list[str]:
    """The commits that these files of the repository name, as far as they exist."""
    found = [oid for name in names for oid in read_text(repo.git.dir / name).split()]
    return [oid for oid in found if repo.has_commit(oid)]


def discard(repo: Repo, halfway: Halfway) -> None:
    """Remove the files by which git knows of an operation under way."""
    for name in (*halfway.signs, *_LEFTOVERS):
        _remove(repo.git.dir / name)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        for inner in path.iterdir():
            _remove(inner)
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
