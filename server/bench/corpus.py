"""Stores of any size for benchmarks: the same seed gives the same notes."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

from anamnesis.notes.record import Memory, note_path, serialize

_SYLLABLES = [a + b + c for a in "bdfgklmnprstvz" for b in "aeiou" for c in ("", "n", "r", "s", "x")]
_VOCABULARY = 20_000
_START = datetime(2025, 1, 1, tzinfo=UTC)


class Words:
    """Invented words, a few common and most rare, as in real text."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.known = ["".join(rng.choices(_SYLLABLES, k=rng.choice((2, 2, 3)))) for _ in range(_VOCABULARY)]
        self._weights = list(accumulate(1 / (rank + 1) ** 1.07 for rank in range(_VOCABULARY)))

    def draw(self, count: int) -> list[str]:
        """Draw `count` words."""
        return self._rng.choices(self.known, cum_weights=self._weights, k=count)


def make_store(home: Path, *, count: int, words: int = 150, seed: int = 7) -> list[str]:
    """Write `count` notes under `home`; returns queries made of words of single notes."""
    rng = random.Random(seed)  # noqa: S311 - for measuring, not for secrets
    vocabulary = Words(rng)
    queries: list[str] = []
    for kind in ("procedural", "semantic", "episodic"):
        (home / "memory" / kind).mkdir(parents=True, exist_ok=True)
    (home / "local").mkdir(exist_ok=True)
    for number in range(count):
        text = vocabulary.draw(words)
        when = (_START + timedelta(seconds=number * 300)).isoformat(timespec="seconds")
        note = Memory(
            id=f"01BENCH{number:019d}",
            type=rng.choice(("procedural", "semantic", "episodic")),
            title=" ".join(text[:5]).capitalize(),
            body="\n\n".join(" ".join(text[start : start + 40]) for start in range(0, words, 40)),
            project="global" if number % max(count // 20, 1) == 0 else f"proj-{rng.randrange(20):02d}",
            machine_id=f"machine-{rng.randrange(3)}",
            tags=rng.sample(vocabulary.known[:400], 2),
            created_at=when,
            updated_at=when,
        )
        (home / "memory" / note_path(note)).write_text(serialize(note), encoding="utf-8")
        if number % max(count // 200, 1) == 0:
            queries.append(" ".join(rng.sample(text, 6)))
    return queries
