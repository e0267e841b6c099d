"""One note in full: its fields, its version, the notes that replace it, the links from it and to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from anamnesis.errors import NoteNotFound
from anamnesis.index import listing
from anamnesis.notes.record import Memory, note_dict
from anamnesis.store import MemoryStore, version_of

_ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")
_NAMED = re.compile(r"\[\[([^\[\]\n]{1,200})\]\]")
_MOST = 50


@dataclass(frozen=True, slots=True)
class Versioned:
    """A note together with the version that an edit of it must name."""

    note: Memory
    version: str


def read_note(store: MemoryStore, note_id: str) -> Versioned:
    """One note and its version; NoteNotFound for an unknown id."""
    note, text = store.get(note_id), store.text_of(note_id)
    if note is None or text is None:
        raise NoteNotFound(note_id)
    return Versioned(note, version_of(text))


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
