"""Parts of a session that a note could keep, and which of them still hold at the end. Pure.

Retracted, refused and settled ones do not, nor those that are repeated later.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from anamnesis.session.cue_phrases import CAUSE, CORRECTION, RETRACTED, content_words, prepare
from anamnesis.session.rating import Rated, matter_of
from anamnesis.session.sentences import Unit
from anamnesis.session.talk import Turn

TEXT = 1_000  # more blocks than one text has
_SHORT = 40  # characters; shorter parts count as this long
_RETRACTION = 3.0  # points
_SHORT_RETRACTION = 100  # characters
_REPEATED = 0.45  # share of words that a later sentence repeats
_COMMON = 40  # sentences of a turn; a word in more of them is too common for a comparison
_MOST_RETRACTIONS = 100
_CLAUSE = re.compile(r"[,;:.]\s|[，；：。]|\s[–—-]\s")
_FEW = 4  # words; fewer are not enough for a comparison
_FULLER = 1.6  # times as long; such a sentence says more than its repetition
_GONE = float("-inf")
_CLAIMED = content_words(" ".join(CAUSE.spaced | RETRACTED.spaced))  # words of any claim, not of its matter
Passage = tuple[int, int, str]
Changes = dict[tuple[int, int], float]  # points that candidates gain, by position; or that they are gone


class Candidate(NamedTuple):
    """A part that could be kept: a turn's ask (at place -1, telling nothing), or a part of its answers."""

    turn: int
    place: int
    points: float
    length: int
    is_aside: bool
    sentence: Rated = Rated(Unit("", block=-1), 0.0, frozenset(), frozenset())

    @property
    def worth(self) -> float:
        """Points relative to length; long sentences, which often give reasons, are penalised only in part."""
        return float(self.points / max(self.length, _SHORT) ** 0.5)

    @property
    def text(self) -> int:
        """The number of its text among the answers of the turn."""
        return self.sentence.unit.block // TEXT

    @property
    def passage(self) -> Passage | None:
        """The paragraph of a sentence, the list of an item that names something; None for other parts."""
        unit = self.sentence.unit
        if unit.kind in ("item", "row") and self.sentence.names:
            return self.turn, self.text, unit.lead
        return (self.turn, unit.block, "") if self.place >= 0 and unit.kind == "prose" else None

    @property
    def at(self) -> tuple[int, int]:
        """Its position in the session."""
        return self.turn, self.place


def still_standing(candidates: list[Candidate], turns: Sequence[Turn]) -> list[Candidate]:
    """The candidates that still hold at the end, with the points that they gain from those that do not."""
    for changes_of in (_retracted, _settled, _refused, _repeated):
        changes = changes_of(candidates, turns)
        candidates = [
            each._replace(points=each.points + changes.get(each.at, 0.0))
            for each in candidates
            if changes.get(each.at) != _GONE
        ]
    return candidates


def _retracted(candidates: list[Candidate], turns: Sequence[Turn]) -> Changes:
    """Causes and guesses that a later sentence retracts are gone; that sentence gains points.

    Sentences that follow a guess, or a cause that is taken back, in its paragraph go with it.
    """
    answers = [each for each in candidates if each.place >= 0]
    retractions = [each for each in answers if "retraction" in each.sentence.reasons]
    changes: Changes = {}
    gone: set[Candidate] = set()
    for later in retractions[-_MOST_RETRACTIONS:]:
        if retracted := _retracted_by(later, answers, _symptom(turns, later)):
            changes[later.at] = _RETRACTION
            gone.update(retracted)
    wrong = [each for each in answers if each in gone and "guess" in each.sentence.reasons]
    for later in (each for each in answers if "admission" in each.sentence.reasons):
        wrong += _taken_back(later, answers, _symptom(turns, later))
    gone.update(wrong)
    ends = {(each.turn, each.sentence.unit.block): each.place for each in wrong}
    gone.update(
        each for each in answers if each.place > ends.get((each.turn, each.sentence.unit.block), each.place)
    )
    return changes | {each.at: _GONE for each in gone}


def _symptom(turns: Sequence[Turn], later: Candidate) -> frozenset[str]:
    """What was asked before a retraction, which all causes have in common."""
    return matter_of(" ".join(turn.ask for turn in turns[: max(later.turn, 1)]))


def _retracted_by(later: Candidate, answers: list[Candidate], asked: frozenset[str]) -> list[Candidate]:
    """What a sentence retracts: claims about the same thing, else the last guess ("That was not it.").

    At the start of an answer ("I misread it: ..."), also any statement in the answer before.
    """
    claims = [
        each
        for each in answers
        if each.at < later.at
        and "retraction" not in each.sentence.reasons
        and not each.sentence.reasons.isdisjoint({"cause", "guess"})
    ]
    denied = matter_of(_denied_and_stated(later.sentence)[0]) - asked
    same = [each for each in claims if _shares(each.sentence, later.sentence, denied)]
    if not later.place:
        answered = (each for each in answers if each.turn == later.turn - 1)
        same += [each for each in answered if _names_the_same(each.sentence, later.sentence)]
    if same or later.length > _SHORT_RETRACTION:
        return same
    return [each for each in claims if "guess" in each.sentence.reasons][-1:]


