"""Reading an export: a JSON file, or a folder of markdown.

Links are not followed, and no path in an export is trusted: a note's checked id, type and scope alone decide
where it goes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from anamnesis.errors import AnamnesisError, InvalidNote, NoteFormatError
from anamnesis.export.record import Entry, checked, from_record
from anamnesis.export.writing import FORMAT, VERSION
from anamnesis.notes.record import decode, parse
from anamnesis.store import Problem

_SCOPES = {"memory": "portable", "local": "machine-local"}


@dataclass(frozen=True, slots=True)
class Export:
    """The notes of an export by id, and the entries that are not notes."""

    entries: dict[str, Entry]
    problems: tuple[Problem, ...]


def read_export(path: Path) -> Export:
    """Read a JSON export or a folder of markdown notes."""
    if not path.exists():
        raise AnamnesisError(f"{path} does not exist; name an exported JSON file or folder")
    entries: dict[str, Entry] = {}
    problems: list[Problem] = []
    for name, found in _folder(path) if path.is_dir() else _document(path):
        if isinstance(found, str):
            problems.append(Problem(name, found))
        elif found.note.id in entries:
            problems.append(Problem(name, f"a second note with the id {found.note.id}"))
        else:
            entries[found.note.id] = found
    return Export(entries, tuple(problems))


def _document(path: Path) -> Iterator[tuple[str, Entry | str]]:
    """Each note of a JSON export, or what is wrong with it, with its place in the file."""
    try:
        content = json.loads(path.read_bytes())
    except OSError as exc:
        raise AnamnesisError(f"{path}: {exc.strerror}; name a file that you can read") from exc
    except (ValueError, RecursionError) as exc:
        raise AnamnesisError(f"{path} is not JSON; name a file that `anamnesis export` wrote") from exc
    notes = content.get("notes") if isinstance(content, dict) and content.get("format") == FORMAT else None
    if not isinstance(notes, list):
        raise AnamnesisError(
            f"{path} is not an export of Anamnesis; name a file that `anamnesis export` wrote"
        )
    if content.get("version") != VERSION:
        raise AnamnesisError(
            f"{path} has version {content.get('version')!r}, but only {VERSION} can be read; update Anamnesis"
        )
    for number, record in enumerate(notes, 1):
        try:
            yield f"note {number}", from_record(record)
        except InvalidNote as exc:
            yield f"note {number}", str(exc)


def _folder(folder: Path) -> Iterator[tuple[str, Entry | str]]:
    """Each markdown file of a folder as a note, or what is wrong with it."""
    for current, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            path = Path(current, name)
            if name.endswith(".md") and not name.startswith("."):
                yield path.relative_to(folder).as_posix(), _file(path, path.relative_to(folder).parts[0])


def _file(path: Path, tree: str) -> Entry | str:
    if path.is_symlink() or not path.is_file():
        return "not a plain file"
    try:
        note, extras = parse(decode(path.read_bytes()))
        note.scope = _SCOPES.get(tree, note.scope)
        return checked(Entry(note, extras))
    except OSError as exc:
        return exc.strerror or "it cannot be read"
    except (NoteFormatError, InvalidNote) as exc:
        return str(exc)
