"""Machines: who wrote what, and how this one stands to the others."""

from __future__ import annotations

from anamnesis.dashboard.answers import summary, sync_state
from anamnesis.dashboard.call import Call, Json
from anamnesis.history import History
from anamnesis.index import figures
from anamnesis.store import MemoryStore


def machines(call: Call) -> Json:
    """Every machine that ever wrote a note, when it last synced, and the state of sync."""
    space = call.workspace
    synced = {record.machine_id: record.last_commit for record in History(space.store.memory_dir).machines()}
    cards = machine_cards(space.store, here=space.machine_id)
    return {
        "machines": [{**card, "last_commit": synced.get(str(card["machine_id"]))} for card in cards],
        "sync": sync_state(space.backend.state()),
    }


def machine_cards(store: MemoryStore, *, here: str) -> list[Json]:
    """One card per machine, this one first, the others by what they wrote last."""
    found = sorted(store.ask(figures.machines), key=lambda each: each.machine_id != here)  # stable
    last = [each.last.id for each in found]
    hidden = store.ask(lambda db: figures.superseded_among(db, last))
    return [
        {
            "machine_id": each.machine_id,
            "here": each.machine_id == here,
            "total": each.total,
            "by_type": each.by_type,
            "last_note": summary(each.last, hidden=hidden),
        }
        for each in found
    ]
