"""Machines: who wrote what, and how this one stands to the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from anamnesis.dashboard.answers import summary, sync_state
from anamnesis.dashboard.call import Call, Json
from anamnesis.dashboard.workspace import Workspace
from anamnesis.history import History
from anamnesis.notes import Memory


def machines(call: Call) -> Json:
    """Every machine that ever wrote a note, and the state of sync."""
    space = call.workspace
    notes, hidden = space.store.list(bodies=False), space.store.superseded_ids()
    return {"machines": machine_cards(space, notes, hidden), "sync": sync_state(space.backend.state())}


def machine_cards(space: Workspace, notes: Sequence[Memory], hidden: Collection[str]) -> list[Json]:
    """One card per machine, this one first, the others by what they wrote last; `notes` are newest first."""
    written: dict[str, list[Memory]] = {}
    for note in notes:
        written.setdefault(note.machine_id, []).append(note)
    synced = {record.machine_id: record.last_commit for record in History(space.store.memory_dir).machines()}
    names = sorted(written, key=lambda name: name != space.machine_id)  # stable: the rest stays newest first
    return [
        {**_card(written[name], hidden), "here": name == space.machine_id, "last_commit": synced.get(name)}
        for name in names
    ]


def _card(notes: list[Memory], hidden: Collection[str]) -> Json:
    return {
        "machine_id": notes[0].machine_id,
        "total": len(notes),
        "by_type": dict(Counter(note.type for note in notes)),
        "last_note": summary(notes[0], hidden=hidden),
    }
