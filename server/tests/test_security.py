"""The security page is accurate: every threat has a countermeasure, and the named tests exist."""

from __future__ import annotations

import re
import tomllib

import pytest

from test_docs import ROOT, rows, spans, text_of

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


def test_every_direct_dependency_is_listed_with_its_licence() -> None:
    project = tomllib.loads(text_of("server/pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(each for name in ("mcp", "dashboard", "semantic", "completion") for each in extras[name]),
    ]
    names = {re.split(r"[<>=\[]", each)[0].lower() for each in wanted}
    listed = {row[0]: row[1] for row in rows("docs/dependencies.md", "package")}
    assert names <= set(listed)
    assert "not stated" not in listed.values()
