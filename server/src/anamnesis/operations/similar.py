"""Notes that may say the same as another; a model is shown them after a write."""

from __future__ import annotations

from anamnesis.curate.likeness import CLOSE, CLOSE_MEANING, likeness, words_of
from anamnesis.index.query import Filter
from anamnesis.layout import GLOBAL
from anamnesis.notes.record import DURABLE, Memory
from anamnesis.operations.details import read_note
from anamnesis.project import keys_of
from anamnesis.store import MemoryStore

_COMPARED = 240  # characters of a body that the search for similar notes uses
_CHOOSERS = 8  # of its rarest words, one of which a similar note has
_SPARE = 5  # fetch more than needed: search order is not the order of likeness
_MOST_PAIRS = 50
RELATED = 0.25  # the least likeness that is worth showing


def similar_notes(store: MemoryStore, note_id: str, *, k: int = 3) -> list[dict[str, object]]:
    """Current notes of the same project, or global ones, that may say the same as this note: id and title."""
    note = read_note(store, note_id).note
    wanted = Filter(project=[*keys_of(note.project), GLOBAL], choosers=_CHOOSERS)
    found = _alike(store, note, wanted, k=k, least=CLOSE)
    return [{"id": other.id, "title": other.title} for _, other in found]


def related_notes(store: MemoryStore, note_id: str, *, k: int = 8) -> list[dict[str, object]]:
    """Current notes of any project that are like this one, most alike first: id, title, project, likeness."""
    found = _alike(store, read_note(store, note_id).note, Filter(choosers=_CHOOSERS), k=k, least=RELATED)
    return [
        {"id": other.id, "title": other.title, "project": other.project, "likeness": round(score, 2)}
        for score, other in found
    ]


def alike_pairs(store: MemoryStore, *, project: str | None = None) -> list[dict[str, object]]:
    """Pairs of current durable notes of one project that may say the same, by a model: ids and titles.

    For a person to review: a model confuses names, so nothing is merged because of it.
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
    ][:_MOST_PAIRS]


def _alike(
    store: MemoryStore, note: Memory, wanted: Filter, *, k: int, least: float
) -> list[tuple[float, Memory]]:
    """The notes that are most alike, by words and, where the store has it, by meaning."""
    mine = words_of(f"{note.title} {note.body}")
    near = store.meaning.near_note(note.id) if store.meaning is not None else None
    hits = store.find(f"{note.title}\n{note.body[:_COMPARED]}", wanted, k=k + _SPARE, explain=False)
    if near is not None:
        hits += store.nearest(near, wanted, k=k + _SPARE)
    scored = {
        hit.note.id: (
            likeness(
                mine,
                words_of(f"{hit.note.title} {hit.note.body}"),
                cosine=near.cosine(hit.note.id) if near is not None else None,
            ),
            hit.note,
        )
        for hit in hits
        if hit.note.id != note.id
    }
    return sorted((pair for pair in scored.values() if pair[0] >= least), key=lambda pair: -pair[0])[:k]
