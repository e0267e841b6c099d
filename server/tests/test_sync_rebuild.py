"""Whatever is done to the repository, the next sync goes on: it comes back to its branch, or rebuilds."""

from __future__ import annotations

import os
import random
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from anamnesis.errors import SyncError
from anamnesis.notes.record import new_id
from anamnesis.notes.vocabulary import TYPES
from anamnesis.store import MemoryStore
from anamnesis.sync.one_note import commit_note
from anamnesis.sync.state import load_state
from anamnesis.undo import UndoTexts
from machines import LATER, Machine, every_start, run_git, run_until, settle

DESK, LAP = "one\nfrom desk\nthree", "one\nfrom lap\nthree"
STRIDE = 9
SECRET = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"
Pair = tuple[Machine, Machine]
Damage = Callable[[Path], None]


@pytest.fixture
def pair(desk: Machine, lap: Machine) -> Pair:
    """Two machines that edited the same line of N1: desk has pushed it, lap has it in a local commit."""
    for note_id in ("N1", "N2", "N3"):
        desk.write(note_id, "one\ntwo\nthree")
    settle(desk, lap)
    _edit(desk, "N1", DESK)
    desk.write("D1", "from desk")
    desk.sync()
    _edit(lap, "N1", LAP)
    lap.write("L1", "from lap")
    lap.backend.commit()
    lap.git("config", "user.name", "user")
    lap.git("config", "user.email", "u@example.org")
    lap.git("fetch", "-q", "origin", "main:refs/remotes/origin/main")
    return desk, lap


def _edit(machine: Machine, note_id: str, body: str) -> None:
    machine.save(machine.read(note_id), body=body, updated_at=LATER)


def _aside(machine: Machine) -> list[str]:
    return sorted(path.name for path in machine.root.glob("git.damaged-*"))


def _check_held(desk: Machine, lap: Machine, *, mine: str = LAP) -> None:
    """Check that N1 is held on lap with both texts, all notes are on both, and the local text can win."""
    assert lap.sync().held == ("N1",)
    [held] = lap.backend.held()
    assert (mine in str(held.mine), DESK in str(held.theirs)) == (True, True)
    assert lap.read("N1").body == mine
    left = {path.name for path in (lap.memory / ".git").iterdir()}
    assert not {name for name in left if name.startswith(("rebase", "MERGE", "CHERRY", "REVERT", "BISECT"))}
    assert lap.git("symbolic-ref", "HEAD").strip() == "refs/heads/main"
    desk.sync()
    assert desk.read("N1").body == DESK
    lap.backend.resolve("N1", choice="mine")
    settle(lap, desk)
    assert desk.files() == lap.files()
    assert desk.read("N1").body == mine
    assert {Path(name).stem for name in desk.files()} >= {"N1", "N2", "N3", "D1", "L1"}


def _stops(machine: Machine, *order: str) -> None:
    """Run git by hand; it must stop half-way."""
    done = subprocess.run(["git", *order], cwd=machine.memory, capture_output=True, check=False)
    assert done.returncode != 0, done.stdout


STOPPED = {
    "rebase": ("rebase", "origin/main"),
    "rebase by patches": ("rebase", "--apply", "origin/main"),
    "pull": ("pull", "-q", "--rebase", "origin", "main"),
    "merge": ("merge", "origin/main"),
    "cherry-pick": ("cherry-pick", "origin/main"),
}


@pytest.mark.parametrize("has_our_attributes", [True, False])
@pytest.mark.parametrize("how", list(STOPPED))
def test_a_clash_that_stopped_git_becomes_a_held_note_with_the_local_text(
    pair: Pair, how: str, has_our_attributes: bool
) -> None:
    desk, lap = pair
    if not has_our_attributes:
        (lap.memory / ".git/info/attributes").unlink()
    _stops(lap, *STOPPED[how])
    marked = (lap.memory / "semantic/N1.md").read_text()
    _check_held(desk, lap)
    if "<<<<<<<" in marked:
        kept = [path.read_text() for path in (lap.root / "undo/N1").iterdir()]
        assert marked in kept
    assert "<<<<<<<" not in run_git(Path(str(desk.remote)), "log", "-p", "main")


