"""How long work tells how far it has come. Whoever shows it is told (done, total), as often as it is cheap."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
