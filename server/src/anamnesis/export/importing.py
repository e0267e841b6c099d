"""Reads an export or any markdown, writes it to a store, and takes the last import back.

Our own notes are restored as they were. Other markdown becomes notes that are found by search but not told to
sessions (the tag `reference`), unless the person says otherwise. Such a file keeps its text and its
front-matter keys; its title is the `title:` key, else the file name; its id comes from its path, so importing
the folder again updates the same notes. Symlinks are not followed, and no path in an export is trusted: only
the validated id, type and scope decide where a note goes. A note that is newer in the store is kept and
reported. Credentials are removed, as from everything that a person did not type.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from anamnesis import state
from anamnesis.errors import AnamnesisError, InvalidNote, NoteFormatError
from anamnesis.export import FORMAT, VERSION, Entry, checked, from_record, is_same
from anamnesis.layout import GLOBAL, SCOPE_OF
from anamnesis.notes.frontmatter import Value, read_fields
from anamnesis.notes.record import (
    FIELDS,
    MAX_BODY,
    TYPES,
    Extras,
    Memory,
    decode,
    epoch,
    identity,
    parse,
    split_text,
    text_digest,
    unique_tags,
)
from anamnesis.notes.vocabulary import FACT, REFERENCE, timestamp
from anamnesis.redact import find_secrets, redact
from anamnesis.store import MemoryStore, Problem
from anamnesis.sync import SyncBackend
from anamnesis.text import Progress

_Found = Iterator[tuple[str, Entry | str]]  # a note's place in the export, and the note or its problem
Fate = Literal["added", "updated", "unchanged", "kept"]

_AT_ONCE = 500  # notes written in one step
_APART = "\n" * 4  # so far apart that redaction does not assign a value to the name before it
_FATES: tuple[Fate, ...] = ("added", "updated", "unchanged", "kept")
_HEADING = re.compile(r"^#{1,3} +(?P<title>.+?)[ #]*$", re.MULTILINE)
_CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_TEMPLATE = re.compile(r"<%[-_*+]?\s*tp\.|\{\{\s*(?:date|time|title)\b[^}\n]*\}\}")
_TEMPLATES = ("template", "templates")  # names of folders
_CREATED = ("created_at", "created", "date")
_UPDATED = ("updated_at", "updated", "modified", "last_modified")
_READ = frozenset(("title", "tags", "created_at", "updated_at"))  # our keys that other files may set
_NOT_GIVEN = frozenset(("rule", "pinned"))  # tags that only a person of this store gives
_MAX_TITLE = 120
_READABLE = "name a file that `anamnesis export` wrote, a markdown file (.md), or a folder of markdown"
_IMPORTED = 0.9  # confidence: a person wrote it, but did not review it here
_LAST = "import"  # the mark with what the last import wrote


@dataclass(frozen=True, slots=True)
class Filing:
    """The project and machine that imported notes get, and whether sessions are told them."""

    project: str = GLOBAL
    machine_id: str = "unknown"
    tell: bool = False


@dataclass(frozen=True, slots=True)
class Export:
    """The notes of an export by id, the entries that cannot be read as notes, and the files left out."""

    entries: dict[str, Entry]
    problems: tuple[Problem, ...]
    skipped: tuple[str, ...] = ()  # templates, files without text, and symlinks


@dataclass(frozen=True, slots=True)
class Imported:
    """The ids of an import by what happened to each; `kept` means that the store has a newer note."""

    added: tuple[str, ...]
    updated: tuple[str, ...]
    unchanged: tuple[str, ...]
    kept: tuple[str, ...]
    redacted: tuple[str, ...]
    problems: tuple[Problem, ...]


def read_export(path: Path, filing: Filing | None = None) -> Export:
    """Read an export, or any markdown; `filing` has the fields for other tools' notes."""
    if not path.exists():
        raise AnamnesisError(f"{path} does not exist; name a JSON export, a folder or a markdown file")
    entries: dict[str, Entry] = {}
    problems: list[Problem] = []
    skipped: list[str] = []
    for name, found in _read(path, filing or Filing()):
        if found == "":
            skipped.append(name)
        elif isinstance(found, str):
            problems.append(Problem(name, found))
        elif found.note.id in entries:
            problems.append(Problem(name, f"a second note with the id {found.note.id}"))
        else:
            entries[found.note.id] = found
    return Export(entries, tuple(problems), tuple(skipped))


