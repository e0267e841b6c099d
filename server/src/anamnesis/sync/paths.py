"""Which files are synced: one rule for names; and the machine-local notes, which sync must know."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from pathlib import Path

from anamnesis.files import read_regular
from anamnesis.layout import LOCAL, RECORD_FOLDERS
from anamnesis.notes.record import read_id
from anamnesis.notes.vocabulary import TYPES

NOT_A_NOTE = "only notes are synced, and their names end in .md"
_MAX_NAME = 200  # bytes of one name
_FORBIDDEN = frozenset('\\:*?"<>|')
_ALIAS = re.compile(r"git~\d[. ]*", re.IGNORECASE)  # means `.git` on some systems, so git refuses it
# The usual path of a note, which needs no further checks.
_USUAL = re.compile(rf"(?:{'|'.join(TYPES)})/[A-Za-z0-9_-]{{1,99}}\.md")
_LEFTOVER = re.compile(
    r"~$|^#.*#$|\.sw[a-p]$|\.(?:tmp|temp|bak|orig|rej|lock)$|^(?:Thumbs\.db|desktop\.ini)$"
)
_ULID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")


def refusal(path: str) -> str | None:
    """Why a file at `path` (relative, with slashes) is not synced; None if it is, "" if no one needs to know.

    Our own records and `*.md` are synced. Hidden files and editors' temporary files are never reported.
    """
    if _USUAL.fullmatch(path):
        return None
    parts = path.split("/")
    if any(part[:1] == "." for part in parts) or _LEFTOVER.search(parts[-1]):
        return ""
    if path.endswith("/"):
        return "it is a git repository of its own; move its notes out of it"
    if wrong := next(filter(None, map(_refused_part, parts)), ""):
        return wrong
    is_record = parts[0] in RECORD_FOLDERS and len(parts) == 2 and path.endswith(".json")
    return None if is_record or path.endswith(".md") else NOT_A_NOTE


def _refused_part(part: str) -> str:
    try:
        size = len(part.encode())
    except UnicodeEncodeError:
        return "its name is not UTF-8; rename it"
    if size > _MAX_NAME:
        return f"a name in its path is longer than {_MAX_NAME} bytes; shorten it"
    if not part or not part.isprintable() or _FORBIDDEN & set(part) or _ALIAS.fullmatch(part):
        return (
            'its name has a character that not every system allows (\\ : * ? " < > | or invisible); rename it'
        )
    return ""


def shown(path: str) -> str:
    """`path` as one printable line, with invisible characters escaped."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def same_names(paths: Collection[str], others: Collection[str]) -> set[str]:
    """The paths that a file system that ignores case and Unicode form takes for another file."""
    seen = {_folded(path): path for path in others if path not in paths}
    return {path for path in sorted(paths) if seen.setdefault(_folded(path), path) != path}


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def is_ulid(name: str) -> bool:
    """Whether a name is a generated id, so that a file of that name is that note."""
    return _ULID.fullmatch(name) is not None


def private_notes(root: Path) -> dict[str, str]:
    """The path of each machine-local note, relative to the store, by its id: no id may be in both trees."""
    found: dict[str, str] = {}
    for path in sorted((root / LOCAL).rglob("*.md")):
        # A file named after an id need not be read, and there may be thousands.
        note_id = path.stem if is_ulid(path.stem) else read_id(bytes_of(path, follow=True) or b"")
        if note_id:
            found.setdefault(note_id, path.relative_to(root).as_posix())
    return found


def private_note(root: Path, note_id: str) -> tuple[str, bytes | None]:
    """The path and content of a machine-local note; "" and None if it is not here."""
    found = private_notes(root).get(note_id, "")
    data = bytes_of(root / found, follow=True) if found else None
    return (found, data) if data is not None and read_id(data) == note_id else ("", None)


def bytes_of(path: Path | str, *, follow: bool = False) -> bytes | None:
    """The content of a regular file; None if there is none. `follow` allows a symlink to one."""
    try:
        return read_regular(path, follow=follow)
    except OSError:
        return None
