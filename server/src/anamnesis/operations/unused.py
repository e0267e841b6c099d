"""The review list of notes that many sessions were told and none used."""

from __future__ import annotations

from anamnesis.session.use import read_told, read_used
from anamnesis.store import MemoryStore

OFTEN = 10  # sessions


def unused_notes(store: MemoryStore, *, often: int = OFTEN) -> list[dict[str, object]]:
    """Current notes that at least `often` sessions were told in full and none used, most told first."""
    home = str(store.root)
    used = read_used(home)
    told = {note_id: count for note_id, count in read_told(home).items() if count >= often}
    hidden = store.superseded_ids()
    rows: list[dict[str, object]] = []
    for note_id, count in sorted(told.items(), key=lambda item: (-item[1], item[0])):
        note = None if used.get(note_id) or note_id in hidden else store.get(note_id)
        if note is not None:
            rows.append({"id": note.id, "title": note.title, "project": note.project, "told": count})
    return rows
