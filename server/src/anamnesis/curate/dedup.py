"""One note in place of several with the same body, type, project and scope. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Set

from anamnesis.curate.plan import Plan, Step
from anamnesis.notes.record import Memory, by_age, ids_superseded_by, unique_tags


def plan_dedup(notes: Iterable[Memory], *, superseded: Set[str]) -> Plan:
    """Keep the earliest of each set of identical notes with the tags of all; delete the rest."""
    groups: dict[tuple[str, ...], list[Memory]] = {}
    for note in notes:
        # A superseded note is history; collapsing a current note onto it would hide its text.
        if note.id not in superseded:
            groups.setdefault(_identity(note), []).append(note)
    steps: list[Step] = []
    for group in sorted(
        (sorted(found, key=by_age) for found in groups.values()), key=lambda found: found[0].id
    ):
        steps += _collapse(group)
    return Plan("dedup", tuple(steps))


def _identity(note: Memory) -> tuple[str, ...]:
    body = note.body.strip()
    # Two notes without a body are the same only when their titles are.
    return note.type, note.project, note.scope, body, "" if body else note.title.strip()


def _collapse(group: list[Memory]) -> list[Step]:
    if len(group) == 1:
        return []
    keeper, *rest = group
    own = {note.id for note in group}
    replaced = dict.fromkeys(name for note in group for name in ids_superseded_by(note) if name not in own)
    changes: dict[str, object] = {}
    if (tags := unique_tags([tag for note in group for tag in note.tags])) != unique_tags(keeper.tags):
        changes["tags"] = tags
    if (supersedes := " ".join(replaced)) != keeper.supersedes:
        changes["supersedes"] = supersedes
    steps = [Step("update", keeper, f"replaces {len(rest)} identical", changes)] if changes else []
    return steps + [Step("delete", note, f"same body as {keeper.id}", heir=keeper.id) for note in rest]
