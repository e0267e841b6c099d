"""Two insertions at one spot of a text: both stay whole, one after the other. Pure."""

from __future__ import annotations

from typing import NamedTuple

from anamnesis.sync.passages import continues, is_telling, starts_passage


class Spot(NamedTuple):
    """The place of an insertion: the base's lines above and below it, None where the text ends."""

    above: str | None
    below: str | None


def spot_at(base: list[str], at: int) -> Spot:
    """The place before line `at` of the base."""
    return Spot(base[at - 1] if at else None, base[at] if at < len(base) else None)


def both_inserted(spot: Spot, first: list[str], second: list[str]) -> list[str]:
    """Both insertions, each in one piece; once when one holds the other."""
    smaller, larger = sorted((first, second), key=len)
    if not smaller or _is_part(smaller, larger, spot):
        return larger
    if _order(spot, second) < _order(spot, first):
        first, second = second, first
    return [*first, *([""] if _needs_gap(spot, first, second) else []), *second]


def _is_part(smaller: list[str], larger: list[str], spot: Spot) -> bool:
    """Whether `larger` has all of `smaller` in the same context: at its start, or as passages of their own.

    A line in the middle of a passage may be there by accident, and say something else there.
    """
    if larger[: len(smaller)] == smaller:
        return True
    if not any(map(is_telling, smaller)) or not starts_passage(spot.above, smaller[0]):
        return False
    size = len(smaller)
    return any(
        larger[at : at + size] == smaller
        and starts_passage(larger[at - 1], smaller[0])
        and (at + size == len(larger) or starts_passage(smaller[-1], larger[at + size]))
        for at in range(1, len(larger) - size + 1)
    )


def _order(spot: Spot, lines: list[str]) -> int:
    """What continues the text above stays next to it, what leads into the text below next to that."""
    if continues(spot.above) and continues(lines[0]):
        return 0
    return 2 if continues(spot.below) and lines[-1].strip() else 1


def _needs_gap(spot: Spot, first: list[str], second: list[str]) -> bool:
    """Whether two passages that stood alone would run into each other."""
    stood_alone = not (spot.above or "").strip() and not continues(spot.below)
    return stood_alone and bool(first[-1].strip() and second[0].strip())
