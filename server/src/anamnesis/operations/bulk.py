"""Changing many notes at once: tag, type, project, keep, delete; renaming and merging tags.

Filing a note differently does not make it newer, so its date stays. Each note is changed separately: one
that cannot be changed is reported, and the others are still changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from anamnesis.errors import AnamnesisError, InvalidNote
from anamnesis.index.listing import ids_wanted
from anamnesis.index.query import REVIEWED, Filter
from anamnesis.notes.record import TYPES, Memory, unique_tags
from anamnesis.operations.details import read_note
from anamnesis.operations.writing import check_project, check_tag, recorded
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend

Changes = dict[str, object]
_MOST = 20_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """Which notes were changed, each with its previous version, and why others could not be."""

    done: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def change_notes(
    store: MemoryStore, ids: Sequence[str], act: str, value: str, *, backend: SyncBackend
) -> Outcome:
    """Apply one change to many notes: `tag`, `untag`, `type` or `project` with a value, `keep`, `delete`."""
    value = value.strip()
    if act not in (*_ACTS, "delete"):
        raise InvalidNote(f"notes cannot be changed by {act[:40]!r}; use one of: {', '.join(_ACTS)}, delete")
    _check(act, value)
    change = _ACTS.get(act)
    return _each(store, ids, (lambda note: change(note, value)) if change else None, backend=backend)


def rename_tags(store: MemoryStore, names: Sequence[str], new: str, *, backend: SyncBackend) -> Outcome:
    """Replace some tags by another in every note; if that one is in use already, they are merged into it."""
    new, old = new.strip(), {name for name in names if name != new.strip()}
    check_tag(new)
    if not old:
        raise InvalidNote("no tag to rename was named; name at least one that differs from the new one")
    found = [_with_tag(store, name) for name in sorted(old)]
    ids = list(dict.fromkeys(note_id for ids in found for note_id in ids))
    return _each(
        store,
        ids,
        lambda note: {"tags": unique_tags([new if tag in old else tag for tag in note.tags])},
        backend=backend,
    )


def _with_tag(store: MemoryStore, tag: str) -> list[str]:
    return store.ask(lambda db: ids_wanted(db, Filter(tags=[tag]), limit=_MOST))


def _each(
    store: MemoryStore,
    ids: Sequence[str],
    change: Callable[[Memory], Changes] | None,
    *,
    backend: SyncBackend,
) -> Outcome:
    """Change or delete each of the notes; commits once before and once after all of them."""
    outcome = Outcome()
    with recorded(backend):
        for note_id in dict.fromkeys(ids):
            try:
                outcome.done[note_id] = _one(store, note_id, change)
            except AnamnesisError as exc:
                outcome.failed[note_id] = str(exc)
    return outcome


def _one(store: MemoryStore, note_id: str, change: Callable[[Memory], Changes] | None) -> str:
    known = read_note(store, note_id)
    if change is None:
        store.delete(note_id, base=known.version)
    else:
        changes = change(known.note)
        store.update(note_id, base=known.version, **changes, updated_at=known.note.updated_at)
    return known.version


def _check(act: str, value: str) -> None:
    if act in ("tag", "untag"):
        check_tag(value)
    elif act == "project":
        check_project(value)
        if not value:
            raise InvalidNote("no project was named; give a key such as host/owner/name, or global")
    elif act == "type" and value not in TYPES:
        raise InvalidNote(f"type {value[:40]!r} is not one of: {', '.join(TYPES)}")


_ACTS: dict[str, Callable[[Memory, str], Changes]] = {
    "tag": lambda note, tag: {"tags": unique_tags([*note.tags, tag])},
    "untag": lambda note, tag: {"tags": [each for each in note.tags if each != tag]},
    "type": lambda note, type: {"type": type},
    "project": lambda note, project: {"project": project},
    "keep": lambda note, _: {"tags": unique_tags([*note.tags, REVIEWED]), "confidence": 1.0},
}
