"""Which notes a reflection starts from, and which earlier reflections it may replace. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Set

from anamnesis.notes.record import DURABLE, REFLECTED, Memory, by_age

REFLECTION = "reflection"  # tag and prov_source of a note that a model wrote


def due_sources(
    notes: Iterable[Memory], *, superseded: Set[str], minimum: int, project: str | None = None
) -> dict[str, list[Memory]]:
    """By project, the session notes not yet reflected, oldest first; projects with too few are left out."""
    due: dict[str, list[Memory]] = {}
    for note in notes:
        if note.type != "episodic" or note.scope != "portable" or note.id in superseded:
            continue
        if REFLECTED not in note.tags and project in (None, note.project):
            due.setdefault(note.project, []).append(note)
    return {key: sorted(found, key=by_age) for key, found in sorted(due.items()) if len(found) >= minimum}


def earlier_reflections(notes: Iterable[Memory], *, superseded: Set[str], project: str) -> list[Memory]:
    """What earlier runs wrote for this project and nothing has replaced; newest first.

    Besides the sources, only these may be replaced: a model must never hide what a person wrote.
    """
    found = [
        note
        for note in notes
        if note.prov_source == REFLECTION
        and note.type in DURABLE
        and note.scope == "portable"
        and note.project == project
        and note.id not in superseded
    ]
    return sorted(found, key=by_age, reverse=True)
