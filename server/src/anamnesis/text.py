"""Small words that every layer needs: a count with its noun, and the type of a progress callback."""

from __future__ import annotations

from collections.abc import Callable

# Long work reports (done, total), or (step, done, total) where it has several steps; a total of 0 is unknown.
Progress = Callable[[int, int], None]
StepProgress = Callable[[str, int, int], None]


def silent(step: str, done: int, total: int) -> None:
    """Report progress to no one."""


def plural(number: int, noun: str, many: str = "") -> str:
    """A number with its noun: `1 note`, `2 notes`; `many` where adding an s is not enough."""
    return f"{number} {noun if number == 1 else many or f'{noun}s'}"
