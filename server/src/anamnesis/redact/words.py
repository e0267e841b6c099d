"""Distinguishes known words, and names made of them, from random text. Pure.

It looks words up in a list instead of using letter statistics: about one in a million random texts of eight
characters consists of words in the list, while one in ten looks pronounceable.

Next to its name, it is enough that a value is not a known word (see `values`). Further away it is not: a word
that is missing from the list would be lost. There a value must look random (`is_odd`).
"""

from __future__ import annotations

import re
from functools import cache

from anamnesis.redact.lexicon import INFLECTED, TECHNICAL, WORDS

_PREFIXES = (
    "un re pre non sub multi auto de dis in im mis over out inter under co meta micro mini anti post self"
).split()
# An ending, what it replaces ("retries" comes from "retry"), and the shortest stem for it.
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
_SHORTEST_ODD = 6
_USUAL = 8  # shorter text needs upper and lower case and a digit, or digits in two places
_LONG_ODD = 10
# Hashes and ids, versions, dates and amounts, addresses of mail and hosts, code.
_KNOWN = re.compile(
    r"[0-9a-f]{7,12}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|0[0-9A-HJKMNP-TV-Z]{25}|(?:v|[A-Za-z][a-z0-9]{1,9})?\d+(?:\.\d+)+[\w.+-]*|v\d+(?:alpha|beta)\d+"
    r"|\d{4}-\d\d-\d\d.*|(?:\d+(?:[dhmsw]|ms))+|[\d.,:%/x+-]+[a-zA-Z]{0,4}|#/.*|.*(?:[*•.]{3}|…).*"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[:/].*)?|.*://.*|.*[()\[\]{}<>|,;].*|sha\d+[:-].*"
)
_LETTER_RUN = re.compile(r"[A-Za-z]+")
_NOISE = re.compile(r"\d+|[!#$%^&*~?=+@]+")
_ACRONYM = 5


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
    # Random text contains short words by chance, so most letters must be in longer ones.
    return long > short or (short <= _SHORT and not long)


def split_name(name: str) -> list[str]:
    """The words that a name is made of, in lower case, without separators and numbers."""
    return [part.lower() for part in _PARTS.findall(name)]


def _letters(piece: str) -> tuple[int, int] | None:
    """How many characters of a piece are in short and in long words; None if it is not made of words."""
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


def is_odd(text: str) -> bool:
    """Whether `text` looks random: `Zk3xPq9vTm`, but not `OAuth2`, `PostgreSQL`, `v1.2.3` or a hash."""
    if not _is_long_enough(text) or not text.isascii() or _KNOWN.fullmatch(text):
        return False
    if text.lower() in TECHNICAL or reads_as_words(text):
        return False
    pieces = _LETTER_RUN.findall(text)
    unknown = [piece for piece in pieces if not is_word(piece.lower())]
    breaks = len(_NOISE.findall(text)) if len(pieces) > 1 else 0
    if unknown and (breaks > 1 or (breaks and len(unknown) > 1 and len(text) >= _LONG_ODD)):
        return True
    return any(_is_unlike_a_word(piece) for piece in pieces)


def is_mixed(text: str) -> bool:
    """Whether `text` is a run of mixed-case letters and digits that is not made of words: `5VPZWLKgQH`.

    Weaker than `is_odd`, but enough next to a user, where a password is expected.
    """
    return has_all_kinds(text) and len(text) >= _USUAL and text.isalnum() and not reads_as_words(text)


_ID = re.compile(r"[0-9a-f]{16,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def is_id(text: str) -> bool:
    """Whether `text` is a UUID or a long hexadecimal number: random, but usually the name of something."""
    return _ID.fullmatch(text) is not None


def seems_random(text: str) -> bool:
    """Whether `text` looks random in any way: enough where only a secret is expected."""
    return is_odd(text) or is_mixed(text) or is_id(text)


def has_all_kinds(text: str) -> bool:
    """Whether it has digits, lower-case and upper-case letters."""
    return all(any(map(check, text)) for check in (str.isdigit, str.islower, str.isupper))


def _is_long_enough(text: str) -> bool:
    if len(text) >= _USUAL:
        return True
    return len(text) >= _SHORTEST_ODD and (has_all_kinds(text) or len(re.findall(r"\d+", text)) > 1)


def _is_unlike_a_word(letters: str) -> bool:
    """Whether letters change case like no name does, or most of their sequences are in no known word."""
    parts = _PARTS.findall(letters)
    if sum(len(part) == 1 for part in parts) > 1 or len(parts) > max(2, len(letters) / 2.5):
        return True
    return any(_is_strange(part.lower()) for part in parts if not (part.isupper() and len(part) <= _ACRONYM))


def _is_strange(part: str) -> bool:
    """Whether most sequences of three letters, or in a short part any pair, are in no known word."""
    if is_word(part):
        return False
    size = 2 if len(part) <= _SHORT else 3
    sequences = _sequences(part, size)
    unknown = len(sequences - _known_sequences(size))
    return unknown > 0 if size == 2 else unknown > len(sequences) / 2


def _sequences(word: str, size: int) -> set[str]:
    return {word[place : place + size] for place in range(len(word) - size + 1)}


@cache
def _known_sequences(size: int) -> frozenset[str]:
    return frozenset().union(*(_sequences(word, size) for word in WORDS))
