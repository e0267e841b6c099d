"""Processes that tests start; none outlives its test."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

Stream = int | IO[str] | None
Result = subprocess.CompletedProcess[str]
Run = Callable[..., Result]  # runs a command
Write = Callable[..., str]  # writes a note, returns its id


@contextmanager
def running(
    command: Sequence[str],
    *,
    stdin: Stream = None,
    stdout: Stream = None,
    stderr: Stream = None,
    cwd: Path | None = None,
) -> Iterator[subprocess.Popen[str]]:
    """A process that is killed at the end of the block if it is still running."""
    with subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=stderr, cwd=cwd, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def interruptible() -> Iterator[None]:
    """Make processes started in the block react to Ctrl-C, even if the tests run in the background.

    A shell starts background jobs with the signal ignored, and a process inherits that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
