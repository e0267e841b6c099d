"""Moving notes from one project key to another: one pair, or every configured alias. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from anamnesis.curate.plan import Plan, Step
from anamnesis.errors import ConfigError
from anamnesis.notes.record import Memory


def plan_migrate(notes: Iterable[Memory], *, renames: Mapping[str, str]) -> Plan:
    """Move every note of an old key to the last key in its chain (a to b, b to c: a goes to c)."""
    targets = {old: _target(old, renames) for old in renames}
    steps = [
        Step(
            "update",
            note,
            f"project {note.project} is now {targets[note.project]}",
            # Moving a note does not make it newer.
            {"project": targets[note.project], "updated_at": note.updated_at},
        )
        for note in notes
        if targets.get(note.project, note.project) != note.project
    ]
    steps.sort(key=lambda step: (step.note.project, step.note.id))
    return Plan("migrate", tuple(steps))


def _target(old: str, renames: Mapping[str, str]) -> str:
    seen = [old]
    while (following := renames.get(seen[-1])) is not None:
        if following in seen:
            circle = " -> ".join([*seen, following])
            raise ConfigError(f"project keys are renamed in a circle ({circle}); remove one of the pairs")
        if not following.strip() or not following.isprintable():
            raise ConfigError(f"{following!r} cannot be a project key; use one printable line")
        seen.append(following)
    return seen[-1]
