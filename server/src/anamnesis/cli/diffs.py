"""The difference between two texts, as lines that people know from git."""

from __future__ import annotations

import difflib


def unified(before: str, after: str, *, old: str, new: str) -> str:
    """A unified diff of two texts, named `old` and `new`."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), fromfile=old, tofile=new, lineterm="", n=3
    )
    return "\n".join(lines)
