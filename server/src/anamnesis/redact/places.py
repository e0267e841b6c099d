"""Where words occur in a text, in upper or lower case. Pure."""

from __future__ import annotations


class Folded:
    """A text with its lower-case form, which has the same length: built once, searched for many words."""

    def __init__(self, text: str) -> None:
        self.text = text
        lower = text.lower()
        # A few capitals have longer small forms.
        self._lower = lower if len(lower) == len(text) else "".join(char.lower()[:1] for char in text)
        self._is_ascii = text.isascii()

    def occurrences(self, words: tuple[str, ...]) -> list[int]:
        """The positions at which any of these lower-case words starts, in order."""
        places: set[int] = set()
        for word in words:
            if self._is_ascii and not word.isascii():
                continue
            place = self._lower.find(word)
            while place >= 0:
                places.add(place)
                place = self._lower.find(word, place + 1)
        return sorted(places)
