"""The security page is accurate: every threat has a countermeasure, and the named tests exist."""

from __future__ import annotations

import re

import pytest

from test_docs import ROOT, rows, spans

TESTS = ROOT / "server" / "tests"
ROWS = rows("docs/security.md", "threat")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_every_threat_has_a_countermeasure_and_existing_tests(row: list[str]) -> None:
    threat, answer, held_by = row
    assert threat.startswith("**")
    assert answer
    assert spans(held_by)
    for span in spans(held_by):
        file, _, name = span.partition("::")
        assert re.search(rf"^def {name}\(", (TESTS / file).read_text(), re.MULTILINE), span


@pytest.mark.parametrize(
    "threat",
    [
        "Hostile remote",
        "Hostile repository",
        "Hostile page",
        "Hostile note",
        "Another user",
        "Leaked secret",
        "Stolen laptop",
    ],
)
def test_no_threat_is_missing(threat: str) -> None:
    assert [row for row in ROWS if row[0].startswith(f"**{threat}")]
