"""Texts that a change replaced or deleted, kept on this machine so that every change can be undone.

Git has a note's text only at each commit, and does not have machine-local notes. So before the store replaces
or removes a file, it copies the file here. These texts never leave this machine. Only the last texts of
each note are kept, and only for the notes that were changed last.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple

from anamnesis import files
from anamnesis.errors import NoteFormatError
from anamnesis.layout import UNDO_FOLDER
from anamnesis.notes.record import Memory, Scope, decode, deserialize
from anamnesis.text import timestamp

MOST_TEXTS = 20  # of one note
MOST_NOTES = 2000
_SUFFIX = ".old"  # not .md, so that a search for *.md files finds each note once
_NAMES = f"{'[0-9]' * 20}-*{_SUFFIX}"  # nanoseconds and scope


class UndoText(NamedTuple):
    """A text that was replaced or deleted: when, in which scope, and its git blob name."""

    name: str
    at: str
    scope: Scope
    path: Path
    note: Memory


class UndoTexts:
    """The kept texts of one store, in one folder per note."""

    def __init__(self, root: Path) -> None:
        self._folder = root / UNDO_FOLDER

    def keep(self, note_id: str, path: Path, *, scope: Scope) -> Path:
        """Save the file at `path`, which is about to be replaced or removed; returns the saved file."""
        folder = self._folder / note_id
        earlier = _texts(folder)
        # Names must sort by time, even if the clock was ahead when the last text was kept.
        last = _moment(earlier[0]) if earlier else 0
        kept = folder / f"{max(time.time_ns(), last + 1):020}-{scope}{_SUFFIX}"
        # A link would change with the file: some editors write into the file that is there.
        files.write_atomic(kept, path.read_bytes())
        if not earlier:
            files.sync_folder(self._folder)
            self._forget_notes()
        for text in earlier[MOST_TEXTS - 1 :]:
            files.remove(text)
        return kept

    def of_note(self, note_id: str) -> list[UndoText]:
        """The kept texts of a note, latest first, each text once."""
        texts: dict[str, UndoText] = {}
        for text in map(_read, _texts(self._folder / note_id)):
            # On some file systems, two ids that differ only in case share a folder.
            if text is not None and text.note.id == note_id:
                texts.setdefault(text.name, text)
        return list(texts.values())

    def last_changed(self) -> tuple[str, int]:
        """The id of the note whose text was kept last, and when, in nanoseconds; ("", 0) if there is none."""
        last = max(self._folder.glob(f"*/{_NAMES}"), key=lambda text: text.name, default=None)
        return (last.parent.name, _moment(last)) if last else ("", 0)

    def last_texts(self) -> list[UndoText]:
        """The last kept text of each note."""
        folders = files.entries_in(self._folder)
        return [text for folder in folders for text in self.of_note(folder.name)[:1]]

    def _forget_notes(self) -> None:
        """If there are too many notes, delete the texts of those changed longest ago."""
        folders = files.entries_in(self._folder)
        if len(folders) > MOST_NOTES:
            folders.sort(key=lambda folder: folder.stat().st_mtime_ns, reverse=True)
        for folder in folders[MOST_NOTES:]:
            # A foreign file here is left alone and does not prevent changes to notes.
            with suppress(OSError):
                for text in _texts(Path(folder)):
                    text.unlink()
                os.rmdir(folder)


def drop_unless_replaced(kept: Path, path: Path) -> None:
    """Delete the saved copy if the change failed and the file is as it was."""
    if path.exists() and kept.read_bytes() == path.read_bytes():
        kept.unlink()


def _texts(folder: Path) -> list[Path]:
    """The kept texts in a note's folder, latest first."""
    return sorted(folder.glob(_NAMES), reverse=True)


def _moment(text: Path) -> int:
    return int(text.name.partition("-")[0])


def _read(path: Path) -> UndoText | None:
    """A kept text; None if its file is gone or is not a note."""
    try:
        data = path.read_bytes()
        note = deserialize(decode(data))
    except (OSError, NoteFormatError):
        return None
    name = sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    return UndoText(name, timestamp(_moment(path) / 1e9), path.stem.partition("-")[2], path, note)
