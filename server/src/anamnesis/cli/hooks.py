"""What all hooks share: the payload, and the boundary that keeps errors from a session.

A hook never fails a session: whatever happens, it exits with 0, with one line on stderr and the details in
the log. Anything on stdin that is not the client's payload is ignored. Every hook loads this module, so
imports that only a slow path needs are inside that path.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable

from anamnesis.cli.output import abandon_output, tell
from anamnesis.config import resolve_home
from anamnesis.files import parse_object

_PAYLOAD_BYTES = 16_000_000  # read at most
_PAYLOAD_SECONDS = 0.5  # that a session waits for a payload to end


def as_hook(name: str, work: Callable[[], object]) -> int:
    """Run a hook; any error is printed and logged, and the session continues."""
    try:
        work()
        if sys.stdout is not None:
            sys.stdout.flush()  # so that a full disk raises here, not at exit
    except BrokenPipeError:
        raise  # the reader closed the pipe; `main` handles that
    except Exception as exc:  # noqa: BLE001  # a hook must exit with 0 whatever happens; this is the only such place
        report(f"{name}: {type(exc).__name__}: {exc}")
        if sys.stdout is not None:
            abandon_output(0)
    return 0


def report(trouble: str) -> None:
    """Print what went wrong in one line on stderr, and log it."""
    # Redaction loads a large table of patterns, so only load it for an error.
    from anamnesis.redact import redact
    from anamnesis.session.ledger import log_line

    tell(f"anamnesis: {' '.join(redact(trouble).split())[:500]}")
    log_line(resolve_home(), trouble)


def read_payload() -> dict[str, object]:
    """The JSON object that the client wrote to stdin; {} if there is none, or stdin is a terminal."""
    return parse_object(_read_stdin()) or {}


def text_of(payload: dict[str, object], key: str) -> str:
    """A string in the payload; "" if it is missing or not a string."""
    value = payload.get(key)
    return value if isinstance(value, str) else ""


def _read_stdin() -> bytes:
    chunks: list[bytes] = []
    try:
        if sys.stdin is None or os.isatty(0):
            return b""
        # An open pipe without input must not keep the session waiting.
        while sum(map(len, chunks)) < _PAYLOAD_BYTES and select.select([0], [], [], _PAYLOAD_SECONDS)[0]:
            chunk = os.read(0, 1 << 20)
            if not chunk:
                break
            chunks.append(chunk)
    except OSError:  # stdin is closed, or a folder
        return b""
    return b"".join(chunks)
