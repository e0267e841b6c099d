"""Which of a session's sentences still hold at its end: not retracted, refused or repeated later. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.session.cue_phrases import CORRECTION, GUESS, PROPOSED, RETRACTED, said
from anamnesis.session.rating import Rated, matter_of
from anamnesis.session.transcript import Turn

TEXT = 1_000  # more blocks than one text has
_SHORT = 40  # characters; shorter parts count as this long
_RETRACTION = 3.0  # points
_SHORT_RETRACTION = 100  # characters
_NEAR = 2  # turns; a retraction that names nothing is about the last guess
_REPEATED = 0.45  # share of words that a later sentence repeats
_COMMON = 40  # sentences of a turn; a word in more of them is too common for a comparison
_MOST_RETRACTIONS = 100
_FEW = 4  # words; fewer are not enough for a comparison
_FULLER = 1.6  # times as long; such a sentence says more than its repetition


class Candidate(NamedTuple):
    """A part that could be kept: a turn's ask (`told` is None), or the part at `place` in its answers."""

    turn: int
    place: int
    points: float
    length: int
    is_aside: bool
    told: Rated | None = None

    @property
    def worth(self) -> float:
        """Points relative to length; long sentences, which often give reasons, are penalised only in part."""
        return float(self.points / max(self.length, _SHORT) ** 0.5)

    @property
    def at(self) -> tuple[int, int]:
        """Its position in the session."""
        return self.turn, self.place


def still_standing(candidates: list[Candidate], turns: Sequence[Turn]) -> list[Candidate]:
    """The candidates without those that were retracted, refused or repeated."""
    return _without_repeated(_without_refused(_without_retracted(candidates), turns))


def _without_retracted(candidates: list[Candidate]) -> list[Candidate]:
    """The candidates without causes and guesses that a later sentence retracts; that sentence gains points.

    Both name the same thing, or it is the last guess before a short retraction ("That was not it.").
    Sentences that follow a guess in its paragraph are removed with it.
    """
    told = [each for each in candidates if each.told is not None]
    retractions = [each for each in told if _is_retraction(each.told)]
    claims = (
        [each for each in told if _is_claim(each.told) and each not in retractions] if retractions else []
    )
    gone: set[tuple[int, int]] = set()
    retracting: set[tuple[int, int]] = set()
    for later in retractions[-_MOST_RETRACTIONS:]:
        before = [each for each in claims if each.at < later.at]
        same = [each for each in before if _shares(each.told, later.told)]
        guesses = [each for each in before if _is_guess(each.told) and each.turn >= later.turn - _NEAR]
        is_short = later.length <= _SHORT_RETRACTION
        taken_back = {each.at for each in same or (guesses[-1:] if is_short else [])}
        gone |= taken_back
        retracting |= {later.at} if taken_back else set()
    ends = {
        (each.turn, _block(each)): each.place for each in told if each.at in gone and _is_guess(each.told)
    }
    return [
        each._replace(points=each.points + _RETRACTION) if each.at in retracting else each
        for each in candidates
        if each.at not in gone and ends.get((each.turn, _block(each)), each.place) >= each.place
    ]


def _is_retraction(told: Rated | None) -> bool:
    """Whether a sentence takes back what was said before."""
    return told is not None and RETRACTED.are_in(said(told.unit.text))


def _is_guess(told: Rated | None) -> bool:
    return told is not None and GUESS.are_in(said(told.unit.text))


def _is_claim(told: Rated | None) -> bool:
    return told is not None and ("cause" in told.reasons or _is_guess(told))


def _shares(earlier: Rated | None, later: Rated | None) -> bool:
    """Whether both name the same thing; for a guess, a common topic is enough."""
    if earlier is None or later is None:
        return False
    named = " ".join(earlier.names)
    if any(name in named for name in later.names if not name[0].isdigit()):
        return True
    return _is_guess(earlier) and bool(matter_of(earlier.unit.text) & matter_of(later.unit.text))


def _block(each: Candidate) -> int:
    return each.told.unit.block if each.told else -1


def _without_refused(candidates: list[Candidate], turns: Sequence[Turn]) -> list[Candidate]:
    """The candidates without proposals that the next prompt corrects."""
    asks = [said(turn.ask.strip()) for turn in turns]
    refused = {
        number
        for number, ask in enumerate(asks[1:])
        if CORRECTION.start(ask) and not ask.text.endswith(("?", "？"))
    }
    return [
        each
        for each in candidates
        if each.told is None or each.turn not in refused or not PROPOSED.are_in(said(each.told.unit.text))
    ]


def _without_repeated(candidates: list[Candidate]) -> list[Candidate]:
    """The candidates without sentences that a later text of their turn repeats, unless they say much more.

    What is repeated matters: the later sentence gets the points of the earlier one if those are more.
    """
    points = {each.at: each.points for each in candidates}
    gone: set[tuple[int, int]] = set()
    earlier: dict[tuple[int, str], list[Candidate]] = {}  # by turn and word
    for later in (each for each in candidates if each.told is not None and each.told.unit.kind != "code"):
        words = words_of(later.told)
        near = [earlier.get((later.turn, word), []) for word in words]
        shared = Counter(each for found in near if len(found) <= _COMMON for each in found)
        for each, count in shared.items():
            is_before = _block(each) // TEXT < _block(later) // TEXT and each.at not in gone
            if is_before and _repeats(each, later, min(len(words), len(words_of(each.told))), count):
                gone.add(each.at)
                points[later.at] = max(points[each.at], points[later.at])
        for word in words:
            earlier.setdefault((later.turn, word), []).append(later)
    return [each._replace(points=points[each.at]) for each in candidates if each.at not in gone]


def _repeats(each: Candidate, later: Candidate, fewer: int, shared: int) -> bool:
    is_same = fewer >= _FEW and shared >= _REPEATED * fewer
    return is_same and each.length <= _FULLER * later.length and not _is_retraction(each.told)


def words_of(told: Rated | None) -> frozenset[str]:
    """What a sentence is about: its words that are not plain, and the things it names."""
    return matter_of(told.unit.text) | told.names if told else frozenset()
