"""Which indexed words a misspelt word may mean. The index has stems, so a word is compared with its start."""

from __future__ import annotations

import re

from anamnesis import recall
from anamnesis.index.database import Database

_SURE_LENGTH = 6  # a shorter word is probably not a typo, unless there is little else to search for
_SHORTEST, _LONGEST = 4, 32
_LONGEST_ENDING = 7  # letters that stemming may have removed
_ENDING = re.compile(
    r"(?:(?:ic|if|iz|at|it|ab|iv|ion|al|ment)*(?:ability|able|al|ance|ancy|ant|ate|ation|e|ed|ence|ency|ent|er"
    r"|est|ies|ing|ion|ity|ive|ize|ly|ment|ness|or|ous|y)s?|s|es)?"
)


def nearest(db: Database, word: str, *, alone: bool) -> list[tuple[str, str]]:
    """The three words that `word` most likely means if it has a typo, each with its stem.

    `alone`: there is little else to search for, so a short word is worth a guess.
    """
    least = _SHORTEST if alone else _SURE_LENGTH
    if not least <= len(word) <= _LONGEST or not word.isalpha() or recall.is_unspaced(word):
        return []
    sure = word[: 1 if alone else 2]  # letters that count as correct: reading fewer terms takes less time
    after = sure[:-1] + chr(ord(sure[-1]) + 1)
    lengths = (max(_SHORTEST, len(word) - _LONGEST_ENDING), len(word) + 1)
    sql = (
        "SELECT term, doc FROM temp.vocabulary WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?"
    )
    stems = {row["term"]: row["doc"] for row in db.rows(sql, (sure, after, *lengths))}
    meant = [(-stems[stem], other, stem) for stem in stems if (other := _meant(word, stem))]
    return [(other, stem) for _, other, stem in sorted(meant)[:3]]


def _meant(word: str, stem: str) -> str:
    """The word with this stem that a misspelt word may be; "" if it cannot be one.

    Either the typo is in the stem, and the rest is an ending; or the stem is right, and the ending wrong.
    """
    if stem in recall.STOP_WORDS:
        return ""
    if len(stem) >= _SURE_LENGTH and word.startswith(stem):
        return stem
    written = f"{stem[:-1]}y" if stem[-1] == "i" else stem  # stemming changes a last "y"
    for end in range(len(stem) - 1, len(stem) + 2):
        if _ENDING.fullmatch(word[end:]) and _is_one_typo(word[:end], written):
            return written + word[end:]
    return ""


def _is_one_typo(left: str, right: str) -> bool:
    """Whether at most one letter is wrong, missing, extra, or swapped with its neighbour."""
    while left and right and left[0] == right[0]:
        left, right = left[1:], right[1:]
    while left and right and left[-1] == right[-1]:
        left, right = left[:-1], right[:-1]
    return max(len(left), len(right)) < 2 or (len(left) == 2 and left == right[::-1])
