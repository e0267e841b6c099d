"""How long work tells how far it has come: it calls whoever shows it.

With (done, total), or with (step, done, total) where it has several steps; a total of 0 is one not known.
"""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
StepProgress = Callable[[str, int, int], None]


def silent(step: str, done: int, total: int) -> None:
    """Nobody is looking."""
