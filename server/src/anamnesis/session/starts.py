"""Which session starts were answered in the last seconds, so that the plugin and `init` do not both answer.

The hooks of `init` and those of the plugin may both be installed, and the client runs them at the same time.
The same hook may also be run again by a user or a test, and answers each time. The SessionStart hook uses
this module, so it imports next to nothing.
"""

from __future__ import annotations

import os
import time

from anamnesis.files import lock
from anamnesis.layout import STARTS_NAME

_SECONDS = 30.0  # how late a hook may be on a busy machine; after that it is a new start
_MOST = 32
_MAX_BYTES = 8_000
_PATIENCE = 0.2


def is_first(home: str, session: str, source: str, *, by: str) -> bool:
    """Whether no other kind of hook than `by` has answered this start of a session; True when unknown."""
    if not session:
        return True
    path = os.path.join(home, STARTS_NAME)
    name = f"{session} {source}".encode("utf-8", "replace").hex()[:400]
    try:
        with lock(path, timeout=_PATIENCE):
            return _enter(path, (by, name), time.time())
    except OSError:
        return True  # a store that cannot be written to must not leave a session without its notes


def _enter(path: str, start: tuple[str, str], now: float) -> bool:
    recent = [(at, by, name) for at, by, name in _read(path) if 0 <= now - at < _SECONDS]
    if any(name == start[1] and by != start[0] for _, by, name in recent):
        return False
    lines = [f"{at!r} {by} {name}\n" for at, by, name in [*recent, (now, *start)][-_MOST:]]
    with open(path, "r+b") as handle:  # in place: the lock is on this very file
        handle.truncate()
        handle.write("".join(lines).encode())
    return True


def _read(path: str) -> list[tuple[float, str, str]]:
    with open(path, "rb") as handle:
        rows = [line.split() for line in handle.read(_MAX_BYTES).decode("ascii", "replace").splitlines()]
    return [(float(row[0]), row[1], row[2]) for row in rows if len(row) == 3 and _is_number(row[0])]


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()