def _read(path: Path, filing: Filing) -> _Found:
    if path.is_dir():
        return _folder(path, filing)
    return _file(path, path.name, path.name, filing) if path.suffix == ".md" else _document(path)


def _document(path: Path) -> _Found:
    """Each note in a JSON export, with its place in the file."""
    try:
        content = json.loads(path.read_bytes())
    except OSError as exc:
        raise AnamnesisError(f"{path}: {exc.strerror}; name a file that you can read") from exc
    except (ValueError, RecursionError) as exc:
        raise AnamnesisError(f"{path} is not an export of Anamnesis; {_READABLE}") from exc
    fields = content if isinstance(content, dict) else {}
    if fields.get("format") != FORMAT or not isinstance(fields.get("notes"), list):
        raise AnamnesisError(f"{path} is not an export of Anamnesis; {_READABLE}")
    if fields.get("version") != VERSION:
        raise AnamnesisError(
            f"{path} has version {fields.get('version')!r}, and {VERSION} is known here; update Anamnesis"
        )
    for number, record in enumerate(fields["notes"], 1):
        yield f"note {number}", _or_reason(partial(from_record, record))


def _or_reason(read: Callable[[], Entry]) -> Entry | str:
    """What `read` returns, or why it is not a note."""
    try:
        return read()
    except (InvalidNote, NoteFormatError) as exc:
        return str(exc)


def _folder(folder: Path, filing: Filing) -> _Found:
    """Each markdown file in a folder, except in hidden folders and those of templates."""
    for current, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(name for name in names if name.endswith(".md") and not name.startswith(".")):
            place = Path(current, name).relative_to(folder).as_posix()
            if any(part.strip("_").lower() in _TEMPLATES for part in place.split("/")[:-1]):
                yield place, ""
            else:
                yield from _file(Path(current, name), place, f"{folder.resolve().name}/{place}", filing)


def _file(path: Path, place: str, name: str, filing: Filing) -> _Found:
    """The note in a markdown file, or several if it is too long for one; `name` makes their ids."""
    if path.is_symlink() or not path.is_file():
        yield place, ""
        return
    try:
        data, modified = path.read_bytes(), path.stat().st_mtime
    except OSError as exc:
        yield place, exc.strerror or "it cannot be read"
        return
    text = _text_in(data)
    if is_foreign(text):
        yield from from_markdown(text, filing, place=place, name=name, modified=modified)
    else:
        yield place, _or_reason(partial(_own, data, name))


def _own(data: bytes, name: str) -> Entry:
    note, extras = parse(decode(data))
    tree = name.split("/")[1] if "/" in name else ""
    return checked(Entry(replace(note, scope=SCOPE_OF.get(tree, note.scope)), extras))


def _text_in(data: bytes) -> str:
    """The text of a file; one that is not UTF-8 is read as the usual encoding of old Windows files."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "cp1252", "replace")
    return text.replace("\r\n", "\n")


def is_foreign(text: str) -> bool:
    """Whether a markdown text is not one of our notes: it has no front matter with our keys."""
    try:
        values, _ = read_fields(split_text(text)[0])
    except NoteFormatError:
        return True
    return "id" not in values or values.get("type") not in TYPES


def from_markdown(text: str, filing: Filing, *, place: str, name: str, modified: float) -> _Found:
    """Another tool's markdown file as a note, or as several; a template or an empty file gives ""."""
    values, extras, body = _split(text)
    if not body or _TEMPLATE.search(_CODE.sub("", text)):
        yield place, ""
        return
    raw = name.encode("utf-8", "surrogateescape")  # a path need not be UTF-8
    stem = raw.rpartition(b"/")[2].removesuffix(b".md").decode("utf-8", "replace")
    title = " ".join((_plain(values.get("title")) or stem).split())
    kind, written = _plain(values.get("type")), timestamp(modified)
    given = [tag for tag in _tags(values.get("tags")) if tag.lower() not in _NOT_GIVEN]
    whole = Memory(
        id=f"md-{hashlib.sha256(raw).hexdigest()[:20]}",
        type=kind if kind in TYPES else FACT.name,
        title=_shortened(title),
        body=body,
        project=filing.project,
        machine_id=filing.machine_id,
        tags=unique_tags([*given, *([] if filing.tell else [REFERENCE])]),
        created_at=_date(values, _CREATED) or written,
        updated_at=_date(values, _UPDATED) or written,
        prov_source="import",
        confidence=_IMPORTED,
    )
    if isinstance(_or_reason(partial(checked, Entry(replace(whole, body=""), extras))), str):
        whole, extras = replace(whole, body=text.strip()), {}  # its keys cannot be kept as keys, but as text
    for note in _parts(whole):
        yield place, _or_reason(partial(checked, Entry(note, extras)))


