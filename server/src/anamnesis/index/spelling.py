"""The words that notes contain, as written, and which of them a misspelt word may stand for.

The full-text index knows words by their stems, and a slip in a long word is seldom a slip in its stem. Words
that no note holds any more stay until the next rebuild; callers check that a correction has notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from anamnesis import recall
from anamnesis.index.database import Database

INSERT = "INSERT OR IGNORE INTO words{s} (word, backward) VALUES (?, ?)"
# A slip leaves the start of a word intact, or its end, which is the start of the word backward.
_NEAR = (
    "SELECT word FROM words WHERE word >= ? AND word < ? AND length(word) BETWEEN ? AND ?"
    " UNION SELECT word FROM words WHERE backward >= ? AND backward < ? AND length(word) BETWEEN ? AND ?"
)
_AFTER_ANY = "\U0010ffff"
_SHORTEST, _LONGEST = 4, 32
_LETTERS = re.compile(rf"[^\W\d_]{{{_SHORTEST},}}")
_ASCII_LETTERS = re.compile(rf"[a-z]{{{_SHORTEST},}}")  # the same for English text, in half the time
_SURE_LENGTH = 6  # a shorter word is probably just unknown, unless there is little else to search for
_TWO_SLIPS_LENGTH = 8
_FIRST_LETTER_LENGTH = 7  # in shorter words people get the first letter right
_MOST = 3
_MANY = 200_000


class Words:
    """Collects the words of notes for inserting; most words of many notes are returned only once."""

    def __init__(self) -> None:
        self._pieces: set[str] = set()
        self._given: set[str] = set()

    def add(self, texts: Iterable[str]) -> None:
        """Add the texts of one note; cheap, since a rebuild does it for every note."""
        for text in texts:
            self._pieces.update(text.split())

    def take(self) -> list[tuple[str, str]]:
        """The words that were added since the last time, each forward and backward."""
        new = self._pieces - self._given
        self._given = self._given | new if len(self._given) < _MANY else new
        self._pieces.clear()
        plain = {piece for piece in new if piece.isascii()}
        words = set(_ASCII_LETTERS.findall(" ".join(plain).lower()))
        words.update(
            word for word in _LETTERS.findall(" ".join(new - plain).lower()) if not recall.is_unspaced(word)
        )
        return [(word, word[::-1]) for word in words if len(word) <= _LONGEST]


def put_words(db: Database, texts: Iterable[str]) -> None:
    """Store the words of one note."""
    words = Words()
    words.add(texts)
    db.execute_many(INSERT.format(s=""), words.take())


def nearest(db: Database, word: str, *, slips: int, alone: bool) -> list[str]:
    """The words that `word` may stand for if it was misspelt with so many slips.

    `alone` says that there is little else to find notes by, so that a short word is worth a guess.
    """
    if not _may_be_misspelt(word, slips=slips, alone=alone):
        return []
    lengths = (len(word) - slips, len(word) + slips)
    rows = db.rows(
        _NEAR, [value for end in _intact(word, slips) for value in (end, end + _AFTER_ANY, *lengths)]
    )
    return [row["word"] for row in rows if _is_near(word, row["word"], slips)]


def _intact(word: str, slips: int) -> tuple[str, str]:
    """The start and, backward, the end of a word; one slip leaves one of them intact, two slips usually.

    Many words end alike, so the end is the longer one where possible.
    """
    beginning = max((len(word) + 2 - slips) // 3, 2)
    ending = len(word) - beginning - 1 if slips == 1 else beginning
    return word[:beginning], word[::-1][:ending]


def distinct(words: Iterable[str]) -> list[str]:
    """The first few words, with only one of several forms: the forms find the same notes."""
    kept: list[str] = []
    for word in words:
        if not any(word.startswith(other) or other.startswith(word) for other in kept):
            kept.append(word)
    return kept[:_MOST]


def _may_be_misspelt(word: str, *, slips: int, alone: bool) -> bool:
    least = _TWO_SLIPS_LENGTH if slips > 1 else _SHORTEST if alone else _SURE_LENGTH
    return least <= len(word) <= _LONGEST and word.isalpha() and not recall.is_unspaced(word)


def _is_near(word: str, other: str, slips: int) -> bool:
    if word[0] != other[0] and max(len(word), len(other)) < _FIRST_LETTER_LENGTH:
        return False
    return other not in recall.STOP_WORDS and _differ_by(word, other, slips)


def _differ_by(left: str, right: str, slips: int) -> bool:
    """Whether at most so many letters are wrong, missing, extra, or swapped with their neighbours."""
    same = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        same += 1
    left, right = left[same:], right[same:]
    if not slips:
        return left == right
    swapped = left[:2] == right[:2][::-1] and _differ_by(left[2:], right[2:], slips - 1)
    return swapped or any(
        _differ_by(left[skip_left:], right[skip_right:], slips - 1)
        for skip_left, skip_right in ((1, 1), (1, 0), (0, 1))
    )
