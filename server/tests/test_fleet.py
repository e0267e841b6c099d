"""Heartbeats, and what each machine knows about the others."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.doctor import Context
from anamnesis.doctor.store import check_name
from anamnesis.errors import SyncError
from anamnesis.fleet import Fleet, described, forget, read_fleet
from anamnesis.history import History
from anamnesis.notes.vocabulary import MAX_BYTES
from anamnesis.session.receipts import add_entry
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from anamnesis.sync.heartbeat import heartbeat_path
from machines import Machine, run_git, settle

NOW = datetime.now(UTC)


class ReportingMachine(Machine):
    """A machine with a heartbeat, as every command has it."""

    @property
    def backend(self) -> GitSyncBackend:
        """A backend with a heartbeat."""
        remote = str(self.remote) if self.remote else None
        name = self.root.name
        return GitSyncBackend(self.memory, remote=remote, machine_id=name, timeout=600, heartbeat=True)

    def fleet(self, now: datetime = NOW) -> Fleet:
        """This machine's fleet report."""
        backend = self.backend
        return read_fleet(backend.machines(), state=backend.state(), now=now)

    def commits(self) -> int:
        """How many commits the history has."""
        return int(self.git("rev-list", "--count", "main"))

    def age(self, hours: float) -> None:
        """Make this machine's last heartbeat older."""
        path = self.memory / heartbeat_path(self.root.name)
        said = json.loads(path.read_text())
        said["at"] = (NOW - timedelta(hours=hours)).isoformat(timespec="seconds")
        path.write_text(json.dumps(said))
        self.backend.commit()
        # The commit wrote a heartbeat; only its clock should be behind.
        path.write_text(json.dumps(said))
        self.git("commit", "-q", "-a", "--amend", "-m", "as it was")


@pytest.fixture
def desk(tmp_path: Path, remote: Path) -> ReportingMachine:
    """One machine."""
    return ReportingMachine(tmp_path / "desk", remote)


@pytest.fixture
def lap(tmp_path: Path, remote: Path) -> ReportingMachine:
    """Another."""
    return ReportingMachine(tmp_path / "lap", remote)


