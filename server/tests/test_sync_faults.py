"""Faults around a sync: no network, hostile settings, hostile remotes, remotes with another history."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from anamnesis.errors import SyncError
from anamnesis.store import MemoryStore
from anamnesis.sync.state import Write
from anamnesis.sync.tree import Tree
from machines import LATER, Machine, make_remote, run_git, settle

HOSTILE = """
[core]
    hooksPath = {hooks}
    excludesFile = {home}/ignore
    attributesFile = {home}/attributes
    autocrlf = true
    safecrlf = true
    fsmonitor = /bin/false
    sparseCheckout = true
    pager = false
[commit]
    gpgSign = true
[push]
    gpgSign = true
    default = nothing
[gpg]
    program = /bin/false
[filter "evil"]
    clean = tr a-z A-Z
    smudge = tr a-z A-Z
    required = true
[fetch]
    prune = true
[color]
    ui = always
[init]
    defaultBranch = trunk
    templateDir = /nonexistent
[log]
    showSignature = true
[diff]
    external = /bin/false
[rebase]
    autoStash = true
"""


def test_an_offline_commit_is_made_and_counted_until_it_is_pushed(desk: Machine, remote: Path) -> None:
    desk.write("N1", "one")
    desk.sync()
    remote.rename(remote.with_name("away"))
    for number in range(2):
        desk.write("N1", f"edit {number}")
        result = desk.sync()
    assert (result.pushed, result.reached, result.conflicted) == (False, False, False)
    assert "does not exist" in result.detail
    assert "2 commits not pushed since 20" in result.detail
    assert desk.backend.state().ahead == 2
    remote.with_name("away").rename(remote)
    assert desk.sync().pushed
    assert desk.backend.state().ahead == 0


def test_a_remote_that_never_answers_is_offline(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        machine = Machine(tmp_path / "desk", f"git://127.0.0.1:{port}/x.git", timeout=0.5)
        machine.write("N1", "body")
        result, found = machine.sync(), machine.backend.examine_remote()
    assert (result.reached, found.state) == (False, "bad")
    assert "did not answer" in result.detail
    assert "`anamnesis sync --timeout" in found.remedy
    assert "1 commit not pushed" in result.detail


def test_a_hostile_environment_changes_nothing(
    desk: Machine, lap: Machine, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-commit", "pre-push", "reference-transaction", "post-checkout", "pre-rebase"):
        (hooks / name).write_text("#!/bin/sh\nexit 1\n")
        (hooks / name).chmod(0o700)
    (home / "ignore").write_text("*.md\n")
    (home / "attributes").write_text("*.md filter=evil text eol=crlf\n")
    (home / ".gitconfig").write_text(HOSTILE.format(home=home, hooks=hooks))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_CONFIG_GLOBAL"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "someone else")
    body = "plain text\r\nwith windows lines\r\nand $Id$"
    desk.write("N1", body)
    settle(desk, lap)
    lap.save(lap.read("N1"), title="changed", updated_at=LATER)
    desk.write("N2", "x")
    settle(desk, lap)
    assert desk.files() == lap.files()
    assert body.encode() in desk.files()["semantic/N1.md"]
    monkeypatch.undo()
    assert set(run_git(Path(str(desk.remote)), "log", "--format=%an", "main").split()) == {"anamnesis"}


def _push_by_hand(tmp_path: Path, remote: Path, files: Mapping[str, str] | None = None) -> Path:
    """Push files to the remote as a person would; returns the clone, which can push anything more."""
    clone = tmp_path / "clone"
    if not clone.exists():
        run_git(tmp_path, "clone", "-q", str(remote), str(clone))
    for name, content in (files or {}).items():
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text(content)
    run_git(clone, "add", "-A", "-f")
    run_git(clone, "commit", "-q", "-m", "by hand")
    run_git(clone, "push", "-q", "origin", "HEAD:main")
    return clone


@pytest.mark.parametrize(
    "hide",
    [
        ("update-index", "--skip-worktree", "semantic/N1.md"),
        ("update-index", "--assume-unchanged", "semantic/N1.md"),
        ("sparse-checkout", "set", "nothing"),
    ],
)
def test_a_file_ignored_by_git_still_syncs(desk: Machine, lap: Machine, hide: tuple[str, ...]) -> None:
    desk.write("N1", "one\ntwo\nthree\nfour\nfive")
    settle(desk, lap)
    lap.save(lap.read("N1"), body="one\ntwo\nthree\nfour\nfrom lap", updated_at=LATER)
    lap.git(*hide)
    desk.save(desk.read("N1"), body="from desk\ntwo\nthree\nfour\nfive", updated_at=LATER)
    desk.sync()
    lap.sync()
    settle(desk, lap)
    assert desk.read("N1").body == lap.read("N1").body == "from desk\ntwo\nthree\nfour\nfrom lap"


def test_no_git_configuration_sends_notes_elsewhere_or_runs_a_program(
    desk: Machine, remote: Path, tmp_path: Path
) -> None:
    elsewhere = make_remote(tmp_path / "elsewhere.git")
    desk.write("N1", "body")
    desk.sync()
    desk.git("config", "remote.origin.pushurl", str(elsewhere))
    desk.git("config", "remote.origin.uploadpack", f"touch {tmp_path}/ran; git-upload-pack")
    desk.git("config", "filter.evil.clean", f"touch {tmp_path}/ran; cat")
    (desk.memory / ".git/info/attributes").write_text("* filter=evil\n")
    desk.write("N2", "body")
    assert desk.sync().pushed
    assert not (tmp_path / "ran").exists()
    assert "semantic/N2.md" in run_git(remote, "ls-tree", "-r", "--name-only", "main")
    assert run_git(elsewhere, "for-each-ref") == ""
    desk.git("config", "protocol.ext.allow", "always")
    desk.git("config", f"url.ext::touch {tmp_path}/ran %S.insteadOf", str(remote))
    assert desk.sync().reached
    assert not (tmp_path / "ran").exists()


def test_gitignore_and_gitattributes_from_the_remote_hide_nothing(
    desk: Machine, lap: Machine, tmp_path: Path, remote: Path
) -> None:
    desk.write("N1", "body")
    desk.sync()
    hiding = {".gitignore": "*\n", ".gitattributes": "* text eol=crlf filter=x\n", "semantic/.hidden": "x"}
    _push_by_hand(tmp_path, remote, hiding)
    desk.write("N2", "body\nwith lines")
    desk.sync()
    lap.sync()
    assert desk.files() == lap.files()
    assert sorted(lap.files()) == ["semantic/N1.md", "semantic/N2.md"]
    assert ".gitignore" in run_git(remote, "ls-tree", "--name-only", "main").split()
    assert not desk.sync().pushed


def test_symlinks_from_the_remote_are_not_written(desk: Machine, tmp_path: Path, remote: Path) -> None:
    desk.write("N1", "body")
    desk.sync()
    outside = tmp_path / "outside"
    outside.mkdir()
    clone = _push_by_hand(tmp_path, remote, {"note": "x"})
    os.symlink(outside, clone / "procedural")
    os.symlink("/etc/passwd", clone / "semantic/link.md")
    _push_by_hand(tmp_path, remote)
    desk.sync()
    assert not (desk.memory / "procedural").is_symlink()
    assert not os.path.lexists(desk.memory / "semantic/link.md")
    (clone / "procedural").unlink()
    _push_by_hand(tmp_path, remote, {"procedural/P1.md": "text"})
    desk.sync()
    assert (desk.memory / "procedural/P1.md").read_text() == "text"
    assert not desk.sync().pushed
    assert "semantic/link.md" in run_git(remote, "ls-tree", "-r", "--name-only", "main")


@pytest.mark.parametrize("place", [".git/hooks", "..", "."])
def test_paths_that_leave_the_tree_are_not_written_and_stop_nothing(
    desk: Machine, lap: Machine, tmp_path: Path, remote: Path, place: str
) -> None:
    desk.write("N1", "body")
    settle(desk, lap)
    evil = _plumb(remote, "hash-object", "-w", "--stdin", stdin="evil")
    tree = _plumb(remote, "mktree", stdin=f"100755 blob {evil}\tpre-push\n")
    for part in reversed(place.split("/")):
        tree = _plumb(remote, "mktree", stdin=f"040000 tree {tree}\t{part}\n")
    rows = f"{_plumb(remote, 'ls-tree', 'main')}\n{_plumb(remote, 'ls-tree', tree)}\n"
    tree = _plumb(remote, "mktree", stdin=rows)
    commit = _plumb(remote, "commit-tree", tree, "-p", "main", "-m", "evil")
    _plumb(remote, "update-ref", "refs/heads/main", commit)
    for machine in (lap, desk):
        machine.write(f"M-{machine.root.name}", "new")
        assert machine.sync().reached
    settle(lap, desk)
    assert lap.files() == desk.files()
    assert sorted(lap.files()) == ["semantic/M-desk.md", "semantic/M-lap.md", "semantic/N1.md"]
    assert not list(tmp_path.rglob("pre-push"))


def _plumb(remote: Path, *order: str, stdin: str = "") -> str:
    identity = ["-c", "user.name=user", "-c", "user.email=user@example.org"]
    done = subprocess.run(
        ["git", *identity, *order], cwd=remote, input=stdin, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_nothing_is_written_through_a_local_symlink_until_it_is_removed(
    desk: Machine, lap: Machine, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    lap.memory.mkdir(parents=True)
    (lap.memory / "semantic").symlink_to(outside)
    desk.write("N1", "body")
    desk.sync()
    lap.sync()
    lap.sync()
    assert list(outside.iterdir()) == []
    desk.sync()
    assert list(desk.files()) == ["semantic/N1.md"]
    (lap.memory / "semantic").unlink()
    lap.sync()
    assert lap.files() == desk.files()
    assert len(lap.files()) == 1


def test_replacing_a_folder_with_a_symlink_does_not_delete_its_notes(
    desk: Machine, lap: Machine, tmp_path: Path
) -> None:
    desk.write("N1", "body")
    settle(desk, lap)
    (lap.memory / "semantic").rename(tmp_path / "moved")
    (lap.memory / "semantic").symlink_to(tmp_path / "moved")
    settle(lap, desk)
    assert list(desk.files()) == ["semantic/N1.md"]


def test_a_remote_added_later_joins_two_separate_histories(desk: Machine, lap: Machine, remote: Path) -> None:
    for machine, note_id in ((desk, "D1"), (lap, "L1")):
        machine.remote = None
        machine.write(note_id, f"from {note_id}")
        machine.write("S1", "the same on both")
        machine.sync()
        machine.write(note_id, f"from {note_id}, edited")
        machine.sync()
        machine.remote = remote
    settle(desk, lap)
    assert desk.files() == lap.files()
    assert sorted(desk.files()) == ["semantic/D1.md", "semantic/L1.md", "semantic/S1.md"]
    assert "+from D1\n" in run_git(remote, "log", "-p", "--format=", "main")


def test_a_machine_that_lost_its_repository_fills_an_empty_remote(desk: Machine, remote: Path) -> None:
    desk.write("N1", "body")
    desk.sync()
    shutil.rmtree(desk.memory / ".git")
    shutil.rmtree(remote)
    make_remote(remote)
    with pytest.raises(SyncError, match="is empty but was not"):
        desk.sync()
    assert desk.backend.sync(rejoin=True).pushed
    assert run_git(remote, "ls-tree", "-r", "--name-only", "main").split() == ["semantic/N1.md"]


def test_a_lost_repository_waits_for_its_history_while_offline(
    desk: Machine, lap: Machine, remote: Path
) -> None:
    desk.write("N1", "one\ntwo")
    settle(desk, lap)
    shutil.rmtree(desk.memory / ".git")
    desk.save(desk.read("N1"), body="ONE\ntwo", updated_at=LATER)
    remote.rename(remote.with_name("away"))
    assert not desk.sync().reached
    assert not desk.backend.commit()
    remote.with_name("away").rename(remote)
    lap.save(lap.read("N1"), body="one\nTWO", updated_at=LATER)
    settle(lap, desk)
    settle(lap)
    assert desk.read("N1").body == lap.read("N1").body == "ONE\nTWO"


def test_a_refusing_hook_at_the_remote_is_quoted(desk: Machine, remote: Path) -> None:
    hook = remote / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no entry today >&2\nexit 1\n")
    hook.chmod(0o700)
    desk.write("N1", "body")
    result = desk.sync()
    assert (result.pushed, result.reached) == (False, False)
    assert "no entry today" in result.detail
    assert "1 commit not pushed" in result.detail


def test_a_note_edited_while_a_sync_is_landing_is_not_overwritten(
    desk: Machine, lap: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("N1", "one\ntwo\nthree")
    settle(desk, lap)
    desk.save(desk.read("N1"), body="ONE\ntwo\nthree", updated_at=LATER)
    desk.sync()
    real = Tree.land

    def land_while_an_editor_saves(tree: Tree, writes: list[Write], **options: Any) -> set[str]:
        if lap.read("N1").body == "one\ntwo\nthree":
            lap.save(lap.read("N1"), body="one\ntwo\nTHREE", updated_at=LATER)
        return real(tree, writes, **options)

    monkeypatch.setattr(Tree, "land", land_while_an_editor_saves)
    lap.sync()
    desk.sync()
    assert lap.read("N1").body == desk.read("N1").body == "ONE\ntwo\nTHREE"


def test_a_programs_repository_is_refused_and_unchanged(desk: Machine, remote: Path, tmp_path: Path) -> None:
    desk.write("a", "one")
    _push_by_hand(tmp_path, remote, dict.fromkeys(["README.md", "src/main.py", "pyproject.toml"], "x"))
    before = run_git(remote, "rev-parse", "main")
    with pytest.raises(SyncError, match=r"contains other files \(pyproject.toml, src/main.py\) and no notes"):
        desk.sync()
    assert run_git(remote, "rev-parse", "main") == before
    assert sorted(desk.files()) == ["semantic/a.md"]
    assert desk.backend.state().failure == "foreign"
    assert desk.git("status", "--porcelain") == ""


def test_the_right_remote_gets_nothing_from_the_wrong_one(
    desk: Machine, remote: Path, tmp_path: Path
) -> None:
    desk.write("a", "one")
    _push_by_hand(tmp_path, remote, dict.fromkeys(["src/main.py"], "x"))
    with pytest.raises(SyncError):
        desk.sync()
    right = Machine(desk.root, make_remote(tmp_path / "right.git"))
    assert right.sync().pushed
    assert right.backend.state().failure == ""
    lap = Machine(tmp_path / "lap", right.remote)
    lap.sync()
    assert sorted(lap.files()) == ["semantic/a.md"]


def test_rejoin_overrides_the_refusal_and_names_the_other_files_once(
    desk: Machine, remote: Path, tmp_path: Path
) -> None:
    desk.write("a", "one")
    _push_by_hand(tmp_path, remote, dict.fromkeys(["src/main.py"], "x"))
    result = desk.backend.sync(rejoin=True)
    assert result.pushed
    assert "src/main.py stays at the remote only" in result.detail
    assert desk.sync().detail == "synced"
    assert not desk.sync().needs_attention
    assert "semantic/a.md" in desk.git("ls-tree", "-r", "--name-only", "origin/main")


@pytest.mark.parametrize(
    "names",
    [
        ("README.md", "LICENSE", ".gitignore"),
        ("README.md", "Notes/Daily.md"),
        ("semantic/b.md", "picture.png"),
        ("machines/lap.json",),
    ],
)
def test_a_remote_with_a_readme_or_notes_is_joined(
    desk: Machine, remote: Path, tmp_path: Path, names: tuple[str, ...]
) -> None:
    desk.write("a", "one")
    _push_by_hand(tmp_path, remote, dict.fromkeys(names, "x"))
    assert desk.sync().pushed


def test_the_readme_that_a_host_made_is_no_unreadable_note(
    desk: Machine, remote: Path, tmp_path: Path
) -> None:
    desk.write("a", "one")
    _push_by_hand(tmp_path, remote, dict.fromkeys(["README.md"], "x"))
    desk.sync()
    assert "README.md" in desk.files()
    with MemoryStore(desk.root) as store:
        assert store.problems() == []