@pytest.mark.parametrize("how", ["rebase", "merge"])
def test_a_text_typed_while_git_was_stopped_stays_in_the_file_and_is_saved(pair: Pair, how: str) -> None:
    desk, lap = pair
    _stops(lap, *STOPPED[how])
    _edit(lap, "N1", "one\ntyped meanwhile\nthree")
    lap.backend.init()
    assert "one\ntyped meanwhile\nthree" in {text.note.body for text in UndoTexts(lap.root).of_note("N1")}
    _check_held(desk, lap, mine="one\ntyped meanwhile\nthree")


@every_start(STRIDE)
def test_coming_back_killed_at_any_step_is_completed_by_the_next(
    pair: Pair, tmp_path: Path, first: int
) -> None:
    desk, lap = pair
    _stops(lap, *STOPPED["rebase"])
    for step in range(first, 200, STRIDE):
        copy = tmp_path / str(step)
        for folder in (desk.root, lap.root, Path(str(lap.remote))):
            shutil.copytree(folder, copy / folder.name)
        one, two = (Machine(copy / machine.root.name, copy / "remote.git") for machine in (desk, lap))
        killed = run_until(step, two.backend.sync)
        _check_held(one, two)
        shutil.rmtree(copy)
        if not killed:
            break
    assert 20 < step < 190


MOVES: dict[str, tuple[tuple[str, ...], ...]] = {
    "the branch moved without the files": (("reset", "-q", "--soft", "origin/main"),),
    "a mixed reset": (("reset", "-q", "origin/main"),),
    "a reference": (("update-ref", "refs/heads/main", "origin/main"),),
    "back in time": (("reset", "-q", "--hard", "HEAD~1"),),
    "detached": (("checkout", "-q", "--detach"),),
    "detached in the past": (("checkout", "-q", "--detach", "HEAD~1"),),
    "a commit by hand": (("commit", "-q", "--allow-empty", "-m", "by hand"),),
    "another branch": (("checkout", "-q", "-b", "side", "HEAD~1"),),
    "everything staged": (("add", "-A"),),
    "an emptied index": (("rm", "-r", "-q", "--cached", "."),),
    "a branch without history": (("checkout", "-q", "--orphan", "fresh"), ("rm", "-rfq", ".")),
    "a deleted branch": (("checkout", "-q", "--detach"), ("branch", "-D", "main")),
}


@pytest.mark.parametrize("move", list(MOVES))
def test_what_a_user_did_with_git_counts_as_edits_and_loses_no_note(pair: Pair, move: str) -> None:
    desk, lap = pair
    for order in MOVES[move]:
        lap.git(*order)
    lap.write("L2", "written meanwhile")
    _check_held(desk, lap)
    assert desk.read("L2").body == "written meanwhile"
    assert _aside(lap) == []


@pytest.mark.parametrize(
    "then", ["no more", "an empty folder", "a new note", "a captured session", "a session captured again"]
)
def test_all_notes_of_a_type_that_went_missing_are_written_again(
    desk: Machine, lap: Machine, then: str
) -> None:
    kind = secrets.choice(TYPES)
    with MemoryStore(desk.root) as store:
        first, second, *_ = [store.write(type=kind, title="one", body="two") for _ in range(6)]
        store.update(second.id, body="three")
        settle(desk, lap)
        before = desk.files().keys()
        shutil.rmtree(desk.memory / kind)
        if then == "an empty folder":
            (desk.memory / kind).mkdir()
        elif then != "no more":
            note = replace(first, body="new", id=first.id if then.endswith("again") else new_id())
            desk.save(note)
            if "session" in then:
                commit_note(desk.root, note, machine_id="desk")
        assert "`anamnesis delete` removes notes" in desk.sync().detail
    settle(desk, lap)
    assert desk.files() == lap.files()
    assert desk.files().keys() >= before


@pytest.mark.parametrize("how", ["deleted", "retyped", "made machine-local"])
def test_all_notes_of_a_type_that_a_command_removed_stay_away_everywhere(
    desk: Machine, lap: Machine, how: str
) -> None:
    kind, other = secrets.SystemRandom().sample(TYPES, 2)
    with MemoryStore(desk.root) as store:
        for _ in range(5):
            store.write(type=kind, title="one", body="two")
        settle(desk, lap)
        for path in (desk.memory / kind).iterdir():
            if how == "deleted":
                store.delete(path.stem)
            else:
                store.update(path.stem, **{"type": other} if how == "retyped" else {"scope": "machine-local"})
        settle(desk, lap)
    assert desk.files() == lap.files()
    assert not [path for path in desk.files() if path.startswith(f"{kind}/")]


