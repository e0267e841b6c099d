"""Imports the notes of an export. A note that is newer in the store is kept and reported.

Credentials are removed, as from everything that a person did not type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from anamnesis.errors import InvalidNote
from anamnesis.export.reading import Export
from anamnesis.export.record import Entry, is_same
from anamnesis.notes.record import epoch, parse
from anamnesis.redact import find_secrets, redact
from anamnesis.store import MemoryStore, Problem
from anamnesis.sync import SyncBackend
from anamnesis.text import Progress

Fate = Literal["added", "updated", "unchanged", "kept"]


@dataclass(frozen=True, slots=True)
class Brought:
    """The ids of an import by what happened to them; `kept`: the store had a newer one."""

    added: tuple[str, ...]
    updated: tuple[str, ...]
    unchanged: tuple[str, ...]
    kept: tuple[str, ...]
    redacted: tuple[str, ...]
    problems: tuple[Problem, ...]


def bring_in(
    store: MemoryStore,
    backend: SyncBackend,
    export: Export,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Brought:
    """Put the notes of an export into the store and commit them; a dry run only says what would be done."""
    store.reindex()  # scans all files once; from here on checking the folders is enough
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
    return Brought(**done, redacted=tuple(redacted), problems=tuple(problems))


def _write(store: MemoryStore, batch: Mapping[str, Entry], chosen: Mapping[str, Fate]) -> dict[str, str]:
    """Write what was chosen; returns why some notes were not, by id."""
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


_AT_ONCE = 500
_APART = "\n" * 4  # too far for a name in one piece to be given the value of the next
_WRITTEN: tuple[Fate, ...] = ("added", "updated")
_FATES: tuple[Fate, ...] = (*_WRITTEN, "unchanged", "kept")


def decide(entry: Entry, known: Entry | None) -> Fate:
    """What to do with a note, given the one with its id in the store: only a later change wins."""
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
