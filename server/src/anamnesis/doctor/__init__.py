"""The doctor: looks at everything a store depends on and says how it is, how it knows, and what to do.

Looking changes nothing but a stale index; `mend` does only what loses nothing. A check is a function from
the patient to a finding, listed in the `CHECKS` of its module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from anamnesis.doctor import client, exchange, files, repository, setup
from anamnesis.doctor.finding import Finding, Patient, State
from anamnesis.doctor.setup import examine_settings
from anamnesis.errors import AnamnesisError

__all__ = [
    "QUICK",
    "SLOW",
    "Finding",
    "Mended",
    "Patient",
    "State",
    "examine",
    "examine_settings",
    "mend",
    "repair",
]

Check = Callable[[Patient], Finding]

CHECKS: tuple[Check, ...] = (*files.CHECKS, *exchange.CHECKS, *setup.CHECKS, *client.CHECKS)
# By the name of what they look at: the checks that read every file, all of git's history, or another host.
SLOW: dict[str, Check] = {
    "index": files.check_index,
    "secrets": files.check_secrets,
    "leftovers": files.check_leftovers,
    "repository": repository.check_repository,
    "remote": setup.check_remote_answers,
}
QUICK = tuple(check for check in CHECKS if check not in SLOW.values())


def examine(patient: Patient, checks: Iterable[Check] = CHECKS) -> list[Finding]:
    """The findings of the checks, in their order; all of them see one state of sync."""
    now = replace(patient)
    return [check(now) for check in checks]


class Mended(NamedTuple):
    """What mending did, and what it could not do and why."""

    done: list[str]
    failed: list[str]


def mend(findings: Sequence[Finding]) -> Mended:
    """Mend what can be mended without asking."""
    mended = Mended([], [])
    for finding in findings:
        if finding.fix is not None:
            try:
                if said := finding.fix():
                    mended.done.append(said)
            except AnamnesisError as exc:
                mended.failed.append(f"{finding.name} could not be mended: {exc}")
    return mended


def repair(findings: Sequence[Finding]) -> list[str]:
    """Mend what can be mended without asking; says what was done, then what could not be."""
    mended = mend(findings)
    return [*mended.done, *mended.failed]
