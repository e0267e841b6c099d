"""Reflection with the configured model, for the command line and the dashboard."""

from __future__ import annotations

from dataclasses import dataclass

from anamnesis.model.client import ModelClient
from anamnesis.model.endpoint import resolve_endpoint
from anamnesis.model.usage import Usage
from anamnesis.reflect import Outcome, reflect
from anamnesis.settings import resolve_number
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend
from anamnesis.text import Progress


@dataclass(frozen=True, slots=True)
class Reflection:
    """The result for each project, and what the model was asked."""

    outcomes: list[Outcome]
    usage: Usage


def reflect_store(
    store: MemoryStore,
    backend: SyncBackend,
    *,
    machine_id: str,
    project: str | None = None,
    apply: bool = False,
    progress: Progress | None = None,
) -> Reflection:
    """Reflect the projects that are due, or the one named; notes are written only with `apply`."""
    client = ModelClient(resolve_endpoint(home=store.root), root=store.root)
    outcomes = reflect(
        store,
        backend,
        client,
        machine_id=machine_id,
        minimum=int(resolve_number("reflect_min_episodics", home=store.root)),
        project=project,
        apply=apply,
        progress=progress,
    )
    return Reflection(outcomes, client.spent)
