"""The real client, fetched from npm once, and a pseudo-terminal to use it on."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

VERSION = "2.1.325"


def fetch_client(cache: Path) -> Path:
    """The client's binary, installed below `cache` if missing."""
    folder = cache / f"claude-code-{VERSION}"
    if _find(folder) is None:
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError("npm is needed to fetch the client; install Node, then run `make e2e` again")
        folder.mkdir(parents=True, exist_ok=True)
        package = f"@anthropic-ai/claude-code@{VERSION}"
        words = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), package]
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
    found = _find(folder)
    if found is None:
        raise RuntimeError(f"npm installed no client binary below {folder}; remove it and run again")
    return found


def _find(folder: Path) -> Path | None:
    # The package is a launcher; the program itself is in a package named after the platform.
    candidates = sorted((folder / "node_modules" / "@anthropic-ai").glob("claude-code-*/claude"))
    return candidates[0] if candidates else None


def wait_for(what: Callable[[], object], *, seconds: float = 60) -> bool:
    """Whether `what` became true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if what():
            return True
        time.sleep(0.2)
    return False


class Terminal:
    """The client on a pseudo-terminal, as a person uses it: type, watch, leave."""

    def __init__(self, words: list[str], *, env: dict[str, str], cwd: Path) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        self.process = subprocess.Popen(
            words, stdin=slave, stdout=slave, stderr=slave, env=env, cwd=cwd, start_new_session=True
        )
        os.close(slave)
        self.screen = ""

    def type(self, text: str) -> None:
        """Type a line and press Enter."""
        os.write(self._master, text.encode())
        self.watch(1.0)
        os.write(self._master, b"\r")

    def watch(self, seconds: float) -> None:
        """Read what the client draws for a while; otherwise it would block."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([self._master], [], [], left)[0]:
                return
            try:
                data = os.read(self._master, 65536)
            except OSError:  # the client is gone
                return
            self.screen = (self.screen + data.decode("utf-8", "replace"))[-20_000:]

    def until(self, what: Callable[[], object], *, seconds: float = 60) -> bool:
        """Watch until `what` becomes true; whether it did in time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if what():
                return True
            self.watch(0.3)
        return False

    def has_ended(self) -> bool:
        """Whether the client is gone."""
        return self.process.poll() is not None

    def kill(self) -> None:
        """End the client at once, with everything it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Stop everything."""
        if not self.has_ended():
            self.kill()
        self.process.wait()
        os.close(self._master)
