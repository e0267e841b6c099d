"""An export into notes: a JSON file, a folder of markdown, or a single markdown file.

Our own notes come back as they were; other markdown, and the JSON export of mcp-memory-service, become notes
(see `foreign`). Links are not followed, and no path in an export is trusted: only its checked id, type and
scope decide where a note goes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from anamnesis.errors import AnamnesisError, InvalidNote, NoteFormatError
from anamnesis.export.foreign import Filing, from_markdown, from_memory_service, is_foreign
from anamnesis.export.record import Entry, checked, from_record
from anamnesis.export.writing import FORMAT, VERSION
from anamnesis.layout import SCOPE_OF
from anamnesis.notes.record import decode, parse
from anamnesis.store import Problem

_Found = Iterator[tuple[str, Entry | str]]  # the place of each note, and the note or what is wrong with it


@dataclass(frozen=True, slots=True)
class Export:
    """The notes of an export by id, and what in it cannot be read as a note."""

    entries: dict[str, Entry]
    problems: tuple[Problem, ...]


def read_export(path: Path, filing: Filing | None = None) -> Export:
    """Read an export, or any markdown; `filing` says where notes of other tools belong."""
    if not path.exists():
        raise AnamnesisError(f"{path} does not exist; name a JSON export, a folder or a markdown file")
    entries: dict[str, Entry] = {}
    problems: list[Problem] = []
    for name, found in _read(path, filing or Filing()):
        if isinstance(found, str):
            problems.append(Problem(name, found))
        elif found.note.id in entries:
            problems.append(Problem(name, f"a second note with the id {found.note.id}"))
        else:
            entries[found.note.id] = found
    return Export(entries, tuple(problems))


def _read(path: Path, filing: Filing) -> _Found:
    if path.is_dir():
        return _folder(path, filing)
    if path.suffix == ".md":
        return iter([(path.name, _file(path, path.name, filing))])
    return _document(path, filing)


def _document(path: Path, filing: Filing) -> _Found:
    """Each note of a JSON export, with its place in the file."""
    try:
        content = json.loads(path.read_bytes())
    except OSError as exc:
        raise AnamnesisError(f"{path}: {exc.strerror}; name a file that you can read") from exc
    except (ValueError, RecursionError) as exc:
        raise AnamnesisError(f"{path} is not JSON; name a file that `anamnesis export` wrote") from exc
    fields = content if isinstance(content, dict) else {}
    if fields.get("format") == FORMAT and isinstance(fields.get("notes"), list):
        if fields.get("version") != VERSION:
            raise AnamnesisError(
                f"{path} has version {fields.get('version')!r}, and {VERSION} is known here; update Anamnesis"
            )
        return _records(fields["notes"])
    if isinstance(fields.get("memories"), list):
        return _records(fields["memories"], filing, modified=path.stat().st_mtime)
    raise AnamnesisError(
        f"{path} is not an export of Anamnesis or mcp-memory-service; name a file that one of them wrote"
    )


def _records(records: list[object], filing: Filing | None = None, *, modified: float = 0) -> _Found:
    """The records of a JSON export; `filing` is given for those of another tool."""
    for number, record in enumerate(records, 1):
        try:
            if filing is None:
                yield f"note {number}", from_record(record)
            else:
                yield f"note {number}", from_memory_service(record, filing, modified=modified)
        except InvalidNote as exc:
            yield f"note {number}", str(exc)


def _folder(folder: Path, filing: Filing) -> _Found:
    """Each markdown file of a folder."""
    for current, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            path = Path(current, name)
            if name.endswith(".md") and not name.startswith("."):
                place = path.relative_to(folder).as_posix()
                yield place, _file(path, f"{folder.resolve().name}/{place}", filing)


def _file(path: Path, place: str, filing: Filing) -> Entry | str:
    if path.is_symlink() or not path.is_file():
        return "not a plain file"
    try:
        text = decode(path.read_bytes())
        if is_foreign(text):
            return from_markdown(text, filing, path=place, modified=path.stat().st_mtime)
        note, extras = parse(text)
        tree = place.split("/")[1] if "/" in place else ""
        note.scope = SCOPE_OF.get(tree, note.scope)
        return checked(Entry(note, extras))
    except OSError as exc:
        return exc.strerror or "it cannot be read"
    except (NoteFormatError, InvalidNote) as exc:
        return str(exc)
