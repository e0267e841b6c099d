"""The doctor: checks everything a store depends on; reports the state, the evidence, and what to do.

    store       checks of the store: folders, index, notes, credentials; what is committed, held, pushed
    machine     checks of this machine: settings, hooks, MCP server, other agents

A check is a function from the context to a finding. It only reads, except that it may refresh a stale index.
A repair never loses anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from anamnesis.doctor import machine, store
from anamnesis.doctor.store import Context as Context
from anamnesis.errors import AnamnesisError
from anamnesis.sync.results import Finding as Finding

Check = Callable[[Context], Finding]

CHECKS: tuple[Check, ...] = (
    store.check_store,
    store.check_permissions,
    store.check_index,
    store.check_meaning,
    store.check_unreadable,
    store.check_left_out,
    store.check_waiting,
    store.check_secrets,
    store.check_old_secrets,
    store.check_leftovers,
    store.check_tools,
    store.check_storage,
    store.check_committed,
    store.check_held,
    store.check_pushed,
    store.check_name,
    machine.check_settings,
    machine.check_remote,
    machine.check_model,
    machine.check_hooks,
    machine.check_registration,
    machine.check_tools,
    machine.check_activity,
    machine.check_project,
    machine.check_log,
    machine.check_agents,
)
# By finding name: checks that read every file or git's whole history, or contact another host.
SLOW: dict[str, Check] = {
    "index": store.check_index,
    "secrets": store.check_secrets,
    "old secrets": store.check_old_secrets,
    "leftovers": store.check_leftovers,
    "repository": store.check_storage,
    "remote": machine.check_remote,
}
QUICK = tuple(check for check in CHECKS if check not in SLOW.values())
# Checks that every page may run: does memory work on this machine?
LOCAL: tuple[Check, ...] = (
    store.check_unreadable,
    store.check_waiting,
    machine.check_hooks,
    machine.check_registration,
    machine.check_activity,
    machine.check_log,
)


@dataclass(frozen=True, slots=True)
class Checkup:
    """The findings, what was repaired, and what could not be repaired and why."""

    findings: list[Finding]
    fixed: list[str]
    failed: list[str]

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is bad; warnings do not count."""
        return all(finding.state != "bad" for finding in self.findings)


def check_up(context: Context, *, fix: bool = False) -> Checkup:
    """Run every check; with `fix`, make the safe repairs and check again."""
    findings = examine(context)
    fixed: list[str] = []
    failed: list[str] = []
    for finding in findings if fix else ():
        try:
            if finding.fix and (said := finding.fix()):
                fixed.append(said)
        except AnamnesisError as exc:
            failed.append(f"{finding.name} could not be repaired: {exc}")
    return Checkup(examine(context) if fixed or failed else findings, fixed, failed)


def examine(context: Context, checks: Iterable[Check] = CHECKS) -> list[Finding]:
    """The findings of the checks, in order; all of them see the same sync state."""
    now = replace(context)
    return [check(now) for check in checks]