def _split(text: str) -> tuple[dict[str, Value], Extras, str]:
    """The keys of a file, the raw text of those we do not read, and its body; what is not YAML is text.

    A key with the name of one of our fields gets another name, because the field is ours to set.
    """
    try:
        front, body = split_text(text)
        values, raw = read_fields(front)
        extras = {key: raw[key] for key in raw if key not in FIELDS}
        for key in (key for key in raw if key in FIELDS and key not in _READ):
            if key != "type" or values[key] not in TYPES:
                extras[f"original_{key}"] = f"original_{key}:{raw[key].partition(':')[2]}"
        return values, extras, body.strip()
    except NoteFormatError:
        return {}, {}, text.strip()


def _parts(note: Memory) -> list[Memory]:
    """The note itself, or if it is too long, one note for as many sections as fit into one."""
    if len(note.body.encode()) <= MAX_BODY:
        return [note]
    starts = [0, *(found.start() for found in _HEADING.finditer(note.body) if found.start())]
    cuts, size = [0], 0
    for start, end in zip(starts, [*starts[1:], len(note.body)], strict=True):
        length = len(note.body[start:end].encode())
        if size and size + length > MAX_BODY:
            cuts.append(start)
            size = 0
        size += length
    bodies = [note.body[start:end].strip() for start, end in zip(cuts, [*cuts[1:], None], strict=True)]
    return [
        replace(note, id=f"{note.id}-{number}", title=f"{note.title} ({number})", body=body)
        for number, body in enumerate(bodies, 1)
    ]


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

    With `refile`, notes that are otherwise unchanged get the project and tags of the export.
    """
    store.reindex()  # scans all files once; after that, checking the folders is enough
    doubles = _deleted_doubles(store, export)
    fates: dict[str, Fate] = {}
    redacted: list[str] = []
    problems = list(export.problems)
    for start in range(0, len(names := sorted(export.entries)), _AT_ONCE):
        batch = {name: without_secrets(export.entries[name]) for name in names[start : start + _AT_ONCE]}
        chosen = {
            name: "unchanged" if name in doubles else decide(entry, _known(store, name), refile=refile)
            for name, entry in batch.items()
        }
        refused = {} if dry_run else _write(store, batch, chosen)
        problems += [Problem(name, why) for name, why in refused.items()]
        fates |= {name: fate for name, fate in chosen.items() if name not in refused}
        written = [name for name in batch if fates.get(name) in ("added", "updated")]
        redacted += [name for name in written if batch[name] is not export.entries[name]]
        if progress is not None:
            progress(min(start + _AT_ONCE, len(names)), len(names))
    done = {fate: tuple(name for name in names if fates.get(name) == fate) for fate in _FATES}
    if not dry_run and (done["added"] or done["updated"]):
        _remember(store, added=done["added"], updated=done["updated"])
        backend.commit(f"import: {len(done['added'])} added, {len(done['updated'])} updated")
    return Imported(**done, redacted=tuple(redacted), problems=tuple(problems))


def _write(store: MemoryStore, batch: dict[str, Entry], chosen: dict[str, Fate]) -> dict[str, str]:
    """Write the chosen notes; returns why some could not be written, by id."""
    added = [entry for name, entry in batch.items() if chosen[name] == "added"]
    refused = store.add_many([(entry.note, entry.extras) for entry in added])
    for name in (name for name in batch if chosen[name] == "updated"):
        try:
            store.put(batch[name].note, extras=batch[name].extras)
        except InvalidNote as exc:
            refused[name] = str(exc)
    return refused


def _deleted_doubles(store: MemoryStore, export: Export) -> set[str]:
    """The notes that were deleted here and that the store has under another id: `dedup` deleted them.

    A person may have edited the note that was kept, so the export's version of it counts as well.
    """
    hidden, notes = store.superseded_ids(), store.list()
    exported = (export.entries[note.id].note for note in notes if note.id in export.entries)
    said = {identity(note) for note in (*notes, *exported) if note.id not in hidden}
    there = {note.id for note in notes}
    doubles = (name for name, entry in export.entries.items() if identity(entry.note) in said)
    return {name for name in doubles if name not in there and store.undo.of_note(name)}


def decide(entry: Entry, known: Entry | None, *, refile: bool = False) -> Fate:
    """What to do with a note, given the store's note with the same id: only a later change wins."""
    if known is None:
        return "added"
    if is_same(entry, known):
        return "unchanged"
    filed = replace(entry.note, project=known.note.project, tags=known.note.tags)
    if is_same(replace(entry, note=filed), known):  # it was only filed elsewhere
        return "updated" if refile else "unchanged"
    return "updated" if epoch(entry.note.updated_at) > epoch(known.note.updated_at) else "kept"


