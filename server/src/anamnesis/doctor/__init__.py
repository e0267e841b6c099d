"""The doctor: looks at everything a store depends on and says how it is, how it knows, and what to do.

Looking changes nothing but a stale index; `mend` does only what loses nothing. A check is a function from
the patient to a finding, listed in the `CHECKS` of its module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.doctor import client, exchange, files, setup
from anamnesis.doctor.files import check_notes_for_secrets
from anamnesis.doctor.finding import Finding, Patient, State
from anamnesis.doctor.setup import examine_settings
from anamnesis.errors import AnamnesisError

__all__ = [
    "Finding",
    "Mended",
    "Patient",
    "State",
    "check_notes_for_secrets",
    "examine",
    "examine_quickly",
    "examine_settings",
    "mend",
    "repair",
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
CHECKS = (*files.CHECKS, *exchange.CHECKS, *setup.CHECKS, *client.CHECKS)


def examine(patient: Patient) -> list[Finding]:
    """Every check's finding, in a fixed order."""
    return [check(patient) for check in CHECKS]


def examine_quickly(patient: Patient) -> list[Finding]:
    """The findings of the checks that cost next to nothing."""
    return [check(patient) for check in QUICK_CHECKS]


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
