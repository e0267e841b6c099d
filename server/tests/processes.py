"""Processes that tests start: none outlives its test, whatever happens in it."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

Stream = int | IO[str] | None


@contextmanager
def running(
    command: Sequence[str],
    *,
    stdin: Stream = None,
    stdout: Stream = None,
    stderr: Stream = None,
    cwd: Path | None = None,
) -> Iterator[subprocess.Popen[str]]:
    """A process that is killed when the block ends, if it has not ended by then."""
    with subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=stderr, cwd=cwd, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def heeding_interrupts() -> Iterator[None]:
    """Let processes that are started in the block end by Ctrl-C, also when the tests run in the background.

    A shell starts background jobs with the signal ignored, and a process inherits that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
