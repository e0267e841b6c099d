"""Reads an export or other tools' notes, and writes them to a store.

An export is a JSON file, a folder of markdown, or a single markdown file. Our own notes are restored as they
were; other markdown, and the JSON export of mcp-memory-service, become notes. Such a file keeps its text and
its own front-matter keys. Its title is the `title:` key, else the first heading, else the file name; its id
is derived from its path, so importing the folder again updates the same notes. Symlinks are not followed, and
no path in an export is trusted: only the validated id, type and scope decide where a note goes. A note that
is newer in the store is kept and reported, and one that `dedup` deleted is not added again. Credentials are
removed, as from everything that a person did not type.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from anamnesis.errors import AnamnesisError, InvalidNote, NoteFormatError
from anamnesis.export import FORMAT, VERSION, Entry, checked, from_record, is_same
from anamnesis.layout import GLOBAL, SCOPE_OF
from anamnesis.notes.frontmatter import Value, read_fields
from anamnesis.notes.record import (
    TYPES,
    Extras,
    Memory,
    decode,
    epoch,
    identity,
    parse,
    split_text,
    unique_tags,
)
from anamnesis.notes.vocabulary import timestamp
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
_HEADING = re.compile(r"^#{1,6}[ \t]+(?P<title>.+?)[ \t#]*$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_OURS = frozenset(Memory.__dataclass_fields__)
_CREATED = ("created_at", "created", "date")
_UPDATED = ("updated_at", "updated", "modified", "last_modified")
_MAX_TITLE = 120
_NO_EXPORT = "not an export of Anamnesis or mcp-memory-service"
_READABLE = "name a file that one of them wrote, a markdown file (.md), or a folder of markdown"
_IMPORTED = 0.9  # confidence: a person wrote it, but did not review it here


@dataclass(frozen=True, slots=True)
class Filing:
    """The project and machine that imported notes get."""

    project: str = GLOBAL
    machine_id: str = "unknown"


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
        raise AnamnesisError(f"{path} is {_NO_EXPORT}; {_READABLE}") from exc
    fields = content if isinstance(content, dict) else {}
    if fields.get("format") == FORMAT and isinstance(fields.get("notes"), list):
        if fields.get("version") != VERSION:
            raise AnamnesisError(
                f"{path} has version {fields.get('version')!r}, and {VERSION} is known here; update Anamnesis"
            )
        return _records(fields["notes"], from_record)
    if isinstance(fields.get("memories"), list):
        read = partial(from_memory_service, filing=filing, modified=path.stat().st_mtime)
        return _records(fields["memories"], read)
    raise AnamnesisError(f"{path} is {_NO_EXPORT}; {_READABLE}")


def _records(records: list[object], read: Callable[[object], Entry]) -> _Found:
    """The records of a JSON export, each read as a note."""
    for number, record in enumerate(records, 1):
        try:
            yield f"note {number}", read(record)
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
    refile: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Write the notes of an export to the store and commit them; a dry run only reports what it would do.

    With `refile`, notes that are otherwise unchanged move to the project of the export.
    """
    store.reindex()  # scans all files once; after that, checking the folders is enough
    doubles = _deleted_doubles(store, backend, export)
    fates: dict[str, Fate] = {}
    redacted: list[str] = []
    problems = list(export.problems)
    for start in range(0, len(names := sorted(export.entries)), _AT_ONCE):
        batch = {name: without_secrets(export.entries[name]) for name in names[start : start + _AT_ONCE]}
        known = {name: _known(store, name) for name in batch}
        chosen = {
            name: "unchanged" if name in doubles else decide(entry, known[name], refile=refile)
            for name, entry in batch.items()
        }
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


def _deleted_doubles(store: MemoryStore, backend: SyncBackend, export: Export) -> set[str]:
    """The notes that the store once had and now has under another id: `dedup` deleted them.

    A person may have edited the note that was kept, so the export's version of it counts as well.
    """
    hidden, notes = store.superseded_ids(), store.list()
    exported = (export.entries[note.id].note for note in notes if note.id in export.entries)
    said = {identity(note) for note in (*notes, *exported) if note.id not in hidden}
    present, history = {note.id for note in notes}, backend.history(store.undo)
    doubles = (name for name, entry in export.entries.items() if identity(entry.note) in said)
    return {name for name in doubles if name not in present and history.of_note(name)}


def decide(entry: Entry, known: Entry | None, *, refile: bool = False) -> Fate:
    """What to do with a note, given the store's note with the same id: only a later change wins."""
    if known is None:
        return "added"
    if is_same(entry, known):
        return "unchanged"
    if refile and is_same(replace(entry, note=replace(entry.note, project=known.note.project)), known):
        return "updated"
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


