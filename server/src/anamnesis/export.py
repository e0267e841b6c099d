"""Exports all notes as a folder of markdown; imports such a folder, or any markdown.

Our own notes are restored as they were. Other markdown becomes notes that are found by search but not told to
sessions (the tag `reference`), unless the person says otherwise. Such a file keeps its text and its
front-matter keys; its title is the `title:` key, else the file name; its id comes from its path, so importing
the folder again updates the same notes. Symlinks are not followed, and no path in an export is trusted: only
the validated id, type and scope decide where a note goes. A note that is newer in the store is kept and
reported. What an unknown note states as a rule counts for nothing, unless the person says otherwise.
Credentials are removed, as from everything that a person did not type.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from anamnesis import state
from anamnesis.errors import AnamnesisError, InvalidNote, NoteFormatError
from anamnesis.files import write_atomic
from anamnesis.index.rows import rule_lines
from anamnesis.layout import GLOBAL, MEMORY, SCOPE_OF, TREE_OF
from anamnesis.notes.frontmatter import Value, read_fields
from anamnesis.notes.record import (
    FIELDS,
    Extras,
    Memory,
    decode,
    note_path,
    parse,
    serialize,
    split_text,
    text_digest,
    tidied,
    unique_tags,
)
from anamnesis.notes.vocabulary import FACT, PINNED, REFERENCE, TYPES
from anamnesis.redact import redact
from anamnesis.store import MemoryStore, Problem
from anamnesis.sync import SyncBackend
from anamnesis.text import StepProgress, epoch, silent, timestamp

Fate = Literal["added", "updated", "unchanged", "kept"]

_CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_TEMPLATE = re.compile(r"<%[-_*+]?\s*tp\.|\{\{\s*(?:date|time|title)\b[^}\n]*\}\}")
_TEMPLATES = ("template", "templates")  # names of folders
_CREATED = ("created_at", "created", "date")
_UPDATED = ("updated_at", "updated", "modified", "last_modified")
_READ = frozenset(("title", "tags", "created_at", "updated_at"))  # our keys that other files may set
_IMPORTED = 0.9  # confidence: a person wrote it, but did not review it here
_SOURCE = "import"  # `prov_source` of notes whose rules and pins count for nothing
_LAST = "import"  # the mark with what the last import wrote


class Entry(NamedTuple):
    """A note with its foreign front-matter keys."""

    note: Memory
    extras: Extras


def _checked(entry: Entry) -> Entry | str:
    """`entry`, or why a store would not read it back unchanged.

    The text of a foreign key is written to the file unchanged, so it must not set another key.
    """
    try:
        tidied(entry.note)
        note, extras = parse(serialize(entry.note, entry.extras))
    except (InvalidNote, NoteFormatError) as exc:
        return str(exc)
    if not _is_same(Entry(note, {}), Entry(entry.note, {})) or extras.keys() != entry.extras.keys():
        return "it would not be read back unchanged; check its front matter"
    return entry


def _is_same(one: Entry, other: Entry) -> bool:
    """Whether two notes are equal in every field, whatever the order of their tags."""
    sides = [(replace(side.note, tags=sorted(side.note.tags)), side.extras) for side in (one, other)]
    return sides[0] == sides[1]


def export_folder(store: MemoryStore, folder: Path) -> int:
    """Write every note's markdown to `folder`, in the two trees of a store; returns the number of notes."""
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise AnamnesisError(f"{folder} already exists and is not an empty folder; name another one")
    count = 0
    for note in store.list(bodies=False):
        text = store.text_of(note.id)
        if text is None:  # it was deleted meanwhile
            continue
        write_atomic(folder / TREE_OF.get(note.scope, MEMORY) / note_path(note), text.encode())
        count += 1
    return count


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
        raise AnamnesisError(f"{path} does not exist; name a folder or a markdown file")
    if path.is_file() and path.suffix != ".md":
        raise AnamnesisError(f"{path} is not markdown; name a file .md, or a folder of markdown")
    filing = filing or Filing()
    read = _folder(path, filing) if path.is_dir() else [(path.name, _file(path, path.name, filing))]
    entries: dict[str, Entry] = {}
    problems: list[Problem] = []
    skipped: list[str] = []
    for name, found in read:
        if found == "":
            skipped.append(name)
        elif isinstance(found, str):
            problems.append(Problem(name, found))
        elif found.note.id in entries:
            problems.append(Problem(name, f"a second note with the id {found.note.id}"))
        else:
            entries[found.note.id] = found
    return Export(entries, tuple(problems), tuple(skipped))


