"""Our own ssh server on loopback, and an ssh client without the user's keys and hosts."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


@dataclass(frozen=True)
class SshServer:
    """Its address, who may log in, and the files that control that."""

    folder: Path
    port: int

    @property
    def who(self) -> str:
        """User and host in ssh's form."""
        return f"{getpass.getuser()}@127.0.0.1"

    def url(self, path: Path) -> str:
        """The address of a repository on this host."""
        return f"ssh://{self.who}:{self.port}{path}"

    def forget_host(self) -> None:
        """Make the client forget this host."""
        (self.folder / "known_hosts").unlink()

    def pretend_other_host(self) -> None:
        """Make the client remember a different key for this host."""
        _make_key(self.folder / "other_host")
        self._know("other_host")

    def know_host(self) -> None:
        """Make the client know the host."""
        self._know("host")

    def refuse_key(self) -> None:
        """Refuse every key from now on."""
        (self.folder / "authorized").write_text("")

    def _know(self, name: str) -> None:
        key = (self.folder / f"{name}.pub").read_text()
        (self.folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {key}")


@contextmanager
def serve_ssh(folder: Path, home: Path, *, at: Path | None = None) -> Iterator[SshServer]:
    """A server for the block; git in `home` uses an ssh that can log in. Skips if sshd cannot run.

    With `at`, every session starts in that folder, as if it were the user's home.
    """
    if _SSHD is None:
        pytest.skip("no sshd on this machine; on Debian: apt-get install openssh-server")
    folder.mkdir()
    server = SshServer(folder, _free_port())
    _write_files(server, home)
    if at:
        with open(folder / "sshd_config", "a") as config_file:
            config_file.write(f'ForceCommand cd {at} && exec sh -c "$SSH_ORIGINAL_COMMAND"\n')
    config = ["-f", str(folder / "sshd_config")]
    tried = subprocess.run([_SSHD, "-t", *config], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"sshd cannot run here: {tried.stderr.strip()}")
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen([_SSHD, "-D", "-e", *config], stderr=log)
    try:
        _wait_for(server, process)
        yield server
    finally:
        process.terminate()
        process.wait()


def _write_files(server: SshServer, home: Path) -> None:
    folder = server.folder
    for name in ("host", "user"):
        _make_key(folder / name)
    (folder / "authorized").write_text((folder / "user.pub").read_text())
    (folder / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1:{server.port}\nHostKey {folder}/host\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/authorized\nStrictModes no\nPermitRootLogin yes\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
    )
    (folder / "ssh_config").write_text(
        f"UserKnownHostsFile {folder}/known_hosts\nGlobalKnownHostsFile /dev/null\n"
        f"IdentityFile {folder}/user\nIdentitiesOnly yes\nIdentityAgent none\n"
    )
    (home / ".gitconfig").write_text(f'[core]\n\tsshCommand = "ssh -F {folder}/ssh_config"\n')
    server.know_host()


def _make_key(path: Path) -> None:
    order = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)]
    subprocess.run(order, check=True, stdin=subprocess.DEVNULL, capture_output=True)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _wait_for(server: SshServer, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", server.port)).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    pytest.fail(f"sshd did not start: {(server.folder / 'log').read_text()}")
