"""Machines: who learned what, who was seen when, and how this one stands to the others."""

from __future__ import annotations

from anamnesis.dashboard.answers import sync_state
from anamnesis.dashboard.call import Call, Json
from anamnesis.dashboard.fleet import fleet_cards
from anamnesis.operations.versions import history_of


def machines(call: Call) -> Json:
    """Every machine that committed a change, and the state of sync here."""
    space = call.workspace
    return {
        "machines": fleet_cards(history_of(space.store, space.backend), here=space.machine_id),
        "sync": sync_state(space.backend.state()),
    }
