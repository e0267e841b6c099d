"""One note in full: its fields, the notes that replace it, its links and backlinks, similar notes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from anamnesis.curate.likeness import CLOSE, likeness, words_of
from anamnesis.index import listing
from anamnesis.index.query import Filter
from anamnesis.layout import GLOBAL
from anamnesis.notes.record import Memory, note_dict
from anamnesis.operations.writing import read_note
from anamnesis.project import keys_of
from anamnesis.store import MemoryStore

_ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")
_NAMED = re.compile(r"\[\[([^\[\]\n]{1,200})\]\]")
_MOST = 50
_COMPARED = 240  # characters of a body used to search for similar notes
_RAREST = 8  # of its rarest words; a similar note has at least one of them
_SPARE = 5  # fetch more than needed: search results are not sorted by likeness
RELATED = 0.25  # the lowest likeness worth showing


def successors(store: MemoryStore, note_id: str) -> list[Memory]:
    """The notes that replace this one."""
    notes = (store.get(newer) for newer in store.successors().get(note_id, ()))
    return [note for note in notes if note is not None]


def note_details(store: MemoryStore, note_id: str) -> dict[str, object]:
    """Everything about one note: its fields, its file, and the version to base an edit on."""
    known = read_note(store, note_id)
    note = known.note
    return {
        **note_dict(note, include_body=True),
        "prov_source": note.prov_source,
        "prov_model": note.prov_model,
        "prov_session": note.prov_session,
        "confidence": note.confidence,
        "supersedes": note.supersedes,
        "path": str(store.path_of(note_id) or ""),
        "version": known.version,
    }


@dataclass(frozen=True, slots=True)
class Links:
    """The notes that a note refers to, by the text of the reference, and the notes that refer to it."""

    mentions: dict[str, Memory]
    backlinks: list[Memory]


def links_of(store: MemoryStore, note_id: str) -> Links:
    """A note's links and backlinks; NoteNotFound for an unknown id."""
    note = read_note(store, note_id).note
    ids = list(dict.fromkeys(_ID.findall(note.body)))[:_MOST]
    titles = list(dict.fromkeys(each.strip() for each in _NAMED.findall(note.body)))[:_MOST]
    named = store.ask(lambda db: listing.named(db, ids, titles)) if ids or titles else []
    near = store.ask(lambda db: listing.with_words_of(db, [note.id, note.title]))
    backlinks = [other for other in near if other.id != note.id and refers_to(other.body, note)]
    return Links(_resolved([*ids, *titles], named), backlinks[:_MOST])


def refers_to(body: str, note: Memory) -> bool:
    """Whether a text refers to a note by its id or by its title in double brackets."""
    title = note.title.casefold()
    return note.id in body or any(each.strip().casefold() == title for each in _NAMED.findall(body))


def _resolved(references: Sequence[str], notes: Sequence[Memory]) -> dict[str, Memory]:
    """Each reference with its note; if several notes have the same title, the newest."""
    by_name = {name: note for note in reversed(notes) for name in (note.id, note.title.casefold())}
    known = ((each, by_name.get(each) or by_name.get(each.casefold())) for each in references)
    return {reference: note for reference, note in known if note is not None}


def similar_notes(store: MemoryStore, note_id: str, *, k: int = 3) -> list[Memory]:
    """Current notes, of the same project or global, that may say the same as this one."""
    note = read_note(store, note_id).note
    wanted = Filter(project=[*keys_of(note.project), GLOBAL], rarest=_RAREST)
    return [other for _, other in _alike(store, note, wanted, k=k, least=CLOSE)]


def related_notes(store: MemoryStore, note_id: str, *, k: int = 8) -> list[dict[str, object]]:
    """Current notes of any project that are similar to this one, most similar first."""
    scored = _alike(store, read_note(store, note_id).note, Filter(rarest=_RAREST), k=k, least=RELATED)
    return [
        {"id": other.id, "title": other.title, "project": other.project, "likeness": round(score, 2)}
        for score, other in scored
    ]


def _alike(
    store: MemoryStore, note: Memory, wanted: Filter, *, k: int, least: float
) -> list[tuple[float, Memory]]:
    """The most similar notes, by words and, if the store has a model, by meaning."""
    mine = words_of(f"{note.title} {note.body}")
    near = store.meaning.near_note(note.id) if store.meaning is not None else None
    hits = store.find(f"{note.title}\n{note.body[:_COMPARED]}", wanted, k=k + _SPARE, explain=False)
    if near is not None:
        hits += store.nearest(near, wanted, k=k + _SPARE)
    scored: dict[str, tuple[float, Memory]] = {}
    for other in (hit.note for hit in hits if hit.note.id != note.id):
        cosine = near.cosine(other.id) if near is not None else None
        score = likeness(mine, words_of(f"{other.title} {other.body}"), cosine=cosine)
        if score >= least:
            scored[other.id] = (score, other)
    return sorted(scored.values(), key=lambda pair: -pair[0])[:k]
