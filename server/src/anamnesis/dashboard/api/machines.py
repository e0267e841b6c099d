"""Machines: which agree with this one, lag or have silent hooks, and what each wrote last."""

from __future__ import annotations

from anamnesis.dashboard.answers import sync_state
from anamnesis.dashboard.call import BadCall, Call, Json
from anamnesis.operations.machines import forget_machine
from anamnesis.sync import SyncState


def machines(call: Call) -> Json:
    """Every machine that has reported and was not removed, and the state of sync here."""
    state = call.workspace.state()
    return {"machines": _cards(call, state), "sync": sync_state(state)}


def forget(call: Call) -> Json:
    """Remove a machine from the list; its next heartbeat adds it again."""
    space, name = call.workspace, call.text("name")
    if all(card["machine_id"] != name for card in _cards(call, space.state())):
        raise BadCall(f"no machine is called {name[:80]!r}; GET /api/machines lists them", 404)
    forget_machine(space.store, space.backend, name)
    return {"done": True}


def _cards(call: Call, state: SyncState) -> list[Json]:
    space = call.workspace
    return space.machines.cards(space.store, space.backend, here=space.machine_id, state=state)
