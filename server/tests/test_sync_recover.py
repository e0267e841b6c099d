"""Whatever state a repository is in, the next sync repairs it and drops no file."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from anamnesis.errors import SyncError
from anamnesis.sync.state import Write
from anamnesis.sync.worktree import Plan, WorkTree
from machines import Machine, make_remote, run_git, settle

LATER = "2026-02-01T00:00:00+00:00"


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Machine, Machine]:
    """Two machines with one shared note, and one unsynced note on each."""
    remote = make_remote(tmp_path / "r.git")
    desk, lap = Machine(tmp_path / "desk", remote), Machine(tmp_path / "lap", remote)
    desk.write("N1", "one\ntwo\nthree")
    settle(desk, lap)
    desk.write("D1", "from desk")
    lap.write("L1", "from lap")
    desk.sync()
    return desk, lap


def _touch_old(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (1_600_000_000, 1_600_000_000))


def _lock(name: str) -> Callable[[Machine], None]:
    return lambda machine: _touch_old(machine.memory / ".git" / name)


def _config_lock_with(command: str, machine: Machine) -> None:
    """A process was killed while it wrote the configuration, which is now wrong."""
    subprocess.run(command.split(), cwd=machine.memory, check=True)
    _lock("config.lock")(machine)


def _fill(name: str, data: bytes) -> Callable[[Machine], None]:
    def damage(machine: Machine) -> None:
        (machine.memory / ".git" / name).write_bytes(data)

    return damage


def _remove(name: str) -> Callable[[Machine], None]:
    def damage(machine: Machine) -> None:
        path = machine.memory / ".git" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    return damage


def _swap(name: str) -> Callable[[Machine], None]:
    """Replace a file with a folder that contains a file, or a folder with a file."""

    def damage(machine: Machine) -> None:
        path = machine.memory / ".git" / name
        is_folder = path.is_dir()
        if path.exists():
            _remove(name)(machine)
        if not is_folder:
            path.mkdir(parents=True)
        (path if is_folder else path / "x").touch()

    return damage


def _to_nowhere(name: str) -> Callable[[Machine], None]:
    def damage(machine: Machine) -> None:
        _remove(name)(machine)
        (machine.memory / ".git" / name).symlink_to("nowhere/at/all")

    return damage


def _git(*orders: tuple[str, ...]) -> Callable[[Machine], None]:
    def damage(machine: Machine) -> None:
        for order in orders:
            machine.git(*order)

    return damage


def _empty_file(machine: Machine) -> None:
    shutil.rmtree(machine.memory / ".git")
    (machine.memory / ".git").touch()


def _link_to_nowhere(machine: Machine) -> None:
    shutil.rmtree(machine.memory / ".git")
    (machine.memory / ".git").symlink_to(machine.root / "gone")


def _file_to_nowhere(machine: Machine) -> None:
    shutil.rmtree(machine.memory / ".git")
    (machine.memory / ".git").write_text(f"gitdir: {machine.root}/gone\n")


DAMAGE: dict[str, Callable[[Machine], None]] = {
    "index lock": _lock("index.lock"),
    "HEAD lock": _lock("HEAD.lock"),
    "branch lock": _lock("refs/heads/main.lock"),
    "tracking lock": _lock("refs/remotes/origin/main.lock"),
    "packed refs lock": _lock("packed-refs.lock"),
    "config lock": _lock("config.lock"),
    "config lock, another remote": lambda machine: _config_lock_with(
        "git config remote.origin.url x", machine
    ),
    "config lock, half set up": lambda machine: _config_lock_with("rm .git/anamnesis/state.json", machine),
    "shallow lock": _lock("shallow.lock"),
    "empty HEAD": _fill("HEAD", b""),
    "garbage HEAD": _fill("HEAD", b"\x00\xff garbage"),
    "no HEAD": _remove("HEAD"),
    "HEAD at a missing branch": _fill("HEAD", b"ref: refs/heads/nowhere\n"),
    "empty branch": _fill("refs/heads/main", b""),
    "no branch": _remove("refs/heads/main"),
    "empty tracking reference": _fill("refs/remotes/origin/main", b""),
    "no references": _remove("refs"),
    "no index": _remove("index"),
    "garbage index": _fill("index", b"DIRC garbage"),
    "empty index": _fill("index", b""),
    "no .git": _remove(""),
    "no own files": _remove("anamnesis"),
    "no configuration": _remove("config"),
    "empty configuration": _fill("config", b""),
    "garbage configuration": _fill("config", b"\x00\xff garbage"),
    "half a configuration": _fill("config", b"[core\n\tbare = fal"),
    "garbage shallow": _fill("shallow", b"garbage"),
    ".git an empty file": _empty_file,
    ".git a link to nowhere": _link_to_nowhere,
    ".git a file that points to nowhere": _file_to_nowhere,
    **{f"{name} a link to nowhere": _to_nowhere(name) for name in ("HEAD", "config", "refs", "logs/HEAD")},
    **{
        f"{name} of the wrong kind": _swap(name)
        for name in (
            "HEAD",
            "config",
            "index",
            "refs/heads/main",
            "refs",
            "refs/heads",
            "anamnesis",
            "info",
            "objects/pack",
            "commondir",
            "logs",
            "logs/HEAD",
            "logs/refs",
            "logs/refs/heads",
            "logs/refs/heads/main",
            "index.lock",
            "HEAD.lock",
            "config.lock",
            "refs/heads/main.lock",
        )
    },
    "detached": _git(("checkout", "-q", "--detach")),
    "detached with a commit": _git(
        ("checkout", "-q", "--detach"), ("add", "-A"), ("commit", "-q", "-m", "by hand")
    ),
    "another branch with a commit": _git(
        ("checkout", "-q", "-b", "side"), ("add", "-A"), ("commit", "-q", "-m", "by hand")
    ),
    "everything staged": _git(("add", "-A")),
    "index emptied": _git(("rm", "-r", "-q", "--cached", ".")),
    "a cherry-pick left": _fill("CHERRY_PICK_HEAD", b"1" * 40),
    "a bisect left": _fill("BISECT_START", b"main"),
}


# States that git itself cannot handle; without a repository only the remote has the other version.
STOPS_GIT = (
    "empty HEAD",
    "garbage HEAD",
    "no HEAD",
    "no references",
    "no configuration",
    "garbage configuration",
    "half a configuration",
)


@pytest.mark.parametrize("what", STOPS_GIT)
def test_a_held_note_can_be_shown_and_resolved_in_a_damaged_repository(
    pair: tuple[Machine, Machine], what: str
) -> None:
    desk, lap = pair
    for machine in pair:
        machine.save(machine.read("N1"), body=f"one\n{machine.root.name}\nthree", updated_at=LATER)
        machine.sync()
    DAMAGE[what](lap)
    (held,) = lap.backend.held()
    assert (held.id, "\nlap\n" in (held.mine or ""), "\ndesk\n" in (held.theirs or "")) == ("N1", True, True)
    lap.backend.resolve("N1", choice="theirs")
    settle(lap, desk)
    assert desk.read("N1").body == lap.read("N1").body == "one\ndesk\nthree"


@pytest.mark.parametrize("what", list(DAMAGE))
def test_the_repository_is_repaired_and_every_note_synced(pair: tuple[Machine, Machine], what: str) -> None:
    desk, lap = pair
    DAMAGE[what](lap)
    lap.sync()
    desk.sync()
    assert sorted(lap.files()) == ["semantic/D1.md", "semantic/L1.md", "semantic/N1.md"]
    assert desk.files() == lap.files()
    assert lap.git("symbolic-ref", "HEAD").strip() == "refs/heads/main"
    assert lap.git("status", "--porcelain") == ""
    assert not lap.sync().pushed
    assert not (lap.root / "gone").exists()


def test_a_note_deleted_elsewhere_does_not_come_back_with_a_new_repository(
    pair: tuple[Machine, Machine],
) -> None:
    desk, lap = pair
    lap.sync()
    desk.sync()
    desk.delete("N1")
    desk.sync()
    lap.write("L2", "new")
    shutil.rmtree(lap.memory / ".git")
    settle(lap, desk)
    assert sorted(desk.files()) == ["semantic/D1.md", "semantic/L1.md", "semantic/L2.md"]
    assert lap.files() == desk.files()


def test_a_note_moved_while_the_repository_was_lost_is_still_one_file(pair: tuple[Machine, Machine]) -> None:
    desk, lap = pair
    lap.sync()
    desk.sync()
    shutil.rmtree(lap.memory / ".git")
    lap.save(lap.read("N1"), type="episodic", updated_at=LATER)
    settle(lap, desk)
    assert lap.read("N1").type == desk.read("N1").type == "episodic"
    assert len(desk.files()) == 3


def test_an_emptied_folder_is_filled_again(pair: tuple[Machine, Machine]) -> None:
    desk, lap = pair
    lap.sync()
    desk.sync()
    shutil.rmtree(lap.memory)
    lap.sync()
    assert lap.files() == desk.files()
    assert len(lap.files()) == 3


def _conflict_by_hand(desk: Machine, lap: Machine, *how: str) -> None:
    """The user runs git in the folder and ends up with conflict markers."""
    desk.save(desk.read("N1"), body="one\nfrom desk\nthree", updated_at=LATER)
    desk.sync()
    lap.save(lap.read("N1"), body="one\nfrom lap\nthree", updated_at=LATER)
    lap.backend.commit()
    lap.git("fetch", "-q", "origin", "main:refs/remotes/origin/main")
    lap.git("config", "user.name", "user")
    lap.git("config", "user.email", "u@example.org")
    (lap.memory / ".git/info/attributes").unlink()
    done = subprocess.run(["git", *how, "origin/main"], cwd=lap.memory, capture_output=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "<<<<<<<" in (lap.memory / "semantic/N1.md").read_text()


@pytest.mark.parametrize("how", [("merge",), ("rebase",), ("rebase", "--apply"), ("cherry-pick",)])
def test_a_conflict_started_by_hand_becomes_a_held_note(
    pair: tuple[Machine, Machine], how: tuple[str, ...]
) -> None:
    desk, lap = pair
    _conflict_by_hand(desk, lap, *how)
    lap.write("L2", "written meanwhile")
    result = lap.sync()
    assert result.held == ("N1",)
    assert lap.read("N1").body == "one\nfrom lap\nthree"
    desk.sync()
    assert {"semantic/D1.md", "semantic/L1.md", "semantic/L2.md"} <= set(desk.files())
    assert desk.read("N1").body == "one\nfrom desk\nthree"
    assert "<<<<<<<" not in run_git(Path(str(desk.remote)), "log", "-p", "main")
    recovered = lap.git("for-each-ref", "--format=%(objectname)", "refs/anamnesis/recovered").split()
    assert any("<<<<<<<" in lap.git("cat-file", "-p", oid) for oid in recovered)
    assert not [
        name for name in os.listdir(lap.memory / ".git") if name.startswith(("rebase", "MERGE", "CHERRY"))
    ]


def test_edits_stashed_by_a_rebase_are_restored(pair: tuple[Machine, Machine]) -> None:
    desk, lap = pair
    lap.sync()
    desk.sync()
    desk.save(desk.read("N1"), body="one\nfrom desk\nthree", updated_at=LATER)
    desk.sync()
    lap.save(lap.read("N1"), body="one\nfrom lap\nthree", updated_at=LATER)
    lap.backend.commit()
    lap.save(lap.read("L1"), body="not committed yet")
    lap.git("fetch", "-q", "origin", "main:refs/remotes/origin/main")
    lap.git("config", "user.name", "user")
    lap.git("config", "user.email", "u@example.org")
    subprocess.run(
        ["git", "rebase", "--autostash", "origin/main"], cwd=lap.memory, capture_output=True, check=False
    )
    assert lap.read("L1").body == "from lap"
    lap.sync()
    assert lap.read("L1").body == "not committed yet"
    settle(desk, lap)
    assert desk.read("L1").body == "not committed yet"


@pytest.mark.parametrize("seconds", [1, 9], ids=["at rest for a moment", "being written for long"])
def test_a_lock_in_use_is_respected(
    pair: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    _, lap = pair
    lock = lap.memory / ".git/index.lock"
    lock.touch()
    passed: list[bool] = []

    def work(_: float) -> None:
        passed.append(lock.exists())
        if len(passed) >= seconds:
            lock.unlink()
        else:
            os.utime(lock, (len(passed), len(passed)))

    clock = SimpleNamespace(monotonic=lambda: float(len(passed)), sleep=work)
    monkeypatch.setattr("anamnesis.sync.recover.time", clock)
    lap.backend.commit()
    assert passed == [True] * seconds


@pytest.mark.parametrize(
    "how", ["empty HEAD", "garbage HEAD", "no HEAD", "HEAD at a missing branch", "detached", "another branch"]
)
def test_a_commit_leaves_head_on_the_branch(pair: tuple[Machine, Machine], how: str) -> None:
    _, lap = pair
    lap.git("branch", "side")
    damage = {**DAMAGE, "another branch": _git(("symbolic-ref", "HEAD", "refs/heads/side"))}[how]
    damage(lap)
    lap.backend.commit()
    assert lap.git("symbolic-ref", "HEAD").strip() == "refs/heads/main"
    assert lap.git("status", "--porcelain") == ""


def test_a_damaged_object_is_reported_with_its_remedy(pair: tuple[Machine, Machine]) -> None:
    desk, lap = pair
    lap.sync()
    desk.sync()
    for path in (lap.memory / ".git/objects").glob("??/*"):
        path.chmod(0o600)
        path.write_bytes(b"")
    lap.write("L3", "x")
    with pytest.raises(SyncError, match=r"damaged .* `anamnesis doctor --fix` sets it aside"):
        lap.sync()
    (lap.memory / ".git").rename(lap.root / "damaged.git")
    settle(lap, desk)
    assert "semantic/L3.md" in desk.files()


def test_a_reset_by_hand_loses_nothing(pair: tuple[Machine, Machine]) -> None:
    desk, lap = pair
    lap.sync()
    lap.git("update-ref", "refs/heads/main", "main~1")
    settle(lap, desk)
    assert lap.files() == desk.files()
    assert len(lap.files()) == 3


@pytest.mark.parametrize("has_moved", [True, False], ids=["the branch moved on", "the branch stayed"])
@pytest.mark.parametrize("commits", [0, 1, 2])
@pytest.mark.parametrize("place", [("--detach",), ("-b", "side")], ids=["detached", "another branch"])
def test_notes_written_on_another_branch_join_and_delete_nothing(
    pair: tuple[Machine, Machine], place: tuple[str, ...], commits: int, has_moved: bool
) -> None:
    desk, lap = pair
    lap.git("checkout", "-q", *place)
    for number in range(3):
        lap.write(f"M{number}", "written away from the branch")
        if number < commits:
            lap.git("add", "-A")
            lap.git("commit", "-q", "-m", "by hand")
    lap.save(lap.read("N1"), body="ONE\ntwo\nthree", updated_at=LATER)
    if has_moved:
        lap.git("fetch", "-q", "origin", "main:main")
    settle(lap, desk)
    assert desk.files() == lap.files()
    notes = ("D1", "L1", "M0", "M1", "M2", "N1")
    assert sorted(desk.files()) == [f"semantic/{name}.md" for name in notes]
    assert desk.read("N1").body == "ONE\ntwo\nthree"


def test_a_deletion_on_another_branch_stays_deleted(pair: tuple[Machine, Machine]) -> None:
    desk, lap = pair
    lap.git("checkout", "-q", "--detach")
    lap.delete("N1")
    lap.git("fetch", "-q", "origin", "main:main")
    settle(lap, desk)
    assert sorted(desk.files()) == sorted(lap.files()) == ["semantic/D1.md", "semantic/L1.md"]


def test_a_clash_between_the_branch_and_another_one_holds_the_note(pair: tuple[Machine, Machine]) -> None:
    desk, lap = pair
    lap.git("checkout", "-q", "-b", "side")
    lap.save(lap.read("N1"), body="one\nside\nthree", updated_at=LATER)
    lap.git("commit", "-q", "-a", "-m", "by hand")
    desk.save(desk.read("N1"), body="one\nfrom desk\nthree", updated_at=LATER)
    desk.sync()
    lap.git("fetch", "-q", "origin", "main:main")
    assert lap.sync().held == ("N1",)
    assert lap.read("N1").body == "one\nside\nthree"
    desk.sync()
    assert desk.read("N1").body == "one\nfrom desk\nthree"
    assert "semantic/L1.md" in desk.files()


def test_every_version_of_a_note_that_clashes_across_branches_stays_reachable(
    pair: tuple[Machine, Machine],
) -> None:
    desk, lap = pair
    lap.git("checkout", "-q", "--detach")
    for text in ("first draft", "second draft"):
        lap.save(lap.read("N1"), body=f"one\n{text}\nthree", updated_at=LATER)
        lap.git("commit", "-q", "-a", "-m", "by hand")
    desk.save(desk.read("N1"), body="one\nfrom desk\nthree", updated_at=LATER)
    desk.sync()
    lap.git("fetch", "-q", "origin", "main:main")
    assert lap.sync().held == ("N1",)
    lap.git("reflog", "expire", "--expire=now", "--all")
    lap.git("gc", "-q", "--prune=now")
    texts = lap.git("log", "-p", "--all", "--format=")
    assert all(f"+{text}\n" in texts for text in ("first draft", "second draft", "from desk"))


def test_a_detached_head_without_its_branch_becomes_the_branch(pair: tuple[Machine, Machine]) -> None:
    desk, lap = pair
    lap.git("checkout", "-q", "--detach")
    lap.git("branch", "-q", "-D", "main")
    settle(lap, desk)
    assert sorted(desk.files()) == sorted(lap.files())
    assert len(lap.files()) == 3


def test_a_note_saved_while_a_recovery_writes_files_is_merged(
    pair: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, lap = pair
    desk.save(desk.read("N1"), body="one\ntwo\nTHREE", updated_at=LATER)
    desk.sync()
    lap.git("checkout", "-q", "--detach")
    lap.git("fetch", "-q", "origin", "main:main")
    bodies = ["ONE\ntwo\nthree"]
    real = WorkTree.plan

    def plan_while_an_editor_saves(
        tree: WorkTree, old: str | None, new: str, *, apart: dict[str, Write | None]
    ) -> Plan:
        plan = real(tree, old, new, apart=apart)
        while bodies:
            lap.save(lap.read("N1"), body=bodies.pop(), updated_at=LATER)
        return plan

    monkeypatch.setattr(WorkTree, "plan", plan_while_an_editor_saves)
    settle(lap, desk)
    assert lap.read("N1").body == desk.read("N1").body == "ONE\ntwo\nTHREE"
