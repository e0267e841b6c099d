"""What we know of an agent: its files, and what of ours belongs into them."""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from anamnesis.onboard.agents.part import Part, Setup


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent as `init --agent NAME` sets it up; `folder` and `program` tell whether it is installed."""

    name: str
    title: str
    program: str
    folder: Path | None
    parts: tuple[Part, ...]
    automatic: str  # what then happens without anyone asking
    remark: str = ""  # what the user has to do, or should know

    @property
    def is_installed(self) -> bool:
        """Whether the agent seems to be on this machine."""
        return bool(self.folder and self.folder.is_dir()) or bool(
            self.program and shutil.which(self.program) is not None
        )


def home_path(*names: str) -> Path:
    """A path in the user's home folder."""
    return Path(os.path.expanduser("~"), *names)


def server_entry(setup: Setup) -> dict[str, object]:
    """The MCP server as most agents write it."""
    entry: dict[str, object] = {"command": setup.command[0], "args": [*setup.command[1:], "serve"]}
    return {**entry, "env": dict(setup.env)} if setup.env else entry


def hook_line(setup: Setup, *words: str) -> str:
    """The command line of a hook."""
    pairs = [f"{key}={shlex.quote(value)}" for key, value in setup.env.items()]
    return " ".join([*pairs, shlex.join([*setup.command, *words])])


def hook_group(setup: Setup, *words: str, timeout: int, matcher: str = "") -> dict[str, object]:
    """A group with one hook; `timeout` is in the agent's own unit."""
    entry = {"type": "command", "command": hook_line(setup, *words), "timeout": timeout}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [entry]}
