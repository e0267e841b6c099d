"""A long-running process has the same fleet report as a new one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from anamnesis.fleet import Fleet, read_fleet
from reporting import NOW, ReportingMachine


@dataclass
class Page:
    """A process on one machine that requests the fleet report repeatedly."""

    machine: ReportingMachine

    def __post_init__(self) -> None:
        self.backend = self.machine.backend  # one for all requests

    def fleet(self) -> Fleet:
        """The fleet report, read incrementally."""
        return read_fleet(self.backend.machines(), state=self.backend.state(), now=NOW)


@pytest.fixture
def desk(tmp_path: Path, remote: Path) -> ReportingMachine:
    """The machine with the page."""
    return ReportingMachine(tmp_path / "desk", remote)


@pytest.fixture
def lap(tmp_path: Path, remote: Path) -> ReportingMachine:
    """Another machine."""
    return ReportingMachine(tmp_path / "lap", remote)


def test_a_manual_merge_is_read_completely(desk: ReportingMachine, lap: ReportingMachine) -> None:
    page = Page(desk)
    desk.write("N1", "one")
    desk.sync()
    lap.sync()
    desk.sync()
    page.fleet()
    desk.git("checkout", "-q", "-b", "side")
    desk.write("N2", "two")
    desk.git("add", "-A")
    desk.git("commit", "-q", "-m", "aside")
    desk.git("checkout", "-q", "main")
    desk.git("merge", "-q", "--no-ff", "-m", "merged", "side")
    assert page.fleet() == desk.fleet()
