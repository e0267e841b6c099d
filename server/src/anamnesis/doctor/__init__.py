"""The doctor: checks everything a store depends on; says how it is, how it knows, and what to do.

A check only looks, and at most refreshes a stale index; a repair does only what cannot lose anything. A check
is a function from the context to a finding, listed in the `CHECKS` of its module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.doctor import client, files, setup
from anamnesis.doctor.exchange import examine_sync
from anamnesis.doctor.files import check_notes_for_secrets
from anamnesis.doctor.finding import Finding, Patient
from anamnesis.doctor.setup import examine_settings
from anamnesis.errors import AnamnesisError

__all__ = [
    "Checkup",
    "Finding",
    "Patient",
    "check_notes_for_secrets",
    "check_up",
    "examine",
    "examine_quickly",
    "examine_settings",
]


# What can be told at once, without the network and without reading all notes or all of git.
QUICK_CHECKS = (
    files.check_unreadable,
    files.check_waiting,
    client.check_hooks,
    client.check_registration,
    client.check_activity,
    client.check_log,
)


class Checkup(NamedTuple):
    """The findings, what was repaired, and what could not be repaired and why."""

    findings: list[Finding]
    fixed: list[str]
    failed: list[str]

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is wrong; a warning alone is not."""
        return all(finding.state != "bad" for finding in self.findings)


def check_up(patient: Patient, *, fix: bool = False) -> Checkup:
    """Run every check; with `fix`, repair what needs no decision and check again."""
    findings = examine(patient)
    fixed, failed = _repair(findings) if fix else ([], [])
    return Checkup(examine(patient) if fixed or failed else findings, fixed, failed)


def examine(patient: Patient) -> list[Finding]:
    """Every check's finding, in a fixed order."""
    return [
        *(check(patient) for check in files.CHECKS),
        *examine_sync(patient),
        *(check(patient) for check in (*setup.CHECKS, *client.CHECKS)),
    ]


def examine_quickly(patient: Patient) -> list[Finding]:
    """The findings of the checks that cost next to nothing."""
    return [check(patient) for check in QUICK_CHECKS]


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
