"""Where words stand in a text, whatever their case. Pure."""

from __future__ import annotations


def occurrences(text: str, words: tuple[str, ...]) -> list[int]:
    """The places at which any of these lower-case words begins, in order."""
    folded = _folded(text)
    places: set[int] = set()
    for word in words:
        place = folded.find(word)
        while place >= 0:
            places.add(place)
            place = folded.find(word, place + 1)
    return sorted(places)


def _folded(text: str) -> str:
    """The text in lower case, character for character: a few capitals have longer small forms."""
    folded = text.lower()
    return folded if len(folded) == len(text) else "".join(char.lower()[:1] for char in text)
