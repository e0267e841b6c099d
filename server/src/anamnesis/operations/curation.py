"""Changes many notes at once: merge, dedup, migrate, backfill, reflect; change tags, types and projects.

A new tag, type or project does not make a note newer, so its date stays. Each note is changed separately: if
one cannot be changed, it is reported and the others are still changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anamnesis.curate import Applied, Plan, apply_plan, plan_backfill, plan_dedup, plan_merge, plan_migrate
from anamnesis.curate.likeness import CLOSE_MEANING
from anamnesis.errors import AnamnesisError, InvalidNote
from anamnesis.files import write_atomic
from anamnesis.index.listing import ids_wanted
from anamnesis.index.query import REVIEWED, Filter
from anamnesis.layout import ALIASES_FOLDER
from anamnesis.model import Usage
from anamnesis.model.client import ModelClient
from anamnesis.model.endpoint import resolve_endpoint
from anamnesis.notes.record import DURABLE, TYPES, Memory, unique_tags
from anamnesis.operations.notes import check_project, check_tag, read_note, recorded
from anamnesis.reflect import Outcome, reflect
from anamnesis.settings import resolve_number
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend
from anamnesis.text import Progress

Changes = dict[str, object]
_SHOWN_PAIRS = 50
_TAGGED_NOTES = 20_000  # changed at once, at most


def propose_merge(
    store: MemoryStore,
    *,
    machine_id: str,
    project: str | None = None,
    without: Collection[str] = (),
    progress: Progress | None = None,
) -> Plan:
    """Plan to merge each group of durable notes that say the same into one note; not those in `without`."""
    return plan_merge(
        [note for note in store.list(project=project) if note.id not in without],
        superseded=store.superseded_ids(),
        machine_id=machine_id,
        progress=progress,
    )


def propose_dedup(store: MemoryStore, *, project: str | None = None) -> Plan:
    """Plan to keep one of each set of notes with identical bodies."""
    return plan_dedup(store.list(project=project), superseded=store.superseded_ids())


def propose_migration(store: MemoryStore, renames: Mapping[str, str]) -> Plan:
    """Plan to move every note from an old project key to the new one; an invalid key is refused."""
    for key in renames.values():
        check_project(key)
    return plan_migrate(store.list(), renames=renames)


def propose_backfill(store: MemoryStore, backend: SyncBackend) -> Plan:
    """Plan to fill in where notes came from, as far as there is evidence."""
    return plan_backfill(store, backend)


def alike_pairs(store: MemoryStore, *, project: str | None = None) -> list[dict[str, object]]:
    """Pairs of a project's current durable notes that may say the same, by the semantic model.

    For a person to review: a model confuses names, so nothing is merged automatically.
    """
    hidden = store.superseded_ids()
    notes = {
        note.id: note
        for note in store.list(project=project, bodies=False)
        if note.type in DURABLE and note.id not in hidden
    }
    pairs = store.meaning.close_pairs(list(notes), least=CLOSE_MEANING) if store.meaning is not None else []
    return [
        {"ids": [one, other], "titles": [notes[one].title, notes[other].title], "cosine": round(cosine, 2)}
        for one, other, cosine in pairs
        if notes[one].project == notes[other].project
    ][:_SHOWN_PAIRS]


def carry_out(
    store: MemoryStore,
    backend: SyncBackend,
    plan: Plan,
    *,
    renames: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Applied:
    """Apply a plan and commit it; `renames` become aliases that are synced with the notes."""
    for old, new in (renames or {}).items():
        write_alias(store.memory_dir, old, new)
    return apply_plan(store, backend, plan, progress=progress)


def write_alias(memory_dir: Path, old: str, new: str) -> Path:
    """Record for all machines that `old` is now called `new`, in a small synced file.

    `new` may have been renamed before. It is in use again, and two aliases in a circle would mean nothing.
    """
    _alias_file(memory_dir, new).unlink(missing_ok=True)
    path = _alias_file(memory_dir, old)
    write_atomic(path, json.dumps({"old": old, "new": new}, ensure_ascii=False, indent=1).encode() + b"\n")
    return path


def _alias_file(memory_dir: Path, old: str) -> Path:
    name = "".join(char if char.isalnum() and char.isascii() else "-" for char in old)[:60]
    digest = hashlib.sha256(old.encode("utf-8", "replace")).hexdigest()[:8]
    return memory_dir / ALIASES_FOLDER / f"{name}-{digest}.json"


@dataclass(frozen=True, slots=True)
class Reflection:
    """The result for each project, and what the model was asked."""

    outcomes: list[Outcome]
    usage: Usage


def reflect_store(
    store: MemoryStore,
    backend: SyncBackend,
    *,
    machine_id: str,
    project: str | None = None,
    apply: bool = False,
    progress: Progress | None = None,
) -> Reflection:
    """Reflect the projects that are due, or only `project`; notes are written only with `apply`."""
    client = ModelClient(resolve_endpoint(home=store.root), root=store.root)
    outcomes = reflect(
        store,
        backend,
        client,
        machine_id=machine_id,
        minimum=int(resolve_number("reflect_min_episodics", home=store.root)),
        project=project,
        apply=apply,
        progress=progress,
    )
    return Reflection(outcomes, client.spent)


@dataclass(frozen=True, slots=True)
class BulkOutcome:
    """The notes that were changed, each with its previous version, and why others could not be."""

    done: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def change_notes(
    store: MemoryStore, ids: Sequence[str], act: str, value: str, *, backend: SyncBackend
) -> BulkOutcome:
    """Apply one change to many notes: `tag`, `untag`, `type` or `project` with a value, `keep`, `delete`."""
    value = value.strip()
    if act not in ACTS:
        raise InvalidNote(f"notes cannot be changed by {act[:40]!r}; use one of: {', '.join(ACTS)}")
    _check(act, value)
    change = _ACTS.get(act)
    return _change_each(store, ids, (lambda note: change(note, value)) if change else None, backend=backend)


def rename_tags(store: MemoryStore, names: Sequence[str], new: str, *, backend: SyncBackend) -> BulkOutcome:
    """Replace tags with another one in every note; if that one exists already, they are merged into it."""
    new, old = new.strip(), {name for name in names if name != new.strip()}
    check_tag(new)
    if not old:
        raise InvalidNote("no tag to rename was named; name at least one that differs from the new one")
    wanted = [Filter(tags=[name]) for name in sorted(old)]
    found = store.ask(lambda db: [ids_wanted(db, each, limit=_TAGGED_NOTES) for each in wanted])
    return _change_each(
        store,
        [note_id for ids in found for note_id in ids],
        lambda note: {"tags": unique_tags([new if tag in old else tag for tag in note.tags])},
        backend=backend,
    )


def _change_each(
    store: MemoryStore,
    ids: Sequence[str],
    change: Callable[[Memory], Changes] | None,
    *,
    backend: SyncBackend,
) -> BulkOutcome:
    """Change or delete each of the notes; commits once before and once after all of them."""
    outcome = BulkOutcome()
    with recorded(backend):
        for note_id in dict.fromkeys(ids):
            try:
                note, version = read_note(store, note_id)
                if change is None:
                    store.delete(note_id, base=version)
                else:
                    store.update(note_id, base=version, **change(note), updated_at=note.updated_at)
                outcome.done[note_id] = version
            except AnamnesisError as exc:
                outcome.failed[note_id] = str(exc)
    return outcome


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
ACTS = (*_ACTS, "delete")
