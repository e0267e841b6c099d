"""Starts other programs: the user's editor, the client, a package installer, our own commands. Git: `git/`.

Nothing goes through a shell, and every program gets the user's environment. A program that nobody watches
gets no input and a time limit.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from anamnesis.config import whole_environment


def run_in_terminal(command: Sequence[str]) -> int:
    """Run a program that the user works in, such as an editor; returns its exit status."""
    return subprocess.run(command, check=False).returncode


def run_showing_progress(command: Sequence[str]) -> int:
    """Run a program without input that prints to standard error; returns its exit status."""
    # Standard output is for results.
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=2, check=False).returncode


def succeeds(command: Sequence[str], *, seconds: float) -> bool:
    """Run a program without showing its output; returns whether it succeeded in time."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def spawn(home: Path, *words: str, stdin: bytes = b"") -> None:
    """Start `anamnesis` with these arguments on the store at `home`, detached; `stdin` is a short text."""
    started = subprocess.Popen(
        # -P: the working directory is the user's project, and nothing there may be imported.
        [sys.executable, "-P", "-m", "anamnesis", *words],
        env=whole_environment() | {"ANAMNESIS_HOME": str(home)},
        stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    if started.stdin is not None:
        with started.stdin as pipe:
            pipe.write(stdin)
