"""What the doctor found, for a person or a pipe."""

from __future__ import annotations

from collections.abc import Sequence

from anamnesis.cli.terminal import on_terminal, pretty, say_json, say_row
from anamnesis.doctor import Finding


def say_findings(findings: Sequence[Finding], *, as_json: bool = False) -> None:
    """Print findings: state, name, evidence, cure."""
    if as_json:
        say_json([finding.as_dict() for finding in findings])
    elif on_terminal():
        pretty().checks([(each.state, each.name, each.evidence, each.cure) for each in findings])
    else:
        for each in findings:
            say_row(each.state, each.name, each.evidence, *([each.cure] if each.cure else []))