def _taken_back(later: Candidate, answers: list[Candidate], asked: frozenset[str]) -> list[Candidate]:
    """Causes in the answer before one that opens with an admission ("You are right, I was wrong ...").

    Those that it denies, or all if it gives another cause, but not those that it confirms.
    """
    known = asked | _CLAIMED
    answer = (each for each in answers if each.turn == later.turn and each.text >= later.text)
    stated = (_denied_and_stated(each.sentence)[1] for each in answer)
    given = [matter_of(text) - known for text in stated if CAUSE.are_in(prepare(text))]
    denied = matter_of(_denied_and_stated(later.sentence)[0]) - known
    claims = {
        each: matter_of(each.sentence.unit.text) - known
        for each in answers
        if (later.turn - 1, 0) <= (each.turn, each.text) < (later.turn, later.text)
        and not each.sentence.reasons.isdisjoint({"cause", "guess"})
    }
    claimed = [
        each
        for each, matter in claims.items()
        if not any(2 * len(matter & other) > min(len(matter), len(other)) for other in given)
    ]
    is_other = bool(given) or ("retraction" in later.sentence.reasons and not denied)
    return [each for each in claimed if denied & claims[each]] or (claimed if is_other else [])


def _denied_and_stated(sentence: Rated) -> tuple[str, str]:
    """The clauses of a sentence that retract something, and the others."""
    parts: tuple[list[str], list[str]] = ([], [])
    for clause in _CLAUSE.split(sentence.unit.text):
        parts[not RETRACTED.are_in(prepare(clause))].append(clause)
    return " ".join(parts[0]), " ".join(parts[1])


def _shares(earlier: Rated, later: Rated, denied: frozenset[str]) -> bool:
    """Whether both are about the same thing: by a name, by what is denied, or, for a guess, by a topic."""
    topic = matter_of(earlier.unit.text)
    is_same_topic = "guess" in earlier.reasons and topic & matter_of(later.unit.text)
    if is_same_topic or _names_the_same(earlier, later):
        return True
    return bool(denied) and 2 * len(denied & topic) >= len(denied)


def _names_the_same(earlier: Rated, later: Rated) -> bool:
    """Whether the earlier one names what the later one names."""
    named = " ".join(earlier.names)
    return any(name in named for name in later.names if not name[0].isdigit())


def _settled(candidates: list[Candidate], _turns: Sequence[Turn]) -> Changes:
    """Open items about something that a later turn names again are gone."""
    changes: Changes = {}
    named: frozenset[str] = frozenset()  # by later turns
    latest_first = sorted(candidates, key=lambda each: -each.turn)
    for _, parts in groupby(latest_first, key=lambda each: each.turn):
        turn, later = list(parts), Rated(Unit(""), 0.0, frozenset(), named)
        for each in (part for part in turn if "left" in part.sentence.reasons):
            if _names_the_same(each.sentence, later) or _names_the_same(later, each.sentence):
                changes[each.at] = _GONE
        named = named.union(*(each.sentence.names for each in turn))
    return changes


def _refused(candidates: list[Candidate], turns: Sequence[Turn]) -> Changes:
    """Proposals that the next prompt corrects are gone."""
    asks = [prepare(turn.ask.strip()) for turn in turns[1:]]
    refused = [CORRECTION.start(ask) and not ask.text.endswith(("?", "？")) for ask in asks]
    return {
        each.at: _GONE
        for each in candidates
        if any(refused[each.turn : each.turn + 1]) and "proposal" in each.sentence.reasons
    }


def _repeated(candidates: list[Candidate], _turns: Sequence[Turn]) -> Changes:
    """Sentences that a later text of their turn repeats are gone, unless they say much more.

    What is repeated matters: the later sentence gets the points of the earlier one if those are more.
    """
    changes: Changes = {}
    earlier: dict[tuple[int, str], list[Candidate]] = {}  # by turn and word
    for later in (each for each in candidates if each.sentence.unit.kind != "code"):
        words = _matter(later.sentence)
        near = [earlier.get((later.turn, word), []) for word in words]
        shared = Counter(each for found in near if len(found) <= _COMMON for each in found)
        for each, count in shared.items():
            if changes.get(each.at) != _GONE and _repeats(each, later, count):
                points = each.points + changes.get(each.at, 0.0)
                changes[later.at] = max(changes.get(later.at, 0.0), points - later.points)
                changes[each.at] = _GONE
        for word in words:
            earlier.setdefault((later.turn, word), []).append(later)
    return changes


def _repeats(each: Candidate, later: Candidate, shared: int) -> bool:
    """Whether `later`, in another text, has most of the words of the shorter one."""
    fewer = min(len(_matter(each.sentence)), len(_matter(later.sentence)))
    is_same = each.text < later.text and fewer >= _FEW and shared >= _REPEATED * fewer
    return is_same and each.length <= _FULLER * later.length and "retraction" not in each.sentence.reasons


def _matter(sentence: Rated) -> frozenset[str]:
    """What a sentence is about: its words that are not plain, and the things it names."""
    return matter_of(sentence.unit.text) | sentence.names
