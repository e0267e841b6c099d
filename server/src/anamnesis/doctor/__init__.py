"""The doctor: checks everything a store depends on; reports the state, the evidence, and what to do.

    store       checks of the store: folders, index, notes, credentials; what is committed, held, pushed
    machine     checks of this machine: settings, hooks, MCP server, other agents

A check is a function from the context to a finding. It only reads, except that it may refresh a stale index.
A repair never loses anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from anamnesis.doctor import machine, store
from anamnesis.doctor.store import Context as Context
from anamnesis.errors import AnamnesisError
from anamnesis.sync.results import Finding as Finding

_SETTINGS, _SESSIONS = "/settings/?view=settings", "/activity/?kind=session"

# slow: it reads every file or git's whole history, or contacts another host. local: every page may run it.
Cost = Literal["local", "quick", "slow"]

# By finding name; the address is that of the page where it is settled, "" if there is none.
CHECKS: dict[str, tuple[Cost, Callable[[Context], Finding], str]] = {
    "store": ("quick", store.check_store, ""),
    "permissions": ("quick", store.check_permissions, ""),
    "index": ("slow", store.check_index, ""),
    "files": ("local", store.check_unreadable, "/inbox/"),
    "left out": ("quick", store.check_left_out, ""),
    "waiting": ("local", store.check_waiting, "/inbox/"),
    "secrets": ("slow", store.check_secrets, ""),
    "old secrets": ("slow", store.check_old_secrets, ""),
    "git": ("quick", lambda context: context.backend.examine_tools(), "https://git-scm.com/downloads"),
    "repository": ("slow", lambda context: context.backend.examine_storage(), ""),
    "history": ("quick", store.check_committed, ""),
    "held notes": ("quick", store.check_held, "/inbox/"),
    "pushed": ("quick", store.check_pushed, "/machines/"),
    "machine name": ("quick", store.check_name, _SETTINGS + "#machine_id"),
    "settings": ("quick", lambda context: machine.check_settings(context.home), _SETTINGS),
    "remote": ("slow", lambda context: machine.check_remote(context.home), _SETTINGS + "#remote"),
    "model": ("quick", lambda context: machine.check_model(context.home), _SETTINGS + "#reflection.provider"),
    "hooks": ("local", machine.check_hooks, ""),
    "mcp": ("local", machine.check_registration, ""),
    "activity": ("local", machine.check_activity, _SESSIONS),
    "project": ("quick", machine.check_project, "/projects/"),
    "log": ("local", machine.check_log, _SESSIONS),
    "agents": ("quick", machine.check_agents, ""),
}


def checks_of(*costs: Cost) -> list[str]:
    """The names of the checks that cost so much."""
    return [name for name, (cost, *_) in CHECKS.items() if cost in costs]


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

    def as_dict(self) -> dict[str, object]:
        """Everything as JSON has it."""
        found = [finding.as_dict() for finding in self.findings]
        return {"healthy": self.is_healthy, "fixed": self.fixed, "failed": self.failed, "findings": found}


def check_up(context: Context, names: Iterable[str] = CHECKS, *, fix: bool = False) -> Checkup:
    """Run the checks; with `fix`, make the safe repairs and check again."""
    findings = examine(context, names)
    fixed: list[str] = []
    failed: list[str] = []
    for finding in findings if fix else ():
        try:
            if finding.fix and (said := finding.fix()):
                fixed.append(said)
        except AnamnesisError as exc:
            failed.append(f"{finding.name} could not be repaired: {exc}")
    return Checkup(examine(context, names) if fixed or failed else findings, fixed, failed)


def examine(context: Context, names: Iterable[str] = CHECKS) -> list[Finding]:
    """The findings of the checks, in order; all of them see the same sync state."""
    now = replace(context)
    return [replace(check(now), place=place) for _, check, place in (CHECKS[name] for name in names)]
