"""The last commit shared with the remote, kept beside the repository: what a lost `.git` is rebuilt from.

With it, notes that were deleted elsewhere do not come back when the repository is made anew, local edits are
merged against what they were edits of, and a held note stays held.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from anamnesis.files import read_object, write_atomic
from anamnesis.git import is_oid
from anamnesis.sync.held import HeldNotes, dump_held, load_held, read_held, save_held
from anamnesis.sync.local import LocalHalf
from anamnesis.sync.repo import MAIN, Repo

_FILE = "sync.json"


def note_origin(repo: Repo, commit: str | None) -> None:
    """Remember the commit that this machine and the remote both have, and what is held beside it."""
    content = {"head": commit, "held": dump_held(load_held(repo))}
    if commit and read_object(_path(repo)) != content:
        write_atomic(_path(repo), json.dumps(content).encode())


def read_origin(repo: Repo) -> str | None:
    """The commit that was last shared with the remote; None when none is known."""
    head = read_object(_path(repo)).get("head")
    return head if isinstance(head, str) and is_oid(head) else None


def adopt_origin(half: LocalHalf, *, fetched: str | None = None) -> bool:
    """Start a repository without a branch from the last shared commit; False when that must be fetched first.

    Files that are missing are written before the branch points there: they are taken for lost, not deleted.
    """
    repo, origin = half.repo, read_origin(half.repo)
    if origin is None:
        return True
    if repo.has_commit(origin):
        half.held = _read_held_beside(half, origin)
        save_held(repo, half.held)
        half.tree.complete(origin, apart={path for record in half.held.values() for path in record.paths})
        repo.point(MAIN, origin)
        return True
    return fetched is not None


def _read_held_beside(half: LocalHalf, origin: str) -> HeldNotes:
    """The notes that were held when the repository was lost; their versions are in the fetched history."""
    found = read_object(_path(half.repo)).get("held")
    notes = read_held(found) if isinstance(found, dict) else {}
    has = half.repo.git.has
    return {
        key: half.versions.refreshed(
            replace(held, at=origin, base=held.base if held.base and has(held.base) else None), origin
        )
        for key, held in notes.items()
        if held.theirs and has(held.theirs)
    }


def _path(repo: Repo) -> Path:
    return repo.folder.parent / _FILE
