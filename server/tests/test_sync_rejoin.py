"""`--rejoin`: a rewritten remote gets this machine's current notes, never its old commits."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from anamnesis.errors import SyncError
from anamnesis.notes.record import deserialize, serialize
from machines import LATER, Machine, make_remote, run_git, run_until, settle

SECRET = "the words that must go"
Pair = tuple[Machine, Machine]


@pytest.fixture
def pair(desk: Machine, lap: Machine) -> Pair:
    """Two machines with shared notes, some of which once contained a secret."""
    desk.write("FIRST", "in every history")
    desk.sync()
    for note_id in ("CUT", "EDIT", "GONE", "LOST", "PURGED"):
        desk.write(note_id, f"one\n{SECRET if note_id in ('CUT', 'PURGED') else 'two'}\nthree")
    settle(desk, lap)
    lap.save(lap.read("EDIT"), body=f"one\n{SECRET}\nthree", updated_at=LATER)
    lap.sync()
    lap.save(lap.read("EDIT"), body="one\ntwo\nthree", updated_at=LATER)
    settle(lap, desk)
    return desk, lap


def _purge_by_hand(tmp_path: Path, remote: Path) -> None:
    """Rewrite all but the first commit of the remote, without the secret and one note."""
    clone = tmp_path / "clone"
    run_git(tmp_path, "clone", "-q", str(remote), str(clone))
    (clone / "semantic/PURGED.md").unlink()
    note = clone / "semantic/CUT.md"
    note.write_text(note.read_text().replace(SECRET, "[removed]"))
    run_git(clone, "checkout", "-q", "-b", "fresh")
    run_git(clone, "reset", "-q", "--soft", run_git(clone, "rev-list", "--max-parents=0", "HEAD").strip())
    run_git(clone, "commit", "-q", "-a", "-m", "purged")
    run_git(clone, "push", "-q", "--force", "origin", "fresh:main")


def _history(machine: Machine) -> str:
    return run_git(Path(str(machine.remote)), "log", "-p", "main")


def test_text_purged_at_the_remote_does_not_come_back(pair: Pair, tmp_path: Path) -> None:
    desk, lap = pair
    _purge_by_hand(tmp_path, Path(str(lap.remote)))
    lap.save(lap.read("EDIT"), body="ONE\ntwo\nthree", updated_at=LATER)
    lap.delete("GONE")
    lap.write("NEW", "written since")
    with pytest.raises(SyncError, match="rewritten"):
        lap.sync()
    result = lap.backend.sync(rejoin=True)
    assert (result.pushed, result.held) == (True, ())
    for machine in (desk, lap):
        machine.backend.sync(rejoin=True)
        assert sorted(machine.files()) == [
            f"semantic/{name}.md" for name in ("CUT", "EDIT", "FIRST", "LOST", "NEW")
        ]
        assert machine.read("EDIT").body == "ONE\ntwo\nthree"
        assert machine.read("CUT").body == "one\n[removed]\nthree"
        assert machine.sync().detail == "synced"
    assert SECRET not in _history(lap)


def test_notes_removed_by_the_rewrite_are_counted_and_recoverable(pair: Pair, tmp_path: Path) -> None:
    _, lap = pair
    _purge_by_hand(tmp_path, Path(str(lap.remote)))
    before = lap.git("rev-parse", "main").strip()
    result = lap.backend.sync(rejoin=True)
    assert "removed here: 1 note that the remote no longer has" in result.detail
    assert f"`anamnesis sync --recover {before[:10]}`" in result.detail
    assert f"sync --recover {before[:10]}" in lap.backend.examine_storage().remedy
    assert lap.backend.recover(before[:10]) == ["semantic/PURGED.md"]
    assert SECRET in lap.read("PURGED").body
    assert lap.backend.examine_storage().state == "ok"
    lap.sync()
    assert lap.path("PURGED")


def _replace_remote(tmp_path: Path, remote: Path, *, keep: tuple[str, ...] = (), orphan: bool) -> None:
    """Force-push a history that has only these notes and a README."""
    clone = tmp_path / "clone"
    run_git(tmp_path, "clone", "-q", str(remote), str(clone))
    if orphan:
        run_git(clone, "checkout", "-q", "--orphan", "fresh")
    for note in clone.glob("semantic/*.md"):
        if note.stem not in keep:
            note.unlink()
    (clone / "README.md").write_text("# something else\n")
    run_git(clone, "add", "-A")
    run_git(clone, "commit", "-q", "-m", "another project", *(() if orphan else ("--amend",)))
    run_git(clone, "push", "-q", "--force", "origin", "HEAD:main")


@pytest.mark.parametrize(
    ("keep", "orphan"), [((), True), (("EDIT",), True), (("EDIT", "FIRST"), False)], ids=str
)
def test_notes_go_on_top_of_a_remote_that_is_another_history_or_lacks_most_of_them(
    pair: Pair, tmp_path: Path, keep: tuple[str, ...], orphan: bool
) -> None:
    desk, lap = pair
    before = lap.files()
    _replace_remote(tmp_path, Path(str(lap.remote)), keep=keep, orphan=orphan)
    with pytest.raises(SyncError, match="rewritten"):
        lap.sync()
    asked: list[str] = []

    def refuse(what: str) -> bool:
        asked.append(what)
        return False

    with pytest.raises(SyncError, match="rewritten"):
        lap.backend.sync(rejoin=refuse)
    assert "this machine puts its 6 notes on top, none is removed here; 1 file" in asked[0]
    assert lap.files() == before
    result = lap.backend.sync(rejoin=True)
    assert (result.pushed, result.held, "removed" in result.detail) == (True, (), False)
    desk.backend.sync(rejoin=True)
    for machine in (desk, lap):
        assert machine.files().items() >= before.items()
        assert set(machine.files()) - set(before) == {"README.md"}
        assert machine.sync().detail == "synced"


def test_a_rejoin_that_removes_notes_says_how_many_before_it_does(pair: Pair, tmp_path: Path) -> None:
    _, lap = pair
    _purge_by_hand(tmp_path, Path(str(lap.remote)))
    asked: list[str] = []

    def agree(what: str) -> bool:
        asked.append(what)
        return True

    lap.backend.sync(rejoin=agree)
    assert asked == [
        "1 note that the remote no longer has will be removed here;"
        " 1 file from there will come in or change here"
    ]


def test_a_note_edited_on_both_sides_of_a_rewrite_is_merged_against_the_last_shared_version(
    pair: Pair, tmp_path: Path
) -> None:
    desk, lap = pair
    lap.save(lap.read("CUT"), body=f"one\n{SECRET}\nTHREE", updated_at=LATER)
    _purge_by_hand(tmp_path, Path(str(lap.remote)))
    assert not lap.backend.sync(rejoin=True).held
    assert lap.read("CUT").body == "one\n[removed]\nTHREE"
    assert SECRET not in _history(lap)
    desk.backend.sync(rejoin=True)
    assert desk.files() == lap.files()


def test_a_value_that_loses_to_a_later_one_is_never_pushed(pair: Pair, tmp_path: Path) -> None:
    _, lap = pair
    lap.save(lap.read("CUT"), title="from lap", updated_at=LATER)
    _purge_by_hand(tmp_path, Path(str(lap.remote)))
    clone = tmp_path / "clone"
    note = clone / "semantic/CUT.md"
    later = replace(deserialize(note.read_text()), title="later", updated_at="2026-03-01T00:00:00+00:00")
    note.write_text(serialize(later))
    run_git(clone, "commit", "-q", "-a", "-m", "a later title")
    run_git(clone, "push", "-q", "origin", "fresh:main")
    lap.backend.sync(rejoin=True)
    assert lap.read("CUT").title == "later"
    assert SECRET not in _history(lap)


def test_a_remote_that_was_reset_gets_the_current_notes_as_one_commit(pair: Pair) -> None:
    desk, lap = pair
    remote = Path(str(lap.remote))
    lap.write("ADDED", "in a commit that the remote lost")
    settle(lap, desk)
    run_git(remote, "update-ref", "refs/heads/main", run_git(remote, "rev-parse", "main~3").strip())
    lap.write("NEW", "written since")
    assert lap.backend.sync(rejoin=True).pushed
    assert len(lap.files()) == 8
    texts = run_git(remote, "log", "-p", "--format=", "main", "--", "semantic/EDIT.md")
    assert SECRET not in texts
    desk.backend.sync(rejoin=True)
    assert desk.files() == lap.files()


def test_a_rejoin_whose_push_failed_is_not_refused_the_next_time(pair: Pair, tmp_path: Path) -> None:
    _, lap = pair
    remote = Path(str(lap.remote))
    _purge_by_hand(tmp_path, remote)
    lap.write("NEW", "written since")
    hook = remote / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o700)
    assert not lap.backend.sync(rejoin=True).pushed
    hook.unlink()
    assert lap.sync().pushed


@pytest.mark.parametrize("step", range(0, 60, 8))
def test_a_rejoin_killed_at_any_step_can_be_repeated(pair: Pair, tmp_path: Path, step: int) -> None:
    desk, lap = pair
    _purge_by_hand(tmp_path, Path(str(lap.remote)))
    lap.save(lap.read("EDIT"), body="ONE\ntwo\nthree", updated_at=LATER)
    lap.delete("GONE")
    run_until(step, _rejoiner(lap))
    for machine in (lap, desk, lap):
        machine.backend.sync(rejoin=True)
    assert sorted(lap.files()) == [f"semantic/{name}.md" for name in ("CUT", "EDIT", "FIRST", "LOST")]
    assert desk.files() == lap.files()
    assert SECRET not in _history(lap)


def test_a_refused_rewritten_history_is_not_integrated_when_the_remote_is_unreachable(
    pair: Pair, tmp_path: Path
) -> None:
    _, lap = pair
    remote, before = Path(str(lap.remote)), lap.files()
    _purge_by_hand(tmp_path, remote)
    with pytest.raises(SyncError, match="rewritten"):
        lap.sync()
    remote.rename(tmp_path / "away.git")
    assert not lap.sync().reached
    assert lap.files() == before
    (tmp_path / "away.git").rename(remote)
    with pytest.raises(SyncError, match="rewritten"):
        lap.sync()


def _rejoiner(machine: Machine) -> Callable[[], object]:
    return lambda: machine.backend.sync(rejoin=True)


def test_an_emptied_remote_is_filled_with_the_whole_history(pair: Pair) -> None:
    desk, lap = pair
    remote = Path(str(lap.remote))
    count = run_git(remote, "rev-list", "--count", "main")
    shutil.rmtree(remote)
    make_remote(remote)
    assert lap.backend.sync(rejoin=True).pushed
    assert run_git(remote, "rev-list", "--count", "main") == count
    assert desk.sync().reached
