"""`doctor`: every check with its evidence and cure; `--fix` applies the safe ones."""

from __future__ import annotations

import argparse

from anamnesis import doctor
from anamnesis.cli.findings import say_findings
from anamnesis.cli.opening import open_backend, open_store
from anamnesis.cli.parser import add_json
from anamnesis.cli.terminal import say, say_json


def add_doctor(parser: argparse.ArgumentParser) -> None:
    """Arguments of `doctor`."""
    parser.add_argument("--fix", action="store_true", help="mend what can be mended without losing anything")
    add_json(
        parser,
        "{healthy, fixed: [text], failed: [text], "
        "findings: [{name, state: ok|warn|bad, evidence, cure, fixable}]}",
    )
    parser.epilog = "Example:\n  anamnesis doctor --fix"


def cmd_doctor(args: argparse.Namespace) -> int:
    """Examine everything; 1 when something is wrong or could not be mended."""
    with open_store() as store:
        patient = doctor.Patient(store, open_backend(store))
        findings = doctor.examine(patient)
        mended = doctor.mend(findings if args.fix else [])
        if mended.done or mended.failed:
            findings = doctor.examine(patient)
    healthy = all(finding.state != "bad" for finding in findings)
    if args.json:
        rows = [finding.as_dict() for finding in findings]
        say_json({"healthy": healthy, "fixed": mended.done, "failed": mended.failed, "findings": rows})
    else:
        for line in (
            *(f"fixed: {line}" for line in mended.done),
            *(f"failed: {line}" for line in mended.failed),
        ):
            say(line)
        say_findings(findings)
    return 0 if healthy and not mended.failed else 1
