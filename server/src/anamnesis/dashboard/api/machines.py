"""Machines: who wrote what, and how this one stands to the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from anamnesis.dashboard.answers import summary, sync_state
from anamnesis.dashboard.call import Call, Json
from anamnesis.notes.record import Memory


def machines(call: Call) -> Json:
    """Every machine that ever wrote a note, when it last synced, and the state of sync."""
    space = call.workspace
    notes, hidden = space.store.list(bodies=False), space.store.superseded_ids()
    synced = {record.machine_id: record.last_commit for record in space.backend.history().machines()}
    cards = machine_cards(notes, hidden, here=space.machine_id)
    return {
        "machines": [{**card, "last_commit": synced.get(str(card["machine_id"]))} for card in cards],
        "sync": sync_state(space.backend.state()),
    }


def machine_cards(notes: Sequence[Memory], hidden: Collection[str], *, here: str) -> list[Json]:
    """One card per machine, this one first, the others by what they wrote last; `notes` are newest first."""
    written: dict[str, list[Memory]] = {}
    for note in notes:
        written.setdefault(note.machine_id, []).append(note)
    names = sorted(written, key=lambda name: name != here)  # stable: the rest stays newest first
    return [
        {
            "machine_id": name,
            "here": name == here,
            "total": len(written[name]),
            "by_type": dict(Counter(note.type for note in written[name])),
            "last_note": summary(written[name][0], hidden=hidden),
        }
        for name in names
    ]
