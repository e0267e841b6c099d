"""A credential in a manual commit is not pushed: the file waits, the rest of the commit syncs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.sync.screen import find_unsent
from anamnesis.sync.state import load_memo, save_memo
from anamnesis.sync.waiting import Search
from machines import Machine, make_remote, run_git, settle
from secret_samples import SAMPLES

KEY, SECRET = SAMPLES["anthropic"]


def by_hand(machine: Machine, *words: str) -> None:
    """Run git in the synced folder as a person would."""
    run_git(machine.memory, *words)


def everything_at(remote: Path) -> str:
    """Every object at the remote, reachable or not."""
    order = ["git", "cat-file", "--batch-all-objects", "--batch", "--unordered"]
    return subprocess.run(order, cwd=remote, capture_output=True, check=True).stdout.decode(
        "utf-8", "replace"
    )


@pytest.fixture
def desk(two_machines: tuple[Machine, Machine]) -> Machine:
    """A machine with two notes, synced with another."""
    desk, lap = two_machines
    desk.write("N1", "one\n\ntwo")
    desk.write("N2", "other")
    settle(desk, lap)
    return desk


def commit_here(machine: Machine) -> None:
    by_hand(machine, "commit", "-qam", "by hand")


def commit_on_a_branch(machine: Machine) -> None:
    by_hand(machine, "checkout", "-q", "-b", "mine")
    commit_here(machine)


def commit_detached(machine: Machine) -> None:
    by_hand(machine, "checkout", "-q", "--detach")
    commit_here(machine)


def commit_and_remove(machine: Machine) -> None:
    commit_here(machine)
    machine.write("N3", "nothing secret")
    by_hand(machine, "add", "-A")
    by_hand(machine, "commit", "-qm", "more")


def merge_by_hand(machine: Machine) -> None:
    by_hand(machine, "checkout", "-q", "-b", "side")
    commit_here(machine)
    by_hand(machine, "checkout", "-q", "main")
    machine.write("N3", "from main")
    by_hand(machine, "add", "-A")
    by_hand(machine, "commit", "-qm", "main goes on")
    by_hand(machine, "merge", "-q", "--no-edit", "side")


def stop_a_rebase(machine: Machine) -> None:
    commit_here(machine)
    machine.write("N3", "nothing secret")
    by_hand(machine, "add", "-A")
    commit_here(machine)
    rebase = ["git", "-c", "user.name=me", "-c", "user.email=me@x", "rebase", "-q", "-x", "false", "HEAD~1"]
    subprocess.run(rebase, cwd=machine.memory, capture_output=True, check=False)
    assert (machine.memory / ".git/rebase-merge").is_dir()


WAYS = [commit_here, commit_on_a_branch, commit_detached, commit_and_remove, merge_by_hand, stop_a_rebase]


@pytest.mark.parametrize("commit", WAYS)
def test_a_credential_in_a_manual_commit_waits_and_the_rest_is_pushed(
    desk: Machine, two_machines: tuple[Machine, Machine], remote: Path, commit: Callable[[Machine], None]
) -> None:
    path = desk.write("N1", f"one\n\nkey: {KEY}\n\ntwo")
    desk.write("N2", "changed by hand")
    line = path.read_text().splitlines().index(f"key: {KEY}") + 1
    commit(desk)
    for _ in range(2):
        result = desk.sync()
        [waiting] = result.waiting
        assert (waiting.path, waiting.line, waiting.id) == ("semantic/N1.md", line, "N1")
        assert result.needs_attention
        assert SECRET not in result.detail
        assert desk.backend.state().waiting == result.waiting
    assert "anamnesis purge --secrets" in desk.results[-2].detail
    assert SECRET not in everything_at(remote)
    assert KEY in path.read_text()
    lap = two_machines[1]
    lap.sync()
    assert (lap.read("N1").body, lap.read("N2").body) == ("one\n\ntwo", "changed by hand")


def test_status_reports_it_before_the_next_sync(desk: Machine) -> None:
    path = desk.write("N1", f"one\n\nkey: {KEY}")
    commit_here(desk)
    line = path.read_text().splitlines().index(f"key: {KEY}") + 1
    [waiting] = desk.backend.state().waiting
    assert (waiting.path, waiting.line, waiting.id) == ("semantic/N1.md", line, "N1")


@pytest.mark.parametrize("is_synced", [False, True])
def test_an_allowed_version_is_pushed(desk: Machine, remote: Path, is_synced: bool) -> None:
    desk.write("N1", f"one\n\nkey: {KEY}")
    commit_here(desk)
    if is_synced:
        assert desk.sync().waiting
    assert desk.backend.allow_secret("N1")
    assert desk.sync().waiting == ()
    assert KEY in run_git(remote, "show", "main:semantic/N1.md")


def test_a_credential_that_a_later_commit_removed_does_not_reach_the_remote(
    desk: Machine, remote: Path
) -> None:
    desk.write("N1", f"one\n\nkey: {KEY}")
    commit_here(desk)
    desk.write("N1", "one\n\nnothing now")
    commit_here(desk)
    result = desk.sync()
    assert (result.waiting, result.pushed) == ((), True)
    assert SECRET not in everything_at(remote)
    assert "nothing now" in run_git(remote, "show", "main:semantic/N1.md")
    assert desk.read("N1").body == "one\n\nnothing now"


def test_a_new_file_and_a_message_with_a_credential_are_not_pushed(desk: Machine, remote: Path) -> None:
    desk.write("N9", f"key: {KEY}")
    by_hand(desk, "add", "-A")
    by_hand(desk, "commit", "-qm", "new")
    desk.write("N2", "changed by hand")
    by_hand(desk, "commit", "-qm", f"the key is {KEY}", "--", "semantic/N2.md")
    assert [each.id for each in desk.sync().waiting] == ["N9"]
    assert SECRET not in everything_at(remote)
    assert KEY in desk.read("N9").body
    assert "changed by hand" in run_git(remote, "show", "main:semantic/N2.md")


def test_the_file_waits_even_if_another_machine_changed_the_same_note(
    desk: Machine, two_machines: tuple[Machine, Machine], remote: Path
) -> None:
    lap = two_machines[1]
    lap.write("N1", "one\n\ntwo\n\nfrom the laptop")
    lap.sync()
    desk.write("N1", f"key: {KEY}\n\none\n\ntwo")
    commit_here(desk)
    assert [each.id for each in desk.sync().waiting] == ["N1"]
    assert SECRET not in everything_at(remote)
    assert desk.read("N1").body == f"key: {KEY}\n\none\n\ntwo\n\nfrom the laptop"


def test_a_credential_that_is_already_at_the_remote_does_not_block_a_merge(
    desk: Machine, two_machines: tuple[Machine, Machine], remote: Path
) -> None:
    lap = two_machines[1]
    lap.write("N1", f"one\n\ntwo\n\nkey: {KEY}")
    lap.sync()
    lap.backend.allow_secret("N1")
    lap.sync()
    desk.write("N1", "zero\n\none\n\ntwo")
    commit_here(desk)
    assert desk.sync().waiting == ()
    assert run_git(remote, "show", "main:semantic/N1.md").endswith(f"zero\n\none\n\ntwo\n\nkey: {KEY}\n")


def test_the_very_first_commit_may_be_manual(tmp_path: Path, remote: Path) -> None:
    desk = Machine(tmp_path / "desk", remote)
    desk.write("N1", f"key: {KEY}")
    by_hand(desk, "init", "-q", "-b", "main")
    by_hand(desk, "add", "-A")
    commit_here(desk)
    assert [each.id for each in desk.sync().waiting] == ["N1"]
    assert SECRET not in everything_at(remote)


def test_commits_made_by_sync_are_not_searched_again(
    desk: Machine, two_machines: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    lap = two_machines[1]
    desk.write("N3", "new here")
    lap.write("N4", "new there")
    lap.sync()
    searched: list[str] = []
    search = Search.__call__

    def watch(self: Search, path: str, data: bytes) -> list[object]:
        searched.append(path)
        return list(search(self, path, data))

    monkeypatch.setattr(Search, "__call__", watch)
    assert desk.sync().pushed
    assert searched == ["semantic/N3.md"]
    assert find_unsent(desk.backend._repo, None).commits == []


def test_the_original_commit_stays_on_this_machine_until_it_is_purged(desk: Machine) -> None:
    desk.write("N1", f"key: {KEY}")
    commit_here(desk)
    desk.sync()
    kept = run_git(desk.memory, "for-each-ref", "--format=%(objectname)", "refs/anamnesis/before").split()
    assert [KEY in run_git(desk.memory, "show", f"{oid}:semantic/N1.md") for oid in kept] == [True]
    desk.write("N1", "one\n\ntwo")
    desk.purge(texts=[KEY])
    desk.sync()
    order = ["git", "cat-file", "--batch-all-objects", "--batch", "--unordered"]
    found = subprocess.run(order, cwd=desk.memory, capture_output=True, check=True).stdout
    assert SECRET.encode() not in found


def log(remote: Path, since: str = "") -> list[str]:
    """Author and subject of the commits at the remote, oldest first."""
    span = f"{since}..main" if since else "main"
    return run_git(remote, "log", "--reverse", "--format=%an: %s", span).splitlines()


def refuse_pushes(remote: Path) -> Path:
    """Make the remote refuse pushes until the returned file is removed."""
    hook = remote / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    return hook


def test_commits_are_recreated_one_by_one_without_those_that_only_added_a_credential(
    desk: Machine, remote: Path
) -> None:
    before = run_git(remote, "rev-parse", "main").strip()
    desk.write("N1", f"key: {KEY}")
    by_hand(desk, "commit", "-qam", "only the key")
    desk.write("N2", "changed by hand")
    by_hand(desk, "commit", "-qm", "a change", "--author=Ada <ada@example.org>", "--", "semantic/N2.md")
    by_hand(desk, "commit", "-qm", "nothing at all", "--allow-empty")
    assert desk.sync().pushed
    assert log(remote, before) == ["Ada: a change", "user: nothing at all"]


@pytest.mark.parametrize("is_empty", [False, True])
def test_a_manual_merge_becomes_one_commit_on_the_last_searched_one(
    desk: Machine, remote: Path, tmp_path: Path, is_empty: bool
) -> None:
    before = "" if is_empty else run_git(remote, "rev-parse", "main").strip()
    if is_empty:
        desk = Machine(tmp_path / "solo", None)
        desk.write("N1", "one")
        desk.sync()
        remote = desk.remote = make_remote(tmp_path / "empty.git")
    hook = refuse_pushes(remote)
    desk.write("N5", "written while the remote refuses")
    assert not desk.sync().pushed
    hook.unlink()
    searched = log(desk.memory, before)
    desk.write("N1", f"key: {KEY}")
    merge_by_hand(desk)
    assert desk.sync().pushed
    assert log(remote, before)[: len(searched)] == searched
    assert log(remote, before)[len(searched) :] == [f"anamnesis: {desk.root.name}: merged"]
    assert SECRET not in everything_at(remote)


def test_a_manual_merge_that_adds_a_credential_becomes_one_commit(desk: Machine, remote: Path) -> None:
    before = run_git(remote, "rev-parse", "main").strip()
    desk.write("N1", "from the side")
    by_hand(desk, "checkout", "-q", "-b", "side")
    commit_here(desk)
    by_hand(desk, "checkout", "-q", "main")
    by_hand(desk, "merge", "-q", "--no-ff", "--no-commit", "side")
    desk.write("N2", f"key: {KEY}")
    commit_here(desk)
    assert [each.id for each in desk.sync().waiting] == ["N2"]
    assert log(remote, before) == ["anamnesis: desk: merged"]
    assert "from the side" in run_git(remote, "show", "main:semantic/N1.md")
    assert SECRET not in everything_at(remote)


@pytest.mark.parametrize("searched", [None, "1" * 40])  # never, and up to a missing commit
def test_a_manual_merge_is_searched_without_a_record_of_earlier_searches(
    desk: Machine, remote: Path, searched: str | None
) -> None:
    before = run_git(remote, "rev-parse", "main").strip()
    memo = load_memo(desk.backend._repo.own)
    memo.searched = searched
    save_memo(desk.backend._repo.own, memo)
    desk.write("N1", f"key: {KEY}")
    merge_by_hand(desk)
    assert [each.id for each in desk.sync().waiting] == ["N1"]
    assert log(remote, before) == ["anamnesis: desk: merged"]
    assert SECRET not in everything_at(remote)


def test_a_credential_in_the_remotes_history_is_left_there(desk: Machine, remote: Path) -> None:
    desk.write("N1", f"key: {KEY}")
    commit_here(desk)
    by_hand(desk, "push", "-q", str(remote), "main")
    desk.write("N1", "one")
    desk.sync()
    there = run_git(remote, "rev-parse", "main").strip()
    memo = load_memo(desk.backend._repo.own)
    memo.searched = None
    save_memo(desk.backend._repo.own, memo)
    desk.write("N2", "changed by hand")
    commit_here(desk)
    assert desk.backend.state().waiting == ()
    result = desk.sync()
    assert (result.pushed, result.waiting) == (True, ())
    assert log(remote, there) == ["user: by hand"]


def test_a_commit_is_searched_once_however_often_its_push_is_refused(desk: Machine, remote: Path) -> None:
    there = run_git(remote, "rev-parse", "main").strip()
    refuse_pushes(remote)
    desk.write("N2", "changed by hand")
    commit_here(desk)
    assert [each.message.strip() for each in find_unsent(desk.backend._repo, there).commits] == ["by hand"]
    assert not desk.sync().pushed
    assert find_unsent(desk.backend._repo, there).commits == []


def test_the_number_of_searched_texts_can_be_limited(desk: Machine, remote: Path) -> None:
    there = run_git(remote, "rev-parse", "main").strip()
    for number in range(3):
        desk.write(f"K{number}", f"key: {KEY} {number}")
    by_hand(desk, "add", "-A")
    commit_here(desk)
    found = [find_unsent(desk.backend._repo, there, most=most).added for most in (0, 1, 2, None)]
    assert [len(added) for added in found] == [0, 1, 2, 3]


@pytest.mark.parametrize(("number", "more"), [(3, ")"), (4, " and 1 more)")])
def test_three_files_are_named_and_the_others_counted(desk: Machine, number: int, more: str) -> None:
    for each in range(number):
        desk.write(f"K{each}", f"key: {KEY} {each}")
    by_hand(desk, "add", "-A")
    commit_here(desk)
    assert f"(semantic/K0.md, semantic/K1.md, semantic/K2.md{more};" in desk.sync().detail


def test_commits_before_the_credential_are_unchanged_and_the_one_that_removes_it_is_dropped(
    desk: Machine, remote: Path
) -> None:
    before = run_git(remote, "rev-parse", "main").strip()
    desk.write("N2", "changed by hand")
    by_hand(desk, "commit", "-qam", "clean")
    clean = desk.git("rev-parse", "HEAD").strip()
    for body, message in ((f"key: {KEY}", "the key"), ("no key", "without it")):
        desk.write("N1", body)
        by_hand(desk, "commit", "-qam", message)
    assert desk.sync().pushed
    assert log(remote, before) == ["user: clean", "user: without it"]
    assert clean in run_git(remote, "rev-list", "main").split()
    assert SECRET not in everything_at(remote)
