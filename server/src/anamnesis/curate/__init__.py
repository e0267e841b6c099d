"""Curation: merge, dedup, migrate and backfill. Pure functions plan, one function applies the plan.

    likeness     which notes say the same
    plans        the plans: merge, dedup, migrate, backfill

A plan says what to do to which note, and why. No model is used. Planning changes nothing, and planning twice
gives the same plan. Each step is checked again before it is applied: a note that has changed since is left
alone and reported. The store is committed before the first step, so that git can undo it, and right after the
last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from anamnesis.notes.record import Memory
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend
from anamnesis.text import Progress


@dataclass(frozen=True, slots=True)
class Step:
    """One change: `note` is the new note for a write, which `replaces` others; else the note as it was."""

    action: Literal["write", "update", "delete"]
    note: Memory
    why: str
    changes: Mapping[str, object] = field(default_factory=dict)
    replaces: tuple[Memory, ...] = ()
    heir: str = ""  # for a deletion: the note that remains

    def as_dict(self) -> dict[str, object]:
        """The JSON form."""
        entry: dict[str, object] = {
            "action": self.action,
            "id": self.note.id,
            "title": self.note.title,
            "project": self.note.project,
            "why": self.why,
        }
        if self.action == "write":
            return {**entry, "body": self.note.body, "supersedes": self.note.supersedes.split()}
        before = {name: getattr(self.note, name) for name in self.changes}
        after = {name: value for name, value in self.changes.items() if value != before[name]}
        before = {name: before[name] for name in after}
        return {**entry, "before": before, "after": after} if self.changes else entry


@dataclass(frozen=True, slots=True)
class Plan:
    """What a command would do, in order."""

    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done, and what was left alone because the note had changed meanwhile."""

    done: tuple[Step, ...]
    left: tuple[Step, ...]


def apply_plan(
    store: MemoryStore, backend: SyncBackend, plan: Plan, *, progress: Progress | None = None
) -> Applied:
    """Apply a plan and commit the result."""
    if not plan.steps:
        return Applied((), ())
    backend.commit(f"before {plan.name}")
    done: list[Step] = []
    left: list[Step] = []
    try:
        for number, step in enumerate(plan.steps, 1):
            (done if _apply_step(store, step) else left).append(step)
            if progress is not None:
                progress(number, len(plan.steps))
    finally:
        # Even after a failure half-way (no space, Ctrl-C): what was done must be committed.
        backend.commit(f"{plan.name}: {len(done)} of {len(plan.steps)} steps")
    return Applied(tuple(done), tuple(left))


def _apply_step(store: MemoryStore, step: Step) -> bool:
    touched = step.replaces if step.action == "write" else (step.note,)
    if not all(_is_as_planned(store.get(note.id), note, step.changes) for note in touched):
        return False
    if step.action == "write":
        store.put(step.note)
    elif step.action == "delete":
        store.delete(step.note.id)
    else:
        store.update(step.note.id, **step.changes)  # type: ignore[arg-type]  # `base` is not a field of a note
    return True


def _is_as_planned(now: Memory | None, planned: Memory, changes: Iterable[str]) -> bool:
    compared = ("title", "body", "type", "project", "scope", "supersedes", *changes)
    return now is not None and all(
        _comparable(getattr(now, name)) == _comparable(getattr(planned, name)) for name in compared
    )


def _comparable(value: object) -> object:
    return sorted(value) if isinstance(value, list) else value
