"""Running git: in any environment it does what we ask, never prompts, and ends."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis.address import check_remote, mask
from anamnesis.errors import GitError, GitTimeout
from anamnesis.git import Git, run_command


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """An empty repository."""
    folder = tmp_path / "repo"
    folder.mkdir()
    made = Git(folder, email="anamnesis@desk")
    made.run("init", "--quiet", "--template=")
    return made


@pytest.fixture
def silent_server() -> Iterator[int]:
    """A port that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken: list[socket.socket] = []
        stop = threading.Event()
        server.settimeout(0.05)

        def serve() -> None:
            while not stop.is_set():
                try:
                    taken.append(server.accept()[0])
                except TimeoutError:
                    continue

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        stop.set()
        thread.join()
        for connection in taken:
            connection.close()


def test_no_git_variable_of_the_caller_reaches_git(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_SSH_COMMAND"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.bare")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    assert git.line("rev-parse", "--absolute-git-dir") == str(git.dir)
    assert git.line("rev-parse", "--is-bare-repository") == "false"


def test_the_users_hooks_filters_and_excludes_are_not_used(git: Git, home: Path, tmp_path: Path) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("reference-transaction", "post-index-change", "pre-push"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        (hooks / name).chmod(0o700)
    (home / "ignore").write_text("*.md\n")
    (home / ".gitconfig").write_text(
        f"[core]\n\thooksPath = {hooks}\n\texcludesFile = {home}/ignore\n\tautocrlf = true\n"
        "[commit]\n\tgpgSign = true\n"
    )
    (git.folder / "note.md").write_bytes(b"one\r\ntwo\r\n")
    git.run("update-index", "--add", "--", "note.md")
    commit = git.line("commit-tree", git.line("write-tree"), stdin=b"message")
    git.run("update-ref", "refs/heads/main", commit)
    assert git.run("cat-file", "blob", "main:note.md") == b"one\r\ntwo\r\n"
    assert not (tmp_path / "ran").exists()
    assert "anamnesis <anamnesis@desk>" in git.line("cat-file", "commit", "main")


def test_git_never_prompts_for_a_password(
    git: Git, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asker = tmp_path / "ask"
    asker.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\necho secret\n")
    asker.chmod(0o700)
    monkeypatch.setenv("SSH_ASKPASS", str(asker))
    (home / ".gitconfig").write_text(f"[core]\n\taskPass = {asker}\n")
    found = git.ask("credential", "fill", stdin=b"protocol=https\nhost=example.org\n\n")
    assert found.code != 0
    assert not (tmp_path / "asked").exists()


def test_git_with_a_silent_server_is_ended_with_its_whole_process_group(git: Git, silent_server: int) -> None:
    with pytest.raises(GitTimeout, match=r"said nothing for 0\.3 s"):
        git.ask("ls-remote", f"git://127.0.0.1:{silent_server}/x.git", silence=0.3)
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert f"127.0.0.1:{silent_server}/" not in listed


def test_git_gets_all_of_its_input_however_slowly_it_reads(git: Git) -> None:
    answer = run_command(["sh", "-c", "sleep .5; wc -c"], folder=git.folder, stdin=b"x" * 5_000_000)
    assert (answer.code, int(answer.out)) == (0, 5_000_000)


def test_a_helper_that_outlives_git_does_not_delay_us(git: Git) -> None:
    answer = git.ask("-c", "alias.left=!sleep 5 & echo done", "left", silence=60)
    assert answer.out == b"done\n"


@pytest.mark.parametrize(
    "remote",
    [
        "",
        " ",
        "-oProxyCommand=touch /tmp/x",
        "--upload-pack=touch /tmp/x",
        "ext::sh -c touch% /tmp/x",
        "fd::7",
        "transport::address",
        "::x",
        "ssh://-oProxyCommand=x/path",
        "-x@host:path",
        "me@-oProxyCommand=x:path",
        "ftp://example.org/notes.git",
        "data://x",
        "host:notes\n.git",
        "/srv/\x1b[2J.git",
    ],
)
def test_a_remote_that_could_run_a_program_is_refused(remote: str) -> None:
    with pytest.raises(GitError, match="remote"):
        check_remote(remote)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("https://me:secret@example.org/x", "https://me:***@example.org/x"),
        ("https://ghp_0123456789@example.org/x", "https://***@example.org/x"),
        ("https://me:se@cr@et@example.org/x", "https://me:***@example.org/x"),
        ("ssh://me@example.org/x", "ssh://me@example.org/x"),
        ("fatal: 'https://u:p@h/x' and http://a:b@c/", "fatal: 'https://u:***@h/x' and http://a:***@c/"),
        ("https://u:hun/ter2secret@h/x", "https://u:***@h/x"),
        ("https://u:hunter2 secret@h/x", "https://u:***@h/x"),
        ("http://h/?password=hunter2secret", "http://h/?password=***"),
        ("http://h/x?a=1&private_token=hunter2&b=2", "http://h/x?a=1&private_token=***&b=2"),
        ("fatal: '//u:hunter2secret@h/x' not found", "fatal: '//u:***@h/x' not found"),
        (
            "remote user:hunter2@host.example:notes.git is gone",
            "remote user:***@host.example:notes.git is gone",
        ),
    ],
)
def test_passwords_are_masked_in_every_text(text: str, masked: str) -> None:
    assert mask(text) == masked
    assert mask(masked) == masked


def test_a_failing_remote_never_shows_its_password(git: Git) -> None:
    with pytest.raises(GitError) as caught:
        git.run("ls-remote", "http://user:hunter2@127.0.0.1:9/x.git")
    assert "hunter2" not in str(caught.value)


def test_files_written_by_git_are_private(git: Git) -> None:
    git.run("hash-object", "-w", "--stdin", stdin=b"a note")
    git.run("config", "remote.origin.url", "https://ada:secret@host/x")
    made = [git.dir, *git.dir.rglob("*")]
    assert [path for path in made if path.stat().st_mode & 0o077] == []
