"""Reads an export and writes its notes to a store.

An export is a JSON file, a folder of markdown, or a single markdown file. Our own notes are restored as they
were; other markdown, and the JSON export of mcp-memory-service, become notes (see `foreign`). Symlinks are
not followed, and no path in an export is trusted: only the validated id, type and scope decide where a note
goes. A note that is newer in the store is kept and reported. Credentials are removed, as from everything that
a person did not type.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from anamnesis.errors import AnamnesisError, InvalidNote, NoteFormatError
from anamnesis.export.exporting import FORMAT, VERSION, Entry, checked, from_record, is_same
from anamnesis.export.foreign import Filing, from_markdown, from_memory_service, is_foreign
from anamnesis.layout import SCOPE_OF
from anamnesis.notes.record import decode, epoch, parse
from anamnesis.redact import find_secrets, redact
from anamnesis.store import MemoryStore, Problem
from anamnesis.sync import SyncBackend
from anamnesis.text import Progress

_Found = Iterator[tuple[str, Entry | str]]  # a note's place in the export, and the note or its problem
Fate = Literal["added", "updated", "unchanged", "kept"]

_AT_ONCE = 500
_APART = "\n" * 4  # so far apart that redaction does not assign a value to the name before it
_WRITTEN: tuple[Fate, ...] = ("added", "updated")
_FATES: tuple[Fate, ...] = (*_WRITTEN, "unchanged", "kept")


@dataclass(frozen=True, slots=True)
class Export:
    """The notes of an export by id, and the entries that cannot be read as notes."""

    entries: dict[str, Entry]
    problems: tuple[Problem, ...]


def read_export(path: Path, filing: Filing | None = None) -> Export:
    """Read an export, or any markdown; `filing` has the fields for other tools' notes."""
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
    """Each note in a JSON export, with its place in the file."""
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
    """The records of a JSON export; `filing` is set for another tool's records."""
    for number, record in enumerate(records, 1):
        try:
            if filing is None:
                yield f"note {number}", from_record(record)
            else:
                yield f"note {number}", from_memory_service(record, filing, modified=modified)
        except InvalidNote as exc:
            yield f"note {number}", str(exc)


def _folder(folder: Path, filing: Filing) -> _Found:
    """Each markdown file in a folder."""
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


@dataclass(frozen=True, slots=True)
class Imported:
    """The ids of an import by what happened to each; `kept` means that the store has a newer note."""

    added: tuple[str, ...]
    updated: tuple[str, ...]
    unchanged: tuple[str, ...]
    kept: tuple[str, ...]
    redacted: tuple[str, ...]
    problems: tuple[Problem, ...]


def import_notes(
    store: MemoryStore,
    backend: SyncBackend,
    export: Export,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Write the notes of an export to the store and commit them; a dry run only reports what it would do."""
    store.reindex()  # scans all files once; after that, checking the folders is enough
    fates: dict[str, Fate] = {}
    redacted: list[str] = []
    problems = list(export.problems)
    for start in range(0, len(names := sorted(export.entries)), _AT_ONCE):
        batch = {name: without_secrets(export.entries[name]) for name in names[start : start + _AT_ONCE]}
        chosen = {name: decide(entry, _known(store, name)) for name, entry in batch.items()}
        refused = {} if dry_run else _write(store, batch, chosen)
        problems += [Problem(name, why) for name, why in refused.items()]
        for name in batch.keys() - refused.keys():
            fates[name] = chosen[name]
        redacted += [
            name
            for name, entry in batch.items()
            if entry is not export.entries[name] and fates.get(name) in _WRITTEN
        ]
        if progress is not None:
            progress(min(start + _AT_ONCE, len(names)), len(names))
    done = {fate: tuple(name for name in names if fates.get(name) == fate) for fate in _FATES}
    if not dry_run and (done["added"] or done["updated"]):
        backend.commit(f"import: {len(done['added'])} added, {len(done['updated'])} updated")
    return Imported(**done, redacted=tuple(redacted), problems=tuple(problems))


def _write(store: MemoryStore, batch: Mapping[str, Entry], chosen: Mapping[str, Fate]) -> dict[str, str]:
    """Write the chosen notes; returns why some could not be written, by id."""
    added = [entry for name, entry in batch.items() if chosen[name] == "added"]
    refused = store.add_many([(entry.note, entry.extras) for entry in added])
    for name, entry in batch.items():
        if chosen[name] != "updated":
            continue
        try:
            store.put(entry.note, extras=entry.extras)
        except InvalidNote as exc:
            refused[name] = str(exc)
    return refused


def decide(entry: Entry, known: Entry | None) -> Fate:
    """What to do with a note, given the store's note with the same id: only a later change wins."""
    if known is None:
        return "added"
    if is_same(entry, known):
        return "unchanged"
    return "updated" if epoch(entry.note.updated_at) > epoch(known.note.updated_at) else "kept"


def without_secrets(entry: Entry) -> Entry:
    """`entry` itself, or a copy with its credentials redacted."""
    note = entry.note
    pieces = _APART.join((note.title, *note.tags, note.body))
    if not find_secrets(pieces):
        return entry
    clean = replace(
        note, title=redact(note.title), body=redact(note.body), tags=[redact(tag) for tag in note.tags]
    )
    return entry if clean == note else Entry(clean, entry.extras)


def _known(store: MemoryStore, name: str) -> Entry | None:
    note = store.get(name, thorough=False)
    text = store.text_of(name, thorough=False) if note is not None else None
    return Entry(note, parse(text)[1]) if note is not None and text is not None else None
