"""Each kind of remote failure is identified, quoted in git's own words, with what to do."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis.sync import SyncResult
from anamnesis.sync.remote import RULES, classify
from certificates import make_certificate
from git_http import GitServer, serve_git
from machines import Machine, make_remote, run_git
from ssh_server import SshServer

PAGE = Path(__file__).parents[2] / "docs" / "sync.md"
SSH, WEB, FOLDER = "ssh://jo@host.example:2222/srv/x.git", "https://host.example/x.git", "/srv/x.git"


@pytest.fixture
def desk(desk: Machine) -> Machine:
    """A machine with one note that no other has yet."""
    desk.write("N1", "body")
    return desk


@pytest.fixture
def web(tmp_path: Path) -> Iterator[GitServer]:
    """A git server over HTTP without a login, with one repository, x.git."""
    make_remote(tmp_path / "served" / "x.git")
    with serve_git(tmp_path / "served") as server:
        yield server


def test_a_missing_remote_folder_is_named_and_not_called_offline(desk: Machine, tmp_path: Path) -> None:
    desk.remote = tmp_path / "no disk" / "x.git"
    result = desk.sync()
    assert (result.failure, result.needs_attention) == ("away", True)
    assert f"the remote's folder '{tmp_path}/no disk/x.git' does not exist" in result.detail
    assert "offline" not in result.detail
    assert "--create" in result.detail


def test_the_remedy_for_a_folder_that_existed_before_is_not_to_create_it(desk: Machine, remote: Path) -> None:
    desk.remote = remote
    desk.sync()
    remote.rename(remote.with_name("elsewhere"))
    detail = desk.sync().detail
    assert "mount its disk" in detail
    assert "create" not in detail


def test_a_folder_without_a_repository_is_a_wrong_address(desk: Machine, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    desk.remote = tmp_path / "plain"
    result = desk.sync()
    assert (result.failure, result.needs_attention) == ("address", True)
    assert f"`git init --bare --initial-branch=main {tmp_path}/plain`" in result.detail


@pytest.mark.parametrize(
    ("status", "kind", "word"),
    [(403, "permission", "403"), (404, "address", "not found"), (503, "network", "503")],
)
def test_http_status_codes_are_distinguished(
    desk: Machine, web: GitServer, status: int, kind: str, word: str
) -> None:
    desk.remote = f"http://{web.host}/x.git"
    web.status = status
    result = desk.sync()
    assert result.failure == kind
    assert word in result.detail
    web.status = 0
    assert desk.sync().pushed


@pytest.mark.parametrize("login", ["", "jo:wrong@", "jo@"])
def test_a_rejected_login_fails_at_once_and_says_so(desk: Machine, web: GitServer, login: str) -> None:
    web.login = ("jo", "right")
    desk.remote = f"http://{login}{web.host}/x.git"
    result = desk.sync()
    assert (result.failure, result.needs_attention) == ("login", True)
    assert result.detail.startswith("authentication failed: 127.0.0.1 does not accept this machine's user")
    assert "1 commit not pushed" in result.detail
    assert "wrong" not in result.detail


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_an_untrusted_certificate_is_reported_with_a_command_that_works(
    desk: Machine, tmp_path: Path
) -> None:
    certificate = make_certificate(tmp_path / "both.pem", name="IP:127.0.0.1")
    make_remote(tmp_path / "served" / "x.git")
    with serve_git(tmp_path / "served", certificate=certificate) as server:
        desk.remote = f"https://{server.host}/x.git"
        result = desk.sync()
        assert (result.failure, result.needs_attention) == ("certificate", True)
        line = f"git config --global http.https://{server.host}/.sslCAInfo FILE"
        assert f"`{line}`" in result.detail
        run_git(tmp_path, *line.replace("FILE", str(certificate)).split()[1:])
        assert desk.sync().pushed


def test_a_closed_port_is_offline(desk: Machine) -> None:
    for scheme in ("http", "git"):
        desk.remote = f"{scheme}://127.0.0.1:1/x.git"
        result = desk.sync()
        assert (result.failure, result.needs_attention) == ("network", False)
        assert "offline: no connection to 127.0.0.1" in result.detail


def test_a_shallow_remote_is_not_taken_for_an_empty_one(desk: Machine, tmp_path: Path, remote: Path) -> None:
    lap = Machine(tmp_path / "lap", remote)
    for number in range(3):
        lap.write("N2", f"text {number}")
        lap.sync()
    run_git(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{remote}", "shallow.git")
    shallow = tmp_path / "shallow.git"
    before = run_git(shallow, "rev-parse", "main")
    desk.remote = shallow
    result = desk.sync()
    assert (result.failure, result.reached, result.pushed) == ("shallow", False, False)
    assert f"`git -C {shallow} fetch --unshallow`" in result.detail
    assert "1 commit not pushed" in result.detail
    assert run_git(shallow, "rev-parse", "main") == before
    run_git(shallow, "fetch", "-q", "--unshallow")
    assert desk.sync().pushed
    assert sorted(desk.files()) == ["semantic/N1.md", "semantic/N2.md"]


@pytest.mark.parametrize(
    ("remote", "said", "kind"),
    [
        ("git@host.example:jo/x.git", "ERROR: Repository not found.\nfatal: Could not read from", "address"),
        (WEB, "remote: Repository not found.\nfatal: repository 'https://host/x.git/' not found", "address"),
        (SSH, "ERROR: Permission to jo/x.git denied to al.\nfatal: Could not read from remote", "permission"),
        (WEB, "remote: Write access to repository not granted.", "permission"),
        (SSH, "error: remote unpack failed: unable to create temporary object directory", "permission"),
        (FOLDER, "fatal: detected dubious ownership in repository at '/srv/x.git'", "permission"),
        (
            SSH,
            "ssh: Could not resolve hostname host.example: Temporary failure in name resolution",
            "network",
        ),
        (SSH, "ssh: connect to host host.example port 2222: Operation timed out", "network"),
        (SSH, "kex_exchange_identification: Connection closed by remote host", "network"),
        (
            FOLDER,
            "fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack",
            "disk",
        ),
        (WEB, "fatal: unable to get password from user", "login"),  # git 2.47 and newer
        (FOLDER, "fatal: invalid gitfile format: /srv/x.git", "address"),
        (FOLDER, "fatal: something never seen before", "other"),
    ],
)
def test_messages_of_other_hosts_and_systems_are_understood_too(remote: str, said: str, kind: str) -> None:
    assert classify(said, remote, step="fetch").kind == kind


def test_no_failure_shows_a_password() -> None:
    remote = "https://jo:hunter2@host.example/x.git"
    for said in ("Authentication failed for 'https://jo:hunter2@host.example/x.git/'", "nothing known"):
        failure = classify(said, remote, step="push")
        assert "hunter2" not in failure.text


def test_the_documented_kinds_of_failure_are_exactly_those_in_the_code() -> None:
    table = PAGE.read_text().split("| `failure` | what is wrong |")[1].split("\n\n")[0]
    documented = set(
        re.findall(r"`([a-z ]+)`", "".join(re.findall(r"^\| (`[^|]*`) \|", table, re.MULTILINE)))
    )
    # Not recognised by git's message:
    elsewhere = {"slow", "away", "damaged here", "history", "foreign", "other"}
    assert documented == {rule.kind for rule in RULES} | elsewhere
    excepted = re.search(r"exit code is 1,\s+except for ([^.]+)\.", PAGE.read_text())
    assert excepted is not None
    harmless = {kind for kind in documented if not SyncResult(failure=kind).needs_attention}
    assert harmless == set(re.findall(r"`([a-z]+)`", excepted[1]))


@pytest.fixture
def over_ssh(desk: Machine, ssh_host: SshServer, remote: Path) -> Machine:
    """The machine with its remote over ssh."""
    desk.remote = ssh_host.url(remote)
    return desk


def test_a_sync_over_ssh_succeeds(over_ssh: Machine, remote: Path) -> None:
    assert over_ssh.sync().pushed
    assert "semantic/N1.md" in run_git(remote, "ls-tree", "-r", "--name-only", "main")


def test_an_unknown_ssh_host_is_reported_with_the_command_that_adds_it(
    over_ssh: Machine, ssh_host: SshServer
) -> None:
    ssh_host.forget_host()
    result = over_ssh.sync()
    assert (result.failure, result.needs_attention) == ("host key", True)
    assert "Host key verification failed" in result.detail
    assert f"`ssh -T -p {ssh_host.port} {ssh_host.who}`" in result.detail
    assert "1 commit not pushed" in result.detail
    ssh_host.know_host()
    assert over_ssh.sync().pushed


def test_a_host_with_a_changed_key_is_not_called_unknown(over_ssh: Machine, ssh_host: SshServer) -> None:
    ssh_host.pretend_other_host()
    result = over_ssh.sync()
    assert result.failure == "host key"
    assert "HAS CHANGED" in result.detail
    assert f"`ssh-keygen -R '[127.0.0.1]:{ssh_host.port}'`" in result.detail


def test_a_host_that_does_not_accept_the_key_is_an_authentication_failure(
    over_ssh: Machine, ssh_host: SshServer
) -> None:
    ssh_host.refuse_key()
    result = over_ssh.sync()
    assert (result.failure, result.needs_attention) == ("login", True)
    assert "authentication failed" in result.detail
    assert "Permission denied (publickey)" in result.detail
    assert f"`ssh-copy-id -p {ssh_host.port} {ssh_host.who}`" in result.detail


def test_a_host_that_is_down_counts_as_offline_and_exits_0(over_ssh: Machine, tmp_path: Path) -> None:
    over_ssh.remote = f"ssh://127.0.0.1:1{tmp_path}/x.git"
    result = over_ssh.sync()
    assert (result.failure, result.needs_attention) == ("network", False)
    assert "offline" in result.detail
    assert "Connection refused" in result.detail


def test_the_suggested_command_completes_a_shallow_remote(
    over_ssh: Machine, ssh_host: SshServer, tmp_path: Path
) -> None:
    whole = Machine(tmp_path / "lap", make_remote(tmp_path / "whole.git"))
    for number in range(3):
        whole.write("N2", f"text {number}")
        whole.sync()
    run_git(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{whole.remote}", "shallow.git")
    over_ssh.remote = ssh_host.url(tmp_path / "shallow.git")
    result = over_ssh.sync()
    assert result.failure == "shallow"
    line = f"ssh -p {ssh_host.port} {ssh_host.who} git -C {tmp_path}/shallow.git fetch --unshallow"
    assert f"`{line}`" in result.detail
