"""Text for messages in every layer: a count with its noun, a note's name; types of progress callbacks."""

from __future__ import annotations

from collections.abc import Callable

# Long work reports (done, total), or (step, done, total) if it has several steps; a total of 0 means unknown.
Progress = Callable[[int, int], None]
StepProgress = Callable[[str, int, int], None]


def silent(step: str, done: int, total: int) -> None:
    """Ignore progress."""


def plural(number: int, noun: str, many: str = "") -> str:
    """A number with its noun: `1 note`, `2,000 notes`; `many` where adding an s is not enough."""
    return f"{number:,} {noun if number == 1 else many or f'{noun}s'}"


def named(note_id: str, title: str) -> str:
    """A note's name in messages: its title on one line, and its id."""
    line = " ".join(title.split())
    return f"'{line[:57]}...' ({note_id})" if len(line) > 60 else f"'{line}' ({note_id})" if line else note_id
