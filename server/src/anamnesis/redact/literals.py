"""The secrets of a captured note that its own text does not give away. Pure.

A value that is a secret in one place is a secret everywhere: in an answer, in a title. A note is short and
its source is long, so the search goes backwards: each unusual word of the note is looked up in the source and
judged by its context there. Nobody reads a note before it is saved, and none is worth less without a long
random key, so such a key is a secret whatever its name, unless it has the prefix of an id (`price_...`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from anamnesis.redact import find_secrets
from anamnesis.redact.values import has_all_kinds, is_odd, is_path, reads_as_words

_MOST = 100  # words; each costs a search through the source, and those that look random come first
_WORD = re.compile(r"[^\s\"'`\\<>|()\[\]{},;]{6,300}")
_PART = re.compile(r"[^/:=@]{6,300}")
_MARK = re.compile(r"\[redacted: [a-z0-9-]+\]")
_EDGES = ".,:!?*_…"
_USUAL = re.compile(r"[\d.,:%/x+-]+[a-zA-Z]{0,4}|v?\d+(?:\.\d+)+[\w.+-]*|\d{4}-\d\d-\d\d.*")
# Without the prefix of an id, and not a public key or the address of a wallet.
_KEY = re.compile(r"(?![a-z]{2,12}[_-]|AAAA[A-Z]3NzaC1|0x[0-9a-fA-F]+\Z)[A-Za-z0-9_-]{24,300}={0,2}")
_TWO_NUMBERS = re.compile(r"[A-Za-z]\d+[A-Za-z].*(?<=[A-Za-z])\d+[A-Za-z]")  # names of code have fewer
_SYLLABLES = re.compile(r"[A-Z]?[a-z]{3,}")  # half of such a name or more: `ReplicaSetV1Beta2Controller`
_CONTEXT = 400  # bytes on each side of a word
_MOST_PLACES = 20  # occurrences of one word
_SURE = 8  # characters; a part this long can only belong to one value


def known_secrets(text: str, source: Iterable[bytes], *, most: int = _MOST) -> dict[str, str]:
    """The credentials among the words of `text`, by form or by context in the source, with their kinds."""
    words = sorted(dict.fromkeys(_odd_words(text)), key=lambda word: not is_odd(word))[:most]
    found = dict.fromkeys(_random_keys(text), "random-key")
    seen = dict.fromkeys(words, 0)
    for line in source if words else ():
        for word in words:
            for place in () if word in found else _places(line, word.encode(), _MOST_PLACES - seen[word]):
                seen[word] += 1
                if kind := _judge(line, word, place):
                    found[word] = kind
                    break
    return found


def hide(text: str, known: dict[str, str]) -> str:
    """The text with each of the known values replaced by `[redacted: KIND]`."""
    for value in sorted(known, key=len, reverse=True):
        text = re.sub(
            rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", f"[redacted: {known[value]}]", text
        )
    return text


def _odd_words(text: str) -> Iterator[str]:
    """The words that could be secrets, and their parts (`admin:...`): long, and not ordinary words."""
    for found in _WORD.findall(_MARK.sub(" ", text)):
        whole = found.strip(_EDGES)
        for word in dict.fromkeys((whole, found.rstrip(".,:"), *_PART.findall(whole))):
            if _is_odd_enough(word):
                yield word


def _random_keys(text: str) -> Iterator[str]:
    """The long words that look random, except in addresses, which name pages and files with them."""
    for found in _WORD.findall(text):
        parts = (found, *_PART.findall(found)) if "://" not in found else ()
        yield from filter(_is_random_key, dict.fromkeys(part.strip(_EDGES) for part in parts))


def _is_random_key(word: str) -> bool:
    is_name = 2 * sum(map(len, _SYLLABLES.findall(word))) >= len(word)
    has_form = _KEY.fullmatch(word) is not None and _TWO_NUMBERS.search(word) is not None
    return has_form and has_all_kinds(word) and not is_name and is_odd(word)


def _is_odd_enough(word: str) -> bool:
    if not word.isascii() or _USUAL.fullmatch(word) or is_path(word):
        return False
    is_mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    return (is_mixed or is_odd(word)) and not reads_as_words(word)


def _places(line: bytes, word: bytes, most: int) -> Iterator[int]:
    place = line.find(word)
    while place >= 0 and most > 0:
        yield place
        most -= 1
        place = line.find(word, place + len(word))


def _judge(line: bytes, word: str, place: int) -> str:
    """The kind of credential that the word is at this place in the line; "" if none."""
    head = line[max(place - _CONTEXT, 0) : place].decode("utf-8", "ignore")
    text = head + line[place : place + len(word) + _CONTEXT].decode("utf-8", "ignore")
    for secret in find_secrets(text):
        value = text[secret.start : secret.end]
        is_whole = secret.start <= len(head) and secret.end >= len(head) + len(word)
        if is_whole and (len(word) >= _SURE or value == word):
            return secret.kind
    return ""
