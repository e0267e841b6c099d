"""The login in a remote's address: git gets it and nothing else sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from urllib.parse import quote

import pytest

from anamnesis.address import Login, check_remote, split_login
from anamnesis.errors import GitError
from anamnesis.git import Git
from git_http import GitServer, serve_git
from machines import Machine, make_remote, run_git

# Hex digits that occur in no other process of this machine.
RARE = token_hex(12)
USER, PASSWORD = "jo@desk.example", f"h:{RARE}/2@ %41ü'\"$x"
TOKEN = "glpat0123456789abcdefXYZ"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    """A git server that knows one login, with one empty repository, x.git."""
    make_remote(tmp_path / "served" / "x.git")
    with serve_git(tmp_path / "served", (USER, PASSWORD)) as running:
        yield running


def url(server: GitServer, login: tuple[str, str] = (USER, PASSWORD)) -> str:
    user, password = (quote(part, safe="") for part in login)
    return f"http://{user}:{password}@{server.host}/x.git"


def secrets(server: GitServer) -> list[str]:
    """The password in every form in which it could appear."""
    return [PASSWORD, quote(PASSWORD, safe=""), quote(PASSWORD), RARE]


def test_a_sync_logs_in_and_no_process_list_shows_the_password(server: GitServer, tmp_path: Path) -> None:
    desk, lap = (Machine(tmp_path / name, url(server)) for name in ("desk", "lap"))
    desk.write("N1", "body")
    assert desk.sync().pushed
    assert lap.sync().reached
    assert lap.files() == desk.files()
    assert f"{USER}:{PASSWORD}" in server.logins
    assert any("git-remote-http" in listed for listed in server.processes)
    assert [text for text in secrets(server) for listed in server.processes if text in listed] == []


def test_no_file_of_the_repository_contains_the_password(server: GitServer, tmp_path: Path) -> None:
    desk = Machine(tmp_path / "desk", url(server))
    desk.backend.init()
    desk.git("config", "remote.origin.url", url(server))  # as written by an earlier version
    desk.write("N1", "body")
    assert desk.sync().pushed
    files = [path for path in desk.root.rglob("*") if path.is_file()]
    kept = [path for path in files for text in secrets(server) if text.encode() in path.read_bytes()]
    assert kept == []
    assert desk.git("remote", "get-url", "origin").strip() == f"http://{server.host}/x.git"


def test_the_login_in_the_address_beats_the_users_helpers_and_is_not_stored_by_them(
    server: GitServer, tmp_path: Path, home: Path
) -> None:
    helper = f"!f() {{ cat >> {tmp_path}/told; echo username=other; echo password=other; }}; f"
    for section in ("credential", f"credential.http://{server.host}"):
        run_git(tmp_path, "config", "--global", f"{section}.helper", helper)
    desk = Machine(tmp_path / "desk", url(server))
    desk.write("N1", "body")
    assert desk.sync().pushed
    assert not (tmp_path / "told").exists()
    assert not (home / ".git-credentials").exists()


def test_a_token_without_a_password_still_lets_the_users_helper_answer(
    server: GitServer, tmp_path: Path
) -> None:
    server.login = (TOKEN, "from the helper")
    helper = '!f() { grep -q "^username=glpat" && echo "password=from the helper"; }; f'
    run_git(tmp_path, "config", "--global", "credential.helper", helper)
    desk = Machine(tmp_path / "desk", f"http://{TOKEN}@{server.host}/x.git")
    desk.write("N1", "body")
    assert desk.sync().pushed
    assert [listed for listed in server.processes if TOKEN in listed] == []


def test_a_server_that_the_remote_redirects_to_does_not_get_the_password(
    server: GitServer, tmp_path: Path
) -> None:
    git = Git(tmp_path)
    login = split_login(url(server))[1]
    asked = f"protocol=http\nhost=localhost:{server.host.rpartition(':')[2]}\n\n"
    found = git.ask("credential", "fill", stdin=asked.encode(), login=login)
    assert (found.code != 0, found.out) == (True, b"")
    found = git.ask(
        "credential", "fill", stdin=f"protocol=http\nhost={server.host}\n\n".encode(), login=login
    )
    assert f"password={PASSWORD}\n".encode() in found.out


def test_a_new_password_does_not_make_a_new_remote(server: GitServer, tmp_path: Path) -> None:
    desk = Machine(tmp_path / "desk", url(server))
    desk.write("N1", "body")
    desk.sync()
    server.login = (USER, "new")
    desk.remote = url(server, (USER, "new"))
    assert desk.backend.state().ahead == 0
    assert desk.sync().detail == "synced"


def test_a_password_in_an_ssh_address_is_dropped(remote: Path, tmp_path: Path, home: Path) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/called\nfor last; do :; done\nexec sh -c "$last"\n')
    ssh.chmod(0o700)
    (home / ".gitconfig").write_text(f"[core]\n\tsshCommand = {ssh}\n[ssh]\n\tvariant = simple\n")
    desk = Machine(tmp_path / "desk", f"ssh://jo:hunter2@host{remote}")
    desk.write("N1", "body")
    result = desk.sync()
    assert result.pushed
    assert "jo@host git-receive-pack" in (tmp_path / "called").read_text()
    assert "hunter2" not in (tmp_path / "called").read_text() + result.detail


@pytest.mark.parametrize(
    ("remote", "address", "login"),
    [
        ("/srv/x.git", "/srv/x.git", None),
        ("you@host:x.git", "you@host:x.git", None),
        ("https://you@host/x", "https://you@host/x", None),
        ("https://you:pw@host:8/x", "https://host:8/x", Login("https://host:8", "you", "pw")),
        ("https://you%40a:p%3Aw%25@host/x", "https://host/x", Login("https://host", "you@a", "p:w%")),
        ("https://you:@host/x", "https://host/x", Login("https://host", "you", "")),
        (f"https://{TOKEN}@host/x", "https://host/x", Login("https://host", TOKEN, None)),
        ("https://you:pw@[::1]:8/x", "https://[::1]:8/x", Login("https://[::1]:8", "you", "pw")),
        ("ssh://you:pw@host:22/x", "ssh://you@host:22/x", None),
    ],
)
def test_an_address_is_split_from_its_login(remote: str, address: str, login: Login | None) -> None:
    assert split_login(remote) == (address, login)
    assert split_login(address) == (address, None)


@pytest.mark.parametrize(
    "remote",
    [
        "https://you:hun/ter2@host/x",
        "you:hunter2@host:x.git",
        "//you:hunter2@host/x",
        "https://host/x?private_token=hunter2",
        "https://you:hunter2%0Aquit=1@host/x",
        "https://you:hunter2@*.host/x",
        "https://you:hunter2@host=x/y",
        "https://you:hunter2@/x",
    ],
)
def test_a_login_that_git_would_misread_is_refused_and_not_shown(remote: str) -> None:
    with pytest.raises(GitError) as caught:
        check_remote(remote)
    assert "hunter2" not in str(caught.value)
    assert "hun/ter2" not in str(caught.value)
    assert "; " in str(caught.value)
