"""News: what other machines wrote is shown once, to the next session of the project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.fleet import collect_news, from_whom
from anamnesis.inject.start import Start, start_session, tell_arrivals
from anamnesis.session.receipts import Item, news_lines, read_items
from machines import LATER, Machine, settle

APP = "github.com/acme/app"


@pytest.fixture
def desk(tmp_path: Path, remote: Path) -> Machine:
    """This machine, with the store that commands use."""
    return Machine(tmp_path / "store", remote)


@pytest.fixture
def joined(desk: Machine, lap: Machine) -> None:
    """Both machines have one note and its news was shown."""
    desk.write("N1", "one", title="First", project=APP)
    settle(desk, lap)
    collect_news(desk.root, desk.backend.history(), machine="store")
    assert read_items(str(desk.root)) == []


def _told(desk: Machine, project: str = APP, session: str = "s1") -> list[str]:
    briefing = start_session(Start(home=str(desk.root), project=project, session=session))
    return [line for line in briefing.text.splitlines() if line.startswith("While you were away")]


@pytest.mark.usefixtures("joined")
def test_a_session_is_told_once_what_another_machine_wrote(desk: Machine, lap: Machine) -> None:
    lap.write("L1", "new", title="Deploy on Fridays", project=APP)
    lap.save(lap.read("N1"), body="one, edited", updated_at=LATER)
    settle(lap, desk)
    collect_news(desk.root, desk.backend.history(), machine="store")
    assert _told(desk) == ["While you were away: lap wrote 'Deploy on Fridays' and edited 'First'."]
    assert _told(desk) == []


@pytest.mark.usefixtures("joined")
def test_a_rule_that_arrives_after_the_start_is_told_as_a_rule(desk: Machine, lap: Machine) -> None:
    lap.write("R1", "Never log names of customers", title="Logs", project=APP, tags=["rule"])
    settle(lap, desk)
    start = Start(home=str(desk.root), project=APP, session="s1", source="sync")
    told = tell_arrivals(start, ["R1"]).text
    assert "## Rules that the user stated\n- Logs: Never log names of customers (R1)" in told


@pytest.mark.usefixtures("joined")
def test_news_of_a_held_note_names_what_the_other_machine_wrote(desk: Machine, lap: Machine) -> None:
    lap.save(lap.read("N1"), title="First of lap", body="ours", updated_at=LATER)
    desk.save(desk.read("N1"), title="First of desk", body="mine", updated_at=LATER)
    lap.sync()
    assert desk.sync().held == ("N1",)
    collect_news(desk.root, desk.backend.history(), machine="store", held=desk.backend.state().held)
    assert _told(desk) == ["While you were away: lap edited 'First of lap'."]


@pytest.mark.usefixtures("joined")
def test_news_of_one_project_is_not_told_in_another(desk: Machine, lap: Machine) -> None:
    lap.write("L1", "new", title="Only there", project="github.com/acme/other")
    lap.write("L2", "new", title="For all", project="global")
    settle(lap, desk)
    collect_news(desk.root, desk.backend.history(), machine="store")
    assert _told(desk) == ["While you were away: lap wrote 'For all'."]
    assert "'Only there'" in _told(desk, "github.com/acme/other")[0]


@pytest.mark.usefixtures("joined")
def test_this_machines_own_notes_are_not_news(desk: Machine, lap: Machine) -> None:
    desk.write("N2", "own", project=APP)
    settle(desk, lap)
    collect_news(desk.root, desk.backend.history(), machine="store")
    assert read_items(str(desk.root)) == []


@pytest.mark.usefixtures("joined")
def test_a_rewritten_history_is_not_news(desk: Machine, lap: Machine) -> None:
    lap.write("L1", "secret-text-here", project=APP)
    settle(lap, desk)
    collect_news(desk.root, desk.backend.history(), machine="store")
    lap.purge("L1")
    settle(lap, desk)
    collect_news(desk.root, desk.backend.history(), machine="store")
    assert read_items(str(desk.root)) == []


def test_news_has_at_most_three_short_lines() -> None:
    items: list[Item] = [
        {"machine": f"m{at % 5}", "kind": "wrote", "title": f"title {at} " + "x" * 200} for at in range(40)
    ]
    lines = news_lines(items)
    assert len(lines) == 3
    assert all(len(line) < 300 for line in lines)
    assert "24 notes more from 3 other machines" in lines[2]
    assert from_whom(items[1:2]) == " from m1"
    assert from_whom(items[:6]) == ": 2 from m0, 1 from m1, 1 from m2, 1 from m3, 1 from m4"


@pytest.mark.usefixtures("joined")
def test_news_lists_everything(
    desk: Machine, lap: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(desk.remote))
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "store")
    lap.write("L1", "new", title="Deploy", project=APP)
    lap.sync()
    assert main(["sync", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["news"]) == 0
    assert "\tlap\twrote\tL1\tgithub.com/acme/app\tDeploy\n" in capsys.readouterr().out
    assert main(["news", "--since", "yesterday"]) == 0
    assert "\tlap\twrote\tL1\t" in capsys.readouterr().out
    assert main(["news", "--since", "2999-01-01", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.usefixtures("joined")
def test_a_deletion_is_listed_but_no_session_is_told_of_it(
    desk: Machine, lap: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    lap.delete("N1")
    lap.write("L1", "written and deleted between two syncs", project=APP)
    lap.sync()
    lap.delete("L1")
    settle(lap, desk)
    collect_news(desk.root, desk.backend.history(), machine="store")
    assert _told(desk) == []
    assert main(["news"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.endswith(f"\tlap\tdeleted\tN1\t{APP}\tFirst")


@pytest.mark.usefixtures("joined")
def test_a_purge_takes_only_its_own_notes_out_of_the_news(desk: Machine, lap: Machine) -> None:
    lap.write("L1", "new", title="Came before")
    lap.write("L2", "new", title="To be purged")
    settle(lap, desk)
    collect_news(desk.root, desk.backend.history(), machine="store")
    lap.write("L3", "new", title="Came with the purge")
    lap.purge("L2")
    settle(lap, desk)
    collect_news(desk.root, desk.backend.history(), machine="store")
    assert [item["title"] for item in read_items(str(desk.root))] == ["Came before", "Came with the purge"]
