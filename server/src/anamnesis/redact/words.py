"""Distinguishes names made of known words, such as `user_id` or `newPassword`, from random text. Pure.

It looks words up in a list instead of using letter statistics: about one in a million random texts of eight
characters consists of words in the list, while one in ten looks pronounceable.
"""

from __future__ import annotations

import re

from anamnesis.redact.lexicon import INFLECTED, TECHNICAL, WORDS

_PREFIXES = (
    "un re pre non sub multi auto de dis in im mis over out inter under co meta micro mini anti post self"
).split()
# An ending, what it replaces ("retries" is from "retry"), and the shortest stem it is added to.
_ENDINGS = (
    ("s", ("",), 3),
    ("es", ("",), 3),
    ("ed", ("e", ""), 3),
    ("ing", ("e", ""), 3),
    ("ings", ("e", ""), 3),
    ("ies", ("y",), 3),
    ("ied", ("y",), 3),
    *((ending, ("e", ""), 4) for ending in "er ers or ors able ible ion ions ation ations ity ive".split()),
    *((ending, ("",), 4) for ending in "ment ments ness less ful ize".split()),
    *((ending, ("ize",), 4) for ending in "ized izer izes izing ization".split()),
    *((ending, ("", "e", "y", "ize"), 4) for ending in "ise ised iser ises ising isation".split()),
    ("ly", ("le", ""), 4),
    ("ally", ("al", ""), 4),
)


def is_word(text: str) -> bool:
    """Whether `text`, in lower case, is in the list, perhaps with a prefix or an ending."""
    if text in WORDS or text in TECHNICAL or _is_inflected(text):
        return True
    stems = (text[len(prefix) :] for prefix in _PREFIXES if text.startswith(prefix))
    return any(len(stem) > 3 and (stem in INFLECTED or _is_inflected(stem)) for stem in stems)


def _is_inflected(text: str) -> bool:
    for ending, replaced, shortest in _ENDINGS:
        stem = text.removesuffix(ending)
        if stem == text or len(stem) < shortest:
            continue
        if any(stem + last in INFLECTED for last in replaced):
            return True
        # The last letter doubles in "committed" and "resetting".
        if len(stem) > shortest and stem[-1] == stem[-2] and stem[:-1] in INFLECTED:
            return True
    return False


_SEPARATORS = re.compile(r"[-_./:+@'’ ]+")
# One piece of a name: word, WORD, Word, camelCase, CamelCase or HTTPServer, perhaps with a number at its end.
_PIECE = re.compile(
    r"(?:[A-Z]+|[A-Z]?[a-z]+|(?:[A-Z]{2,5}|[A-Z]?[a-z]+)(?:[A-Z][a-z]+|[A-Z]{2,4})+)(?P<number>\d{0,2})"
)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LONGEST = 80
_SHORT = 3


def reads_as_words(text: str) -> bool:
    """Whether `text` is a name made of known words: `user_id`, `newPassword`, `per-user`, `sha256-hashed`."""
    if len(text) > _LONGEST:
        return False
    short = long = 0
    for piece in _SEPARATORS.split(text.strip("_-.:")):
        letters = _letters(piece)
        if letters is None:
            return False
        short, long = short + letters[0], long + letters[1]
    # Random text does contain short words: most of the letters must be in longer ones.
    return long > short or (short <= _SHORT and not long)


def split_name(name: str) -> list[str]:
    """The words that a name is made of, in lower case, without separators and numbers."""
    return [part.lower() for part in _PARTS.findall(name)]


def _letters(piece: str) -> tuple[int, int] | None:
    """How many characters of a piece are in short words and in long ones; None if it is not made of words."""
    if piece.lower() in TECHNICAL:
        return 0, len(piece)
    if piece.isdigit():
        return (len(piece), 0) if len(piece) <= _SHORT + 1 else None
    found = _PIECE.fullmatch(piece)
    parts = _PARTS.findall(piece)
    if found is None or not all(is_word(part.lower()) for part in parts):
        return None
    long = sum(len(part) for part in parts if len(part) > _SHORT)
    return sum(map(len, parts)) - long + len(found["number"]), long
