"""Which indexed words a misspelt word may mean. The index has stems, so a word is compared with its start."""

from __future__ import annotations

import re
from itertools import pairwise

from anamnesis import recall
from anamnesis.index.database import Database

_SURE_LENGTH = 6  # a shorter word is probably not a typo, unless there is little else to search for
_SHORTEST, _LONGEST = 4, 32
_TWO_SLIPS_LENGTH = 8
_MOST = 3  # corrections of one word
_LONGEST_ENDING = 7  # letters that stemming may have removed
_ENDING = re.compile(
    r"(?:(?:ic|if|iz|at|it|ab|iv|ion|al|ment)*(?:ability|able|al|ance|ancy|ant|ate|ation|e|ed|ence|ency|ent|er"
    r"|est|ies|ing|ion|ity|ive|ize|ly|ment|ness|or|ous|y)s?|s|es)?"
)
_TERMS = "SELECT term, doc FROM temp.vocabulary WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?"


def nearest(db: Database, word: str, *, anywhere: bool, alone: bool) -> list[tuple[str, str]]:
    """The words that `word` may mean if it has a typo, most frequent first, each with its stem.

    `alone`: there is little else to search for, so a short word is worth a guess. `anywhere`: nothing was
    found otherwise, so the typo may be in the first letter too, and a long word may have two.
    """
    least = _SHORTEST if alone and not anywhere else _SURE_LENGTH
    if not least <= len(word) <= _LONGEST or not word.isalpha() or recall.is_unspaced(word):
        return []
    slips = 2 if anywhere and len(word) >= _TWO_SLIPS_LENGTH else 1
    sure = word[: 1 if alone else 2]  # letters that count as correct: reading fewer terms takes less time
    bounds = ("a", "\U0010ffff") if anywhere else (sure, sure[:-1] + chr(ord(sure[-1]) + 1))
    # Words that differ by a typo or two share pairs of letters; comparing letter by letter takes long.
    shared = re.compile("(?=" + "|".join(a + b for a, b in pairwise(word)) + ")")
    least, most = max(_SHORTEST, len(word) - _LONGEST_ENDING), len(word) + slips
    stems = {
        row["term"]: row["doc"]
        for row in db.rows(_TERMS, (*bounds, least, most))
        if not anywhere or len(shared.findall(row["term"])) > 1
    }
    meant = [(-stems[stem], other, stem) for stem in stems if (other := _meant(word, stem, slips))]
    return [(other, stem) for _, other, stem in sorted(meant)[:_MOST]]


def _meant(word: str, stem: str, slips: int) -> str:
    """The word with this stem that a misspelt word may be; "" if it cannot be one.

    Either the typo is in the stem, and the rest is an ending; or the stem is right, and the ending wrong.
    """
    rest = len(word) - len(stem)
    if rest < -slips or rest > _LONGEST_ENDING or stem in recall.STOP_WORDS:
        return ""
    if len(stem) >= _SURE_LENGTH and word.startswith(stem):
        return stem
    written = f"{stem[:-1]}y" if stem[-1] == "i" else stem  # stemming changes a last "y"
    for end in range(max(len(stem) - slips, 1), len(stem) + slips + 1):
        if _ENDING.fullmatch(word[end:]) and _differ_by(word[:end], written, slips):
            return written + word[end:]
    return ""


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
