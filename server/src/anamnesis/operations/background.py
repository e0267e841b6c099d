"""Starts one of our commands in the background."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from anamnesis.config import whole_environment


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
