"""Importing the notes of an export. A note that is newer in the store stays as it is and is reported.

Credentials are removed, as in everything that is not typed by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from anamnesis.errors import InvalidNote
from anamnesis.export.reading import Export
from anamnesis.export.record import Entry, is_same
from anamnesis.notes.record import epoch, parse
from anamnesis.redact import redact
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
    fates: dict[str, Fate] = {}
    redacted: list[str] = []
    problems = list(export.problems)
    for number, (name, given) in enumerate(sorted(export.entries.items()), 1):
        entry = without_secrets(given)
        known = _known(store, name)
        fate = decide(entry, known)
        try:
            if fate in ("added", "updated") and not dry_run:
                store.put(entry.note, extras=entry.extras)
            fates[name] = fate
            if entry is not given and fate in ("added", "updated"):
                redacted.append(name)
        except InvalidNote as exc:
            problems.append(Problem(name, str(exc)))
        if progress is not None:
            progress(number, len(export.entries))
    chosen = {fate: tuple(name for name, one in fates.items() if one == fate) for fate in _FATES}
    if not dry_run and (chosen["added"] or chosen["updated"]):
        backend.commit(f"import: {len(chosen['added'])} added, {len(chosen['updated'])} updated")
    return Brought(**chosen, redacted=tuple(redacted), problems=tuple(problems))


_FATES: tuple[Fate, ...] = ("added", "updated", "unchanged", "kept")


def decide(entry: Entry, known: Entry | None) -> Fate:
    """What happens to a note, given the one with its id in the store: the later change wins, not a tie."""
    if known is None:
        return "added"
    if is_same(entry, known):
        return "unchanged"
    return "updated" if epoch(entry.note.updated_at) > epoch(known.note.updated_at) else "kept"


def without_secrets(entry: Entry) -> Entry:
    """`entry` itself, or a copy with its credentials redacted."""
    note = entry.note
    clean = replace(
        note, title=redact(note.title), body=redact(note.body), tags=[redact(tag) for tag in note.tags]
    )
    return entry if clean == note else Entry(clean, entry.extras)


def _known(store: MemoryStore, name: str) -> Entry | None:
    note, text = store.get(name), store.text_of(name)
    return Entry(note, parse(text)[1]) if note is not None and text is not None else None
