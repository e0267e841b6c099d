"""The notes that stay on this machine, as far as sync has to know: no id may ever be in both trees."""

from __future__ import annotations

import re
from pathlib import Path

from anamnesis.files import sync_folder
from anamnesis.sync.entry import read_id

_ULID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")


class PrivateNotes:
    """The tree beside `memory/` that does not travel."""

    def __init__(self, memory: Path) -> None:
        self._root = memory.parent
        self._tree = self._root / "local"

    def paths(self) -> dict[str, str]:
        """Where each note is, by its id; paths are relative to the store."""
        found: dict[str, str] = {}
        for path in sorted(self._tree.rglob("*.md")):
            # A file that is named after an id needs no reading, and there may be thousands.
            note_id = path.stem if is_ulid(path.stem) else read_id(_bytes(path) or b"")
            if note_id:
                found.setdefault(note_id, path.relative_to(self._root).as_posix())
        return found

    def find(self, note_id: str) -> str:
        """The file of one note; empty when it is not here."""
        found = self.paths().get(note_id, "")
        return found if found and read_id(self.read(found) or b"") == note_id else ""

    def read(self, path: str) -> bytes | None:
        """The content of a file that `paths` or `find` named; None when it is gone."""
        return _bytes(self._root / path)

    def remove(self, path: str) -> None:
        """Delete a file; its content must be safe elsewhere."""
        full = self._root / path
        full.unlink(missing_ok=True)
        sync_folder(full.parent)


def is_ulid(name: str) -> bool:
    """Whether a name is a generated id, so that the file of that name holds that note."""
    return _ULID.fullmatch(name) is not None


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
