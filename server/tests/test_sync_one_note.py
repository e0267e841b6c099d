"""Committing the one note that was just written, as capture does, at the same cost in a store of any size."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.notes.record import deserialize
from anamnesis.sync.one_note import commit_note
from machines import Machine
from secret_samples import SAMPLES
from test_hot_path import transcript, work
from test_sync_clash import clash
from transcript_lines import asked, said

__all__ = ["clash", "transcript", "work"]
KEY, SECRET = SAMPLES["anthropic"]
NEW = "01ARZ3NDEKTSV4RRFFQ69G5FA2"


@pytest.fixture
def desk(tmp_path: Path) -> Machine:
    """A machine with one committed note and no remote."""
    machine = Machine(tmp_path / "desk", None)
    machine.write("N1", "first text")
    machine.backend.commit()
    return machine


def commit(machine: Machine, path: Path) -> bool:
    return commit_note(machine.root, deserialize(path.read_text()), machine_id=machine.root.name)


def committed(machine: Machine) -> list[str]:
    return machine.git("show", "--format=", "--name-only", "main").split()


def test_a_note_is_committed_alone_and_the_next_sync_commits_the_others(desk: Machine) -> None:
    desk.write("N1", "second text")
    new = desk.write(NEW, "new")
    assert commit(desk, new)
    assert committed(desk) == [f"semantic/{NEW}.md"]
    assert desk.git("log", "-1", "--format=%s").strip() == "desk: added 'a title'"
    assert desk.git("status", "--porcelain").strip() == "M semantic/N1.md"
    assert not commit(desk, new)
    desk.write(NEW, "newer")
    assert commit(desk, new)
    assert desk.backend.commit()
    assert committed(desk) == ["semantic/N1.md"]
    assert desk.git("status", "--porcelain") == ""


def test_a_commit_that_a_kill_left_unrecorded_is_made_again(desk: Machine) -> None:
    known = (desk.root / "sync.json").read_bytes()
    assert commit(desk, desk.write(NEW, "new"))
    (desk.root / "sync.json").write_bytes(known)
    desk.sync()
    assert desk.read(NEW).body == "new"
    assert desk.git("status", "--porcelain") == ""


@pytest.mark.parametrize("typed", [("---\n", "---\n\n{} is the key\n"), ("\ntags:\n", "\ntags:\n- {}\n")])
def test_what_a_person_typed_into_a_sessions_note_is_left_to_the_next_sync(
    desk: Machine, transcript: Path, monkeypatch: pytest.MonkeyPatch, typed: tuple[str, str]
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(desk.root))
    assert main(["capture", "--no-sync", "--transcript", str(transcript)]) == 0
    (path,) = (desk.memory / "episodic").glob("*.md")
    head, mark, rest = path.read_text().rpartition(typed[0])
    path.write_text(head + mark.replace(typed[0], typed[1].format(KEY)) + rest)
    with transcript.open("a") as file:
        file.write("".join(json.dumps(line) + "\n" for line in (asked("and now?"), said("`late.py` was it"))))
    assert main(["capture", "--no-sync", "--transcript", str(transcript)]) == 0
    assert "late.py" in path.read_text()
    assert SECRET not in desk.git("log", "-p", "--all")


def test_a_file_that_is_not_a_portable_note_of_ours_is_left_to_the_next_sync(desk: Machine) -> None:
    assert not commit(desk, desk.write(NEW, "new", scope="machine-local"))
    path = desk.write(NEW, "text")
    known = deserialize(path.read_text())
    path.write_text("something else")
    assert not commit_note(desk.root, known, machine_id="desk")
    linked = desk.write(NEW, "new", type="procedural")
    linked.parent.rename(desk.root / "outside")
    linked.parent.symlink_to(desk.root / "outside")
    assert not commit(desk, linked)


@pytest.mark.parametrize(
    "order", [("checkout", "-q", "-b", "side"), ("commit", "-q", "--allow-empty", "-m", "by hand")]
)
def test_if_the_branch_is_not_where_a_sync_left_it_nothing_is_done(
    desk: Machine, order: tuple[str, ...]
) -> None:
    desk.git(*order)
    assert not commit(desk, desk.write(NEW, "new"))
    assert desk.backend.commit()
    assert not commit(Machine(desk.root.with_name("fresh"), None), desk.write(NEW, "in a store without git"))


def test_after_a_purge_a_sync_decides_what_may_be_committed(desk: Machine) -> None:
    desk.purge("N1", texts=["a purged passage"])
    assert not commit(desk, desk.write(NEW, "it quotes a purged passage"))
    assert [each.id for each in desk.backend.state().waiting] == [NEW]


def test_while_a_note_is_held_a_sync_decides_what_may_be_committed(clash: tuple[Machine, Machine]) -> None:
    holder = clash[1]
    assert holder.sync().held
    assert not commit(holder, holder.write(NEW, "new"))
    assert holder.sync().held


def test_capture_commits_only_its_note(
    desk: Machine, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(desk.root))
    desk.write("N2", "typed by hand")
    assert main(["capture", "--no-sync", "--transcript", str(transcript)]) == 0
    names = committed(desk)
    assert [name.partition("/")[0] for name in names] == ["episodic"]
    assert desk.git("status", "--porcelain").split() == ["??", "semantic/N2.md"]
