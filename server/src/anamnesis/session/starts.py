"""Which session starts were answered in the last seconds, so that only one of our hooks answers.

The hooks of `init` and those of the plugin may both be installed, and the client runs them at the same time.
The SessionStart hook loads this module, so it imports next to nothing.
"""

from __future__ import annotations

import os
import time

from anamnesis.files import lock
from anamnesis.layout import STARTS_NAME

_SECONDS = 5.0  # seconds; the same session and source later than that is a new start
_MOST = 32
_MAX_BYTES = 8_000
_PATIENCE = 0.2


def is_first(home: str, session: str, source: str) -> bool:
    """Whether no other hook answers this start of a session; what is unknown counts as the first."""
    if not session:
        return True
    path = os.path.join(home, STARTS_NAME)
    name = f"{session} {source}".encode("utf-8", "replace").hex()[:400]
    try:
        with lock(path, timeout=_PATIENCE):
            return _enter(path, name, time.time())
    except OSError:
        return True  # a store that cannot be written to must not leave a session without its notes


def _enter(path: str, name: str, now: float) -> bool:
    recent = [(at, each) for at, each in _read(path) if 0 <= now - at < _SECONDS]
    if any(each == name for _, each in recent):
        return False
    lines = [f"{at!r} {each}\n" for at, each in [*recent, (now, name)][-_MOST:]]
    with open(path, "r+b") as handle:  # in place: the lock is on this very file
        handle.truncate()
        handle.write("".join(lines).encode())
    return True


def _read(path: str) -> list[tuple[float, str]]:
    with open(path, "rb") as handle:
        rows = [line.split() for line in handle.read(_MAX_BYTES).decode("ascii", "replace").splitlines()]
    return [(float(row[0]), row[1]) for row in rows if len(row) == 2 and _is_number(row[0])]


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()
