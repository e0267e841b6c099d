"""A long-running process has the same fleet report as a new one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from anamnesis.fleet import Fleet, read_fleet
from anamnesis.git import Answer, Git
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


def test_an_incremental_fleet_report_equals_a_full_one(
    tmp_path: Path,
    remote: Path,
    desk: ReportingMachine,
    lap: ReportingMachine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A store's heartbeats within one second are the same text, which would hide one of two stores.
    times = ((NOW + timedelta(seconds=each)).isoformat(timespec="seconds") for each in count())
    monkeypatch.setattr("anamnesis.sync.heartbeat.utcnow", lambda: next(times))
    page = Page(desk)

    def sync_both() -> bool:
        lap.sync()
        return desk.sync().reached

    def come_under_its_name() -> None:
        twin = ReportingMachine(tmp_path / "copy" / "lap", remote)
        twin.sync()
        lap.write("N4", "again")
        sync_both()
        twin.write("N5", "of the copy")
        twin.sync()
        desk.sync()

    def step(name: str, act: Callable[[], object]) -> None:
        act()
        assert page.fleet() == desk.fleet(), name

    step("nothing", lambda: None)
    step("own note", lambda: (desk.write("N1", "one"), desk.sync()))
    step("another machine", sync_both)
    step("own note that it lacks", lambda: (desk.write("N2", "two"), desk.backend.commit()))
    step("two more", lambda: [(desk.write(name, name), desk.backend.commit()) for name in ("A", "B")])
    step("its note", lambda: (lap.write("N3", "three"), sync_both()))
    step("everything", lambda: (sync_both(), sync_both()))
    step("a twin", come_under_its_name)
    assert any("two stores" in remark for each in page.fleet().machines for remark in each.remarks)
    step("a commit by hand", lambda: desk.git("commit", "-q", "--allow-empty", "-m", "by hand"))
    step("rewritten", lambda: desk.git("reset", "-q", "--hard", "HEAD~2"))
    step("forgotten", lambda: (desk.memory / "machines/lap.json").unlink())


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


def test_a_new_commit_costs_a_few_git_processes_however_many_machines_there_are(
    tmp_path: Path, remote: Path, desk: ReportingMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("N1", "one")
    desk.sync()
    for number in range(5):
        ReportingMachine(tmp_path / f"lap-{number}", remote).sync()
    desk.sync()
    page = Page(desk)
    assert len(page.fleet().machines) == 6
    desk.write("N2", "two")
    desk.backend.commit()
    state = desk.backend.state()
    asked: list[str] = []
    ask = Git.ask

    def ask_and_tell(git: Git, *args: str, stdin: bytes = b"") -> Answer:
        asked.append(args[0])
        return ask(git, *args, stdin=stdin)

    monkeypatch.setattr(Git, "run", lambda git, *args, stdin=b"": ask_and_tell(git, *args, stdin=stdin).out)
    fleet = read_fleet(page.backend.machines(), state=state, now=NOW)
    assert sorted(asked) == ["cat-file", "log", "ls-tree"]
    assert [each.behind for each in fleet.machines] == [0, 1, 1, 1, 1, 1]
