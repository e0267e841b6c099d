"""A JSON object from a file that may be missing, damaged or something else. Light: every hook loads it."""

from __future__ import annotations

import json

TYPE_CHECKING = False  # a hook waits for what is imported here
if TYPE_CHECKING:
    from pathlib import Path


def read_object(path: Path, *, most: int | None = None) -> dict[str, object]:
    """What the file holds; {} when it cannot be read as a JSON object, or is longer than `most` bytes."""
    try:
        if most is not None and path.stat().st_size > most:
            return {}
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
