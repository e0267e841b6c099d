"""Numbers from ranks: the usual measures of retrieval. Pure.

A rank counts from 0. Recall at k is the share of queries with at least one right note among the first k.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

DEPTH = 10  # how far down nDCG looks
_CHARACTERS_PER_TOKEN = 4


def hit_at(ranks: Sequence[int], k: int) -> float:
    """1 when a right note is among the first k, else 0."""
    return float(any(rank < k for rank in ranks))


def reciprocal_rank(ranks: Sequence[int]) -> float:
    """1 for a right note at the first rank, 1/2 at the second, 0 when none was found."""
    return 1 / (min(ranks) + 1) if ranks else 0.0


def ndcg(ranks: Sequence[int], relevant: int) -> float:
    """How close the order comes to all right notes first; 1 is perfect."""
    ideal = sum(_gain(rank) for rank in range(min(DEPTH, relevant)))
    return sum(_gain(rank) for rank in ranks if rank < DEPTH) / ideal if ideal else 0.0


def _gain(rank: int) -> float:
    return 1 / math.log2(rank + 2)


def mean(values: Sequence[float]) -> float:
    """The mean to four places; 0 for no values."""
    return round(sum(values) / len(values), 4) if values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of all values do not exceed; 0 for no values."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 3) if ordered else 0.0


def tokens(characters: float) -> int:
    """About how many tokens a text of this many characters has."""
    return round(characters / _CHARACTERS_PER_TOKEN)
