"""One sync cycle: commit, fetch, integrate, push, and what it reports."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anamnesis.files import lock
from anamnesis.notes.record import deserialize
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend, SyncBackend, SyncError
from anamnesis.undo import UndoTexts
from conftest import Clock
from machines import LATER, Machine, run_git, settle


def test_without_a_remote_sync_only_commits_and_says_so(tmp_path: Path) -> None:
    alone = Machine(tmp_path / "desk", None)
    alone.write("N1", "body")
    result = alone.sync()
    assert (result.pushed, result.pulled, result.conflicted) == (False, 0, False)
    assert "remote" in result.detail
    assert alone.git("log", "--format=%an <%ae>").strip() == "anamnesis <anamnesis@desk>"
    assert alone.git("log", "--format=%s").startswith("desk: added ")
    assert result.head == alone.git("rev-parse", "HEAD")[:7]


def test_a_note_is_synced_and_only_changed_files_are_listed(desk: Machine, lap: Machine) -> None:
    desk.write("N1", "body")
    assert desk.sync().pushed
    result = lap.sync()
    assert (result.pushed, result.pulled, result.changed) == (False, 1, ("semantic/N1.md",))
    assert lap.files() == desk.files()
    assert lap.path("N1").stat().st_mode & 0o777 == 0o600  # type: ignore[union-attr]
    again = lap.sync()
    assert (again.pushed, again.pulled, again.changed, again.detail) == (False, 0, (), "synced")


def test_the_sync_state_follows_the_store(desk: Machine, lap: Machine) -> None:
    desk.write("N1", "body")
    desk.sync()
    state = desk.backend.state()
    assert (state.initialized, state.dirty, state.detail) == (True, False, "ok")
    assert (state.ahead, state.behind) == (0, 0)
    assert state.head == desk.git("rev-parse", "HEAD")[:7]
    assert state.last_sync
    desk.write("N2", "body")
    assert desk.backend.state().dirty
    assert desk.backend.commit("a message of our own")
    state = desk.backend.state()
    assert (state.dirty, state.ahead) == (False, 1)
    assert "1 commit not pushed since 20" in state.detail
    assert desk.git("log", "-1", "--format=%s").strip() == "a message of our own"


def test_a_note_retyped_here_and_edited_there_is_one_file_with_both_changes(
    desk: Machine, lap: Machine
) -> None:
    desk.write("N1", "one\ntwo")
    settle(desk, lap)
    desk.save(desk.read("N1"), type="procedural", updated_at=LATER)
    lap.save(lap.read("N1"), body="one\nTWO", updated_at=LATER)
    settle(lap, desk)
    assert list(desk.files()) == ["procedural/N1.md"]
    assert desk.read("N1").body == "one\nTWO"
    assert lap.files() == desk.files()


@pytest.mark.parametrize("deletes_first", [True, False])
def test_an_edit_beats_a_deletion_on_both_machines_and_is_reported(
    desk: Machine, lap: Machine, deletes_first: bool
) -> None:
    desk.write("N1", "one\ntwo")
    settle(desk, lap)
    desk.delete("N1")
    lap.save(lap.read("N1"), body="one\nEDITED", updated_at=LATER)
    settle(*((desk, lap) if deletes_first else (lap, desk)))
    assert desk.read("N1").body == lap.read("N1").body == "one\nEDITED"
    said = [result.detail for machine in (desk, lap) for result in machine.results]
    assert any("'a title' (N1) was" in detail and "the edit was kept" in detail for detail in said)
    assert not any(result.conflicted for machine in (desk, lap) for result in machine.results)


def test_the_same_edit_on_both_sides_is_not_a_conflict(desk: Machine, lap: Machine) -> None:
    desk.write("N1", "one")
    settle(desk, lap)
    for machine in (desk, lap):
        machine.save(machine.read("N1"), body="the same", updated_at=LATER)
    settle(desk, lap)
    assert not any(result.conflicted for machine in (desk, lap) for result in machine.results)
    assert lap.files() == desk.files()


def test_history_stays_linear_and_several_unpushed_commits_become_one(
    desk: Machine, lap: Machine, remote: Path
) -> None:
    settle(desk, lap)
    desk.write("N0", "x")
    desk.sync()
    for number in range(3):
        lap.write(f"L{number}", "x")
        lap.backend.commit(f"step {number}")
    lap.sync()
    assert run_git(remote, "log", "--merges", "--format=%h", "main") == ""
    subject = "lap: added 'a title', 'a title', 'a title'"
    assert run_git(remote, "log", "--format=%s", "-1", "main").strip() == subject


def test_clocks_that_are_years_wrong_lose_no_text(desk: Machine, lap: Machine, clock: Clock) -> None:
    with MemoryStore(desk.root) as mine, MemoryStore(lap.root) as theirs:
        note = mine.write(type="semantic", title="Ports", body="the list")
        settle(desk, lap)
        for moment, store, name in (("2035-01-01", mine, "desk"), ("2017-01-01", theirs, "lap")):
            clock.set(f"{moment}T00:00:00+00:00")
            store.update(note.id, title=f"Ports of {name}", body=f"the list\n\n## {name}\n\nDone.")
        settle(desk, lap)
        merged = mine.get(note.id)
        assert merged is not None
        assert merged == theirs.get(note.id)
    assert merged.title == "Ports of desk"
    assert merged.body == "the list\n\n## lap\n\nDone.\n\n## desk\n\nDone."
    assert "Ports of lap" in {text.note.title for text in UndoTexts(lap.root).of_note(note.id)}


def test_files_that_are_not_notes_are_synced_and_junk_is_not(desk: Machine, lap: Machine) -> None:
    desk.write("N1", "body")
    (desk.memory / "README.md").write_text("read me\n")
    (desk.memory / "semantic/broken.md").write_text("---\nno end")
    for junk in (".DS_Store", "semantic/.N1.md.swp", "semantic/N1.md~", ".hidden/x.md"):
        (desk.memory / junk).parent.mkdir(exist_ok=True)
        (desk.memory / junk).write_bytes(b"junk")
    os.symlink("/etc/hostname", desk.memory / "semantic/link.md")
    run_git(desk.memory, "init", "-q", "nested")
    (desk.memory / "nested/inner.md").write_text("x")
    desk.sync()
    lap.sync()
    assert sorted(lap.files()) == ["README.md", "semantic/N1.md", "semantic/broken.md"]


def test_the_bytes_of_a_file_are_preserved(desk: Machine, lap: Machine) -> None:
    desk.memory.mkdir(parents=True)
    content = b"\xef\xbb\xbf---\r\nid: N9\r\nodd \xff bytes\r\n\r\n$Id$ \x00"
    (desk.memory / "odd.md").write_bytes(content)
    (desk.memory / 'quo"te \u00e9 \\.md').write_bytes(b"x")
    desk.sync()
    lap.sync()
    assert (lap.memory / "odd.md").read_bytes() == content


def test_two_different_notes_with_the_same_file_name_are_both_kept(desk: Machine, lap: Machine) -> None:
    settle(desk, lap)
    for machine, note_id in ((desk, "A1"), (lap, "B1")):
        machine.write(note_id, f"body of {note_id}")
        (machine.memory / "semantic/shared.md").write_bytes(machine.path(note_id).read_bytes())  # type: ignore[union-attr]
        machine.delete(note_id)
    settle(desk, lap)
    assert lap.files() == desk.files()
    assert {deserialize(data.decode()).id for data in lap.files().values()} == {"A1", "B1"}


def test_a_second_sync_leaves_the_work_to_the_first(desk: Machine) -> None:
    desk.write("N1", "body")
    desk.timeout = 0.3
    with lock(desk.root / "sync.lock", timeout=1):
        result = desk.sync()
    assert ("another sync" in result.detail, result.conflicted) == (True, False)


def test_the_backend_follows_the_protocol_and_refuses_dangerous_remotes(tmp_path: Path) -> None:
    backend: SyncBackend = GitSyncBackend(tmp_path / "m", remote="ext::sh -c id", machine_id="x")
    with pytest.raises(SyncError, match="helper program"):
        backend.sync()
    backend.init()
    assert backend.state().initialized
