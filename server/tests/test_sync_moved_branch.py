"""A branch moved by hand without its files: the files follow, and nothing it gained is undone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from machines import Machine, make_remote, settle

LATER = "2026-02-01T00:00:00+00:00"
Pair = tuple[Machine, Machine]


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    """Two synced machines; then desk edits N1, deletes N3, adds D1 and pushes, and lap fetches that."""
    remote = make_remote(tmp_path / "r.git")
    desk, lap = Machine(tmp_path / "desk", remote), Machine(tmp_path / "lap", remote)
    for note_id in ("N1", "N2", "N3"):
        desk.write(note_id, "one\ntwo")
    settle(desk, lap)
    desk.save(desk.read("N1"), body="one\ntwo\nfrom desk", updated_at=LATER)
    desk.write("D1", "new on desk")
    (desk.memory / "semantic/N3.md").unlink()
    desk.sync()
    lap.git("config", "user.name", "user")
    lap.git("config", "user.email", "u@example.org")
    lap.git("fetch", "-q", str(remote), "main")
    return desk, lap


MOVES = {
    "soft": ("reset", "-q", "--soft", "FETCH_HEAD"),
    "mixed": ("reset", "-q", "FETCH_HEAD"),
    "by reference": ("update-ref", "refs/heads/main", "FETCH_HEAD"),
    "hard": ("reset", "-q", "--hard", "FETCH_HEAD"),
}


@pytest.mark.parametrize("is_memo_lost", [False, True], ids=["", "without sync's small files"])
@pytest.mark.parametrize("move", MOVES)
def test_what_the_branch_gained_is_kept_on_both_machines(pair: Pair, move: str, is_memo_lost: bool) -> None:
    desk, lap = pair
    if is_memo_lost:
        shutil.rmtree(lap.memory / ".git/anamnesis")
    lap.git(*MOVES[move])
    settle(desk, lap)
    for machine in (desk, lap):
        assert machine.read("N1").body == "one\ntwo\nfrom desk"
        assert machine.read("D1").body == "new on desk"
        assert not (machine.memory / "semantic/N3.md").exists()


def test_this_machines_edits_are_merged_with_it(pair: Pair) -> None:
    desk, lap = pair
    lap.save(lap.read("N1"), body="from lap\none\ntwo", updated_at=LATER)
    lap.save(lap.read("N2"), body="one\ntwo\nalso lap", updated_at=LATER)
    lap.write("L1", "new on lap")
    lap.git(*MOVES["mixed"])
    settle(desk, lap)
    for machine in (desk, lap):
        assert machine.read("N1").body == "from lap\none\ntwo\nfrom desk"
        assert machine.read("N2").body == "one\ntwo\nalso lap"
        assert machine.read("L1").body == "new on lap"


def test_a_held_note_that_the_branch_settles_does_not_undo_what_else_it_gained(pair: Pair) -> None:
    desk, lap = pair
    settle(desk, lap)
    desk.save(desk.read("N1"), body="desk", updated_at=LATER)
    desk.sync()
    lap.save(lap.read("N1"), body="lap", updated_at=LATER)
    assert lap.sync().held == ("N1",)
    desk.save(lap.read("N1"))
    desk.save(desk.read("N2"), body="one\ntwo\nmore", updated_at=LATER)
    desk.sync()
    lap.git("fetch", "-q", str(lap.remote), "main")
    lap.git(*MOVES["mixed"])
    settle(desk, lap)
    for machine in (desk, lap):
        assert machine.read("N2").body == "one\ntwo\nmore"
        assert machine.read("N1").body == "lap"


def test_a_commit_removed_by_a_reset_is_made_again(pair: Pair) -> None:
    desk, lap = pair
    settle(desk, lap)
    lap.write("L1", "new on lap")
    lap.backend.commit()
    lap.git("reset", "-q", "--soft", "HEAD~1")
    settle(desk, lap)
    assert desk.read("L1").body == "new on lap"


def test_a_note_that_was_committed_and_then_deleted_by_hand_stays_deleted(pair: Pair) -> None:
    desk, lap = pair
    settle(desk, lap)
    path = lap.write("L1", "a mistake")
    lap.git("add", "-A")
    lap.git("commit", "-qm", "by hand")
    path.unlink()
    settle(desk, lap)
    assert not path.exists()
    assert "semantic/L1.md" not in desk.files()
