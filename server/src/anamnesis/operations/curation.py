"""Improving the notes of a store as a whole: merge, dedup, migrate, backfill; and reflect, with a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anamnesis.curate import Applied, Plan, apply_plan, plan_backfill, plan_dedup, plan_merge, plan_migrate
from anamnesis.model.client import ModelClient
from anamnesis.model.endpoint import resolve_endpoint
from anamnesis.model.usage import Usage
from anamnesis.operations.writing import check_project
from anamnesis.project.choose import write_alias
from anamnesis.reflect import Outcome, reflect
from anamnesis.settings import resolve_number
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend
from anamnesis.text import Progress

__all__ = [
    "Reflection",
    "carry_out",
    "plan_backfill",
    "propose_dedup",
    "propose_merge",
    "propose_migration",
    "reflect_store",
]


def propose_merge(
    store: MemoryStore, *, machine_id: str, project: str | None = None, progress: Progress | None = None
) -> Plan:
    """One note in place of each group of durable notes that say the same."""
    return plan_merge(
        store.list(project=project),
        superseded=store.superseded_ids(),
        machine_id=machine_id,
        progress=progress,
    )


def propose_dedup(store: MemoryStore) -> Plan:
    """One note in place of those with identical bodies."""
    return plan_dedup(store.list(), superseded=store.superseded_ids())


def propose_migration(store: MemoryStore, renames: Mapping[str, str]) -> Plan:
    """Every note of an old key under the new one; a key that notes may not have is refused."""
    for key in renames.values():
        check_project(key)
    return plan_migrate(store.list(), renames=renames)


def carry_out(
    store: MemoryStore,
    backend: SyncBackend,
    plan: Plan,
    *,
    renames: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Applied:
    """Apply a plan and commit it; `renames` become aliases that travel with the notes."""
    for old, new in (renames or {}).items():
        write_alias(store.memory_dir, old, new)
    return apply_plan(store, backend, plan, progress=progress)


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
