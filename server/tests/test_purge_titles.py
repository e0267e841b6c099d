"""The title of a purged note is in no message: of a commit, a stash, a tag or one of git's own notes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.notes.record import Memory, serialize
from anamnesis.purge.rewrite import Titles
from machines import DAWN, Machine, assert_gone, run_git, settle

TITLE = "Wombatplan Gruffalo"


def version(title: str) -> bytes:
    """A version of a note with this title."""
    note = Memory(id="N1", title=title, type="semantic", body="x", created_at=DAWN, updated_at=DAWN)
    return serialize(note).encode()


@pytest.fixture
def desk(two_machines: tuple[Machine, Machine]) -> Machine:
    """A machine whose last commit names the note to be purged."""
    desk, lap = two_machines
    desk.write("N2", "text", title="other")
    desk.write("N1", "the plan", title=TITLE)
    settle(desk, lap)
    desk.write("N1", "the plan, edited", title=TITLE)
    desk.sync()
    assert TITLE in run_git(desk.memory, "log", "-1", "--format=%s")
    desk.write("N2", "text and more", title="other")
    return desk


def stash(machine: Machine) -> None:
    run_git(machine.memory, "stash")


def fixup(machine: Machine) -> None:
    run_git(machine.memory, "commit", "-qa", "--fixup=HEAD")


def speak_of_it(machine: Machine) -> None:
    run_git(machine.memory, "commit", "-qam", f"Look at {TITLE} again\n\nwombatplan\ngruffalo is late")


def add_git_note(machine: Machine) -> None:
    run_git(machine.memory, "notes", "add", "-m", f"about {TITLE}")


def tag_older(machine: Machine) -> None:
    first = run_git(machine.memory, "rev-list", "--max-parents=0", "HEAD").strip()
    run_git(machine.memory, "tag", "-a", "v1", "-m", f"before {TITLE}", first)


def speak_of_it_elsewhere(machine: Machine) -> None:
    empty = run_git(machine.memory, "hash-object", "-w", "-t", "tree", "/dev/null").strip()
    commit = run_git(machine.memory, "commit-tree", empty, "-m", f"prepare {TITLE}").strip()
    run_git(machine.memory, "branch", "side", commit)


WAYS = [stash, fixup, speak_of_it, add_git_note, tag_older, speak_of_it_elsewhere]


@pytest.mark.parametrize("say", WAYS)
def test_no_message_on_any_machine_contains_a_purged_notes_title(
    desk: Machine, two_machines: tuple[Machine, Machine], say: Callable[[Machine], None]
) -> None:
    say(desk)
    settle(*two_machines)
    desk.purge("N1")
    settle(*two_machines)
    for word in ("Gruffalo", "gruffalo"):
        assert_gone(word, *two_machines)
    heads = {run_git(machine.memory, "rev-parse", "main") for machine in two_machines}
    assert len(heads) == 1


def test_another_note_with_the_same_title_can_be_written_later(
    desk: Machine, two_machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    settle(*two_machines)
    shutil.copytree(two_machines[1].root, tmp_path / "old")
    old = Machine(tmp_path / "old", desk.remote)
    old.write("N4", "written on the old clone")
    desk.purge("N1")
    desk.write("N3", "another plan", title=TITLE)
    settle(*two_machines)
    settle(old, *two_machines)
    machines = [old, *two_machines]
    assert {run_git(machine.memory, "log", "--format=%H %s", "main") for machine in machines} == {
        run_git(Path(str(desk.remote)), "log", "--format=%H %s", "main")
    }
    assert f"added '{TITLE}'" in run_git(old.memory, "log", "--format=%s")


def test_messages_about_other_notes_stay(desk: Machine) -> None:
    desk.backend.commit(f"other words, and {TITLE}")
    desk.sync()
    desk.purge("N1")
    subjects = run_git(desk.memory, "log", "--format=%s")
    assert "other words, and [removed]" in subjects


@pytest.mark.parametrize(
    ("title", "message", "left"),
    [
        ("Deploy", "redeployed; deploy now", "redeployed; [removed] now"),
        ("app", "an app, edited 'app'", "an app, edited '[removed]'"),
        ("x" * 70, f"desk: edited '{'x' * 57}...'", "desk: edited '[removed]...'"),
        ("会社の計画", "会社の計画を見る", "[removed]を見る"),
        ("a.b (c)", "about a.b (c)", "about [removed]"),
        ("a.b (c)", "about a-b (c)", "about a-b (c)"),
    ],
)
def test_only_a_whole_title_is_recognised(title: str, message: str, left: str) -> None:
    assert Titles([version(title)]).cut(message.encode()).decode() == left


def test_without_a_title_nothing_is_changed() -> None:
    message = b"desk: edited 'other' \xff"
    assert Titles([b"no note"]).cut(message) is message
    assert Titles([version("another")]).cut(message) is message
