"""Distinguishes random text from words, names, numbers and identifiers. Pure.

Next to its name, it is enough that a value is not a known word (see `values`). Further away it is not: a word
that is missing from the list would be lost. There a value must look random.
"""

from __future__ import annotations

import re
from functools import cache

from anamnesis.redact.lexicon import TECHNICAL, WORDS
from anamnesis.redact.words import is_word, reads_as_words

_SHORTEST = 6
_USUAL = 8  # shorter text needs upper and lower case and a digit
_LONG = 10
# Hashes and ids, versions, dates and amounts, addresses of mail and hosts, code.
_KNOWN = re.compile(
    r"[0-9a-f]{7,12}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|0[0-9A-HJKMNP-TV-Z]{25}|v?\d+(?:\.\d+)+[\w.+-]*|\d{4}-\d\d-\d\d.*|[\d.,:%/x+-]+[a-zA-Z]{0,4}|#/.*|.*(?:[*•.]{3}|…).*"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[:/].*)?|.*://.*|.*[()\[\]{}<>|,;].*|sha\d+[:-].*"
)
_LETTERS = re.compile(r"[A-Za-z]+")
_NOISE = re.compile(r"\d+|[!#$%^&*~?=+@]+")
_CASED = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ACRONYM = 5


def is_odd(text: str) -> bool:
    """Whether `text` looks random: `Zk3xPq9vTm`, but not `OAuth2`, `PostgreSQL`, `v1.2.3` or a hash."""
    if not _is_long_enough(text) or not text.isascii() or _KNOWN.fullmatch(text):
        return False
    if text.lower() in TECHNICAL or reads_as_words(text):
        return False
    pieces = _LETTERS.findall(text)
    unknown = [piece for piece in pieces if not is_word(piece.lower())]
    breaks = len(_NOISE.findall(text)) if len(pieces) > 1 else 0
    if unknown and (breaks > 1 or (breaks and len(unknown) > 1 and len(text) >= _LONG)):
        return True
    return any(_is_unlike_a_word(piece) for piece in pieces)


def is_mixed(text: str) -> bool:
    """Whether `text` is one run of mixed-case letters and digits that is not made of words: `5VPZWLKgQH`.

    Weaker than odd: enough next to a user, where a password is expected.
    """
    return has_all_kinds(text) and len(text) >= _USUAL and text.isalnum() and not reads_as_words(text)


def has_all_kinds(text: str) -> bool:
    """Whether it has digits, lower-case and upper-case letters."""
    return all(any(map(check, text)) for check in (str.isdigit, str.islower, str.isupper))


def _is_long_enough(text: str) -> bool:
    if len(text) >= _USUAL:
        return True
    return len(text) >= _SHORTEST and has_all_kinds(text)


def _is_unlike_a_word(letters: str) -> bool:
    """Whether letters change case as no name does, or contain a pair that no known word contains."""
    parts = _CASED.findall(letters)
    if sum(len(part) == 1 for part in parts) > 1 or len(parts) > max(2, len(letters) / 2.5):
        return True
    return any(_has_a_strange_pair(part) for part in parts if not (part.isupper() and len(part) <= _ACRONYM))


def _has_a_strange_pair(part: str) -> bool:
    return not is_word(part.lower()) and not _pairs_of(part.lower()) <= _known_pairs()


def _pairs_of(word: str) -> set[str]:
    return {word[place : place + 2] for place in range(len(word) - 1)}


@cache
def _known_pairs() -> frozenset[str]:
    return frozenset().union(*map(_pairs_of, WORDS))
