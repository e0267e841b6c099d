"""The log of the hooks: one file of limited size under the store root, for `doctor` and for people.

Writing to it never fails and never waits. Every line is redacted, and the environment, which contains the
client's keys, is never logged.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from anamnesis.notes.record import utcnow
from anamnesis.redact import redact

LOG_NAME = "anamnesis.log"
OLD_NAME = "anamnesis.log.1"
MAX_BYTES = 256 * 1024
_MAX_LINE = 2000


def log_line(home: Path, text: str) -> None:
    """Append one line with the time; a full file is rotated."""
    # Cut roughly before redaction, to limit the search, and exactly after it, so that no key is cut in half.
    lines = redact(text[: 8 * _MAX_LINE]).splitlines()
    shown = "".join(char if char.isprintable() else "?" for char in " | ".join(lines))[:_MAX_LINE]
    line = f"{utcnow()} {shown}\n".encode()
    try:
        _append(Path(home) / LOG_NAME, line)
    except (OSError, ValueError):
        return  # a full disk or a read-only store is reported elsewhere


def _append(path: Path, line: bytes) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        state = os.fstat(descriptor)
        if stat.S_ISREG(state.st_mode):
            os.write(descriptor, line)
            if state.st_size + len(line) > MAX_BYTES:
                os.replace(path, path.with_name(OLD_NAME))
    finally:
        os.close(descriptor)
