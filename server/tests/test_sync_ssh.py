"""A remote over real ssh: each failure is reported in ssh's words, with a command to run."""

from __future__ import annotations

from pathlib import Path

import pytest

from machines import Machine, make_remote, run_git
from ssh_server import SshServer


@pytest.fixture
def desk(ssh_host: SshServer, tmp_path: Path, remote: Path) -> Machine:
    """A machine with one note and a remote over ssh."""
    machine = Machine(tmp_path / "desk", ssh_host.url(remote))
    machine.write("N1", "body")
    return machine


def test_a_sync_over_ssh_succeeds(desk: Machine, remote: Path) -> None:
    assert desk.sync().pushed
    assert "semantic/N1.md" in run_git(remote, "ls-tree", "-r", "--name-only", "main")


def test_an_unknown_ssh_host_is_reported_with_the_command_that_adds_it(
    desk: Machine, ssh_host: SshServer
) -> None:
    ssh_host.forget_host()
    result = desk.sync()
    assert (result.failure, result.needs_attention) == ("host key", True)
    assert "Host key verification failed" in result.detail
    assert f"`ssh -T -p {ssh_host.port} {ssh_host.who}`" in result.detail
    assert "1 commit not pushed" in result.detail
    ssh_host.know_host()
    assert desk.sync().pushed


def test_a_host_with_a_changed_key_is_not_called_unknown(desk: Machine, ssh_host: SshServer) -> None:
    ssh_host.pretend_other_host()
    result = desk.sync()
    assert result.failure == "host key"
    assert "HAS CHANGED" in result.detail
    assert f"`ssh-keygen -R '[127.0.0.1]:{ssh_host.port}'`" in result.detail


def test_a_host_that_does_not_accept_the_key_is_an_authentication_failure(
    desk: Machine, ssh_host: SshServer
) -> None:
    ssh_host.refuse_key()
    result = desk.sync()
    assert (result.failure, result.needs_attention) == ("login", True)
    assert "authentication failed" in result.detail
    assert "Permission denied (publickey)" in result.detail
    assert f"`ssh-copy-id -p {ssh_host.port} {ssh_host.who}`" in result.detail


def test_a_host_that_is_down_counts_as_offline_and_exits_0(desk: Machine, tmp_path: Path) -> None:
    desk.remote = f"ssh://127.0.0.1:1{tmp_path}/x.git"
    result = desk.sync()
    assert (result.failure, result.needs_attention) == ("network", False)
    assert "offline" in result.detail
    assert "Connection refused" in result.detail


def test_the_suggested_command_completes_a_shallow_remote(
    desk: Machine, ssh_host: SshServer, tmp_path: Path
) -> None:
    whole = Machine(tmp_path / "lap", make_remote(tmp_path / "whole.git"))
    for number in range(3):
        whole.write("N2", f"text {number}")
        whole.sync()
    run_git(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{whole.remote}", "shallow.git")
    desk.remote = ssh_host.url(tmp_path / "shallow.git")
    result = desk.sync()
    assert result.failure == "shallow"
    line = f"ssh -p {ssh_host.port} {ssh_host.who} git -C {tmp_path}/shallow.git fetch --unshallow"
    assert f"`{line}`" in result.detail