def _remember(store: MemoryStore, *, added: tuple[str, ...], updated: tuple[str, ...]) -> None:
    """Record what this import wrote, so that it can be taken back."""
    digests = {name: _digest(store, name) for name in (*added, *updated)}
    state.save(store.root, state.Mark(_LAST, json.dumps({"added": added, "digests": digests})))


def _digest(store: MemoryStore, name: str) -> str:
    note = store.get(name, thorough=False)
    return text_digest(note.title, note.body) if note is not None else ""


def undo_import(store: MemoryStore, backend: SyncBackend) -> tuple[list[str], list[str]]:
    """Take the last import back: delete what it added, restore what it replaced.

    Returns the ids of the notes taken back, and of those that were changed since and stay. AnamnesisError if
    there is no import to take back.
    """
    last = json.loads(state.mark(store.root, _LAST) or "{}")
    if not last:
        raise AnamnesisError(
            "there is no import to undo on this machine; `anamnesis history` has all changes"
        )
    store.reindex()
    undone, kept = [], []
    for name, digest in last["digests"].items():
        if not digest or _digest(store, name) != digest:
            kept += [name] if store.get(name, thorough=False) else []
            continue
        if name in last["added"]:
            store.delete(name)
        else:
            before = store.undo.of_note(name)[0].path
            note, extras = parse(decode(before.read_bytes()))
            store.put(note, extras=extras)
        undone.append(name)
    state.save(store.root, drop=[state.Mark(_LAST, state.mark(store.root, _LAST))])
    backend.commit(f"import: {len(undone)} taken back")
    return undone, kept


def without_secrets(entry: Entry) -> Entry:
    """`entry` itself, or a copy with its credentials redacted."""
    note = entry.note
    if not find_secrets(_APART.join((note.title, *note.tags, note.body))):
        return entry
    tags = [redact(tag) for tag in note.tags]
    clean = replace(note, title=redact(note.title), body=redact(note.body), tags=tags)
    return entry if clean == note else Entry(clean, entry.extras)


def _known(store: MemoryStore, name: str) -> Entry | None:
    note = store.get(name, thorough=False)
    text = store.text_of(name, thorough=False) if note is not None else None
    return Entry(note, parse(text)[1]) if note is not None and text is not None else None


def _shortened(title: str) -> str:
    return title if len(title) <= _MAX_TITLE else title[:_MAX_TITLE].rsplit(" ", 1)[0] + "…"


def _tags(value: Value) -> list[str]:
    found = value if isinstance(value, list) else (value or "").split(",")
    return [tag.strip().lstrip("#") for tag in found if tag.strip().lstrip("#")]


def _date(values: dict[str, Value], keys: tuple[str, ...]) -> str:
    """The first of these keys with a date, in the format of notes."""
    found = (epoch(_plain(values.get(key))) for key in keys)
    return next((timestamp(seconds) for seconds in found if seconds > 0), "")


def _plain(value: Value) -> str:
    return value.strip() if isinstance(value, str) else ""
