"""Unfinished git operations of the user: no commit of a branch and no text is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from machines import Machine, every_start, make_remote, run_until, settle

LATER = "2026-02-01T00:00:00+00:00"
DESK, LAP = "one\nfrom desk\nthree", "one\nfrom lap\nthree"
STRIDE = 9
Pair = tuple[Machine, Machine]


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    """Two machines that edited the same line of N1: desk has pushed it, lap has it in a local commit."""
    remote = make_remote(tmp_path / "r.git")
    desk, lap = Machine(tmp_path / "desk", remote), Machine(tmp_path / "lap", remote)
    for note_id in ("N1", "N2", "N3"):
        desk.write(note_id, "one\ntwo\nthree")
    settle(desk, lap)
    _edit(desk, "N1", DESK)
    desk.write("D1", "from desk")
    desk.sync()
    _edit(lap, "N1", LAP)
    lap.backend.commit()
    lap.git("config", "user.name", "user")
    lap.git("config", "user.email", "u@example.org")
    lap.git("fetch", "-q", "origin", "main:refs/remotes/origin/main")
    return desk, lap


def _edit(machine: Machine, note_id: str, body: str) -> None:
    machine.save(machine.read(note_id), body=body, updated_at=LATER)


def _stops(machine: Machine, *order: str, **environment: str) -> None:
    """Run git by hand; it must stop half-way."""
    done = subprocess.run(
        ["git", *order],
        cwd=machine.memory,
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode != 0, done.stdout


def _check_held(desk: Machine, lap: Machine, *, mine: str = LAP, theirs: str = DESK) -> None:
    """Check that N1 is held on lap with both texts, nothing is half-done, and the local text can win."""
    result = lap.sync()
    assert result.held == ("N1",)
    assert lap.read("N1").body == mine
    [held] = lap.backend.held()
    assert mine in str(held.mine)
    assert theirs in str(held.theirs)
    _check_clean(lap)
    desk.sync()
    assert desk.read("N1").body == theirs
    lap.backend.resolve("N1", choice="mine")
    settle(lap, desk)
    assert desk.read("N1").body == mine
    assert desk.files() == lap.files()


def _check_clean(machine: Machine) -> None:
    left = {path.name for path in (machine.memory / ".git").iterdir()}
    assert not {name for name in left if name.startswith(("rebase", "MERGE", "CHERRY", "REVERT", "BISECT"))}
    assert not left & {"sequencer", "REBASE_HEAD", "AUTO_MERGE"}
    assert machine.git("symbolic-ref", "HEAD").strip() == "refs/heads/main"


REBASES = {
    "rebase": ("rebase", "origin/main"),
    "rebase by patches": ("rebase", "--apply", "origin/main"),
    "interactive rebase": ("-c", "sequence.editor=true", "rebase", "-i", "origin/main"),
    "pull": ("pull", "-q", "--rebase", "origin", "main"),
    "merge": ("merge", "origin/main"),
    "cherry-pick": ("cherry-pick", "origin/main"),
    "merging pull": ("pull", "-q", "--no-rebase", "origin", "main"),
}


@pytest.mark.parametrize("has_our_attributes", [True, False])
@pytest.mark.parametrize("how", list(REBASES))
def test_a_clash_that_stopped_git_becomes_a_held_note_with_the_local_text(
    pair: Pair, how: str, has_our_attributes: bool
) -> None:
    desk, lap = pair
    if not has_our_attributes:
        (lap.memory / ".git/info/attributes").unlink()
    _stops(lap, *REBASES[how])
    _check_held(desk, lap)


@every_start(STRIDE)
def test_a_recovery_killed_at_any_step_is_completed_by_the_next(
    pair: Pair, tmp_path: Path, first: int
) -> None:
    desk, lap = pair
    _edit(lap, "N2", "one\nnot committed\nthree")
    _stops(lap, "rebase", "--autostash", "origin/main")
    for step in range(first, 200, STRIDE):
        copy = tmp_path / str(step)
        for folder in (desk.root, lap.root, Path(str(lap.remote))):
            shutil.copytree(folder, copy / folder.name)
        one, two = (Machine(copy / machine.root.name, copy / "r.git") for machine in (desk, lap))
        killed = run_until(step, two.backend.sync)
        _check_held(one, two)
        assert one.read("N2").body == "one\nnot committed\nthree"
        shutil.rmtree(copy)
        if not killed:
            break
    assert 40 < step < 190


@pytest.mark.parametrize("how", ["rebase", "rebase by patches"])
def test_the_commits_that_a_stopped_rebase_had_not_reached_are_kept(pair: Pair, how: str) -> None:
    desk, lap = pair
    lap.git("reset", "-q", "--hard", "HEAD~1")
    _edit(lap, "N2", "one\nfirst\nthree")
    lap.backend.commit()
    _edit(lap, "N1", LAP)
    lap.backend.commit()
    _edit(lap, "N3", "one\nlast\nthree")
    lap.delete("N2")
    lap.write("L1", "new")
    lap.backend.commit()
    _stops(lap, *REBASES[how])
    assert not lap.path("L1")
    lap.sync()
    assert (lap.read("N3").body, lap.read("L1").body) == ("one\nlast\nthree", "new")
    assert not lap.path("N2")
    _check_held(desk, lap)
    assert "semantic/D1.md" in lap.files()


def test_a_note_edited_at_a_rebase_edit_stop_is_not_held(pair: Pair) -> None:
    desk, lap = pair
    lap.git("reset", "-q", "--hard", "HEAD~1")
    _edit(lap, "N2", "one\nfirst\nthree")
    lap.backend.commit()
    lap.git("-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "-i", "origin/main")
    _edit(lap, "N2", "one\nbetter\nthree")
    assert not lap.sync().held
    _check_clean(lap)
    settle(desk, lap)
    assert lap.read("N2").body == desk.read("N2").body == "one\nbetter\nthree"


def test_a_text_typed_during_a_stopped_rebase_is_held_with_the_commits_text(pair: Pair) -> None:
    desk, lap = pair
    _stops(lap, *REBASES["rebase"])
    _edit(lap, "N1", "one\ntyped in meanwhile\nthree")
    _check_held(desk, lap, theirs="one\ntyped in meanwhile\nthree")


def test_a_stopped_rebase_of_another_branch_keeps_both_branches(pair: Pair) -> None:
    desk, lap = pair
    lap.write("M1", "on main only")
    lap.backend.commit()
    lap.git("checkout", "-q", "-b", "side", "main~2")
    _edit(lap, "N2", "one\nside\nthree")
    lap.git("commit", "-q", "-a", "-m", "by hand")
    _edit(lap, "N1", "one\nfrom side\nthree")
    lap.git("commit", "-q", "-a", "-m", "by hand")
    _stops(lap, *REBASES["rebase"])
    lap.sync()
    _check_clean(lap)
    desk.sync()
    assert lap.read("M1").body == desk.read("M1").body == "on main only"
    assert lap.read("N2").body == desk.read("N2").body == "one\nside\nthree"
    assert lap.backend.state().held == ("N1",)
    texts = lap.git("log", "-p", "--all", "--format=")
    assert all(f"+{line}\n" in texts for line in ("from lap", "from desk", "from side"))


def test_a_stopped_merge_of_another_branch_is_completed_note_by_note(pair: Pair) -> None:
    _, lap = pair
    lap.git("checkout", "-q", "-b", "side", "main~1")
    _edit(lap, "N2", "one\nside\nthree")
    _edit(lap, "N1", "one\nfrom side\nthree")
    _edit(lap, "N3", "one\ntwo\nside")
    lap.git("commit", "-q", "-a", "-m", "by hand")
    lap.git("checkout", "-q", "main")
    _edit(lap, "N3", "main\ntwo\nthree")
    lap.backend.commit()
    _stops(lap, "merge", "side")
    assert lap.sync().held == ("N1",)
    _check_clean(lap)
    assert lap.read("N1").body == LAP
    assert lap.read("N2").body == "one\nside\nthree"
    assert lap.read("N3").body == "main\ntwo\nside"
    texts = lap.git("log", "-p", "--all", "--format=")
    assert all(f"+{line}\n" in texts for line in ("from desk", "from side"))


def test_a_stopped_revert_keeps_what_it_was_reverting(pair: Pair) -> None:
    desk, lap = pair
    _edit(lap, "N1", "one\nfrom lap, edited\nthree")
    lap.backend.commit()
    _stops(lap, "revert", "--no-edit", "HEAD~1")
    _check_held(desk, lap, mine="one\nfrom lap, edited\nthree")


@pytest.mark.parametrize("how", ["cherry-pick", "revert"])
def test_a_commit_that_git_was_working_on_stays_reachable_without_its_branch(pair: Pair, how: str) -> None:
    _, lap = pair
    lap.git("checkout", "-q", "-b", "side", "main~1")
    _edit(lap, "N1", "one\nfrom side\nthree")
    lap.git("commit", "-q", "-a", "-m", "by hand")
    picked = lap.git("rev-parse", "side").strip()
    lap.git("checkout", "-q", "main")
    _stops(lap, how, "side")
    lap.git("branch", "-q", "-D", "side")
    lap.sync()
    lap.git("reflog", "expire", "--expire=now", "--all")
    lap.git("gc", "-q", "--prune=now")
    assert "from side" in lap.git("show", f"{picked}:semantic/N1.md")


@pytest.mark.parametrize("how", [("am",), ("am", "-3")])
@pytest.mark.parametrize("has_our_attributes", [True, False])
def test_a_patch_that_does_not_apply_leaves_the_local_text(
    pair: Pair, how: tuple[str, ...], has_our_attributes: bool
) -> None:
    desk, lap = pair
    if not has_our_attributes:
        (lap.memory / ".git/info/attributes").unlink()
    patch = lap.root / "desk.patch"
    patch.write_text(lap.git("format-patch", "--stdout", "origin/main~1..origin/main"))
    _stops(lap, *how, str(patch))
    _check_held(desk, lap)


@pytest.mark.parametrize("has_our_attributes", [True, False])
def test_a_stash_that_could_not_be_popped_is_merged_or_held(pair: Pair, has_our_attributes: bool) -> None:
    desk, lap = pair
    lap.git("reset", "-q", "--hard", "HEAD~1")
    _edit(lap, "N1", LAP)
    _edit(lap, "N2", "ONE\ntwo\nthree")
    lap.git("stash", "-q")
    _edit(desk, "N2", "one\ntwo\nTHREE")
    settle(desk, lap)
    if not has_our_attributes:
        (lap.memory / ".git/info/attributes").unlink()
    _stops(lap, "stash", "pop")
    _check_held(desk, lap)
    assert lap.read("N2").body == desk.read("N2").body == "ONE\ntwo\nTHREE"


def test_a_stash_that_was_merged_by_hand_is_not_merged_again(pair: Pair) -> None:
    desk, lap = pair
    lap.git("reset", "-q", "--hard", "HEAD~1")
    _edit(lap, "N1", LAP)
    lap.git("stash", "-q")
    settle(desk, lap)
    _stops(lap, "stash", "pop")
    _edit(lap, "N1", "one\nfrom both\nthree")
    assert not lap.sync().conflicted
    desk.sync()
    assert lap.read("N1").body == desk.read("N1").body == "one\nfrom both\nthree"


@pytest.mark.parametrize("how", ["rebase", "rebase by patches", "merge"])
def test_edits_that_git_stashed_are_restored_or_held(pair: Pair, how: str) -> None:
    desk, lap = pair
    _edit(lap, "N2", "one\nnot committed\nthree")
    _edit(lap, "N1", "one\nfrom lap, not committed\nthree")
    order, *rest = REBASES[how]
    if how == "merge":
        lap.git("checkout", "-q", "--", "semantic/N1.md")
        _stops(lap, order, "--autostash", *rest)
        _check_held(desk, lap)
    else:
        _stops(lap, order, "--autostash", *rest)
        _check_held(desk, lap, mine="one\nfrom lap, not committed\nthree")
    assert desk.read("N2").body == "one\nnot committed\nthree"


def test_a_bisect_ends_on_the_branch_with_the_edits_made_meanwhile(pair: Pair) -> None:
    desk, lap = pair
    lap.sync()
    lap.backend.resolve("N1", choice="mine")
    settle(lap, desk)
    lap.git("bisect", "start", "main", "main~2")
    assert lap.git("rev-parse", "HEAD") != lap.git("rev-parse", "main")
    _edit(lap, "N2", "edited in the past\ntwo\nthree")
    settle(lap, desk)
    _check_clean(lap)
    assert desk.files() == lap.files()
    assert desk.read("N2").body == "edited in the past\ntwo\nthree"
    assert desk.read("N1").body == LAP


def test_an_orphan_branch_does_not_settle_a_held_note(pair: Pair) -> None:
    desk, lap = pair
    assert lap.sync().held == ("N1",)
    lap.git("checkout", "-q", "--orphan", "fresh")
    lap.git("rm", "-q", "-rf", ".")
    assert not lap.path("N1")
    _check_held(desk, lap)


def test_an_orphan_branch_deletes_no_note(pair: Pair) -> None:
    desk, lap = pair
    lap.git("switch", "-q", "--orphan", "fresh")
    assert not lap.path("N2")
    lap.write("L1", "written on the empty branch")
    _check_held(desk, lap)
    assert {"semantic/L1.md", "semantic/N2.md", "semantic/D1.md"} <= set(desk.files())