def test_a_new_machine_without_notes_reports_itself_with_one_commit_on_top_of_the_history(
    desk: ReportingMachine, lap: ReportingMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("N1", "one")
    desk.sync()
    before = desk.commits()
    monkeypatch.setattr("anamnesis.sync.session.TreeMerger", None)  # nothing is merged
    lap.sync()
    assert lap.read("N1").body == "one"
    assert lap.commits() == before + 1
    desk.sync()
    assert {machine.name for machine in desk.fleet().machines} == {"desk", "lap"}


def test_a_heartbeat_is_part_of_a_commit_and_makes_none_of_its_own(desk: ReportingMachine) -> None:
    desk.write("N1", "one")
    desk.sync()
    assert desk.commits() == 2  # the first one waits until it is known who else has the name
    said = json.loads((desk.memory / "machines/desk.json").read_text())
    assert said["machine"] == "desk"
    desk.write("N2", "two")
    desk.sync()
    assert desk.commits() == 3
    assert "machines/desk.json" in desk.git("show", "--name-only", "--format=", "main")


def test_a_sync_with_nothing_new_writes_no_heartbeat(desk: ReportingMachine, lap: ReportingMachine) -> None:
    desk.write("N1", "one")
    settle(desk, lap, rounds=3)
    count = desk.commits()
    before = desk.files(), lap.files()
    settle(desk, lap, rounds=3)
    assert desk.commits() == lap.commits() == count
    assert (desk.files(), lap.files()) == before
    assert not desk.sync().pushed


def test_a_machine_that_only_pulls_writes_one_heartbeat_a_day(
    desk: ReportingMachine, lap: ReportingMachine
) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    assert lap.git("log", "-1", "--format=%s") == "lap: heartbeat\n"
    count = lap.commits()
    for at in range(3):
        desk.write(f"M{at}", "more")
        settle(desk, lap)
    assert lap.commits() == count + 3
    lap.age(25)
    count = lap.commits()
    settle(lap, lap)
    assert lap.commits() == count + 1


def test_without_a_remote_there_is_no_heartbeat(tmp_path: Path) -> None:
    alone = ReportingMachine(tmp_path / "alone", None)
    alone.write("N1", "one")
    alone.sync()
    assert list(alone.files()) == ["semantic/N1.md"]


def test_machines_with_the_same_notes_agree(desk: ReportingMachine, lap: ReportingMachine) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    for machine, other in ((desk, lap), (lap, desk)):
        machine.sync()
        fleet = machine.fleet()
        assert fleet.agree == (machine.root.name, other.root.name)
        assert described(fleet)[0] == f"{machine.root.name}, {other.root.name} agree ({fleet.tree})"
    assert desk.fleet().tree == lap.fleet().tree


def test_a_machine_that_is_behind_is_listed_with_how_far_and_as_of_when(
    desk: ReportingMachine, lap: ReportingMachine
) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    for at in range(2):
        desk.write(f"M{at}", "more")
        desk.sync()
    (own, other) = desk.fleet().machines
    assert (own.here, own.behind, other.name, other.behind) == (True, 0, "lap", 2)
    said = "\n".join(described(desk.fleet()))
    assert "lap may lack 2 commits, the first from 20" in said
    lap.write("L1", "lap writes, and has all by then")
    settle(lap, desk)
    assert desk.fleet().agree == ("desk", "lap")


def test_a_machine_does_not_lack_its_own_commits(desk: ReportingMachine, lap: ReportingMachine) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    lap.write("L1", "committed without a sync, as a command does")
    lap.backend.commit()
    lap.sync()
    desk.sync()
    assert desk.git("log", "-1", "--format=%ae").strip() == "anamnesis@lap"
    assert desk.fleet().agree == ("desk", "lap")


def test_both_machines_say_where_a_note_is_held(desk: ReportingMachine, lap: ReportingMachine) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    desk.write("N1", "from desk")
    desk.sync()
    lap.write("N1", "from lap")
    lap.write("N2", "brings the heartbeat")
    assert lap.sync().conflicted
    assert "lap: 1 note held" in described(lap.fleet())
    assert "agree" not in "".join(described(lap.fleet()))
    lap.write("N3", "the next one counts what is held")
    settle(lap, desk)
    assert any(line.startswith("lap: 1 note held at its last report, 20") for line in described(desk.fleet()))


def test_silent_hooks_other_versions_and_retired_machines_are_reported(
    desk: ReportingMachine, lap: ReportingMachine
) -> None:
    lap.write("N1", "one")
    add_entry(str(lap.root), "s1", "told")
    settle(lap, desk)
    path = desk.memory / "machines/lap.json"
    said = json.loads(path.read_text())
    path.write_text(
        json.dumps({**said, "version": "0.0.9", "held": 2, "last_inject": "2026-01-01T00:00:00+00:00"})
    )
    text = "\n".join(described(desk.fleet()))
    assert "lap: its hooks have not run since 2026-01-01" in text
    assert "lap: runs version 0.0.9" in text
    assert "lap: 2 notes held at its last report, 20" in text
    text = "\n".join(described(desk.fleet(NOW + timedelta(days=40))))
    assert "lap: silent since" in text
    assert "anamnesis fleet --forget lap" in text


def test_a_forgotten_machine_disappears_everywhere_until_its_next_heartbeat(
    desk: ReportingMachine, lap: ReportingMachine, tmp_path: Path, remote: Path
) -> None:
    third = ReportingMachine(tmp_path / "third", remote)
    desk.write("N1", "one")
    settle(desk, lap, third)
    desk.sync()
    forget(desk.memory, "third")
    settle(desk, lap)
    assert [each.name for each in lap.fleet().machines] == ["lap", "desk"]
    assert [each.name for each in desk.fleet().machines] == ["desk", "lap"]
    third.write("T1", "still there")
    settle(third, desk)
    assert sorted(each.name for each in desk.fleet().machines) == ["desk", "lap", "third"]
    with pytest.raises(SyncError, match="no machine is called 'nobody'; known machines: desk, lap, third"):
        forget(desk.memory, "nobody")


def test_two_machines_of_one_name_never_clash_over_their_heartbeat(
    desk: ReportingMachine, tmp_path: Path, remote: Path
) -> None:
    twin = ReportingMachine(tmp_path / "elsewhere" / "desk", remote)
    for at in range(3):
        desk.write(f"D{at}", "one")
        twin.write(f"T{at}", "two")
        settle(desk, twin)
    assert not desk.sync().held
    assert not twin.sync().held
    json.loads((desk.memory / "machines/desk.json").read_text())


@pytest.mark.parametrize("name", ["büro", "a/b", "..", "x" * 300])
def test_every_machine_name_gets_its_own_file(name: str) -> None:
    folder, _, file = heartbeat_path(name).rpartition("/")
    assert (folder, file.isascii(), file.startswith("."), len(file) < 100) == ("machines", True, False, True)
    assert heartbeat_path(f"{name}!") != heartbeat_path(name)


def test_a_machine_reports_how_many_of_its_files_do_not_sync(
    desk: ReportingMachine, lap: ReportingMachine
) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    (lap.memory / "large.md").write_bytes(b"x" * (MAX_BYTES + 1))
    lap.write("N2", "two")
    settle(lap, desk)
    assert {each.name: each.problems for each in desk.fleet().machines} == {"desk": 0, "lap": 1}


def test_heartbeats_appear_in_neither_notes_nor_history(
    desk: ReportingMachine, lap: ReportingMachine
) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    desk.sync()
    with MemoryStore(desk.root) as store:
        assert [note.id for note in store.list()] == ["N1"]
        assert store.problems() == []
    ((entry, _),) = History(desk.memory).log(limit=50, most=9)
    assert [row.path for row in entry.files] == ["semantic/N1.md"]
    assert History(desk.memory).last_note_of("lap") is None


def test_fleet_prints_text_and_json(
    store: MemoryStore,
    remote: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(remote))
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "desk")
    store.write(type="semantic", title="one", body="body")
    assert main(["sync"]) == 0
    assert "came in" not in capsys.readouterr().out
    lap = ReportingMachine(tmp_path / "lap", remote)
    lap.sync()
    (lap.memory / "aliases").mkdir()
    (lap.memory / "aliases" / "old.json").write_text('{"old": "a", "new": "b"}')
    (lap.memory / "README.md").write_text("made by a host")
    lap.sync()
    assert main(["sync"]) == 0
    assert "came in" not in capsys.readouterr().out, "records and a README are no notes"
    assert main(["fleet"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("desk, lap agree (")
    assert "as of the last sync here, 20" in said
    assert main(["fleet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agree"] == ["desk", "lap"]
    assert main(["fleet", "--forget", "desk"]) == 1
    assert "desk is this machine, and its next sync would add it again" in capsys.readouterr().err
    assert main(["fleet", "--forget", "lap"]) == 0
    assert "a later sync of its own adds it again" in capsys.readouterr().out
    assert main(["sync"]) == 0
    assert "machines/lap.json" not in run_git(remote, "ls-tree", "-r", "--name-only", "main")
    lap.sync()
    lap.sync()
    assert "machines/lap.json" in run_git(remote, "ls-tree", "-r", "--name-only", "main")


def _as(desk: ReportingMachine, folder: Path) -> ReportingMachine:
    """Another store whose machine has the same name."""
    return ReportingMachine(folder / desk.root.name, desk.remote)


def test_a_second_store_under_a_name_is_noticed_at_its_first_fetch_and_until_it_has_another(
    desk: ReportingMachine, tmp_path: Path
) -> None:
    twin = _as(desk, tmp_path / "elsewhere")
    desk.write("N1", "a text")
    desk.sync()
    twin.write("N2", "a text")
    for _ in range(2):
        assert "another store reports as 'desk', too: give this machine another name" in twin.sync().detail
    assert "another store" not in desk.sync().detail
    assert desk.read("N2").body == "a text"
    here = next(iter(twin.backend.machines()))
    assert (here.has_twin, here.beat.machine) == (True, "desk")
    with MemoryStore(twin.root) as store:
        assert check_name(Context(store, twin.backend)).state == "warn"
    renamed = GitSyncBackend(twin.memory, remote=str(desk.remote), machine_id="lap", heartbeat=True)
    assert renamed.sync().detail == "synced"
    settle(desk)
    assert {each.name for each in desk.fleet().machines} == {"desk", "lap"}


def test_a_machine_renamed_to_a_taken_name_leaves_the_others_report_alone(
    desk: ReportingMachine, lap: ReportingMachine
) -> None:
    desk.write("N1", "a text")
    settle(desk, lap)
    lap.write("N2", "a text")
    taken = GitSyncBackend(lap.memory, remote=str(lap.remote), machine_id="desk", heartbeat=True)
    assert "another store reports as 'desk', too" in taken.sync().detail
    assert "another store" not in desk.sync().detail


def test_a_store_that_lost_sync_json_is_not_taken_for_another_one(desk: ReportingMachine) -> None:
    desk.write("N1", "a text")
    desk.sync()
    (desk.root / "sync.json").unlink()
    desk.write("N2", "a text")
    assert "another store" not in desk.sync().detail


def test_a_copied_store_gets_another_id_and_the_first_one_says_so(
    desk: ReportingMachine, tmp_path: Path
) -> None:
    desk.write("N1", "a text")
    desk.sync()
    copy = _as(desk, tmp_path / "elsewhere")
    shutil.copytree(desk.root, copy.root)
    copy.write("N2", "a text")
    assert copy.sync().pushed
    assert "another store reports as 'desk', too" in desk.sync().detail
