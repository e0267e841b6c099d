"""Making the repository that a remote names: in a folder of this machine, or at a host over ssh."""

from __future__ import annotations

import shlex
from pathlib import Path

from anamnesis.address import Address
from anamnesis.errors import GitError
from anamnesis.git import reason, run_command


def make_bare(address: Address, *, folder: Path) -> bool:
    """Make a bare repository on this machine or over ssh, unless something is there; whether it was made.

    The branch is named apart from `init`, because older versions of git at a host cannot do it there.
    """
    path = _shell_path(address.path)
    script = (
        f"if test -e {path}; then echo there; else"
        f" git init --quiet --bare {path} && git --git-dir={path} symbolic-ref HEAD refs/heads/main; fi"
    )
    command = ["sh", "-c", script] if not address.host else [*_ssh(address, folder), script]
    answer = run_command(command, folder=folder)
    if answer.code:
        raise GitError(f"the repository could not be made: {reason(answer.err) or answer.code}")
    return b"there" not in answer.out


def _ssh(address: Address, folder: Path) -> list[str]:
    """The ssh that git itself would use, up to the host."""
    own = run_command(["git", "config", "core.sshCommand"], folder=folder)
    program = shlex.split(own.out.decode("utf-8", "replace")) or ["ssh"]
    port = ["-p", address.port] if address.port else []
    host = address.name.strip("[]")
    who = f"{address.user}@{host}" if address.user else host
    return [*program, "-o", "BatchMode=yes", *port, "--", who]


def _shell_path(path: str) -> str:
    """A path as a shell at the other end takes it; `~/` means the home folder there, as it does for git."""
    home, rest = ("~/", path[2:]) if path.startswith("~/") else ("", path)
    home, rest = ("~/", path[3:]) if path.startswith("/~/") else (home, rest)
    return home + shlex.quote(rest if home or not rest.startswith("-") else f"./{rest}")
