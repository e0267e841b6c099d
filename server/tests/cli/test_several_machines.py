"""The guide's commands for several machines, run over real ssh, and failures with a new remote."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ssh_server import SshServer, serve_ssh
from test_guides import GUIDES, lines_of

_ALIAS = "memory-host"  # the server's name in the client's ssh configuration, which also sets the port


@dataclass(frozen=True)
class Desk:
    """A machine with its own home and PATH."""

    home: Path
    path: str

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        """Run one command line."""
        self.home.mkdir(exist_ok=True)
        names = {"HOME": self.home, "CLAUDE_CONFIG_DIR": self.home / ".claude", "PATH": self.path}
        # Both are on one host, so its name cannot tell them apart.
        names |= {"ANAMNESIS_MACHINE_ID": self.home.name, "ANAMNESIS_SYNC_TIMEOUT": "600"}
        env = {name: str(value) for name, value in names.items()}
        return subprocess.run(
            ["sh", "-c", line],
            cwd=self.home,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def type(self, line: str) -> str:
        """Run a command line that must succeed; return its output."""
        done = self.run(line)
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture
def server(tmp_path: Path, home: Path) -> Iterator[SshServer]:
    """A host with an empty home folder; `ssh` knows it by name."""
    (tmp_path / "host").mkdir()
    with serve_ssh(tmp_path / "ssh", home, at=tmp_path / "host") as running:
        with open(running.folder / "ssh_config", "a") as config:
            config.write(
                f"Host {_ALIAS}\nHostName 127.0.0.1\nPort {running.port}\n"
                f"HostKeyAlias [127.0.0.1]:{running.port}\n"
            )
        yield running


@pytest.fixture
def machine(tmp_path: Path, server: SshServer) -> Callable[[str], Desk]:
    """Make a machine by name, with only git, ssh and the command."""
    command = Path(sys.executable).with_name("anamnesis")
    if not command.exists():
        pytest.skip("the console script is not installed beside this interpreter")
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "anamnesis").symlink_to(command)
    (bin / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {server.folder}/ssh_config "$@"\n')
    (bin / "ssh").chmod(0o700)
    path = os.pathsep.join([str(bin), "/usr/local/bin", "/usr/bin", "/bin"])
    return lambda name: Desk(tmp_path / name, path)


def test_the_guides_commands_set_up_two_machines_that_agree(machine: Callable[[str], Desk]) -> None:
    desktop, laptop = machine("desktop"), machine("laptop")
    desks = {"The first machine": desktop, "Every other machine": laptop}
    for heading, line in lines_of(GUIDES / "several-machines.md"):
        if heading in desks:
            said = desks[heading].type(line.replace("you@host", f"{getpass.getuser()}@{_ALIAS}"))
            assert "Deploy" in said or "search" not in line
    assert re.match(r"laptop, desktop agree \([0-9a-f]{7}\)\n", laptop.type("anamnesis fleet"))
    desktop.type("anamnesis sync")
    assert re.match(r"desktop, laptop agree \([0-9a-f]{7}\)\n", desktop.type("anamnesis fleet"))
