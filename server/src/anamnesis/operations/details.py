"""One note in full: its fields, the notes that replace it, the links from it and to it, similar notes."""

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
_COMPARED = 240  # characters of a body that the search for similar notes uses
_CHOOSERS = 8  # of its rarest words, one of which a similar note has
_SPARE = 5  # fetch more than needed: search order is not the order of likeness
RELATED = 0.25  # the least likeness that is worth showing


def successors(store: MemoryStore, note_id: str) -> list[Memory]:
    """The notes that replace one, by id."""
    found = (store.get(newer) for newer in store.successors().get(note_id, ()))
    return [note for note in found if note is not None]


def note_details(store: MemoryStore, note_id: str) -> dict[str, object]:
    """Everything about one note: its fields, its file, and the version that an edit must name."""
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
    """The notes that a note names, each under the text that names it, and the notes that name it."""

    mentions: dict[str, Memory]
    backlinks: list[Memory]


def links_of(store: MemoryStore, note_id: str) -> Links:
    """The links from and to a note; NoteNotFound for an unknown id."""
    note = read_note(store, note_id).note
    ids, titles = _references(note.body)
    found = store.ask(lambda db: listing.named(db, ids, titles)) if ids or titles else []
    near = store.ask(lambda db: listing.with_words_of(db, [note.id, note.title]))
    backlinks = [other for other in near if other.id != note.id and names(other.body, note)]
    return Links(_resolved([*ids, *titles], found), backlinks[:_MOST])


def names(body: str, note: Memory) -> bool:
    """Whether a text names a note by its id or by its title in double brackets."""
    title = note.title.casefold()
    return note.id in body or any(each.strip().casefold() == title for each in _NAMED.findall(body))


def _references(body: str) -> tuple[list[str], list[str]]:
    ids = list(dict.fromkeys(_ID.findall(body)))[:_MOST]
    titles = list(dict.fromkeys(each.strip() for each in _NAMED.findall(body)))[:_MOST]
    return ids, titles


def _resolved(references: Sequence[str], found: Sequence[Memory]) -> dict[str, Memory]:
    """Each reference with its note; of several notes with the same title, the one that was written last."""
    by_name = {name: note for note in reversed(found) for name in (note.id, note.title.casefold())}
    known = ((each, by_name.get(each) or by_name.get(each.casefold())) for each in references)
    return {reference: note for reference, note in known if note is not None}


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
