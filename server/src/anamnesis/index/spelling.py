"""The words in the notes, as written, and which of them a misspelt word may mean.

The full-text index has only stems, and a typo in a long word is often not in its stem. Words that are no
longer in any note stay until the next rebuild; callers check that a correction finds notes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from anamnesis import recall
from anamnesis.index.database import Database
from anamnesis.index.schema import MOST_BOUND, marks

# One row for all words with the same first or last letters: a row per word takes three times as long.
APPEND = (
    "INSERT INTO words{s} (letters, words) VALUES (?, ?)"
    " ON CONFLICT (letters) DO UPDATE SET words = words || ' ' || excluded.words"
)
_BUCKET = 2  # letters
_LAST = "-"  # prefix of a row of words with the same last letters
_SHORTEST, _LONGEST = 4, 32
_LETTERS = re.compile(rf"[^\W\d_]{{{_SHORTEST},}}")
# Maps ASCII letters to lower case and all else to spaces, in half the time of the pattern.
_LOWER_OR_SPACE = bytes(byte | 32 if bytes([byte]).isalpha() else 32 for byte in range(256))
_SURE_LENGTH = 6  # a shorter word is probably not a typo, unless there is little else to search for
_TWO_SLIPS_LENGTH = 8
_FIRST_LETTER_LENGTH = 7  # in shorter words, people get the first letter right
_MOST = 3
_MANY = 200_000
_AT_ONCE = 256  # texts that are split at once: their words still fit into the processor's cache


class Words:
    """Collects the words of notes to insert; most words of many notes are returned only once."""

    def __init__(self) -> None:
        self._plain: list[str] = []
        self._others: list[str] = []
        self._given: set[str] = set()

    def add(self, texts: Iterable[str]) -> None:
        """Add the texts of one note; cheap, since a rebuild does it for every note."""
        for text in texts:
            (self._plain if text.isascii() else self._others).append(text)

    def take(self) -> set[str]:
        """The words added since the last call."""
        if len(self._given) > _MANY:
            self._given = set()
        found: set[bytes] = set()
        for start in range(0, len(self._plain), _AT_ONCE):
            text = " ".join(self._plain[start : start + _AT_ONCE])
            found.update(text.encode().translate(_LOWER_OR_SPACE).split())
        plain = b" ".join(found).decode().split()  # in less time than one by one
        words = {word for word in plain if _SHORTEST <= len(word) <= _LONGEST}
        for word in set(_LETTERS.findall(" ".join(self._others).lower())):
            if len(word) <= _LONGEST and not recall.is_unspaced(word):
                words.add(word)
        words -= self._given
        self._given |= words
        self._plain, self._others = [], []
        return words


def put_words(db: Database, words: Words) -> None:
    """Store those words that are not stored yet."""
    taken = words.take()
    letters = list({word[:_BUCKET] for word in taken})
    where = f" WHERE letters IN ({marks(len(letters))})" if len(letters) <= MOST_BOUND else ""
    rows = db.rows(f"SELECT letters, words FROM words{where}", letters if where else ())
    stored = {row["letters"]: f" {row['words']} " for row in rows}
    new = [word for word in taken if f" {word} " not in stored.get(word[:_BUCKET], "")]
    db.execute_many(APPEND.format(s=""), buckets(new))


def buckets(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The rows for these words, each word by its first letters and by its last."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for word in words:
        found[word[:_BUCKET]].append(word)
        found[_LAST + word[-_BUCKET:]].append(word)
    return ((letters, " ".join(words)) for letters, words in found.items())


def nearest(db: Database, word: str, *, slips: int, alone: bool) -> list[str]:
    """The words that `word` may mean if it has this many typos.

    `alone`: there is little else to search for, so a short word is worth a guess.
    """
    if not _may_be_misspelt(word, slips=slips, alone=alone):
        return []
    beginning, ending = _intact(word, slips)
    # A typo leaves the start of a word or its end intact.
    found = {other for other in _words(db, beginning[:_BUCKET]) if other.startswith(beginning)}
    found.update(other for other in _words(db, _LAST + ending[-_BUCKET:]) if other.endswith(ending))
    return [other for other in sorted(found) if _is_near(word, other, slips)]


def _words(db: Database, letters: str) -> list[str]:
    """The words stored under their first or last letters."""
    rows = db.rows("SELECT words FROM words WHERE letters = ?", (letters,))
    return rows[0]["words"].split() if rows else []


def _intact(word: str, slips: int) -> tuple[str, str]:
    """The start and the end of a word; one typo leaves one of them intact, two usually do.

    Many words end alike, so the end is longer if possible.
    """
    beginning = max((len(word) + 2 - slips) // 3, 2)
    ending = len(word) - beginning - 1 if slips == 1 else beginning
    return word[:beginning], word[-ending:]


def distinct(words: Iterable[str]) -> list[str]:
    """The first few words, with only one of several inflected forms, which find the same notes."""
    kept: list[str] = []
    for word in words:
        if not any(word.startswith(other) or other.startswith(word) for other in kept):
            kept.append(word)
    return kept[:_MOST]


def _may_be_misspelt(word: str, *, slips: int, alone: bool) -> bool:
    least = _TWO_SLIPS_LENGTH if slips > 1 else _SHORTEST if alone else _SURE_LENGTH
    return least <= len(word) <= _LONGEST and word.isalpha() and not recall.is_unspaced(word)


def _is_near(word: str, other: str, slips: int) -> bool:
    if abs(len(word) - len(other)) > slips:
        return False
    if word[0] != other[0] and max(len(word), len(other)) < _FIRST_LETTER_LENGTH:
        return False
    return other not in recall.STOP_WORDS and _differ_by(word, other, slips)


def _differ_by(left: str, right: str, slips: int) -> bool:
    """Whether at most this many letters are wrong, missing, extra, or swapped with their neighbours."""
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
