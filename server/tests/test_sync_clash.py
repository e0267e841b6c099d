"""A clash holds only that note until it is resolved; the discarded version stays in the history."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pytest

from anamnesis.errors import SyncError
from anamnesis.notes.record import serialize
from anamnesis.text import local_time
from anamnesis.undo import UndoTexts
from machines import Machine, make_remote, run_git, settle

EARLY, LATE = "2026-02-01T00:00:00+00:00", "2026-02-02T00:00:00+00:00"


@pytest.fixture
def clash(tmp_path: Path) -> tuple[Machine, Machine]:
    """Two machines that changed the same line; the second to sync holds the note."""
    return _clash(tmp_path, EARLY, LATE)


def _clash(tmp_path: Path, first_at: str, holder_at: str) -> tuple[Machine, Machine]:
    remote = make_remote(tmp_path / "r.git")
    first, holder = Machine(tmp_path / "first", remote), Machine(tmp_path / "holder", remote)
    first.write("N1", "one\ntwo\nthree")
    settle(first, holder)
    first.save(first.read("N1"), body="one\nfrom first\nthree", updated_at=first_at)
    holder.save(holder.read("N1"), body="one\nfrom holder\nthree", updated_at=holder_at)
    first.sync()
    return first, holder


def test_a_clash_is_held_and_reported_and_the_local_text_stays(clash: tuple[Machine, Machine]) -> None:
    first, holder = clash
    for _ in range(2):
        result = holder.sync()
        assert (result.conflicted, result.pushed, result.held) == (True, False, ("N1",))
        assert result.detail.startswith(
            "conflict: kept local edits, not pushed: 'a title' (N1), changed on first at 20"
        )
        assert holder.read("N1").body == "one\nfrom holder\nthree"
    state = holder.backend.state()
    assert (state.held, state.held_names) == (("N1",), ("'a title' (N1)",))
    story = f"'a title' (N1), changed on first at {local_time(holder.backend.held()[0].moment)}"
    assert state.detail == f"conflict: kept local edits, not pushed: {story}; resolve and re-sync"
    held = holder.backend.held()[0]
    assert (held.id, held.path, held.title) == ("N1", "semantic/N1.md", "a title")
    assert (held.machine, held.private) == ("first", False)
    seconds = int(first.git("log", "-1", "--format=%at"))
    assert datetime.fromisoformat(held.moment) == datetime.fromtimestamp(seconds, UTC)
    assert "from holder" in (held.mine or "")
    assert "from first" in (held.theirs or "")
    assert "\ntwo\n" in (held.base or "")
    assert not first.sync().conflicted


def test_every_other_note_syncs_in_both_directions_while_one_is_held(clash: tuple[Machine, Machine]) -> None:
    first, holder = clash
    holder.sync()
    holder.write("N2", "from holder")
    first.write("N3", "from first")
    first.sync()
    result = holder.sync()
    assert (result.pushed, result.pulled, result.conflicted) == (True, 1, True)
    first.sync()
    assert first.read("N2").body == "from holder"
    assert holder.read("N3").body == "from first"
    assert first.read("N1").body == "one\nfrom first\nthree"


@pytest.mark.parametrize("moments", [(EARLY, LATE), (LATE, EARLY)], ids=["holder later", "holder earlier"])
@pytest.mark.parametrize("choice", ["mine", "theirs", "both", "edit"])
def test_a_clash_can_be_resolved_in_each_way(
    tmp_path: Path, choice: Literal["mine", "theirs", "both", "edit"], moments: tuple[str, str]
) -> None:
    first, holder = _clash(tmp_path, *moments)
    holder.sync()
    if choice == "edit":
        edited = holder.read("N1")
        edited.body = "one\nagreed\nthree"
        holder.backend.resolve("N1", text=serialize(edited))
    else:
        holder.backend.resolve("N1", choice=choice)
    assert holder.backend.state().held == ()
    result = holder.sync()
    assert (result.conflicted, result.detail) == (False, "synced")
    first.sync()
    assert first.files() == holder.files()
    lines = set(first.read("N1").body.split("\n"))
    assert (
        lines
        == {
            "mine": {"one", "from holder", "three"},
            "theirs": {"one", "from first", "three"},
            "both": {"one", "from first", "from holder", "three"},
            "edit": {"one", "agreed", "three"},
        }[choice]
    )
    history = run_git(Path(str(first.remote)), "log", "-p", "--format=", "main")
    assert "+from holder" in history
    assert "+from first" in history
    assert "<<<<<<<" not in history
    assert holder.git("status", "--porcelain") == ""


def test_a_commit_made_by_hand_does_not_resolve_a_held_note(clash: tuple[Machine, Machine]) -> None:
    first, holder = clash
    holder.sync()
    holder.git("commit", "-qam", "mine")
    assert holder.sync().held == ("N1",)
    first.sync()
    assert holder.read("N1").body == "one\nfrom holder\nthree"
    assert first.read("N1").body == "one\nfrom first\nthree"


def test_a_clash_resolved_elsewhere_is_not_reported_as_resolved_by_hand(
    clash: tuple[Machine, Machine],
) -> None:
    first, holder = clash
    holder.sync()
    holder.write("N2", "another")
    holder.git("add", "semantic/N2.md")
    holder.git("commit", "-qm", "another note")
    first.save(first.read("N1"), body="one\nfrom holder\nthree", updated_at="2026-03-01T00:00:00+00:00")
    first.sync()
    result = holder.sync()
    assert (result.conflicted, "manual commit" in result.detail) == (False, False)


def test_the_author_of_the_other_version_is_kept_with_it(
    clash: tuple[Machine, Machine], tmp_path: Path
) -> None:
    first, holder = clash
    third = Machine(tmp_path / "third", first.remote)
    holder.sync()
    third.sync()
    third.save(third.read("N1"), body="one\nfrom third\nthree", updated_at="2026-03-01T00:00:00+00:00")
    third.sync()
    assert "changed on third at" in holder.sync().detail


def test_the_version_before_a_merge_stays_reachable_only_on_this_machine(
    desk: Machine, lap: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamnesis.undo.MOST_TEXTS", 5)
    desk.write("N1", "one\ntwo\nthree")
    settle(desk, lap)
    for turn in range(7):
        desk.save(desk.read("N1"), body=f"desk {turn}\ntwo\nthree", updated_at=EARLY)
        lap.save(lap.read("N1"), body=f"{lap.read('N1').body}\nlap {turn}", updated_at=LATE)
        before = lap.read("N1").body
        desk.sync()
        assert not lap.sync().conflicted
        desk.sync()
        kept = UndoTexts(lap.root).of_note("N1")
        assert len(kept) <= 5
        assert before == kept[0].note.body
    assert len(kept) == 5
    remote = run_git(Path(str(desk.remote)), "for-each-ref", "--format=%(refname)")
    assert remote.split() == ["refs/heads/main"]


def test_keeping_both_keeps_every_line_as_often_as_it_occurred(tmp_path: Path) -> None:
    remote = make_remote(tmp_path / "r.git")
    first, holder = Machine(tmp_path / "first", remote), Machine(tmp_path / "holder", remote)
    first.write("N1", "one\ntwo\nthree\nfour\nfive")
    settle(first, holder)
    theirs, mine = "one\n```\nx\n```\nthree\nFOUR\nfive", "```\ny\n```\n```\ny\n```\nthree\nfour"
    first.save(first.read("N1"), body=theirs, updated_at=EARLY)
    holder.save(holder.read("N1"), body=mine, updated_at=LATE)
    first.sync()
    assert holder.sync().conflicted
    holder.backend.resolve("N1", choice="both")
    lines = Counter(holder.read("N1").body.split("\n"))
    assert lines >= Counter(mine.split("\n"))
    assert lines >= Counter(theirs.split("\n"))
    assert "```\ny\n```\n```\ny\n```" in holder.read("N1").body
    assert "```\nx\n```" in holder.read("N1").body


def test_the_other_machine_can_end_the_clash_by_agreeing(clash: tuple[Machine, Machine]) -> None:
    first, holder = clash
    holder.sync()
    first.save(first.read("N1"), body="one\nfrom holder\nthree", updated_at="2026-03-01T00:00:00+00:00")
    first.sync()
    assert not holder.sync().conflicted
    first.sync()
    assert first.files() == holder.files()


def test_the_other_machine_can_end_the_clash_by_reverting_its_edit(clash: tuple[Machine, Machine]) -> None:
    first, holder = clash
    holder.sync()
    first.save(first.read("N1"), body="one\ntwo\nthree\nfour", updated_at="2026-03-01T00:00:00+00:00")
    first.sync()
    assert not holder.sync().conflicted
    assert holder.git("log", "-1", "--format=%s") == "holder: edited 'a title'\n"
    assert UndoTexts(holder.root).of_note("N1")[0].note.body == "one\nfrom holder\nthree"
    first.sync()
    assert first.read("N1").body == holder.read("N1").body == "one\nfrom holder\nthree\nfour"


def test_a_deletion_elsewhere_lets_the_held_edit_win(clash: tuple[Machine, Machine]) -> None:
    first, holder = clash
    holder.sync()
    first.delete("N1")
    first.sync()
    assert not holder.sync().conflicted
    assert holder.git("for-each-ref", "refs/anamnesis/before") == ""
    first.sync()
    assert first.read("N1").body == "one\nfrom holder\nthree"


def test_deleting_the_held_file_accepts_the_other_version(clash: tuple[Machine, Machine]) -> None:
    first, holder = clash
    holder.sync()
    holder.delete("N1")
    assert not holder.sync().conflicted
    assert holder.files() == first.files()


def test_a_held_note_is_listed_under_its_current_title(clash: tuple[Machine, Machine]) -> None:
    _, holder = clash
    holder.sync()
    holder.save(holder.read("N1"), title="a better title")
    assert "'a better title' (N1)" in holder.sync().detail
    assert holder.backend.state().held_names == ("'a better title' (N1)",)


def test_a_held_note_may_be_edited_and_retyped_and_stays_one_file(clash: tuple[Machine, Machine]) -> None:
    first, holder = clash
    holder.sync()
    holder.save(holder.read("N1"), type="procedural", body="one\nholder again\nthree")
    assert holder.sync().conflicted
    first.sync()
    assert list(first.files()) == ["semantic/N1.md"]
    holder.backend.resolve("N1", choice="mine")
    settle(holder, first)
    assert list(holder.files()) == list(first.files()) == ["procedural/N1.md"]
    assert first.read("N1").body == "one\nholder again\nthree"


@pytest.mark.parametrize("choice", ["mine", "theirs", "both"])
def test_a_clash_in_a_note_that_the_other_side_moved_is_one_file_throughout(
    clash: tuple[Machine, Machine], choice: Literal["mine", "theirs", "both"]
) -> None:
    first, holder = clash
    first.save(first.read("N1"), type="episodic", updated_at="2026-03-01T00:00:00+00:00")
    first.sync()
    assert holder.sync().conflicted
    assert list(holder.files()) == ["semantic/N1.md"]
    assert holder.sync().conflicted
    holder.backend.resolve("N1", choice=choice)
    settle(holder, first)
    assert holder.files() == first.files()
    assert len(first.files()) == 1


def test_a_clash_survives_the_loss_of_the_repository(clash: tuple[Machine, Machine]) -> None:
    first, holder = clash
    holder.sync()
    (holder.memory / ".git").rename(holder.root / "lost.git")
    assert holder.sync().held == ("N1",)
    assert first.read("N1").body == "one\nfrom first\nthree"
    assert holder.read("N1").body == "one\nfrom holder\nthree"


def test_a_clash_with_a_note_that_was_moved_is_one_file_after_the_loss_of_the_repository(
    clash: tuple[Machine, Machine],
) -> None:
    first, holder = clash
    first.save(first.read("N1"), type="episodic")
    first.sync()
    holder.sync()
    shutil.rmtree(holder.memory / ".git")
    assert holder.sync().held == ("N1",)
    assert list(holder.files()) == ["semantic/N1.md"]


def test_a_clash_survives_the_loss_of_the_repository_and_the_common_ancestor(
    clash: tuple[Machine, Machine],
) -> None:
    _, holder = clash
    holder.sync()
    shutil.rmtree(holder.memory / ".git")
    record = holder.root / "sync.json"
    known = json.loads(record.read_text())
    known["held"]["N1"]["base"] = "1" * 40
    record.write_text(json.dumps(known))
    assert holder.sync().held == ("N1",)
    assert holder.read("N1").body == "one\nfrom holder\nthree"


@pytest.mark.parametrize("damage", [b"", b"garbage", b"[]", None])
def test_a_clash_survives_the_loss_of_its_record(
    clash: tuple[Machine, Machine], damage: bytes | None
) -> None:
    first, holder = clash
    holder.sync()
    record = holder.root / "sync.json"
    if damage is None:
        record.unlink()
    else:
        record.write_bytes(damage)
    assert holder.backend.state().held == ("N1",)
    assert holder.sync().held == ("N1",)
    first.sync()
    assert first.read("N1").body == "one\nfrom first\nthree"
    holder.backend.resolve("N1", choice="theirs")
    assert not holder.sync().conflicted
    record.unlink()
    assert holder.backend.state().held == ()


def test_held_versions_survive_garbage_collection(clash: tuple[Machine, Machine]) -> None:
    _, holder = clash
    holder.sync()
    holder.git("reflog", "expire", "--expire=now", "--all")
    holder.git("gc", "-q", "--prune=now")
    assert "\ntwo\n" in (holder.backend.held()[0].base or "")
    holder.backend.resolve("N1", choice="both")


def test_an_invalid_resolution_changes_nothing_and_says_why(clash: tuple[Machine, Machine]) -> None:
    _, holder = clash
    with pytest.raises(SyncError, match="held notes: none"):
        holder.backend.resolve("N1", choice="mine")
    holder.sync()
    with pytest.raises(SyncError, match="not a note"):
        holder.backend.resolve("N1", text="no front matter")
    with pytest.raises(SyncError, match="another id"):
        holder.backend.resolve("N1", text=serialize(holder.read("N1")).replace("id: N1", "id: N2"))
    with pytest.raises(SyncError, match="choose mine, theirs or both"):
        holder.backend.resolve("N1", choice="ours")  # type: ignore[arg-type]  # what a caller may get wrong
    assert holder.sync().held == ("N1",)
