"""What machines say of themselves, and what one of them knows of the others."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.doctor.context import Context, Finding
from anamnesis.doctor.exchange import check_name
from anamnesis.errors import SyncError
from anamnesis.fleet.report import Fleet, described, forget, read_fleet
from anamnesis.git import Git
from anamnesis.history.git_log import GitHistory
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from anamnesis.sync.heartbeat import heartbeat_path
from machines import Machine, run_git, settle

NOW = datetime.now(UTC)


class Speaking(Machine):
    """A machine that says how it is, as one that commands run on does."""

    @property
    def backend(self) -> GitSyncBackend:
        """A backend with a heartbeat."""
        remote = str(self.remote) if self.remote else None
        name = self.root.name
        return GitSyncBackend(self.memory, remote=remote, machine_id=name, timeout=600, heartbeat=True)

    def fleet(self, now: datetime = NOW) -> Fleet:
        """What this machine knows of all."""
        return read_fleet(self.memory, machine=self.root.name, state=self.backend.state(), now=now)

    def commits(self) -> int:
        """How many commits the history has."""
        return int(self.git("rev-list", "--count", "main"))

    def age(self, hours: float) -> None:
        """Let time pass since this machine last spoke."""
        path = self.memory / heartbeat_path(self.root.name)
        said = json.loads(path.read_text())
        said["at"] = (NOW - timedelta(hours=hours)).isoformat(timespec="seconds")
        path.write_text(json.dumps(said))
        self.backend.commit()
        # The commit has made it speak; only its clock is to be behind.
        path.write_text(json.dumps(said))
        self.git("commit", "-q", "-a", "--amend", "-m", "as it was")


@pytest.fixture
def desk(tmp_path: Path, remote: Path) -> Speaking:
    """One machine."""
    return Speaking(tmp_path / "desk", remote)


@pytest.fixture
def lap(tmp_path: Path, remote: Path) -> Speaking:
    """Another."""
    return Speaking(tmp_path / "lap", remote)


@pytest.mark.parametrize("taken", ["machines", "machines/desk.json/x"])
def test_a_file_in_the_place_of_the_heartbeat_stops_no_sync(
    desk: Speaking, lap: Speaking, taken: str
) -> None:
    (desk.memory / taken).parent.mkdir(parents=True, exist_ok=True)
    (desk.memory / taken).write_text("mine")
    desk.write("N1", "one")
    lap.write("N2", "two")
    lap.sync()
    assert desk.sync().reached
    settle(desk, lap)
    assert lap.read("N1").body == "one"
    assert desk.read("N2").body == "two"
    assert [path for path, content in lap.files().items() if content == b"mine"]


def test_a_heartbeat_goes_along_with_a_commit_and_makes_none_of_its_own(desk: Speaking) -> None:
    desk.write("N1", "one")
    desk.sync()
    assert desk.commits() == 1
    said = json.loads((desk.memory / "machines/desk.json").read_text())
    assert said["machine"] == "desk"
    desk.write("N2", "two")
    desk.sync()
    assert desk.commits() == 2
    assert "machines/desk.json" in desk.git("show", "--name-only", "--format=", "main")


def test_a_sync_without_news_says_nothing_again(desk: Speaking, lap: Speaking) -> None:
    desk.write("N1", "one")
    settle(desk, lap, rounds=3)
    count = desk.commits()
    before = desk.files(), lap.files()
    settle(desk, lap, rounds=3)
    assert desk.commits() == lap.commits() == count
    assert (desk.files(), lap.files()) == before
    assert not desk.sync().pushed


def test_a_machine_that_only_pulls_speaks_once_a_day(desk: Speaking, lap: Speaking) -> None:
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


def test_without_a_remote_nobody_is_told(tmp_path: Path) -> None:
    alone = Speaking(tmp_path / "alone", None)
    alone.write("N1", "one")
    alone.sync()
    assert list(alone.files()) == ["semantic/N1.md"]


def test_machines_with_the_same_notes_agree(desk: Speaking, lap: Speaking) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    for machine, other in ((desk, lap), (lap, desk)):
        machine.sync()
        fleet = machine.fleet()
        assert fleet.agree == (machine.root.name, other.root.name)
        assert described(fleet)[0] == f"{machine.root.name}, {other.root.name} agree ({fleet.tree})"
    assert desk.fleet().tree == lap.fleet().tree


def test_a_machine_that_lags_is_named_with_how_far_and_as_of_when(desk: Speaking, lap: Speaking) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    for at in range(2):
        desk.write(f"M{at}", "more")
        desk.sync()
    (own, other) = desk.fleet().machines
    assert (own.here, own.behind, other.name, other.behind) == (True, 0, "lap", 2)
    said = "\n".join(described(desk.fleet()))
    assert "lap lacks 2 commits since 20" in said
    lap.write("L1", "lap writes, and has all by then")
    settle(lap, desk)
    assert desk.fleet().agree == ("desk", "lap")


def test_the_first_heartbeat_of_a_machine_says_that_it_has_synced(desk: Speaking, lap: Speaking) -> None:
    lap.write("N1", "one")
    lap.sync()
    desk.sync()
    said = json.loads((desk.memory / "machines/lap.json").read_text())
    assert said["last_sync"] == ""
    (_, other) = desk.fleet().machines
    assert other.last_sync == said["at"]


def test_a_machine_does_not_lack_its_own_commits(desk: Speaking, lap: Speaking) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    path = lap.write("L1", "committed by itself, as a command does")
    lap.backend.commit(only=[path])
    lap.sync()
    desk.sync()
    assert desk.git("log", "-1", "--format=%ae").strip() == "anamnesis@lap"
    assert desk.fleet().agree == ("desk", "lap")


def test_both_machines_say_of_which_a_note_is_held(desk: Speaking, lap: Speaking) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    desk.write("N1", "from desk")
    desk.sync()
    lap.write("N1", "from lap")
    lap.write("N2", "brings the heartbeat")
    assert lap.sync().conflicted
    assert "lap: 1 file held" in described(lap.fleet())
    lap.write("N3", "the next one counts what is held")
    settle(lap, desk)
    assert any(line.startswith("lap: 1 file held at its last report, 20") for line in described(desk.fleet()))


def test_silent_hooks_other_versions_and_retired_machines_are_noticed(desk: Speaking, lap: Speaking) -> None:
    lap.write("N1", "one")
    (lap.root / "last-inject").touch()
    settle(lap, desk)
    path = desk.memory / "machines/lap.json"
    said = json.loads(path.read_text())
    path.write_text(
        json.dumps({**said, "version": "0.0.9", "held": 2, "last_inject": "2026-01-01T00:00:00+00:00"})
    )
    text = "\n".join(described(desk.fleet()))
    assert "lap: its hooks have not run since 2026-01-01" in text
    assert "lap: runs version 0.0.9" in text
    assert "lap: 2 files held at its last report, 20" in text
    text = "\n".join(described(desk.fleet(NOW + timedelta(days=40))))
    assert "lap: silent since" in text
    assert "anamnesis fleet forget lap" in text


def test_a_machine_with_a_clock_far_behind_is_not_silent_while_it_is_heard(
    desk: Speaking, lap: Speaking
) -> None:
    lap.write("N1", "one")
    settle(lap, desk)
    path = desk.memory / "machines/lap.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "at": "2001-01-01T00:00:00+00:00"}))
    assert "silent" not in "\n".join(described(desk.fleet()))
    assert "lap: silent since" in "\n".join(described(desk.fleet(NOW + timedelta(days=40))))


def test_a_last_sync_in_the_future_is_unknown(desk: Speaking) -> None:
    desk.write("N1", "one")
    desk.sync()
    assert desk.backend.state().last_sync
    runs = desk.memory / ".git" / "anamnesis" / "runs.json"
    runs.write_text(json.dumps({**json.loads(runs.read_text()), "last_sync": "2999-01-01T00:00:00+00:00"}))
    assert desk.backend.state().last_sync is None


def test_a_forgotten_machine_is_gone_everywhere_and_comes_back_when_it_speaks(
    desk: Speaking, lap: Speaking, tmp_path: Path, remote: Path
) -> None:
    third = Speaking(tmp_path / "third", remote)
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
    with pytest.raises(SyncError, match="no machine is called 'nobody'; known are: desk, lap, third"):
        forget(desk.memory, "nobody")


def test_a_machine_whose_name_git_cannot_have_is_listed_once(tmp_path: Path, remote: Path) -> None:
    odd, other = Speaking(tmp_path / "Ada's  PC", remote), Speaking(tmp_path / "lap", remote)
    odd.write("N1", "one")
    settle(odd, other)
    assert [each.name for each in odd.fleet().machines] == ["Ada's--PC", "lap"]
    forget(other.memory, "Ada's  PC")
    assert [each.name for each in other.fleet().machines] == ["lap"]


def test_two_machines_of_one_name_never_clash_over_their_heartbeat(
    desk: Speaking, tmp_path: Path, remote: Path
) -> None:
    twin = Speaking(tmp_path / "elsewhere" / "desk", remote)
    for at in range(3):
        desk.write(f"D{at}", "one")
        twin.write(f"T{at}", "two")
        settle(desk, twin)
    assert not desk.sync().held
    assert not twin.sync().held
    json.loads((desk.memory / "machines/desk.json").read_text())


@pytest.mark.parametrize("name", ["büro", "a/b", "..", "x" * 300, "Mac Book.local"])
def test_any_name_makes_a_file_of_its_own(name: str) -> None:
    folder, _, file = heartbeat_path(name).rpartition("/")
    assert folder == "machines"
    assert file.isascii()
    assert not file.startswith(".")
    assert len(file) < 100
    assert heartbeat_path(f"{name}!") != heartbeat_path(name)


def test_notes_and_history_know_nothing_of_heartbeats(desk: Speaking, lap: Speaking) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    desk.sync()
    with MemoryStore(desk.root) as store:
        assert [note.id for note in store.list()] == ["N1"]
        assert store.problems() == []
    ((entry, _),) = GitHistory(desk.memory).diary(limit=50, most=9)
    assert entry.files == 1
    assert [file.id for file in GitHistory(desk.memory).changed(entry.commit)] == ["N1"]
    assert GitHistory(desk.memory).last_note_of("lap") is None


def test_the_command_says_it_for_people_and_for_programs(
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
    lap = Speaking(tmp_path / "lap", remote)
    lap.sync()
    assert main(["sync"]) == 0
    assert "came in" not in capsys.readouterr().out
    assert main(["fleet"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("desk, lap agree (")
    assert "as of the last sync here, 20" in said
    assert main(["fleet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agree"] == ["desk", "lap"]
    assert main(["fleet", "forget", "lap"]) == 0
    assert main(["sync"]) == 0
    assert "machines/lap.json" not in run_git(remote, "ls-tree", "-r", "--name-only", "main")


def test_a_month_on_three_machines_stays_small_and_readable(tmp_path: Path, remote: Path) -> None:
    """Each day each machine writes two notes in sessions of their own, except one that only reads."""
    machines = [Speaking(tmp_path / name, remote) for name in ("desk", "lap", "server")]
    days, notes = 6, 0
    for day in range(days):
        for machine in machines:
            if (machine.memory / heartbeat_path(machine.root.name)).exists():
                machine.age(25)
            for at in range(2 if machine.root.name != "server" else 0):
                machine.write(f"{machine.root.name}-{day}-{at}", f"line\n{day}")
                machine.sync()
                notes += 1
            machine.sync()
    subjects = machines[0].git("log", "--format=%s", "main").splitlines()
    alone = [subject for subject in subjects if subject.endswith(": heartbeat")]
    assert len(alone) <= days + 2
    assert sum(name.endswith(".md") for name in machines[0].files()) <= notes


def test_a_sync_without_news_runs_no_git_for_the_heartbeat(
    desk: Speaking, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("N1", "one")
    settle(desk)
    asked: list[str] = []
    ask = Git.ask

    def count(self: Git, *args: str, **kwargs: object) -> object:
        asked.append(args[0])
        return ask(self, *args, **kwargs)  # type: ignore[arg-type]  # passed on as they came

    monkeypatch.setattr(Git, "ask", count)
    desk.sync()
    speaking, asked[:] = list(asked), []
    Machine.backend.fget(desk).sync()  # type: ignore[attr-defined]  # the same store, told to be silent
    assert speaking == asked


def _as(desk: Speaking, folder: Path) -> Speaking:
    """Another store whose machine has the same name."""
    return Speaking(folder / desk.root.name, desk.remote)


def test_two_stores_under_one_name_are_noticed_by_both_and_by_others(
    desk: Speaking, lap: Speaking, tmp_path: Path
) -> None:
    twin = _as(desk, tmp_path / "elsewhere")
    for number, machine in enumerate((desk, twin, desk, twin)):
        machine.write(f"N{number}", "a text")
        machine.sync()
    settle(desk, twin, lap)
    for machine in (desk, twin, lap):
        assert "desk: two stores report under this name; give one" in "\n".join(described(machine.fleet()))
        assert [bool(each.remarks) for each in machine.fleet().machines if each.name == "lap"] == [False]


def test_the_first_store_notices_the_second_at_once(desk: Speaking, tmp_path: Path) -> None:
    twin = _as(desk, tmp_path / "elsewhere")
    for number, machine in enumerate((desk, twin)):
        machine.write(f"N{number}", "a text")
        machine.sync()
    desk.sync()
    assert any("two stores" in line for line in described(desk.fleet()))


def test_a_store_that_was_replaced_is_no_second_one(desk: Speaking, tmp_path: Path) -> None:
    new = _as(desk, tmp_path / "elsewhere")
    for number, machine in enumerate((desk, desk, new, new)):
        machine.write(f"N{number}", "a text")
        machine.sync()
    assert not any("two stores" in line for line in described(new.fleet()))


def test_a_heartbeat_without_a_token_is_read_and_a_token_says_nothing_of_its_machine(desk: Speaking) -> None:
    desk.write("N1", "a text")
    desk.sync()
    path = desk.memory / heartbeat_path("desk")
    said = json.loads(path.read_text())
    assert len(bytes.fromhex(said.pop("store"))) == 8
    path.write_text(json.dumps(said))
    desk.write("N2", "a text")
    desk.sync()
    assert not any("two stores" in line for line in described(desk.fleet()))


def test_another_store_under_the_name_of_this_machine_is_noticed(
    store: MemoryStore, tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "desk")

    def backend(memory: Path) -> GitSyncBackend:
        return GitSyncBackend(memory, remote=str(remote), machine_id="desk", heartbeat=True)

    def verdict() -> Finding:
        return check_name(Context(store, backend(store.memory_dir)))

    assert verdict().state == "ok"
    store.write(type="semantic", title="t", body="b")
    backend(store.memory_dir).sync()
    assert verdict().state == "ok"
    with MemoryStore(tmp_path / "twin") as twin:
        twin.write(type="semantic", title="u", body="c")
        backend(twin.memory_dir).sync()
    backend(store.memory_dir).sync()
    found = verdict()
    assert (found.state, "another store reports as 'desk'" in found.evidence) == ("warn", True)
    assert "config set machine_id" in found.remedy


def test_an_earlier_name_of_this_machine_is_named_with_how_to_remove_it(
    desk: Speaking, lap: Speaking, tmp_path: Path
) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    desk.root.rename(tmp_path / "tower")
    tower = Speaking(tmp_path / "tower", desk.remote)
    tower.write("N2", "two")
    settle(tower, lap)
    remark = "desk: probably an earlier name of this machine; `anamnesis fleet forget desk` removes it"
    assert remark in described(tower.fleet())
    assert not any("earlier name" in line for line in described(lap.fleet()))
