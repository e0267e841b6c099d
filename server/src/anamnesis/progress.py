"""How long work tells how far it has come: it calls whoever shows it with (done, total)."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
