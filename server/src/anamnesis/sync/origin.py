"""The last commit shared with the remote, kept beside the repository: what a lost `.git` is rebuilt from.

With it, notes that were deleted elsewhere do not come back when the repository is made anew, and local edits
are merged against what they were edits of.
"""

from __future__ import annotations

import json
from pathlib import Path

from anamnesis.files import write_atomic
from anamnesis.git import is_oid
from anamnesis.sync.local import LocalHalf
from anamnesis.sync.memo import read_json
from anamnesis.sync.repo import MAIN, Repo

_FILE = "sync.json"


def note_origin(repo: Repo, commit: str | None) -> None:
    """Remember the commit that this machine and the remote both have."""
    if commit and read_origin(repo) != commit:
        write_atomic(_path(repo), json.dumps({"head": commit}).encode())


def read_origin(repo: Repo) -> str | None:
    """The commit that was last shared with the remote; None when none is known."""
    head = read_json(_path(repo)).get("head")
    return head if isinstance(head, str) and is_oid(head) else None


def adopt_origin(half: LocalHalf, *, fetched: str | None = None) -> bool:
    """Start a repository without a branch from the last shared commit; False when that must be fetched first.

    Files that are missing are written before the branch points there: they are taken for lost, not deleted.
    """
    repo, origin = half.repo, read_origin(half.repo)
    if origin is None:
        return True
    if repo.has_commit(origin):
        half.tree.complete(origin)
        repo.point(MAIN, origin)
        return True
    return fetched is not None


def _path(repo: Repo) -> Path:
    return repo.folder.parent / _FILE
