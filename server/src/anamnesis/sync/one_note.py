"""Commits one note that was just written, as capture does, without looking at any other file.

Nothing of a sync is loaded. If anything is unusual, nothing is done: the next sync commits the note.
"""

from __future__ import annotations

import os
from pathlib import Path

from anamnesis.errors import GitError
from anamnesis.files import lock, read_object, read_regular, write_object
from anamnesis.git import AUTHOR, Git, hash_of, machine_name
from anamnesis.layout import MAIN, MEMORY, SYNC_NAME, WRITE_LOCK
from anamnesis.notes.record import Memory, encode, note_path
from anamnesis.notes.vocabulary import SESSION
from anamnesis.text import quoted

_UNUSUAL = ("held", "landing", "purges")  # parts of `sync.json` of which a commit must know more


def commit_note(root: Path, note: Memory, *, machine_id: str) -> bool:
    """Commit a note in the store at `root`; False if it is left to the next sync.

    The caller has searched the note for credentials. Its file must say exactly what the note says, and have
    the name that the store gives it.
    """
    name = machine_name(machine_id)
    git = Git(root / MEMORY, email=f"{AUTHOR}{name}")
    path = git.folder / note_path(note)
    with lock(root / WRITE_LOCK, timeout=1.0) as is_mine:
        stored = read_object(root / SYNC_NAME)
        head = git.ref(MAIN) or ""
        is_usual = is_mine and head and head == stored.get("head") and git.is_on_main()
        if not is_usual or git.is_unfinished() or any(map(stored.get, _UNUSUAL)):
            return False
        try:
            data = read_regular(path)
            is_plain = data == encode(note) and note.scope == "portable" and not path.parent.is_symlink()
            commit = _commit(git, head, note, data, machine=name) if is_plain else None
            if commit:
                write_object(root / SYNC_NAME, {**stored, "head": commit})
            return bool(commit)
        except (GitError, OSError):
            return False


def _commit(git: Git, head: str, note: Memory, data: bytes, *, machine: str) -> str | None:
    """Commit the content of a note on top of `head`; None if it is there, or lost notes are to be seen."""
    name = note_path(note)
    files = [each for each in os.listdir(git.folder / note.type) if each.removesuffix(".md").isalnum()]
    beside = [other for each in files if (other := f"{note.type}/{each}") != name][:5]
    known = git.blobs_at(head, [name, note.type, *beside])
    # If the branch has notes of this type and the folder none of them, a sync must see that they were lost.
    if known.get(name) == hash_of(data) or (note.type in known and known.keys().isdisjoint(beside)):
        return None
    verb = "edited" if name in known else "session" if note.type == SESSION else "added"
    commit = git.commit(head, {name: data}, f"{machine}: {verb} {quoted(note.title)}", ref=MAIN)
    git.ask("update-index", "--add", "--", name)
    return commit
