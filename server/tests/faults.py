"""Faults of the machine, injected for real: at one system call, or by a disk that is full."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

Record = Callable[[str, object], None]  # pytest's `record_property`
# Every call that changes a file or a folder, except open, which cannot be told apart from reading.
CHANGES = (
    "write pwrite64 writev fsync fdatasync syncfs ftruncate rename renameat renameat2 link linkat"
    " unlink unlinkat mkdir mkdirat rmdir"
).split()
_CLONE_NEWNS, _MS_REC, _MS_PRIVATE = 0x20000, 0x4000, 0x40000


@dataclass(frozen=True)
class Call:
    """One system call of a command: its name, and which one of that name it is."""

    name: str
    number: int


def can_trace() -> bool:
    """Whether strace is installed and allowed to trace."""
    command = shutil.which("strace")
    return (
        bool(command)
        and not subprocess.run(
            ["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, check=False
        ).returncode
    )


def changing_calls(command: Sequence[str], *, log: Path) -> list[Call]:
    """Run a command and list the modifying system calls of it and its children."""
    subprocess.run([*_traced(log), *command], capture_output=True, check=True)
    most: Counter[str] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    for line in log.read_text(errors="replace").splitlines():
        process, _, rest = line.partition(" ")
        name = rest.strip().partition("(")[0]
        if name in CHANGES:
            seen[process, name] += 1
            most[name] = max(most[name], seen[process, name])
    return [Call(name, number) for name in CHANGES for number in range(1, most[name] + 1)]


def run_with_fault(
    command: Sequence[str], call: Call, fault: str, *, log: Path
) -> subprocess.CompletedProcess[str] | None:
    """Run a command whose given call fails or kills it; None if the call was not reached."""
    inject = ["-e", f"inject={call.name}:{fault}:when={call.number}"]
    done = subprocess.run([*_traced(log), *inject, *command], capture_output=True, text=True, check=False)
    happened = "(INJECTED)" in (said := log.read_text(errors="replace")) or "killed by SIGKILL" in said
    return done if happened else None


def _traced(log: Path) -> list[str]:
    return ["strace", "-f", "-q", "-o", str(log), "-e", f"trace={','.join(CHANGES)}"]


def on_small_disk(folder: Path, act: Callable[[], dict[str, int]], *, size: str) -> dict[str, int]:
    """What `act` returns in a child process in which `folder` is a file system of this size."""
    if os.geteuid() or shutil.which("mount") is None:
        pytest.skip("only root can mount a small file system")
    folder.mkdir(parents=True)
    report = folder.with_suffix(".json")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _mount_small(folder, size)
            report.write_text(json.dumps(act()))
            code = 0
        finally:
            if code:
                traceback.print_exc(file=sys.stderr)  # all that the parent can be sent
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    found = json.loads(report.read_text())
    assert isinstance(found, dict)
    return found


def _mount_small(folder: Path, size: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNS) or libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None):
        raise OSError(ctypes.get_errno(), "no mounts of our own can be had here")
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)], check=True)


def fill(folder: Path, *, leave: int) -> Path:
    """Write a file that fills the disk except for `leave` bytes."""
    ballast = folder / "ballast"
    free = os.statvfs(folder)
    with ballast.open("wb") as handle:
        handle.write(bytes(max(free.f_bavail * free.f_frsize - leave, 0)))
    return ballast


def lost_texts(texts: Iterable[str], *places: Iterable[bytes]) -> list[str]:
    """The texts that are missing in at least one place."""
    whole = [b"\n".join(place) for place in places]
    return [text for text in texts if not all(text.encode() in place for place in whole)]
