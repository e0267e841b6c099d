"""Which notes say the same: lexical, deterministic, and fast for many notes. Pure.

Two texts are alike if the longer one contains all words of the shorter, is not much longer, and has
the same words that change the meaning: numbers, negations, words like before and after. One different word
(postgres, mysql) is a difference, because a wrong merge hides a note. For speed, a text is compared only with
those that share one of its rarest words; any pair above the threshold must share one (prefix filtering).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from anamnesis.notes.record import Memory
from anamnesis.recall import STOP_WORDS, extra_text
from anamnesis.text import Progress

LIKE = 0.7

_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"(?:ings?|ed|es|s)\Z")
_NEGATED = re.compile(r"\b(?:not|no|never|none|cannot|without|nor)\b|n['’]t\b", re.IGNORECASE)
_DECIDING = frozenset(
    """above after allow allowed always avoid before below deny denied disable disabled enable enabled exclude
    false first forbid include last max maximum min minimum never newer off older only optional required
    true""".split()
)


def words_of(text: str) -> frozenset[str]:
    """The words to compare: without stop words, with parts of names and pairs of unspaced characters."""
    words = set(_WORD.findall(text.lower()))
    words.update(extra_text(text).split())
    return frozenset(map(_stem, words - STOP_WORDS or words))


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    return _ENDING.sub("", word) if len(word) > 4 else word


def likeness(one: frozenset[str], other: frozenset[str], *, cosine: float | None = None) -> float:
    """How alike two texts are, up to 1: the share of the shorter's words in the longer, or by meaning."""
    shared = len(one & other) / max(1, min(len(one), len(other)))
    return max(shared, (cosine or 0.0) * _MEANING_SHARE)


CLOSE = 0.6  # at this likeness, two notes may say the same
_MEANING_SHARE = 0.75  # texts that only share a subject also have a high cosine


def deciding_words(text: str) -> frozenset[str]:
    """The words that two texts must share to say the same: numbers, negations, directions."""
    words = set(_WORD.findall(text.lower()))
    numbers = (word for word in words if not word.isalpha() and any(char.isdigit() for char in word))
    return _DECIDING.intersection(words).union(numbers, ("not",) if _NEGATED.search(text) else ())


def alike_groups(notes: Sequence[Memory], *, progress: Progress | None = None) -> list[list[Memory]]:
    """Groups of two or more notes, each like the first of its group, in the given order."""
    texts = [f"{note.title}\n{note.body}" for note in notes]
    words = [words_of(text) for text in texts]
    rarity = Counter(word for found in words for word in found)
    holders: dict[str, list[int]] = {}  # rare word -> leaders that contain it
    groups: dict[int, list[int]] = {}
    deciding = [deciding_words(text) for text in texts]
    for number, found in enumerate(words):
        rare = _rarest(found, rarity)
        leader = _best_leader(number, rare, holders, words, deciding)
        if leader is None:
            groups[number] = [number]
            for word in rare:
                holders.setdefault(word, []).append(number)
        else:
            groups[leader].append(number)
        if progress is not None and number % 200 == 0:
            progress(number, len(notes))
    return [[notes[member] for member in members] for members in groups.values() if len(members) > 1]


def _rarest(found: frozenset[str], rarity: Counter[str]) -> list[str]:
    count = len(found) - math.ceil(LIKE * len(found)) + 1
    return sorted(found, key=lambda word: (rarity[word], word))[:count]


def _best_leader(
    number: int,
    rare: Iterable[str],
    holders: dict[str, list[int]],
    words: list[frozenset[str]],
    deciding: list[frozenset[str]],
) -> int | None:
    """The leader that is most like a text; None if none is alike."""
    mine, scores = words[number], {}
    for other in sorted({other for word in rare for other in holders.get(word, ())}):
        shared = len(mine & words[other])
        is_alike = deciding[other] == deciding[number] and shared == min(len(mine), len(words[other]))
        score = shared / (len(mine) + len(words[other]) - shared)
        if is_alike and score >= LIKE:
            scores[other] = score
    return max(scores, key=lambda other: scores[other], default=None)
