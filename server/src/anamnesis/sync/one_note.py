"""Commits one note that was just written, as capture does, without looking at any other file.

Nothing of a sync is loaded. If anything is unusual, nothing is done: the next sync commits the note.
"""

from __future__ import annotations

import os
from pathlib import Path

from anamnesis.errors import GitError
from anamnesis.files import lock, read_object, read_regular, write_object
from anamnesis.layout import MAIN, MEMORY, SYNC_NAME, WRITE_LOCK
from anamnesis.notes.record import Memory, encode, note_path
from anamnesis.notes.vocabulary import SESSION
from anamnesis.sync.repo import Repo, hash_of

_UNUSUAL = ("held", "landing", "purges")  # parts of `sync.json` of which a commit must know more


def commit_note(root: Path, note: Memory, *, machine_id: str) -> bool:
    """Commit a note without credentials in the store at `root`; False if it is left to the next sync.

    Its file must say exactly what the note says, and have the name that the store gives it.
    """
    repo = Repo(root / MEMORY, machine_id=machine_id)
    path = repo.folder / note_path(note)
    with lock(root / WRITE_LOCK, timeout=1.0) as is_mine:
        stored = read_object(root / SYNC_NAME)
        head = repo.main()
        is_usual = is_mine and head and head == stored.get("head") and repo.is_on_main()
        if not is_usual or repo.is_unfinished() or any(map(stored.get, _UNUSUAL)):
            return False
        try:
            data = read_regular(path)
            is_plain = data == encode(note) and note.scope == "portable" and not path.parent.is_symlink()
            return is_plain and _commit(repo, stored, note, data)
        except (GitError, OSError):
            return False


def _commit(repo: Repo, stored: dict[str, object], note: Memory, data: bytes) -> bool:
    """Commit the content of a note on top of the store's branch, if it is new."""
    name, head = note_path(note), repo.main()
    files = [each for each in os.listdir(repo.folder / note.type) if each.removesuffix(".md").isalnum()]
    beside = [other for each in files if (other := f"{note.type}/{each}") != name][:5]
    known = repo.blobs_at(head, [name, note.type, *beside])
    # If the branch has notes of this type and the folder none of them, a sync must see that they were lost.
    if known.get(name) == hash_of(data) or (note.type in known and known.keys().isdisjoint(beside)):
        return False
    verb = "edited" if name in known else "session" if note.type == SESSION else "added"
    message = f"{repo.machine}: {verb} '{note.title}'"
    stored["head"] = repo.commit(head, {name: data}, message, ref=MAIN)
    repo.git.ask("update-index", "--add", "--", name)
    write_object(repo.folder.parent / SYNC_NAME, stored)
    return True