def test_a_sparse_checkout_deletes_no_note(pair: Pair) -> None:
    desk, lap = pair
    lap.git("sparse-checkout", "set", "procedural")
    assert lap.files() == {}
    _check_held(desk, lap)


def test_a_commit_that_git_shows_in_place_of_another_changes_no_merge(pair: Pair) -> None:
    desk, lap = pair
    _edit(desk, "N2", DESK)
    desk.sync()
    lap.git("replace", "--graft", "HEAD")
    _check_held(desk, lap)


def test_a_repository_made_shallow_gets_its_history_back(pair: Pair) -> None:
    desk, lap = pair
    _edit(desk, "N2", DESK)
    desk.sync()
    lap.git("fetch", "-q", "--depth=1", "origin", "main")
    lap.git("reflog", "expire", "--expire=now", "--all")
    lap.git("gc", "-q", "--prune=now")
    _check_held(desk, lap)
    assert lap.git("rev-parse", "--is-shallow-repository") == "false\n"


def test_a_note_deleted_and_committed_by_hand_stays_deleted(pair: Pair) -> None:
    desk, lap = pair
    lap.delete("N3")
    lap.git("commit", "-qam", "by hand")
    settle(lap, desk)
    assert not desk.path("N3")
    assert not lap.path("N3")


@pytest.mark.parametrize("place", [(), ("checkout", "-q", "--detach"), ("checkout", "-q", "-b", "side")])
def test_a_credential_in_a_commit_by_hand_is_not_pushed(pair: Pair, place: tuple[str, ...]) -> None:
    desk, lap = pair
    if place:
        lap.git(*place)
    _edit(lap, "N2", f"token {SECRET}")
    lap.git("commit", "-qam", f"with {SECRET}")
    lap.write("L2", "more")
    result = lap.sync()
    assert [each.id for each in result.waiting] == ["N2"]
    assert SECRET in lap.read("N2").body
    order = ["git", "cat-file", "--batch-all-objects", "--batch"]
    sent = subprocess.run(order, cwd=Path(str(lap.remote)), capture_output=True, check=True).stdout
    assert SECRET.encode() not in sent
    desk.sync()
    assert desk.read("L2").body == "more"


