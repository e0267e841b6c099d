"""A cache for one answer until the store changes: pages ask the same questions over and over."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Memo(Generic[T]):
    """The last answer to one question, and the mark of the store when it was computed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: tuple[str, T] | None = None

    def get(self, mark: str, make: Callable[[], T]) -> T:
        """The answer for this mark; calls `make` only if the last answer was for another mark."""
        with self._lock:
            if self._known is None or self._known[0] != mark:
                self._known = (mark, make())
            return self._known[1]
