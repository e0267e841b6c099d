"""The doctor: checks everything a store depends on; reports the state, the evidence, and what to do.

    context     what the checks share: the store, its backend, texts without a credential
    files       checks of the store on disk: folders, index, notes, credentials
    exchange    checks of sync: what is committed, held, pushed
    setup       checks of this machine: settings, hooks, MCP server, other agents

A check is a function from the context to a finding, listed in the `CHECKS` of its module. It only reads,
except that it may refresh a stale index. A repair never loses anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from anamnesis.doctor import exchange, files, setup
from anamnesis.doctor.context import Context as Context
from anamnesis.doctor.context import Finding as Finding
from anamnesis.errors import AnamnesisError

Check = Callable[[Context], Finding]

CHECKS: tuple[Check, ...] = (*files.CHECKS, *exchange.CHECKS, *setup.CHECKS)
# By finding name: checks that read every file or git's whole history, or contact another host.
SLOW: dict[str, Check] = {
    "index": files.check_index,
    "secrets": files.check_secrets,
    "old secrets": files.check_old_secrets,
    "leftovers": files.check_leftovers,
    "repository": exchange.check_storage,
    "remote": setup.check_remote_answers,
}
QUICK = tuple(check for check in CHECKS if check not in SLOW.values())
# Checks that every page may run: does memory work on this machine?
LOCAL: tuple[Check, ...] = (
    files.check_unreadable,
    files.check_waiting,
    setup.check_hooks,
    setup.check_registration,
    setup.check_activity,
    setup.check_log,
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
    fixed, failed = _repair(findings) if fix else ([], [])
    return Checkup(examine(context) if fixed or failed else findings, fixed, failed)


def examine(context: Context, checks: Iterable[Check] = CHECKS) -> list[Finding]:
    """The findings of the checks, in order; all of them see the same sync state."""
    now = replace(context)
    return [check(now) for check in checks]


def _repair(findings: Sequence[Finding]) -> tuple[list[str], list[str]]:
    fixed: list[str] = []
    failed: list[str] = []
    for finding in findings:
        if finding.fix is None:
            continue
        try:
            if said := finding.fix():
                fixed.append(said)
        except AnamnesisError as exc:
            failed.append(f"{finding.name} could not be repaired: {exc}")
    return fixed, failed
