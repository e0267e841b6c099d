"""A JSON object from a file that may be missing, damaged or something else. Light: every hook loads it."""

from __future__ import annotations

import json
import os


def read_object(path: str | os.PathLike[str], *, most: int | None = None) -> dict[str, object]:
    """What the file holds; {} when it cannot be read as a JSON object, or is longer than `most` bytes."""
    try:
        if most is not None and os.stat(path).st_size > most:
            return {}
        with open(path, "rb") as handle:
            found = json.loads(handle.read())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