def test_a_fresh_lock_of_the_users_own_git_is_respected(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    _, lap = pair
    monkeypatch.setattr("anamnesis.sync.repo._LOCK_WAIT", 0.2)
    lock = lap.memory / ".git/index.lock"
    lock.touch()
    with pytest.raises(SyncError, match="git is working in"):
        lap.sync()
    assert lock.exists()
    old = time.time() - 3600
    os.utime(lock, (old, old))
    lap.sync()
    assert not lock.exists()
    of_a_branch, recent = lap.memory / ".git/HEAD.lock", time.time() - 15
    of_a_branch.touch()
    os.utime(of_a_branch, (recent, recent))
    lap.sync()
    assert not of_a_branch.exists()


def _fill(name: str, data: bytes) -> Damage:
    def damage(git: Path) -> None:
        (git / name).write_bytes(data)

    return damage


def _remove(name: str) -> Damage:
    return lambda git: shutil.rmtree(git / name) if (git / name).is_dir() else (git / name).unlink()


def _swap(name: str) -> Damage:
    """Replace a file with a folder that contains a file, or a folder with a file."""

    def damage(git: Path) -> None:
        is_folder = (git / name).is_dir()
        if (git / name).exists():
            _remove(name)(git)
        if not is_folder:
            (git / name).mkdir(parents=True)
        (git / name if is_folder else git / name / "x").touch()

    return damage


def _link_to_nowhere(git: Path) -> None:
    shutil.rmtree(git)
    git.symlink_to(git.parent.parent / "gone")


DAMAGE: dict[str, Damage] = {
    **{f"no {name or '.git'}": _remove(name) for name in ("", "HEAD", "refs", "config", "objects", "index")},
    **{
        f"{what} {name}": _fill(name, data)
        for name in ("HEAD", "index", "config", "packed-refs", "refs/heads/main", "refs/remotes/origin/main")
        for what, data in (("empty", b""), ("garbled", b"\x00\xff garbage"))
    },
    **{
        f"{name} of the wrong kind": _swap(name)
        for name in (
            "HEAD",
            "config",
            "index",
            "refs/heads",
            "info",
            "anamnesis",
            "objects/pack",
            "index.lock",
            "logs",
            "logs/refs/remotes/origin/main",
        )
    },
    "a garbled shallow file": _fill("shallow", b"garbage"),
    "a link to nowhere": _link_to_nowhere,
    "a link to nowhere for logs": lambda git: _link_to_nowhere(git / "logs/refs/remotes"),
}


@pytest.mark.parametrize("what", list(DAMAGE))
def test_a_damaged_repository_is_rebuilt_once_and_loses_no_note(pair: Pair, what: str) -> None:
    desk, lap = pair
    DAMAGE[what](lap.memory / ".git")
    lap.write("L2", "written meanwhile")
    _check_held(desk, lap)
    assert desk.read("L2").body == "written meanwhile"
    assert len(_aside(lap)) <= 1
    assert lap.git("status", "--porcelain") == ""
    assert not lap.sync().pushed


def test_a_reference_that_became_another_name_of_the_branch_does_not_stop_the_sync(pair: Pair) -> None:
    desk, lap = pair
    _edit(lap, "N1", DESK)
    lap.git("pack-refs", "--all")
    desk.write("D2", "from desk")
    desk.sync()
    lap.git("symbolic-ref", "refs/remotes/origin/main", "refs/heads/main")
    settle(lap, desk)
    assert desk.files() == lap.files()


def test_at_most_three_repositories_are_kept_and_none_for_longer_than_30_days(pair: Pair) -> None:
    _, lap = pair
    old = lap.root / "git.damaged-20200101T000000"
    old.mkdir()
    os.utime(old, (1_600_000_000, 1_600_000_000))
    for _ in range(5):
        (lap.memory / ".git/HEAD").write_bytes(b"\0")
        lap.sync()
    assert len(_aside(lap)) == 3
    assert old.name not in _aside(lap)


def test_without_a_remote_a_rebuilt_repository_keeps_the_history_that_can_be_read(tmp_path: Path) -> None:
    desk = Machine(tmp_path / "desk", None)
    desk.write("N1", "first")
    desk.sync()
    desk.write("N1", "second")
    desk.sync()
    (desk.memory / ".git/refs/heads/main").write_bytes(b"garbage")
    desk.sync()
    assert "+first" in desk.git("log", "-p", "main")
    assert len(_aside(desk)) == 1


def test_a_store_whose_remote_was_taken_away_commits_after_losing_its_repository(pair: Pair) -> None:
    _, lap = pair
    lap.remote = None
    shutil.rmtree(lap.memory / ".git")
    lap.sync()
    assert lap.git("status", "--porcelain") == ""
    assert lap.read("N1").body == LAP


def test_a_missing_file_after_a_rebuild_is_lost_and_not_deleted(pair: Pair) -> None:
    desk, lap = pair
    shutil.rmtree(lap.memory / ".git")
    lap.delete("N3")
    settle(lap, desk)
    assert desk.path("N3")
    assert lap.path("N3")


@every_start(STRIDE)
def test_a_rebuild_killed_at_any_step_is_completed_by_the_next(
    pair: Pair, tmp_path: Path, first: int
) -> None:
    _, lap = pair
    assert lap.sync().held == ("N1",)
    (lap.memory / ".git/HEAD").write_bytes(b"\0")
    for step in range(first, 200, STRIDE):
        copy = Machine(tmp_path / str(step) / "lap", lap.remote)
        shutil.copytree(lap.root, copy.root)
        killed = run_until(step, copy.backend.sync)
        assert copy.sync().held == ("N1",)
        assert copy.read("N1").body == LAP
        assert len(copy.files()) == 5
        if not killed:
            break
    assert 15 < step < 190


def _damage_at_random(git: Path, chance: random.Random) -> str:
    """Truncate, swap, delete or garble a random file, or leave a random git operation half done."""
    files = sorted(path for path in git.rglob("*") if path.is_file())
    path = chance.choice(files)
    how = chance.choice(("truncate", "swap", "delete", "garble", "folder", "operation", "lock"))
    if how in ("truncate", "garble"):
        path.chmod(0o600)
        data = path.read_bytes()
        at = chance.randrange(len(data) + 1)
        path.write_bytes(
            data[:at] if how == "truncate" else data[:at] + chance.randbytes(20) + data[at + 20 :]
        )
    elif how == "swap":
        other = chance.choice(files)
        one, two = path.read_bytes(), other.read_bytes()
        for place, data in ((path, two), (other, one)):
            place.chmod(0o600)
            place.write_bytes(data)
    elif how == "delete":
        path.unlink()
    elif how == "folder":
        shutil.rmtree(chance.choice(sorted(each for each in git.rglob("*") if each.is_dir())))
    elif how == "lock":
        lock = path.with_name(f"{path.name}.lock")
        lock.touch()
        os.utime(lock, (1_600_000_000, 1_600_000_000))
    else:
        name = chance.choice(("MERGE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge/head-name", "BISECT_START"))
        (git / name).parent.mkdir(exist_ok=True)
        (git / name).write_text(chance.choice(("1" * 40, "", "garbage")))
    return f"{how} {path.relative_to(git)}"


ROUNDS = 10 if os.environ.get("ANAMNESIS_TEST_EVERY_STEP") else 1


@pytest.mark.parametrize("seed", range(20))
def test_random_damage_to_the_repository_loses_no_note(desk: Machine, lap: Machine, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  # seeded, so that a failure can be reproduced
    for number in range(4):
        desk.write(f"N{number}", f"one\n{number}\nthree")
        settle(desk, lap, rounds=1)
    for turn in range(ROUNDS):
        lap.write(f"L{turn}", f"turn {turn}")
        lap.backend.commit()
        lap.write(f"M{turn}", f"turn {turn}")
        desk.write(f"D{turn}", f"turn {turn}")
        before = _aside(lap)
        what = _damage_at_random(lap.memory / ".git", chance)
        settle(desk, lap, desk, rounds=1)
        assert len(lap.files()) == 4 + 3 * (turn + 1), (what, lap.results[-1].detail)
        assert lap.files() == desk.files(), what
        assert len([name for name in _aside(lap) if name not in before]) <= 1, what
        assert load_state(lap.memory).landing == []
        assert lap.sync().detail == "synced", what


@pytest.mark.parametrize("log", ["logs/refs/heads/main", "logs/HEAD"])
def test_an_unpushed_deletion_survives_the_loss_of_the_branch(desk: Machine, lap: Machine, log: str) -> None:
    desk.write("N1", "one")
    desk.write("N2", "two")
    settle(desk, lap)
    lap.delete("N1")
    lap.backend.commit()
    last = lap.git("rev-parse", "main").strip()
    git = lap.memory / ".git"
    (git / "refs/heads/main").unlink()
    shutil.rmtree(git / "anamnesis")
    for name in {"logs/refs/heads/main", "logs/HEAD"} - {log}:
        (git / name).unlink()
    settle(lap, desk)
    assert sorted(desk.files()) == sorted(lap.files()) == ["semantic/N2.md"]
    assert last in lap.git("rev-list", "main").split()


@pytest.mark.parametrize(
    "lost", ["", "refs", "logs"], ids=["repository", "references", "logs and references"]
)
def test_a_machine_that_lost_its_branch_accepts_edits_and_deletions_from_others(
    desk: Machine, lap: Machine, lost: str
) -> None:
    for name in ("N1", "N2", "N3"):
        desk.write(name, "one\ntwo\nthree")
    settle(desk, lap)
    desk.save(desk.read("N1"), body="ONE\ntwo\nthree", updated_at=LATER)
    desk.delete("N2")
    desk.sync()
    lap.save(lap.read("N3"), body="one\ntwo\nTHREE", updated_at=LATER)
    _lose(lap, lost)
    settle(lap, desk)
    assert not lap.results[-1].conflicted
    assert sorted(lap.files()) == ["semantic/N1.md", "semantic/N3.md"]
    assert lap.files() == desk.files()
    assert (lap.read("N1").body, desk.read("N3").body) == ("ONE\ntwo\nthree", "one\ntwo\nTHREE")


def _lose(machine: Machine, what: str) -> None:
    """Remove the whole repository, or its refs and our own files in it."""
    git = machine.memory / ".git"
    for name in (what, "refs", "anamnesis") if what else ("",):
        shutil.rmtree(git / name, ignore_errors=True)
