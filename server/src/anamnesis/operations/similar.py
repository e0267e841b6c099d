"""Notes that may say the same as another: what a model is shown after a write."""

from __future__ import annotations

from anamnesis.curate.likeness import words_of
from anamnesis.errors import NoteNotFound
from anamnesis.index.query import Filter
from anamnesis.project import keys_of
from anamnesis.store import MemoryStore

_COMPARED = 400  # characters of a body to search with
_CLOSE = 0.6  # of the shorter note's words


def similar_notes(store: MemoryStore, note_id: str, *, k: int = 3) -> list[dict[str, object]]:
    """Current notes of the same project, or global ones, that may say the same as this note: id and title."""
    note = store.get(note_id)
    if note is None:
        raise NoteNotFound(note_id)
    mine = words_of(f"{note.title} {note.body}")
    wanted = Filter(project=[*keys_of(note.project), "global"])
    hits = store.find(f"{note.title}\n{note.body[:_COMPARED]}", wanted, k=k + 5, explain=False)
    scored = [(_overlap(mine, words_of(f"{hit.note.title} {hit.note.body}")), hit.note) for hit in hits]
    close = sorted(
        ((score, other) for score, other in scored if other.id != note_id and score >= _CLOSE),
        key=lambda pair: -pair[0],
    )
    return [{"id": other.id, "title": other.title} for _, other in close[:k]]


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the smaller text's words that the larger one also has."""
    return len(one & other) / max(1, min(len(one), len(other)))