def is_foreign(text: str) -> bool:
    """Whether a markdown text is not one of our notes: it has no front matter with our keys."""
    try:
        values, _ = read_fields(split_text(text)[0])
    except NoteFormatError:
        return not text.startswith("---\n")
    return "id" not in values or values.get("type") not in TYPES


def from_markdown(text: str, filing: Filing, *, path: str, modified: float) -> Entry:
    """Another tool's markdown file as a note; `path` is relative to its folder. InvalidNote without text."""
    values, extras, body = _split(text)
    if not body:
        raise InvalidNote("it has no text; add some, or remove the file")
    name = path.encode("utf-8", "surrogateescape")  # a path need not be UTF-8
    stem = name.rpartition(b"/")[2].removesuffix(b".md").decode("utf-8", "replace")
    kind = _text(values.get("type"))
    written = _moment(modified)
    note = Memory(
        id=f"md-{hashlib.sha256(name).hexdigest()[:20]}",
        type=kind if kind in TYPES else "semantic",
        title=_title(values, body, stem),
        body=body,
        project=filing.project,
        machine_id=filing.machine_id,
        tags=unique_tags(_tags(values.get("tags"))),
        created_at=_date(values, _CREATED) or written,
        updated_at=_date(values, _UPDATED) or written,
        prov_source="import",
        confidence=_IMPORTED,
    )
    return checked(Entry(note, extras))


def from_memory_service(record: object, filing: Filing, *, modified: float) -> Entry:
    """One memory in a JSON export of mcp-memory-service as a note; InvalidNote if it has no text.

    A memory without a date gets the date of the file.
    """
    content = record.get("content") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(content, str) or not content.strip():
        raise InvalidNote("it has no `content`; add some, or remove the entry")
    name = str(record.get("content_hash") or _digest(content))
    tags = record.get("tags")
    created = _known_moment(record, "created_at") or _moment(modified)
    note = Memory(
        id=f"mms-{_digest(name)[:20]}",
        type="semantic",
        title=_first_line(content),
        body=content.strip(),
        project=filing.project,
        machine_id=filing.machine_id,
        tags=unique_tags([str(tag) for tag in tags] if isinstance(tags, list) else _tags(_text(tags))),
        created_at=created,
        updated_at=_known_moment(record, "updated_at") or created,
        prov_source="import",
        confidence=_IMPORTED,
    )
    return checked(Entry(note, {}))


def _digest(text: str) -> str:
    """A digest of any text, even with a lone surrogate: that note is refused later, not the whole file."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _split(text: str) -> tuple[dict[str, Value], Extras, str]:
    """The keys of a file, the raw text of foreign ones, and its body."""
    if not text.startswith("---\n"):
        return {}, {}, text.strip()
    front, body = split_text(text)
    values, raw = read_fields(front)
    extras = {key: raw[key] for key in raw if key not in _OURS}
    return values, extras, body.strip()


def _title(values: dict[str, Value], body: str, stem: str) -> str:
    given = _text(values.get("title"))
    heading = _HEADING.search(_FENCE.sub("", body))
    title = given or (heading["title"] if heading else stem)
    return _shortened(" ".join(title.split()) or stem)


def _first_line(text: str) -> str:
    lines = (line.strip(" #*-") for line in text.splitlines())
    return _shortened(next((line for line in lines if line), "Imported memory"))


def _shortened(title: str) -> str:
    return title if len(title) <= _MAX_TITLE else title[:_MAX_TITLE].rsplit(" ", 1)[0] + "…"


def _tags(value: Value) -> list[str]:
    found = value if isinstance(value, list) else (value or "").split(",")
    return [tag.strip().lstrip("#") for tag in found if tag.strip().lstrip("#")]


def _date(values: dict[str, Value], keys: tuple[str, ...]) -> str:
    """The first of these keys with a date, in the format of notes."""
    found: Iterator[str] = (_text(values.get(key)) for key in keys)
    return next((_moment(epoch(text)) for text in found if text and epoch(text)), "")


def _known_moment(record: dict[str, object], key: str) -> str:
    """A time of a memory, which may be in seconds, as text, or both; "" if it has neither."""
    for value in (record.get(key), record.get(f"{key}_iso")):
        seconds = epoch(value) if isinstance(value, str) else value
        if isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 < seconds < 2**35:
            return _moment(seconds)
    return ""


def _moment(seconds: object) -> str:
    usable = seconds if isinstance(seconds, int | float) and 0 <= seconds < 2**35 else 0
    return timestamp(usable)


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
