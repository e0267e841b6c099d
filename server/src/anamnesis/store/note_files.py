"""The files of a store: where a note belongs; reading, writing, moving and removing its file. No index.

Before a file is replaced or removed, its text is saved for undo, so no change through the store loses a text.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from anamnesis import files
from anamnesis.errors import InvalidNote, NoteFormatError
from anamnesis.layout import LOCAL, MEMORY, SCOPE_OF, TREE_OF
from anamnesis.notes.record import (
    Extras,
    Memory,
    Scope,
    decode,
    deserialize,
    encode,
    note_path,
    parse,
    tidied,
)
from anamnesis.undo import UndoTexts, drop_unless_replaced


class NoteFiles:
    """The two trees under a root: `memory/` is synced, `local/` stays on this machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.memory_dir = root / MEMORY
        self.local_dir = root / LOCAL
        self.undo = UndoTexts(root)

    def folder_for(self, scope: Scope) -> Path:
        """The tree for notes of a scope."""
        return self.root / TREE_OF.get(scope, MEMORY)

    def scope_of(self, path: Path) -> Scope:
        """The scope of a file, which its tree decides, whatever its front matter says."""
        return SCOPE_OF[LOCAL if path.is_relative_to(self.local_dir) else MEMORY]

    def relative(self, path: Path) -> str:
        """A file's path as stored in the index."""
        return path.relative_to(self.root).as_posix()

    def text(self, path: Path) -> str:
        """The text of a note file."""
        return decode(files.read_regular(path))

    def read(self, path: Path) -> Memory | None:
        """The note in a file; None if the file is gone or no longer a note."""
        try:
            note = deserialize(self.text(path))
        except (OSError, NoteFormatError):
            return None
        note.scope = self.scope_of(path)
        return note

    def place(self, mem: Memory, old: Path | None) -> Path:
        """The file to write a note to: never one with something else in it."""
        new = self.folder_for(mem.scope) / note_path(mem)
        if old is not None and (old.parent == new.parent or self._may_stay(mem, old)):
            return old  # a file that is not named after its id keeps its name
        if new.parent.is_symlink():
            raise InvalidNote(f"{new.parent} is a symlink that leads out of the store; make it a folder")
        if os.path.lexists(new):
            raise InvalidNote(
                f"{new} already exists and contains something else; fix or remove that file first"
            )
        return new

    def _may_stay(self, mem: Memory, old: Path) -> bool:
        """Whether a note may stay in a folder that the user chose: its type and scope are unchanged."""
        known = self.read(old)
        return known is not None and (known.type, known.scope) == (mem.type, mem.scope)

    def add_many(self, notes: Sequence[tuple[Memory, Extras]]) -> dict[str, str]:
        """Write the files of new notes and make them durable together; returns why some failed, by id."""
        added: list[str] = []
        refused: dict[str, str] = {}
        for mem, extras in notes:
            try:
                path, data = self.place(mem := tidied(mem), None), encode(mem, extras)
            except InvalidNote as exc:
                refused[mem.id] = str(exc)
                continue
            files.write_atomic(path, data, durable=False)
            added.append(str(path))
        files.sync_files(added)
        return refused

    def write(self, mem: Memory, new: Path, old: Path | None, *, extras: Extras | None = None) -> bytes:
        """Write a note to `new`, replacing `old`; if it fails, `old` is unchanged."""
        if extras is None:
            extras = parse(self.text(old))[1] if old else {}
        data = encode(mem, extras)
        with ExitStack() as undo:
            if old is not None and old.read_bytes() != data:
                kept = self.undo.keep(mem.id, old, scope=self.scope_of(old))
                undo.callback(drop_unless_replaced, kept, old)
            if old is not None and old != new:
                # Move the file before changing its text, so that there is always exactly one file.
                files.make_folder(new.parent)
                os.rename(old, new)
                undo.callback(os.rename, new, old)
                files.sync_folder(new.parent)
            files.write_atomic(new, data)
            undo.pop_all()
        if old is not None and old != new:
            files.sync_folder(old.parent)
        return data

    def remove(self, note_id: str, path: Path) -> None:
        """Delete a note's file; its text is kept."""
        self.undo.keep(note_id, path, scope=self.scope_of(path))
        path.unlink(missing_ok=True)
        files.sync_folder(path.parent)
