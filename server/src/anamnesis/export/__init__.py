"""Exports all notes to one JSON file or a folder of markdown. Nothing is lost, nothing overwritten.

    importing   reads an export or any markdown, writes it to a store, and takes that back

The JSON form of a note has all its fields, with foreign front-matter keys under `extras`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from anamnesis.errors import AnamnesisError, InvalidNote, NoteFormatError
from anamnesis.files import write_atomic
from anamnesis.layout import MEMORY, TREE_OF
from anamnesis.notes.record import Extras, Memory, check, note_path, parse, serialize, unique_tags, utcnow
from anamnesis.store import MemoryStore, Problem
from anamnesis.text import Progress

_NAMES = tuple(field.name for field in fields(Memory))
FORMAT = "anamnesis-export"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A note with its foreign front-matter keys."""

    note: Memory
    extras: Extras


@dataclass(frozen=True, slots=True)
class Exported:
    """How many notes were exported, and the unreadable files that were not."""

    notes: int
    unreadable: tuple[Problem, ...]


def to_record(entry: Entry) -> dict[str, object]:
    """The JSON form of a note; `extras` maps each foreign key to its text."""
    return {**asdict(entry.note), "extras": dict(entry.extras)}


def from_record(record: object) -> Entry:
    """A note from its JSON form; InvalidNote if it is not one."""
    if not isinstance(record, dict):
        raise InvalidNote("it is not a JSON object; fix or remove it")
    extras = record.get("extras", {})
    if not isinstance(extras, dict) or not all(isinstance(text, str) for text in extras.values()):
        raise InvalidNote("`extras` is not an object of strings; fix or remove it")
    try:
        note = Memory(**{name: record[name] for name in _NAMES if name in record})
    except TypeError as exc:
        raise InvalidNote("`id`, `type`, `title` or `body` is missing; add it") from exc
    check(note)
    return checked(Entry(replace(note, tags=unique_tags(note.tags)), extras))


def checked(entry: Entry) -> Entry:
    """`entry`, if a store would read it back unchanged; otherwise InvalidNote.

    The text of a foreign key is written to the file unchanged, so it must not set another key.
    """
    check(entry.note)
    try:
        note, extras = parse(serialize(entry.note, entry.extras))
    except NoteFormatError as exc:
        raise InvalidNote(f"it cannot be written as a note: {exc}") from exc
    if not is_same(Entry(note, {}), Entry(entry.note, {})) or extras.keys() != entry.extras.keys():
        raise InvalidNote("it would not be read back unchanged; check `tags` and `extras`")
    return entry


def is_same(one: Entry, other: Entry) -> bool:
    """Whether two notes are equal in every field, whatever the order of their tags."""
    sides = [(replace(side.note, tags=sorted(side.note.tags)), side.extras) for side in (one, other)]
    return sides[0] == sides[1]


def collect(store: MemoryStore, *, progress: Progress | None = None) -> list[Entry]:
    """Every note of a store with its foreign keys, sorted by id."""
    return [entry for entry, _ in _entries(store, progress)]


def document(entries: Iterable[Entry]) -> dict[str, object]:
    """Notes as one JSON document."""
    notes = [to_record(entry) for entry in entries]
    return {"format": FORMAT, "version": VERSION, "exported_at": utcnow(), "notes": notes}


def export_json(store: MemoryStore, path: Path, *, progress: Progress | None = None) -> Exported:
    """Write the store to one JSON file."""
    if path.exists() or path.is_symlink():
        raise AnamnesisError(f"{path} already exists; name another file, or remove it first")
    entries = collect(store, progress=progress)
    _write(path, json.dumps(document(entries), ensure_ascii=False, indent=1) + "\n")
    return Exported(len(entries), tuple(store.problems()))


def export_folder(store: MemoryStore, folder: Path, *, progress: Progress | None = None) -> Exported:
    """Write every note's markdown to `folder`, in the two trees of a store."""
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise AnamnesisError(f"{folder} already exists and is not an empty folder; name another one")
    count = 0
    for entry, text in _entries(store, progress):
        _write(folder / TREE_OF.get(entry.note.scope, MEMORY) / note_path(entry.note), text)
        count += 1
    return Exported(count, tuple(store.problems()))


def _entries(store: MemoryStore, progress: Progress | None) -> Iterator[tuple[Entry, str]]:
    listed = sorted(store.list(bodies=False), key=lambda note: note.id)
    for number, known in enumerate(listed, 1):
        text = store.text_of(known.id)
        if text is not None:  # otherwise it was deleted meanwhile
            try:
                note, extras = parse(text)
            except NoteFormatError as exc:
                raise AnamnesisError(f"a note changed during the export ({exc}); try again") from exc
            yield Entry(replace(note, scope=known.scope), extras), text
        if progress is not None:
            progress(number, len(listed))


def _write(path: Path, text: str) -> None:
    try:
        write_atomic(path, text.encode())
    except OSError as exc:
        raise AnamnesisError(f"{path}: {exc.strerror}; name another place") from exc
