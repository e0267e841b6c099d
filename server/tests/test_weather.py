"""The fault table counts what the tests report, and never counts a failure as survived."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

SERVER = Path(__file__).resolve().parents[1]
sys.path.append(str(SERVER / "tools"))

from weather import GROUPS, Count, Group, counted, line  # noqa: E402  # a tool, not a package

REPORT = """<testsuites><testsuite>
<testcase name="a"><properties>
<property name="tried" value="40"/><property name="lost" value="0"/></properties></testcase>
<testcase name="b"/>
<testcase name="c"><properties>
<property name="tried" value="9"/><property name="lost" value="2"/></properties>
<failure message="x"/></testcase>
<testcase name="d"><failure message="x"/></testcase>
<testcase name="e"><skipped message="no strace"/></testcase>
</testsuite></testsuites>"""


def test_tries_and_losses_are_summed_and_a_failure_does_not_count_as_survived() -> None:
    count = counted(ElementTree.fromstring(REPORT))  # noqa: S314  # our own text
    assert count == Count(tried=51, survived=48, lost=2, failed=2, skipped=1, reason="no strace")
    assert not count.is_good
    assert line("x", count).split()[:4] == ["x", "51", "48", "2"]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.fault)
def test_every_row_of_the_table_has_tests(group: Group) -> None:
    texts = [(SERVER / "tests" / name).read_text() for name in group.files]
    assert [name for name in group.names if not any(name in text for text in texts)] == []
