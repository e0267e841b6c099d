"""Curation: what merge, dedup, migrate and backfill would do to a store, and doing it."""

from __future__ import annotations

from collections.abc import Mapping

from anamnesis.curate import Applied, Plan, apply_plan, plan_backfill, plan_dedup, plan_merge, plan_migrate
from anamnesis.operations.writing import check_project
from anamnesis.project.choose import write_alias
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend
from anamnesis.text import Progress

__all__ = ["carry_out", "plan_backfill", "propose_dedup", "propose_merge", "propose_migration"]


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
