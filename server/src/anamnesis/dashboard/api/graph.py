"""The map: notes as points, and the links between notes that replace or name each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from anamnesis.dashboard.call import Call, Json
from anamnesis.notes.record import Memory, ids_superseded_by

_ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")
_NAMED = re.compile(r"\[\[([^\[\]\n]{1,200})\]\]")


def draw_map(call: Call) -> Json:
    """Every note with what places it, and every link between two of them."""
    notes, hidden = call.workspace.store.list(), call.workspace.store.superseded_ids()
    return {"nodes": [_node(note, superseded=note.id in hidden) for note in notes], "links": links(notes)}


def links(notes: Sequence[Memory]) -> list[Json]:
    """What is replaced, and what is mentioned by id or by [[title]]; each pair once."""
    titles = {note.title.casefold(): note.id for note in reversed(notes)}
    known = {note.id for note in notes}
    found: list[Json] = []
    for note in notes:
        tied = {old: "supersedes" for old in ids_superseded_by(note) if old in known}
        for other in _mentioned(note.body, known, titles):
            tied.setdefault(other, "mentions")
        tied.pop(note.id, None)
        found += [{"source": note.id, "target": other, "kind": kind} for other, kind in tied.items()]
    return found


def _mentioned(body: str, known: set[str], titles: Mapping[str, str]) -> Iterator[str]:
    yield from (name for name in _ID.findall(body) if name in known)
    for name in _NAMED.findall(body):
        other = titles.get(name.strip().casefold())
        if other is not None:
            yield other


def _node(note: Memory, *, superseded: bool) -> Json:
    return {
        "id": note.id,
        "title": note.title,
        "type": note.type,
        "project": note.project,
        "machine_id": note.machine_id,
        "tags": list(note.tags),
        "superseded": superseded,
    }