def _folder(folder: Path, filing: Filing) -> Iterator[tuple[str, Entry | str]]:
    """Each markdown file in a folder, except in hidden folders and those of templates."""
    for current, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(name for name in names if name.endswith(".md") and not name.startswith(".")):
            place = Path(current, name).relative_to(folder).as_posix()
            if any(part.strip("_").lower() in _TEMPLATES for part in place.split("/")[:-1]):
                yield place, ""
            else:
                yield place, _file(Path(current, name), f"{folder.resolve().name}/{place}", filing)


def _file(path: Path, name: str, filing: Filing) -> Entry | str:
    """The note in a markdown file, or why it is none; `name` makes its id. "" for what is left out."""
    if path.is_symlink() or not path.is_file():
        return ""
    try:
        text, modified = decode(path.read_bytes()), path.stat().st_mtime
    except OSError as exc:
        return exc.strerror or "it cannot be read"
    except NoteFormatError as exc:
        return str(exc)
    if _is_foreign(text):
        return _from_markdown(text.replace("\r\n", "\n"), filing, name, modified)
    return _own(text, name)


def _is_foreign(text: str) -> bool:
    """Whether a markdown text is not one of our notes: it has no front matter with our keys."""
    try:
        values, _ = read_fields(split_text(text)[0])
    except NoteFormatError:
        return True
    return "id" not in values or values.get("type") not in TYPES


def _own(text: str, name: str) -> Entry | str:
    try:
        note, extras = parse(text)
    except (InvalidNote, NoteFormatError) as exc:
        return str(exc)
    tree = name.split("/")[1] if "/" in name else ""
    return _checked(Entry(replace(note, scope=SCOPE_OF.get(tree, note.scope)), extras))


def _from_markdown(text: str, filing: Filing, name: str, modified: float) -> Entry | str:
    """Another tool's markdown file as a note; a template or an empty file gives ""."""
    values, extras, body = _split(text)
    if not body or _TEMPLATE.search(_CODE.sub("", text)):
        return ""
    raw = name.encode("utf-8", "surrogateescape")  # a path need not be UTF-8
    stem = raw.rpartition(b"/")[2].removesuffix(b".md").decode("utf-8", "replace")
    kind, written = _plain(values.get("type")), timestamp(modified)
    note = Memory(
        id=f"md-{hashlib.sha256(raw).hexdigest()[:20]}",
        type=kind if kind in TYPES else FACT,
        title=" ".join((_plain(values.get("title")) or stem).split()),
        body=body,
        project=filing.project,
        machine_id=filing.machine_id,
        tags=unique_tags([*_tags(values.get("tags")), *([] if filing.tell else [REFERENCE])]),
        created_at=_date(values, _CREATED) or written,
        updated_at=_date(values, _UPDATED) or written,
        prov_source=_SOURCE,
        confidence=_IMPORTED,
    )
    if isinstance(_checked(Entry(replace(note, body=""), extras)), str):
        note, extras = replace(note, body=text.strip()), {}  # its keys cannot be kept as keys, but as text
    return _checked(Entry(note, extras))


def _split(text: str) -> tuple[dict[str, Value], Extras, str]:
    """The keys of a file, the raw text of those we do not read, and its body; what is not YAML is text.

    A key with the name of one of our fields gets another name, because the field is ours to set.
    """
    try:
        front, body = split_text(text)
        values, raw = read_fields(front)
    except NoteFormatError:
        return {}, {}, text.strip()
    extras = {key: raw[key] for key in raw if key not in FIELDS}
    for key in (key for key in raw if key in FIELDS and key not in _READ):
        if key != "type" or values[key] not in TYPES:
            extras[f"original_{key}"] = f"original_{key}:{raw[key].partition(':')[2]}"
    return values, extras, body.strip()


def _tags(value: Value) -> list[str]:
    found = value if isinstance(value, list) else (value or "").split(",")
    return [tag.strip().lstrip("#") for tag in found if tag.strip().lstrip("#")]


def _date(values: dict[str, Value], keys: Iterable[str]) -> str:
    """The first of these keys with a date, in the format of notes."""
    found = (epoch(_plain(values.get(key))) for key in keys)
    return next((timestamp(seconds) for seconds in found if seconds > 0), "")


def _plain(value: Value) -> str:
    return value.strip() if isinstance(value, str) else ""


