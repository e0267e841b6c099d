"""Recorded benchmark runs: stored, compared by ratio, plotted."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "bench"))

from history import Past, compared, lines_of, load, record  # scripts, not a package
from measure import Row
from plot import draw

OLD = Past("aaa1", "2026-01-01T00:00:00+00:00", 1.0, "search", 1000, 2.0, 1.0, 4.0)
NEW = replace(OLD, commit="bbb2", date="2026-01-02T00:00:00+00:00", value=8.0, floor=2.0)


def test_rows_are_passed_through_and_recorded(tmp_path: Path) -> None:
    rows = [Row("search", 1000, 2.0, 1.0, 4.0), Row("write", 1000, 3.0, 2.0, None)]
    assert list(record(rows, file=tmp_path / "h.jsonl")) == rows
    again = load(tmp_path / "h.jsonl")
    assert [(past.what, past.ratio, past.bar) for past in again] == [
        ("search", 2.0, 4.0),
        ("write", 1.5, None),
    ]
    assert all(past.commit and past.date for past in again)


def test_two_runs_are_compared_by_their_ratios_not_their_times() -> None:
    (line,) = compared([OLD, NEW], "aaa", "bbb")
    assert "2.00 ->    4.00   x 2.00  slower" in line
    assert "faster" in compared([OLD, NEW], "bbb", "aaa")[0]


def test_an_unmeasured_commit_is_an_error_that_lists_the_measured_ones() -> None:
    with pytest.raises(SystemExit, match="no run of ccc is recorded; recorded commits: aaa1, bbb2"):
        compared([OLD, NEW], "aaa", "ccc")


def test_the_plot_has_a_line_for_each_row_with_a_bar() -> None:
    lines = lines_of([OLD, NEW, replace(OLD, what="no bar", bar=None)])
    assert [(line.name, list(line.points)) for line in lines] == [("search, 1,000 notes", [(0, 0.5), (1, 1)])]
    assert ElementTree.fromstring(draw(lines, "a < b")).tag.endswith("svg")  # noqa: S314  # our own text
