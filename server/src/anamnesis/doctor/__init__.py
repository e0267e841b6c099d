"""The doctor: looks at everything a store depends on and says how it is, how it knows, and what to do.

Looking changes nothing but a stale index; `mend` does only what loses nothing. A check is a function from
the patient to a finding, listed in the `CHECKS` of its module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.doctor import client, files, setup
from anamnesis.doctor.exchange import examine_sync
from anamnesis.doctor.finding import Finding, Patient
from anamnesis.doctor.setup import examine_settings
from anamnesis.errors import AnamnesisError

__all__ = ["Finding", "Mended", "Patient", "examine", "examine_settings", "mend", "repair"]


def examine(patient: Patient) -> list[Finding]:
    """Every check's finding, in a fixed order."""
    return [
        *(check(patient) for check in files.CHECKS),
        *examine_sync(patient),
        *(check(patient) for check in (*setup.CHECKS, *client.CHECKS)),
    ]


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