def import_notes(
    store: MemoryStore,
    backend: SyncBackend,
    export: Export,
    *,
    dry_run: bool = False,
    refile: bool = False,
    trust: bool = False,
    progress: StepProgress = silent,
) -> Imported:
    """Write the notes of an export to the store and commit them; a dry run only reports what it would do.

    With `refile`, notes that are otherwise unchanged get the project and tags of the export. Without `trust`,
    the rules and pins of notes that the store did not have before count for nothing.
    """
    store.reindex()  # scans all files once; after that, checking the folders is enough
    clean: dict[str, Entry] = {}
    fates: dict[str, Fate] = {}
    cleaned: set[str] = set()
    for number, name in enumerate(sorted(export.entries), 1):
        known = _known(store, name)
        clean[name] = _without_secrets(export.entries[name])
        if clean[name] is not export.entries[name]:
            cleaned.add(name)
        if not trust and (known is None or known.note.prov_source == _SOURCE):
            clean[name] = _without_rules(clean[name])
        fates[name] = _decide(clean[name], known, refile=refile)
        progress("importing", number, len(export.entries))
    refused = {} if dry_run else _write(store, clean, fates)
    added, updated, unchanged, kept = (
        tuple(name for name, fate in fates.items() if fate == wanted and name not in refused)
        for wanted in ("added", "updated", "unchanged", "kept")
    )
    if not dry_run and (added or updated):
        # So that it can be taken back.
        digests = {name: _digest(store, name) for name in (*added, *updated)}
        state.save(store.root, state.Mark(_LAST, json.dumps({"added": added, "digests": digests})))
        backend.commit(f"import: {len(added)} added, {len(updated)} updated")
    redacted = tuple(name for name in (*added, *updated) if name in cleaned)
    problems = (*export.problems, *(Problem(name, why) for name, why in refused.items()))
    return Imported(added, updated, unchanged, kept, redacted, problems)


def _write(store: MemoryStore, entries: dict[str, Entry], fates: dict[str, Fate]) -> dict[str, str]:
    """Write the added and updated notes; returns why some could not be written, by id."""
    refused = store.add_many([entry for name, entry in entries.items() if fates[name] == "added"])
    for name in (name for name in entries if fates[name] == "updated"):
        try:
            store.put(entries[name].note, extras=entries[name].extras)
        except InvalidNote as exc:
            refused[name] = str(exc)
    return refused


def _decide(entry: Entry, known: Entry | None, *, refile: bool) -> Fate:
    """What to do with a note, given the store's note with the same id: only a later change wins."""
    if known is None:
        return "added"
    if _is_same(entry, known):
        return "unchanged"
    old = known.note
    filed = replace(entry.note, project=old.project, tags=old.tags, prov_source=old.prov_source)
    if _is_same(Entry(filed, entry.extras), known):  # it was only filed elsewhere
        return "updated" if refile else "unchanged"
    return "updated" if epoch(entry.note.updated_at) > epoch(known.note.updated_at) else "kept"


def _known(store: MemoryStore, name: str) -> Entry | None:
    note, text = store.get(name, thorough=False), store.text_of(name, thorough=False)
    return Entry(note, parse(text)[1]) if note is not None and text is not None else None


def _without_secrets(entry: Entry) -> Entry:
    """`entry` itself, or a copy with its credentials redacted, without the foreign keys that have one."""
    note = entry.note
    tags = [redact(tag) for tag in note.tags]
    clean = Entry(
        replace(note, title=redact(note.title), body=redact(note.body), tags=tags),
        {key: raw for key, raw in entry.extras.items() if redact(raw) == raw},
    )
    return entry if clean == entry else clean


def states_rules(note: Memory) -> bool:
    """Whether sessions would be told a note as a rule or as pinned."""
    return bool(rule_lines(note)) or (PINNED in note.tags and note.prov_source != _SOURCE)


def _without_rules(entry: Entry) -> Entry:
    note = replace(entry.note, prov_source=_SOURCE) if states_rules(entry.note) else entry.note
    return Entry(note, entry.extras)


def _digest(store: MemoryStore, name: str) -> str:
    note = store.get(name, thorough=False)
    return text_digest(note.title, note.body) if note is not None else ""


def undo_import(store: MemoryStore, backend: SyncBackend) -> tuple[list[str], list[str]]:
    """Take the last import back: delete what it added, restore what it replaced.

    Returns the ids of the notes taken back, and of those that stay: they were changed since, or the text that
    they had is not kept any more. AnamnesisError if there is no import to take back.
    """
    mark = state.mark(store.root, _LAST)
    if not mark:
        raise AnamnesisError(
            "there is no import to undo on this machine; `anamnesis history` has all changes"
        )
    last = json.loads(mark)
    store.reindex()
    undone, kept = [], []
    for name, digest in last["digests"].items():
        now, replaced = _digest(store, name), store.undo.of_note(name)
        if now != digest or not (replaced or name in last["added"]):
            kept += [name] if now else []
            continue
        if name in last["added"]:
            store.delete(name)
        else:
            note, extras = parse(decode(replaced[0].path.read_bytes()))
            store.put(note, extras=extras)
        undone.append(name)
    state.save(store.root, drop=[state.Mark(_LAST, mark)])
    backend.commit(f"import: {len(undone)} taken back")
    return undone, kept
